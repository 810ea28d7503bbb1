"""Scores of endings, from a table of this package, a published file, or any other table."""

from pathlib import Path

from denouement.errors import UserError
from denouement.files import existing_file
from denouement.metrics.agreement.published import published_file
from denouement.metrics.agreement.tables import scores_of_table
from denouement.metrics.agreement.values import Scores, gathered_scores


def read_scores(path: Path) -> Scores:
    """The scores in a file, or in a folder of UNION's.

    Raises:
        UserError: no such file, no scores in it, or as the readers of the layouts.
    """
    published = published_file(path if path.is_dir() else existing_file(path))
    if published is None:
        return scores_of_table(path)
    scores = list(published.scores)
    if not scores:
        raise UserError(f"{path}: has people's ratings and no scores; name the file with scores")
    return gathered_scores(str(path), scores)
