"""Scores of endings, from a table of this package, a published file, or any other table."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from denouement.errors import UserError
from denouement.metrics.agreement.published import published_file
from denouement.metrics.agreement.tables import kind_of, scores_of_table
from denouement.metrics.agreement.values import Scores, gathered_scores
from denouement.metrics.base import known_measures
from denouement.schemas import TABLES, read_table


def read_scores(path: Path) -> Scores:
    """The scores in a file, or in a folder of UNION's.

    Of a table `ending_scores` the registry says which have lower values that are better: these are turned.

    Raises:
        UserError: no such file, no scores in it, or as the readers of the layouts.
    """
    kind = None if path.is_dir() else kind_of(path)
    if kind == "ending_scores":
        return _of_endings(path, read_table(path, "ending_scores"))
    if kind in TABLES and "item_id" in TABLES[kind].schema.names:
        raise UserError(f"{path}: a table '{kind}' of a study has no scores; name a table ending_scores, or any CSV")
    published = published_file(path)
    if published is None:
        return scores_of_table(path)
    scores = list(published.scores)
    if not scores:
        raise UserError(f"{path}: has people's ratings and no scores; name the file with scores")
    return gathered_scores(str(path), scores)


def _of_endings(path: Path, table: pa.Table) -> Scores:
    of_set = pc.is_null(table["case_id"])
    single, sets = (table.filter(rows).to_pylist() for rows in (pc.invert(of_set), of_set))
    if not single:
        raise UserError(f"{path}: has values of whole systems alone; score single endings, too")
    rows = (((row["case_id"], row["system"]), row["score"], row["value"]) for row in single)
    of_sets: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for row in sets:
        of_sets[row["score"]][row["system"]] = row["value"]
    scores = replace(gathered_scores(str(path), rows), of_sets=dict(of_sets))
    known = known_measures()
    measure = {name: known.get(name.partition(" ")[0]) for name in scores.all_names}
    lower = [name for name, of in measure.items() if of and of.better == "lower"]
    return replace(scores.turned(lower), no_direction=[name for name, of in measure.items() if of is None])
