"""StoryER (Chen et al. 2022): its JSON files of ratings by aspect, such as `train_rate_reason_data.json`.

A list of objects with `story`, `prompt`, `score` (the votes that the story got where it was published) and `comments`:
an aspect from 1 to 10, a rating from 1 to 5 and why, or -1 for none. Items are named by their places in the list, from
1. The votes are read as a score. The files of pairs are pickles, which can run code when they are opened, and are not
read.
"""

from pathlib import Path

from denouement.errors import UserError
from denouement.metrics.agreement.published.rows import PublishedFile, beginning, json_of, number_of
from denouement.metrics.agreement.values import Value

ASPECTS = (
    "opening",
    "middle",
    "ending",
    "character shaping",
    "scene description",
    "heartwarming",
    "sad",
    "horror",
    "funny",
    "novel",
)
"""In the order of their numbers, from 1; the first word or words of each name of theirs."""

_VOTES = "votes"


def is_of(path: Path) -> bool:
    """Whether it is JSON with the names of its objects, or a pickle."""
    start = beginning(path, 1 << 16).lstrip()
    return path.suffix == ".pkl" or (start.startswith("[") and '"story"' in start and '"prompt"' in start)


def read(path: Path) -> PublishedFile:
    """The votes as a score, and the ratings by aspect; several of one story and aspect are numbered.

    Raises:
        UserError: a pickle, or JSON of another form.
    """
    if path.suffix == ".pkl":
        raise UserError(f"{path}: a pickle, which can run code; save what is in it as JSON or CSV and name that")
    scores: list[Value] = []
    ratings: dict[str, list[Value]] = {aspect: [] for aspect in ASPECTS}
    try:
        for place, row in enumerate(json_of(path), 1):
            ending, where = (str(place), ""), f"story {place}"
            if "score" in row:
                scores.append((ending, _VOTES, number_of(row["score"], path, where)))
            given: dict[str, int] = {}
            for number, value, _ in row["comments"]:
                if number == -1:
                    continue
                aspect = ASPECTS[int(number) - 1]
                given[aspect] = given.get(aspect, 0) + 1
                ratings[aspect].append((ending, f"rater {given[aspect]}", number_of(value, path, where)))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UserError(f"{path}: no file of StoryER ({error} is missing or of another form)") from error
    return PublishedFile(scores, {aspect: rows for aspect, rows in ratings.items() if rows})
