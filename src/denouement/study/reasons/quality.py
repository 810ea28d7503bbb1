"""How well the tags of rules agree with what people say about the same reasons."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Quality:
    """How well tags agree with labels.

    Attributes:
        precision: the share of the tags that are also labels; None without tags.
        recall: the share of the labels that are also tags; None without labels.
        f1: the harmonic mean of the two; None where there are neither tags nor labels.
    """

    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class TagCounts:
    """The numbers of tags, of labels, and of tags that are also labels, and their agreement as in `Quality`."""

    tagged: int
    labelled: int
    both: int
    precision: float | None
    recall: float | None
    f1: float | None


def tag_counts(tagged: npt.NDArray[np.bool_], labelled: npt.NDArray[np.bool_]) -> TagCounts:
    """The counts and the quality of bool [reasons, elements], all elements together."""
    from sklearn.metrics import precision_recall_fscore_support

    values = precision_recall_fscore_support(labelled.ravel(), tagged.ravel(), average="binary", zero_division=np.nan)
    precision, recall, f1 = (None if np.isnan(value) else float(value) for value in values[:3])
    return TagCounts(int(tagged.sum()), int(labelled.sum()), int((tagged & labelled).sum()), precision, recall, f1)
