"""A whole file of collected work: what would be refused of it, what would be hinted at, and what endings give away."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from denouement.collect.checks import LONGEST_TEXT, RIGHT, WRONG, Remark, check_endings, check_story
from denouement.collect.description import Collection, EndingStep, StoryStep
from denouement.collect.hints import WrittenStories, informal, nearly_like, no_shared_character, tone_apart
from denouement.collect.watching import EndingWatch, WatchRules, watch
from denouement.text.syntax import NoParserError, Parses, parse


@dataclass(frozen=True)
class CheckedText:
    """A story or a pair of endings of which something is to be said.

    Attributes:
        number: its place in the file, from 1.
        id: of the story or the case.
        writer: None where it is not known.
    """

    number: int
    id: str
    writer: str | None
    remarks: tuple[Remark, ...]


@dataclass(frozen=True)
class RemarkCount:
    """Of how many texts something is said."""

    code: str
    refuses: bool
    texts: int


@dataclass(frozen=True)
class CheckedWork:
    """What was found in a file.

    Attributes:
        kind: of its texts.
        texts: how many there are.
        refused: how many of them could not be handed in like this.
        counts: by code, refusals first, the most frequent first.
        remarks: the texts of which something is said, in the order of the file.
        missing: what could not be checked, and why; None where all was.
        watch: of endings; None of stories.
    """

    kind: Literal["stories", "endings"]
    texts: int
    refused: int
    counts: tuple[RemarkCount, ...]
    remarks: tuple[CheckedText, ...]
    missing: str | None
    watch: EndingWatch | None

    @property
    def is_alarm(self) -> bool:
        """Whether a text is refused, or the endings give too much away."""
        return bool(self.refused or (self.watch and self.watch.alarms))


def check_stories(stories: pa.Table, collection: Collection) -> CheckedWork:
    """Check the table `collected_stories` by the rules of a collection. Titles are not asked for."""
    step = collection.stories or StoryStep()
    there = WrittenStories()

    def remarks(row: Mapping[str, Any]) -> Iterator[Remark]:
        sentences = row["sentences"]
        yield from check_story(row["title"] or "", sentences, step.sentences, step.longest, wants_title=False)
        yield from informal({f"sentence {number}": text for number, text in enumerate(sentences, 1)})
        yield from nearly_like(there.nearest(row["story_id"], sentences))
        there.add(row["story_id"], sentences)

    return _checked("stories", _texts(stories, "story_id", remarks), stories.num_rows, None, None)


def check_pairs(endings: pa.Table, collection: Collection, cache: Path | None, rules: WatchRules) -> CheckedWork:
    """Check the table `collected_endings` by the rules of a collection, and watch what it gives away.

    Pairs with a text of more than `LONGEST_TEXT` characters are refused and not watched.

    Args:
        endings: in the order in which they came in.
        collection: how they were written.
        cache: see `watching.watch`.
        rules: when there is an alarm.
    """
    step = collection.endings or EndingStep()
    contexts = chain.from_iterable(endings["context"].to_pylist())
    sentences = [*endings["right"].to_pylist(), *endings["wrong"].to_pylist(), *contexts]
    lengths = (pc.utf8_length(endings[name]) for name in ("right", "wrong"))
    readable = endings.filter(pc.less_equal(pc.max_element_wise(*lengths), LONGEST_TEXT))
    parses: Parses = {}
    missing = None
    try:
        parses = parse(sentences, cache / "parses.parquet" if cache else None)
    except NoParserError as error:
        missing = f"shared characters: {error}"

    def remarks(row: Mapping[str, Any]) -> Iterator[Remark]:
        right, wrong = row["right"], row["wrong"]
        written = {WRONG: wrong} if step.way == "method_2" else {RIGHT: right, WRONG: wrong}
        yield from check_endings(step.way, right, wrong, step.longest)
        yield from informal(written)
        yield from tone_apart(right, wrong, step.tone_apart)
        if parses:
            yield from no_shared_character(row["context"], written, parses)

    texts = list(_texts(endings, "case_id", remarks))
    return _checked("endings", texts, endings.num_rows, missing, watch(readable, cache, rules))


def _texts(
    table: pa.Table, key: str, remarks: Callable[[Mapping[str, Any]], Iterator[Remark]]
) -> Iterator[CheckedText]:
    for number, row in enumerate(table.to_pylist(), 1):
        if found := tuple(remarks(row)):
            yield CheckedText(number, row[key], row["writer"], found)


def _checked(
    kind: Literal["stories", "endings"],
    texts: Iterable[CheckedText],
    n: int,
    missing: str | None,
    watched: EndingWatch | None,
) -> CheckedWork:
    remarks = tuple(texts)
    counts = Counter(code for text in remarks for code in {(each.code, each.refuses) for each in text.remarks})
    rows = (RemarkCount(code, refuses, n_texts) for (code, refuses), n_texts in counts.items())
    return CheckedWork(
        kind=kind,
        texts=n,
        refused=sum(any(each.refuses for each in text.remarks) for text in remarks),
        counts=tuple(sorted(rows, key=lambda row: (not row.refuses, -row.texts, row.code))),
        remarks=remarks,
        missing=missing,
        watch=watched,
    )
