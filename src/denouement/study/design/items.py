"""From cases and endings to the items that annotators judge."""

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from denouement.corpus.cells import clean_text
from denouement.errors import UserError
from denouement.legible import can_be_shown, cleaned, seen
from denouement.schemas import RELEASES, shortened
from denouement.study.design import defaults
from denouement.study.design.defaults import Kind
from denouement.study.design.design import (
    CHECK_SYSTEMS,
    HUMAN_RIGHT,
    HUMAN_WRONG,
    Design,
    KnownItem,
    told_apart,
)
from denouement.text.sentences import is_finished
from denouement.text.words import CLOSING_QUOTE, OPENING_QUOTE, capitalize, detokenize, tokenize

# Marks that one system writes curly and another straight would tell them apart; so would those of the Penn Treebank.
_PLAIN_MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "…": "...", "–": "-", "—": "-", "\xa0": " "})
_TREEBANK_QUOTE = re.compile("``|''")

# Blanks where nobody writes one, but who takes sentences apart into words does.
_TOKENIZED = re.compile(r"""\ [.,;:!?%)\]}]|[(\[{$]\ |(?:^|\ )"(?:\ |$)""")
_APART = re.compile(r"(?i) (?=(?:n't|'(?:s|m|d|re|ve|ll))\b)|(?<=s) (?=' )")
_LONE_I = re.compile(r"(?<![\w.'-])i(?=$|[ ,;!?)\"]|'(?:m|d|ve|ll)\b|[.](?!\w))")


@dataclass(frozen=True)
class Item:
    """What is judged.

    Attributes:
        id: a digest of what the item shows, which tells nothing of the systems.
        case_id: of the story.
        kind: what is asked.
        context: the story's sentences before the ending.
        systems: that wrote the endings: two of a pair, else one.
        endings: theirs.
        is_check: its answer is known and it is given to everyone.
        is_training: it is shown before the first item, and its answer is not kept.
        expected: the right answer where it is known: of a pair a `choice` of the table `votes`, of a rating the right
            values by question as JSON, of an order the places as JSON.
    """

    id: str
    case_id: str
    kind: Kind
    context: tuple[str, ...]
    systems: tuple[str, ...]
    endings: tuple[str, ...]
    is_check: bool = False
    is_training: bool = False
    expected: str | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The context's sentences and the endings: of an order, those that are shuffled."""
        return (*self.context, *self.endings)

    def chosen(self, answer: str | None, order: Sequence[int]) -> str | None:
        """Of a pair whose endings stand in `order`: the system that the answer A or B chose; both and neither stay."""
        return self.systems[order[answer == "B"]] if answer in ("A", "B") else answer

    def is_right(self, choice: str | None, values: Mapping[str, int], arranged: Sequence[int]) -> bool | None:
        """Whether the known answer was given; None where none is known.

        Args:
            choice: of a pair, as `chosen` returns it.
            values: of a rating, by question.
            arranged: of an order, the sentences by their place in the story, from 0.
        """
        if self.expected is None:
            return None
        if self.kind == "pair":
            return choice == self.expected
        expected: Any = json.loads(self.expected)
        if self.kind == "rating":
            return not self.missed(values)
        return bool(list(arranged) == expected)

    def missed(self, values: Mapping[str, int]) -> list[str]:
        """The questions of a rating whose answer is known and is not the value given; none of another kind."""
        expected: dict[str, list[int]] = json.loads(self.expected) if self.kind == "rating" and self.expected else {}
        return [question for question, right in expected.items() if values.get(question) not in right]

    @property
    def content(self) -> str:
        """A digest of the texts alone, whichever side they stand on: no person sees two items of the same texts."""
        return _digest(self.kind, self.context, sorted(self.endings))


def make_items(design: Design, cases: pa.Table, endings: Sequence[pa.Table]) -> tuple[list[Item], dict[str, int]]:
    """The items of a study: those to judge by case and pair, then its checks, then its training item.

    Args:
        design: of the study.
        cases: a table `cloze`.
        endings: tables with the columns `endings.COLUMNS`; of several endings of a system for a case the first counts.

    Returns:
        The items, and counts: `cases` used, `items` to judge, `checks`, `training`, `cases_without_endings` (left out:
        a system wrote none that is left, or no label tells the human ones), `identical_endings` (left out: nobody can
        prefer one of a pair that reads the same, or put sentences that read the same into order), `further_endings`
        (left out), and `mended_SYSTEM` (items whose ending of this system is not shown as it was written, see `shown`).
        By `unusable`, and where there are any: `contexts_empty`, `contexts_not_shown` (cases left out),
        `endings_empty`, `endings_not_shown` (endings left out, as if they were not written).

    Raises:
        UserError: no case of the split and release, a system without any ending, fewer cases than asked for, no item.
    """
    cases, left_out = _with_usable_contexts(_chosen_cases(design, cases))
    written, further, unusable_endings = _endings_by_system(design, cases, endings)
    left_out += unusable_endings
    ids = cases["case_id"].to_pylist()
    contexts = dict(zip(ids, cases["context"].to_pylist(), strict=True))
    drawn = sorted(ids, key=lambda case_id: _digest(design.cases.seed, case_id))
    complete = [case_id for case_id in drawn if all(case_id in written[system] for system in design.systems)]
    wanted = design.cases.n if design.cases.n is not None else len(complete)
    if len(complete) < wanted:
        raise UserError(
            f"cases.n: {wanted:,} cases are asked for, but only {len(complete):,} of {len(ids):,} have an ending of "
            f"each of {', '.join(design.systems)}; ask for fewer"
        )
    groups = design.pairs if design.kind == "pair" else tuple((system,) for system in design.systems)
    items: list[Item] = []
    identical = 0
    mended = Counter[str]()
    for case_id in islice(complete, wanted):
        context = tuple(map(shown, contexts[case_id]))
        for systems in groups:
            texts = tuple(shown(written[system][case_id]) for system in systems)
            chosen_from = (*context, *texts) if design.kind == "order" else texts
            if told_apart(chosen_from) < len(chosen_from):
                identical += 1
            else:
                items.append(_item(design.kind, case_id, context, systems, texts))
                pairs = zip(systems, texts, strict=True)
                mended.update(system for system, text in pairs if text != written[system][case_id])
    if not items:
        raise UserError("no item is left: the sentences to choose from read the same; name other systems")
    checks = check_items(design)
    training = training_item(design)
    counts = {
        "cases": wanted,
        "items": len(items),
        "checks": len(checks),
        "training": int(training is not None),
        "cases_without_endings": len(ids) - len(complete),
        "identical_endings": identical,
        "further_endings": further,
        **left_out,
    }
    counts |= {f"mended_{system}": mended[system] for system in sorted(mended)}
    return [*items, *checks, *([training] if training else [])], counts


def check_items(design: Design) -> list[Item]:
    """The attention checks of a design; none where their rate is 0."""
    if not design.checks.rate:
        return []
    known = design.checks.items or tuple(_as_known(story, design.kind) for story in defaults.CHECKS)
    return [_known(design, item, f"check_{number}", is_check=True) for number, item in enumerate(known, 1)]


def training_item(design: Design) -> Item | None:
    """The training item of a design, if it has one."""
    return _known(design, design.training, "training", is_training=True) if design.training else None


def _as_known(story: defaults.Story, kind: Kind) -> KnownItem:
    return KnownItem(story.context, (story.right, story.wrong) if kind == "pair" else (story.right,))


def _known(
    design: Design, known: KnownItem, case_id: str, *, is_check: bool = False, is_training: bool = False
) -> Item:
    systems = CHECK_SYSTEMS[: len(known.endings)]
    if design.kind == "pair":
        expected = {"first": systems[0], "second": systems[-1]}.get(known.expected or "first", known.expected)
    elif design.kind == "rating":
        expected = json.dumps({scale.name: known.values[scale.name] for scale in design.scales}, sort_keys=True)
    else:
        expected = json.dumps(list(range(len(known.context) + 1)))
    texts = tuple(map(shown, known.context)), tuple(map(shown, known.endings))
    return _item(design.kind, case_id, texts[0], systems, texts[1], is_check, is_training, expected)


def _item(
    kind: Kind,
    case_id: str,
    context: tuple[str, ...],
    systems: tuple[str, ...],
    endings: tuple[str, ...],
    is_check: bool = False,
    is_training: bool = False,
    expected: str | None = None,
) -> Item:
    digest = _digest(kind, case_id, context, systems, endings)
    return Item(digest, case_id, kind, context, systems, endings, is_check, is_training, expected)


def _chosen_cases(design: Design, cases: pa.Table) -> pa.Table:
    """The cases of the design's split and release."""
    wanted = design.cases
    of_split = cases.filter(pc.equal(cases["split"], wanted.split))
    present = set(pc.unique(of_split["release"]).to_pylist())
    release = wanted.release or next((each for each in RELEASES if each in present), None)
    if release not in present:
        found = sorted({f"{row['release']} {row['split']}" for row in cases.select(["release", "split"]).to_pylist()})
        asked = " ".join(filter(None, (wanted.release, wanted.split)))
        raise UserError(f"cases: none of {asked}; the table holds {', '.join(found) or 'none'}")
    return of_split.filter(pc.equal(of_split["release"], release))


def _with_usable_contexts(cases: pa.Table) -> tuple[pa.Table, Counter[str]]:
    """The cases whose every sentence is text that can be shown, and counts of the others."""
    counts = Counter[str]()
    usable = []
    for context in cases["context"].to_pylist():
        problems = {problem for sentence in context or [""] if (problem := unusable(sentence))}
        counts.update(f"contexts_{problem}" for problem in sorted(problems)[:1])
        usable.append(not problems)
    return cases.filter(pa.array(usable, pa.bool_())), counts


def _endings_by_system(
    design: Design, cases: pa.Table, tables: Sequence[pa.Table]
) -> tuple[dict[str, Mapping[str, str]], int, Counter[str]]:
    """The endings of each system by case, how many further ones a system wrote for a case, and counts of others."""
    written: dict[str, dict[str, str]] = {system: {} for system in design.systems}
    ids = set(cases["case_id"].to_pylist())
    further = 0
    counts = Counter[str]()
    for case_id, system, text in (*_human_endings(cases), *_generated_endings(tables)):
        if system not in written or case_id not in ids:
            continue
        if problem := unusable(text):
            counts[f"endings_{problem}"] += 1
        elif case_id in written[system]:
            further += 1
        else:
            written[system][case_id] = text
    if lacking := [system for system in design.systems if not written[system]]:
        found = sorted({system for table in tables for system in pc.unique(table["system"]).to_pylist()})
        left_out = f" ({counts.total():,} are empty or cannot be shown)" if counts else ""
        raise UserError(
            f"systems: no ending of {', '.join(lacking)} for any of the cases{left_out}; the endings tables hold "
            f"{shortened(found) or 'none'}: name their tables with --endings, or leave the system out"
        )
    return dict(written), further, counts


def _human_endings(cases: pa.Table) -> Iterator[tuple[str, str, str]]:
    for case in cases.filter(pc.is_valid(cases["right_ending"])).to_pylist():
        right, wrong = (1, 2) if case["right_ending"] == 1 else (2, 1)
        yield case["case_id"], HUMAN_RIGHT, case[f"ending_{right}"]
        yield case["case_id"], HUMAN_WRONG, case[f"ending_{wrong}"]


def _generated_endings(tables: Sequence[pa.Table]) -> Iterator[tuple[str, str, str]]:
    for table in tables:
        yield from zip(*(table[name].to_pylist() for name in ("case_id", "system", "ending")), strict=True)


def unusable(written: str) -> str | None:
    """Why a sentence can be no part of an item: `empty` of anything to see, or `not_shown`; None when it can.

    The rule is `legible`'s, of the text as `shown` makes it: unusual blanks are plain ones by then, and what is
    invisible is gone.
    """
    if not seen(written):
        return "empty"
    return None if can_be_shown(shown(written)) else "not_shown"


def shown(written: str) -> str:
    """The text as annotators see it, so that its form does not tell who wrote it; the same rule for everyone.

    Straight marks, one blank between words, no invisible characters (`legible.cleaned`); words that were taken apart
    are put together (`do n't go .`), the first letter and the word I are capitals, and a full stop stands at the end
    unless there is an end mark. `shown(shown(x))` is `shown(x)`.
    """
    text = unicodedata.normalize("NFC", clean_text(cleaned(written))[0]).translate(_PLAIN_MARKS)
    text = _APART.sub("", " ".join(_TREEBANK_QUOTE.sub('"', text).split()))
    if _TOKENIZED.search(text):
        words = tokenize(text)
        quotes = [place for place, word in enumerate(words) if word in (OPENING_QUOTE, CLOSING_QUOTE)]
        if len(quotes) % 2 == 0:  # blanks around them do not tell which opens
            for number, place in enumerate(quotes):
                words[place] = CLOSING_QUOTE if number % 2 else OPENING_QUOTE
        text = detokenize(words)
    text = capitalize(_LONE_I.sub("I", text))
    return text if is_finished(text) or not text else text.rstrip(" ,;:-") + "."


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:16]
