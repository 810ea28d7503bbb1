"""OpenMEVA (Guan et al. 2021): `mags_roc.json`, `mags_wp.json`, and files of scores that its programs write.

The first is an object with an entry a story, whose `gen` has by system the `text` and the `score`, a list of ratings
from 1 to 5. A file of scores, such as `roc_metric.json`, is a list of objects with `id`, `model_name`, `metric_score`
(a number by name) and `score`, the same ratings.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from denouement.errors import UserError
from denouement.metrics.agreement.published.rows import PublishedFile, beginning, json_of, number_of
from denouement.metrics.agreement.values import Ending, Value


def is_of(path: Path) -> bool:
    """Whether it is JSON with the names of either file."""
    start = beginning(path, 1 << 16).lstrip()
    if start.startswith("{"):
        return '"gen"' in start and '"gold_response"' in start
    return start.startswith("[") and '"metric_score"' in start


def read(path: Path) -> PublishedFile:
    """The scores, and the ratings, of which those of one ending are numbered.

    Raises:
        UserError: JSON of another form.
    """
    written = json_of(path)
    try:
        rows = list(_of_scores(written) if isinstance(written, list) else _of_stories(written))
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: no file of OpenMEVA ({error} is missing or of another form)") from error
    scores: list[Value] = []
    ratings: list[Value] = []
    for ending, its_scores, its_ratings in rows:
        where = " of ".join(ending)
        scores += [(ending, name, number_of(value, path, where)) for name, value in its_scores.items()]
        ratings += [
            (ending, f"rater {place}", number_of(value, path, where)) for place, value in enumerate(its_ratings, 1)
        ]
    return PublishedFile(scores, {"": ratings} if ratings else {})


_Row = tuple[Ending, Mapping[str, Any], Sequence[Any]]


def _of_stories(stories: Any) -> Iterator[_Row]:
    for item, story in stories.items():
        for system, made in story["gen"].items():
            yield (str(item), str(system)), {}, made.get("score", [])


def _of_scores(rows: Any) -> Iterator[_Row]:
    for row in rows:
        yield (str(row["id"]), str(row["model_name"])), row["metric_score"], row.get("score", [])
