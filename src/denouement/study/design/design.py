"""What a study is: its file, checked as a whole, as one frozen `Design`.

`docs/study.md` lists every key. A study's design never changes once its store was made: the rules are for new files. Of
a stored design only the form is read (`from_json`), so that a later version's stricter rules end no running study.
"""

import dataclasses
import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from denouement.errors import UserError
from denouement.files import existing_file
from denouement.legible import can_be_shown, seen
from denouement.schemas import RELEASES, SPLITS, shortened
from denouement.settings import build, collect
from denouement.study.design import defaults
from denouement.study.design.defaults import Kind
from denouement.yaml_files import read_yaml

HUMAN_RIGHT, HUMAN_WRONG = "human_right", "human_wrong"
ANSWERS = ("A", "B", "both", "neither")
TIES = ("both", "neither")
CHECK_SYSTEMS = ("check_first", "check_second")

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_PROLIFIC = "https://app.prolific.com/submissions/complete?cc="
_UNSHOWN = "holds characters that cannot be shown: type it again"
_MOST_BYTES = 1 << 20  # of a study's file; texts and checks of a large study are some kilobytes
_MOST_TOLD = 300  # characters of a mistake, which may tell a whole value


class Mistake(NamedTuple):
    """What is wrong with a value, and the keys it depends on: it is not told when one of those is unusable anyway."""

    keys: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Cases:
    """Which Story Cloze cases are drawn.

    Attributes:
        n: how many; None takes all.
        seed: of the draw; a larger `n` with the same seed holds the smaller sample.
        split: of the cloze table.
        release: of the cloze table; None is the first of v1.0, v1.5 and sample that has cases of the split.
    """

    n: int | None = 200
    seed: int = 1
    split: str = "validation"
    release: str | None = None

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        if self.n is not None and self.n < 1:
            yield Mistake(("n",), f"n: must be at least 1, not {self.n}, or empty to take all cases")
        if self.split not in SPLITS:
            yield Mistake(("split",), f"split: must be one of {', '.join(SPLITS)}, not {self.split!r}")
        if self.release is not None and self.release not in RELEASES:
            yield Mistake(("release",), f"release: must be one of {', '.join(RELEASES)}, not {self.release!r}")


@dataclass(frozen=True)
class Reason:
    """Whether the reason for an answer is asked, and how long it is, in characters."""

    mode: Literal["required", "optional", "off"] = "off"
    min_length: int = 10
    max_length: int = 2000
    question: str = defaults.REASON

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        if self.min_length < 1:
            yield Mistake(("min_length",), f"min_length: must be at least 1, not {self.min_length}")
        if not self.min_length <= self.max_length <= 10_000:
            yield Mistake(
                ("min_length", "max_length"),
                f"max_length: must lie between min_length and 10,000, not {self.max_length}",
            )
        yield from _text_mistakes(self, "question")
        for key in ("min_length", "max_length", "question"):
            if self.mode == "off" and getattr(self, key) != getattr(Reason, key):
                yield Mistake(("mode", key), f"{key}: no reason is asked: leave the key out, or set mode")


@dataclass(frozen=True)
class Scale:
    """One question that is answered by a whole number from `low` to `high`.

    Attributes:
        name: of the question in the table `ratings`.
        text: what annotators read.
        labels: a word for each value, from `low` on, of which those between may be empty; none: `defaults.SCALE_ENDS`.
    """

    name: str = ""
    text: str = ""
    low: int = 0
    high: int = 5
    labels: tuple[str, ...] = ()

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        if not _NAME.fullmatch(self.name):
            yield Mistake(("name",), f"name: {_NAME_RULE}, not {self.name!r}")
        if not seen(self.text):
            yield Mistake(
                ("text",), f"text: is missing: write what annotators read, or name one of {', '.join(SCALES)}"
            )
        if not all(map(can_be_shown, (self.text, *self.labels))):
            yield Mistake(("text", "labels"), f"text, labels: {_UNSHOWN}")
        if not 0 <= self.low < self.high <= 100:
            yield Mistake(("low", "high"), f"low, high: must be 0 <= low < high <= 100, not {self.low} and {self.high}")
        elif self.labels and len(self.labels) != self.high - self.low + 1:
            wanted = self.high - self.low + 1
            yield Mistake(("labels", "low", "high"), f"labels: must be none or {wanted}, not {len(self.labels)}")


_ENDS = ("not at all", "", "", "", "", "fully")

# The scales of the related work (Mori et al. 2019, section 2), worded here.
SCALES: dict[str, tuple[Scale, ...]] = {
    "consistency_readability": (  # Zhao et al. 2018
        Scale("consistency", "Does the last sentence agree with the story before it?", 0, 5, _ENDS),
        Scale("readability", "Is the last sentence easy to read and well written?", 0, 5, _ENDS),
    ),
    "bad_to_perfect": (  # Li et al. 2018
        Scale(
            "quality",
            "How good is the last sentence, by its grammar and fluency, its relevance to the story and its logic?",
            0,
            3,
            ("Bad", "Relevant", "Good", "Perfect"),
        ),
    ),
    "grammar_logicality": (  # Guan et al. 2019
        Scale("grammar", "Is the last sentence natural and free of mistakes?", 0, 2, ("no", "partly", "yes")),
        Scale("logicality", "Does the last sentence follow from the story?", 0, 2, ("no", "partly", "yes")),
    ),
}


@dataclass(frozen=True)
class KnownItem:
    """An item whose answer is known.

    Attributes:
        context: its sentences.
        endings: two of a pair, else one.
        expected: of a pair alone: `first` (which None is) or `second` ending, both, neither.
        values: of a rating: the values that count as right, by the scale's name. An order's answer is the story's own.
    """

    context: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    expected: str | None = None
    values: dict[str, list[int]] = field(default_factory=dict)

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing whatever the study asks."""
        for key in ("context", "endings"):
            texts = getattr(self, key)
            if not texts or not all(map(seen, texts)):
                yield Mistake((key,), f"{key}: must be a list of sentences, none of them empty")
            if not all(map(can_be_shown, texts)):
                yield Mistake((key,), f"{key}: {_UNSHOWN}")
        if self.expected not in (None, "first", "second", *TIES):
            yield Mistake(
                ("expected",), f"expected: must be one of first, second, both, neither, not {self.expected!r}"
            )

    def mistakes_as(self, kind: Kind, scales: tuple[Scale, ...]) -> Iterator[str]:
        """What is wrong with it in a study of this kind."""
        wanted = 2 if kind == "pair" else 1
        if len(self.endings) != wanted:
            yield f"endings: must be {wanted} in a study of kind {kind}, not {len(self.endings)}"
        judged = (*self.context, *self.endings) if kind == "order" else self.endings
        if told_apart(judged) < len(judged):
            yield "endings: two sentences to choose from are the same to a reader: change one"
        if self.expected is not None and kind != "pair":
            yield f"expected: a study of kind {kind} has none: leave the key out"
        if self.values and kind != "rating":
            yield f"values: a study of kind {kind} has none: leave the key out"
        if kind == "rating":
            for name in self.values.keys() - {scale.name for scale in scales}:
                yield f"values: {name} is not among the scales"
            for scale in scales:
                right = self.values.get(scale.name)
                if not (isinstance(right, list) and right and all(value in _values(scale) for value in right)):
                    yield (
                        f"values: must list which of {scale.low} to {scale.high} are right for {scale.name}, such as "
                        f"{{{scale.name}: [{scale.high}]}}"
                    )


@dataclass(frozen=True)
class Training(KnownItem):
    """The item before the first one, shown until its answer is right.

    Attributes:
        feedback: told after a wrong answer.
        feedback_right: told after the right one.
        attempts: wrong answers after which a person is screened out; None: never.
    """

    feedback: str = defaults.OWN_FEEDBACK
    feedback_right: str = defaults.OWN_FEEDBACK_RIGHT
    attempts: int | None = None

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        yield from super().mistakes()
        yield from _text_mistakes(self, "feedback", "feedback_right")
        if self.attempts is not None and self.attempts < 1:
            yield Mistake(("attempts",), f"attempts: must be at least 1, not {self.attempts}")


@dataclass(frozen=True)
class Checks:
    """Attention checks: items with known answers among the others.

    Attributes:
        rate: share of the items a person sees that are checks, below 1. Each check is seen once at most.
        items: the checks; none takes those of the package (not for ratings).
    """

    rate: float = 0.0
    items: tuple[KnownItem, ...] = ()

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        if not 0 <= self.rate <= 0.5:
            yield Mistake(("rate",), f"rate: must lie between 0 and 0.5, not {self.rate}")
        if self.items and not self.rate:
            yield Mistake(("rate", "items"), "items: are never shown at a rate of 0: leave the key out, or set rate")


@dataclass(frozen=True)
class Entry:
    """How annotators come in.

    Attributes:
        kind: `links`, a private link for each; `open`, one link for all, where each browser is one annotator;
            `prolific`, one link with PROLIFIC_PID, STUDY_ID and SESSION_ID.
        links: how many private links are made; 10 unless told, and None in another kind of entry.
        completion_code: shown at the end; on Prolific, of the redirect.
        completion_url: where a person is sent at the end. Made from the code on Prolific.
        screen_out_code, screen_out_url: the same for those who fail the training.
    """

    kind: Literal["links", "open", "prolific"] = "links"
    links: int | None = None
    completion_code: str = ""
    completion_url: str = ""
    screen_out_code: str = ""
    screen_out_url: str = ""

    def __post_init__(self) -> None:
        if self.kind == "links" and self.links is None:
            object.__setattr__(self, "links", 10)
        if self.kind == "prolific":
            for end in ("completion", "screen_out"):
                code = getattr(self, f"{end}_code")
                if code and not getattr(self, f"{end}_url"):
                    object.__setattr__(self, f"{end}_url", f"{_PROLIFIC}{code}")

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing or out of range."""
        if self.kind == "links" and not 1 <= (self.links or 0) <= 10_000:
            yield Mistake(("kind", "links"), f"links: must lie between 1 and 10,000, not {self.links}")
        if self.kind != "links" and self.links is not None:
            yield Mistake(("kind", "links"), f"links: entry of kind {self.kind} has none: leave the key out")
        for key in ("completion_code", "screen_out_code"):
            code = getattr(self, key)
            if not re.fullmatch(r"[A-Za-z0-9_-]{0,64}", code):
                yield Mistake((key,), f"{key}: must be letters, digits, - and _, not {code!r}")
        for key in ("completion_url", "screen_out_url"):
            url = getattr(self, key)
            if url and not _is_https(url):
                yield Mistake((key,), f"{key}: must begin with https:// and a host, not {url!r}")
        if self.kind == "prolific" and not self.completion_url:
            yield Mistake(
                ("kind", "completion_code", "completion_url"),
                "completion_code: is missing: Prolific shows it beside the study",
            )


@dataclass(frozen=True)
class Design:
    """A study.

    Attributes:
        name: of the study, in its address and its tables.
        kind: what is asked: which of two endings is better (Mori et al. 2019, 4.3), how good one is on `scales`, or in
            which order the sentences stood (Mostafazadeh et al. 2016, 3.3).
        systems: whose endings are judged: any of the endings tables, `human_right`, `human_wrong`.
        pairs: of a pair study; none takes every two systems.
        scales: of a rating study; in the file a list of them and of names in `SCALES`, or one such name.
        answers_per_item: k, by as many different people.
        lease_minutes: how long an item is kept for one person.
        max_items_per_person: checks included; None: no limit.
        hash_ids: whether annotators' ids are stored as salted hashes only.
        contact: whom annotators may write to.
        title, consent, instructions, question: what annotators read; plain text, an empty line between paragraphs.
    """

    name: str = ""
    kind: Kind = "pair"
    systems: tuple[str, ...] = ()
    pairs: tuple[tuple[str, ...], ...] = ()
    scales: tuple[Scale, ...] = ()
    cases: Cases = Cases()
    answers_per_item: int = 5
    reason: Reason = Reason()
    checks: Checks = Checks()
    training: Training | None = None
    entry: Entry = Entry()
    lease_minutes: float = 20.0
    max_items_per_person: int | None = None
    hash_ids: bool = True
    contact: str = ""
    title: str = "How do stories end?"
    consent: str = defaults.CONSENT
    instructions: str = ""
    question: str = ""

    def __post_init__(self) -> None:
        if self.kind in defaults.QUESTION:
            for key, text in (
                ("instructions", defaults.INSTRUCTIONS[self.kind]),
                ("question", defaults.QUESTION[self.kind]),
            ):
                if not getattr(self, key):
                    object.__setattr__(self, key, text)
        if self.kind == "pair" and not self.pairs:
            object.__setattr__(self, "pairs", tuple(combinations(dict.fromkeys(self.systems), 2)))

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing, out of range or at odds with the rest."""
        if not _NAME.fullmatch(self.name):
            yield Mistake(("name",), f"name: {_NAME_RULE}, not {self.name!r}")
        yield from self._systems_mistakes()
        yield from self._scales_mistakes()
        for key, least, most in (("answers_per_item", 1, 1000), ("max_items_per_person", 1, 1_000_000)):
            value = getattr(self, key)
            if value is not None and not least <= value <= most:
                yield Mistake((key,), f"{key}: must lie between {least} and {most:,}, not {value}")
        if not 1 <= self.lease_minutes <= 10_080:
            yield Mistake(
                ("lease_minutes",), f"lease_minutes: must lie between 1 and 10,080 (a week), not {self.lease_minutes:g}"
            )
        yield from _text_mistakes(self, "title", "consent", "instructions", "question")
        if not can_be_shown(self.contact):
            yield Mistake(("contact",), f"contact: {_UNSHOWN}")
        if self.kind == "order" and self.reason.mode != "off":
            yield Mistake(("kind", "reason"), "reason.mode: must be off in a study of kind order")
        yield from self._known_mistakes()

    def _systems_mistakes(self) -> Iterator[Mistake]:
        least = 2 if self.kind == "pair" else 1
        if len(self.systems) < least:
            yield Mistake(("systems", "kind"), f"systems: must be at least {least} in a study of kind {self.kind}")
        for system in _repeated(self.systems):
            yield Mistake(("systems",), f"systems: {system} stands twice")
        for system in self.systems:
            if not seen(system) or not can_be_shown(system) or system in (*TIES, *CHECK_SYSTEMS):
                yield Mistake(("systems",), f"systems: {system!r} cannot be a system's name: rename it")
        if self.pairs and self.kind != "pair":
            yield Mistake(("pairs", "kind"), f"pairs: a study of kind {self.kind} has none: leave the key out")
        for pair in self.pairs:
            told = " and ".join(pair)
            if len(pair) != 2 or pair[0] == pair[1]:
                yield Mistake(("pairs",), f"pairs: must each be two systems, not {told or 'none'}")
            for system in pair:
                if system not in self.systems:
                    yield Mistake(("pairs", "systems"), f"pairs: {system} is not among the systems")
        for system in self.systems:
            if self.kind == "pair" and self.pairs and not any(system in pair for pair in self.pairs):
                yield Mistake(("pairs", "systems", "kind"), f"pairs: {system} is in none: compare it, or leave it out")
        for told in _repeated(tuple(" and ".join(sorted(pair)) for pair in self.pairs)):
            yield Mistake(("pairs", "systems"), f"pairs: {told} stands twice: sides are drawn for each annotator")

    def _scales_mistakes(self) -> Iterator[Mistake]:
        if self.kind == "rating" and not self.scales:
            yield Mistake(("scales", "kind"), f"scales: are missing: list them or name {', '.join(SCALES)}")
        if self.kind != "rating" and self.scales:
            yield Mistake(("scales", "kind"), f"scales: a study of kind {self.kind} has none: leave the key out")
        for name in _repeated(tuple(scale.name for scale in self.scales)):
            yield Mistake(("scales",), f"scales: {name} stands twice")

    def _known_mistakes(self) -> Iterator[Mistake]:
        if self.kind == "rating" and self.checks.rate and not self.checks.items:
            yield Mistake(("checks", "kind"), "checks.items: are missing: a study of kind rating needs its own")
        known: list[tuple[str, KnownItem]] = [
            (f"checks.items.{number}", item) for number, item in enumerate(self.checks.items, 1)
        ]
        if self.training:
            known.append(("training", self.training))
        for where, item in known:
            for text in item.mistakes_as(self.kind, self.scales):
                yield Mistake((where.partition(".")[0], "kind", "scales"), f"{where}.{text}")


def told_apart(texts: Collection[str]) -> int:
    """How many of these texts a reader tells apart: not those that differ by blanks, by case or invisibly."""
    return len({seen(text).casefold() for text in texts})


def read_design(path: Path, written: Collection[str] | None = None) -> Design:
    """The design that the YAML file `path` holds.

    Args:
        path: the file.
        written: the systems whose endings are at hand, people aside; None where that is not known.

    Raises:
        UserError: no such file, a file that is too large or no YAML, or mistakes: all of them in one line, joined by
            `; `.
    """
    if existing_file(path).stat().st_size > _MOST_BYTES:
        raise UserError(f"{path}: larger than {_MOST_BYTES:,} bytes, so it is no study's file")
    return design_from(read_yaml(path, aliases=False), str(path), written)


def design_from(section: Mapping[str, Any] | None, where: str, written: Collection[str] | None = None) -> Design:
    """The design of the keys of `section`, as YAML gives them.

    Args:
        section: the keys.
        where: what a message calls the section.
        written: as in `read_design`.

    Raises:
        UserError: mistakes: all of them in one line, joined by `; `, each with `where` and its key.
    """
    if isinstance(section, Mapping):
        section = _with_named_parts(section)
    try:
        design, mistakes = collect(Design, section, where)
    except RecursionError as error:
        raise UserError(f"{where}: nested too deep to be a study's file") from error
    if written is not None and isinstance(section, Mapping):
        mistakes += [f"{where}.{text}" for text in _not_written(section.get("systems"), written)]
    if design is None or mistakes:
        raise UserError("; ".join(text if len(text) <= _MOST_TOLD else f"{text[:_MOST_TOLD]}..." for text in mistakes))
    return design


def _not_written(systems: Any, written: Collection[str]) -> Iterator[str]:
    """The mistake that endings of some of the systems are not there."""
    named = [system for system in systems if isinstance(system, str)] if isinstance(systems, list | tuple) else []
    if lacking := [each for each in dict.fromkeys(named) if each not in {*written, HUMAN_RIGHT, HUMAN_WRONG}]:
        yield (
            f"systems: no ending of {shortened(lacking)}; the endings tables hold "
            f"{shortened(sorted(written)) or 'none'}: correct the name, or name its table with --endings"
        )


def to_json(design: Design) -> str:
    """The design as one line of JSON, which `from_json` reads."""
    return json.dumps(dataclasses.asdict(design), ensure_ascii=False, sort_keys=True)


def from_json(text: str, where: str = "stored design") -> Design:
    """The design that `to_json` wrote, in this version or an earlier one; by its form alone, whatever the rules.

    Raises:
        UserError: a key or a kind that this version does not know.
    """
    try:
        return build(Design, json.loads(text), where)
    except UserError as error:
        raise UserError(f"{error}; the study is of another version of this package: use that one") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: damaged ({error}); restore the database from a copy") from error


_NAME_RULE = "must be 1 to 40 of a-z, 0-9, - and _, the first a letter or digit"


def _with_named_parts(section: Mapping[str, Any]) -> dict[str, Any]:
    """`section` with scales that are named, the training item of the package (`training: true`) and texts put in."""
    section = dict(section)
    reason = section.get("reason")
    if section.get("kind") == "rating" and isinstance(reason, Mapping) and reason.get("mode", "off") != "off":
        section["reason"] = {"question": defaults.REASON_OF_RATING, **reason}
    scales = section.get("scales")
    if isinstance(scales, str | list):
        section["scales"] = [
            scale for each in ([scales] if isinstance(scales, str) else scales) for scale in _named(each)
        ]
    training = section.get("training")
    if training is False:
        section["training"] = None
    elif training is True or (isinstance(training, Mapping) and not {"context", "endings"} & set(training)):
        section["training"] = _default_training(section.get("kind", "pair"), {} if training is True else training)
    return section


def _named(scale: Any) -> Collection[Any]:
    """The scales that a name stands for; for a name that is not known, a scale that lacks its text."""
    if not isinstance(scale, str):
        return [scale]
    return SCALES.get(scale, [{"name": scale}])


def _default_training(kind: object, given: Mapping[str, Any]) -> dict[str, Any]:
    story = defaults.TRAINING
    endings = [story.right, story.wrong] if kind == "pair" else [story.right]
    feedback = defaults.FEEDBACK.get(str(kind), defaults.OWN_FEEDBACK)
    told = {"feedback": feedback, "feedback_right": feedback}
    return {"context": list(story.context), "endings": endings, **told, **given}


def _text_mistakes(settings: object, *keys: str) -> Iterator[Mistake]:
    """Which of these texts, that people read, are empty or cannot be shown."""
    for key in keys:
        text = getattr(settings, key)
        if not seen(text):
            yield Mistake((key,), f"{key}: is empty: leave the key out for the default")
        elif not can_be_shown(text):
            yield Mistake((key,), f"{key}: {_UNSHOWN}")


def _values(scale: Scale) -> range:
    return range(scale.low, scale.high + 1)


def _is_https(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    printable = not any(unicodedata.category(c).startswith(("C", "Z")) for c in url)
    return parts.scheme == "https" and bool(parts.hostname) and printable


def _repeated(values: tuple[str, ...]) -> list[str]:
    """The values that stand more than once, each once."""
    return [value for value in dict.fromkeys(values) if values.count(value) > 1]
