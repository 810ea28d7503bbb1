"""What the documents of a run hold, so far as the report reads it: a damaged one is refused before it is used."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError


class _Part(BaseModel):
    """A number must be a number, not text, and finite. Keys that are not named here are allowed."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _File(_Part):
    file: str
    oddities: dict[str, int]


class _Pair(_Part):
    first: str
    second: str
    same_story: int


class _Overlap(_Part):
    pairs: list[_Pair]
    repeated: dict[str, int]


class _Ingest(_Part):
    corpus: Literal["sample", "official"]
    files: list[_File]
    stories: dict[str, dict[str, int]]
    cloze: dict[str, dict[str, int]]
    overlap: _Overlap


class _Stories(_Part):
    train: int
    validation: int


class _Epoch(_Part):
    epoch: int
    train_loss: float
    validation_loss: float | None
    validation_perplexity: float | None


class _History(_Part):
    best_epoch: int | None
    vocabulary: int | None
    stories: _Stories
    epochs: list[_Epoch]


class _Table(_Part):
    title: str
    header: list[str]
    rows: list[list[str]]
    note: str


class _Figure(_Part):
    file: str
    what: str


class _Finding(_Part):
    title: str
    what: str
    tables: list[_Table]
    figures: list[_Figure]


class _Group(_Part):
    n: int
    accuracy: float


class _FittedTo(_Part):
    cases: dict[str, int]
    folds: int | None
    left_out: int


class _System(_Part):
    system: str
    variant: str
    release: str
    split: str
    blind: bool
    n: int
    accuracy: float | None
    low: float | None
    high: float | None
    paper: float | None
    ties: int | None
    accuracy_half_ties: float | None
    best: bool
    p_best: float | None
    by_sentiment: dict[str, _Group] | None
    by_length: dict[str, _Group] | None
    trained_on: str | None
    fitted_to: _FittedTo | None
    missing: str | None
    failed: str | None


class _Comparison(_Part):
    one: str
    other: str
    only_one: int
    only_other: int
    p: float
    p_holm: float


class _Evaluation(_Part):
    systems: list[_System]
    comparisons: dict[str, list[_Comparison]]
    notes: dict[str, dict[str, int]]


class _Share(_Part):
    n: int
    share: float


class _Agreement(_Part):
    first: _Share
    second: _Share
    both: _Share
    neither: _Share
    no_agreement: _Share


class _Over(_Part):
    over: str | None
    why_not: str | None


class _Compared(_Part):
    first: str
    second: str
    items: int
    cases: int
    paper: dict[str, int] | None
    agreement: _Agreement
    single_answers: dict[str, _Over]
    preference: _Over


class _Ratings(_Part):
    means: list[_Over]


class _Orders(_Part):
    systems: list[_Over]


class _Study(_Part):
    strengths: _Over
    answers: int
    studies: list[str]
    statuses: dict[str, int]
    pairs: list[_Compared]


class _Word(_Part):
    word: str
    count: int
    reasons: int


class _Words(_Part):
    reasons: int
    distinct: int
    words: list[_Word]


class _Element(_Part):
    element: str
    n: int
    denied: int


class _Elements(_Part):
    elements: list[_Element]


class _Reasons(_Part):
    words: _Words
    elements: _Elements


class _Stage(_Part):
    cmd: str
    params: dict[str, dict[str, Any]] = {}


class _Lock(_Part):
    stages: dict[str, _Stage]


_MADE_BY: dict[str, tuple[str, Any]] = {
    "corpus/ingest.json": ("ingest", _Ingest),
    "history.json": ("train", _History),
    "statistics/statistics.json": ("statistics", dict[str, _Finding]),
    "cloze/evaluation.json": ("cloze", _Evaluation),
    "study/results.json": ("study", _Study),
    "study/ratings/results.json": ("study", _Ratings),
    "study/orders/results.json": ("study", _Orders),
    "study/reasons.json": ("study", _Reasons),
    "dvc.lock": ("", _Lock),
}
"""By the end of its path the stage that makes a document, and what it holds."""


def misfit(path: Path, content: Any) -> str | None:
    """What of a document is not as its stage writes it, in a few words, and how to mend it; None where all is."""
    stage, kind = next((found for name, found in _MADE_BY.items() if path.match(name)), ("", dict[str, Any]))
    try:
        TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = " > ".join(map(str, first["loc"][:6])) or "the whole of it"
        return (
            f"{where} is missing or not what is written there; make it again{f': dvc repro {stage}' if stage else ''}"
        )
    return None
