"""Writing the sample corpus in the CSV layout of the official files, so that it is read like them."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from denouement.corpus.sample import telling
from denouement.corpus.sample.grammar import branches, scenarios
from denouement.files import atomic_write

_STORY_HEADER = ("storyid", "storytitle", *(f"sentence{k}" for k in range(1, 6)))
_CASE_HEADER = (
    "InputStoryid",
    *(f"InputSentence{k}" for k in range(1, 5)),
    "RandomFifthSentenceQuiz1",
    "RandomFifthSentenceQuiz2",
    "AnswerRightEnding",
)


@dataclass(frozen=True)
class SampleCounts:
    """Numbers of written stories and cases, and of the grammar's scenarios, branches and possible stories."""

    stories: int
    cases: int
    scenarios: int
    branches: int
    possible_stories: int


def write_sample(out: Path, stories: int, cases: int, seed: int) -> SampleCounts:
    """Write `sample_stories.csv` and `sample_cloze_val.csv` into `out`: UTF-8, CRLF, ids that depend on the seed alone.

    Raises:
        UserError: a number is below 1 or above what the grammar can make (then neither file is touched), or `out`
            cannot be written to.
    """
    made_stories, made_cases = telling.stories(stories, seed), telling.cloze_cases(cases, seed)
    _write(out / "sample_stories.csv", _STORY_HEADER, ((s.story_id, s.title, *s.sentences) for s in made_stories))
    _write(
        out / "sample_cloze_val.csv",
        _CASE_HEADER,
        ((c.case_id, *c.context, *c.endings, c.right_ending) for c in made_cases),
    )
    return SampleCounts(stories, cases, len(scenarios()), len(branches()), telling.possible_stories())


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[str | int]]) -> None:
    with atomic_write(path) as part, part.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(header)
        writer.writerows(rows)
