"""What a collection asks of whom: `COLLECTION.yaml` as one frozen `Collection`.

`docs/collecting.md` lists every key.
"""

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from denouement.collect.our_texts import examples_of, our_texts
from denouement.collect.qualification import JudgedExample, Qualification
from denouement.corpus.layouts import is_own_release
from denouement.errors import UserError
from denouement.settings import build
from denouement.study.design.ask import Ask
from denouement.study.design.entry import Entry
from denouement.study.design.mistakes import Mistake, repeated, text_mistakes
from denouement.study.design.names import study_name_mistakes
from denouement.study.design.reading import described, read_description
from denouement.study.languages import ENGLISH

STEPS = ("stories", "review", "endings", "verification", "filter")
"""The steps, in the order in which work flows from one to the next."""

Way = Literal["v1.0", "method_1", "method_2"]  # how endings are written
Form = Literal["v1.0", "v1.5"]  # what verifiers answer

_CENTS = 4  # decimals of an amount


@dataclass(frozen=True)
class Payment:
    """What a person gets for a piece of work, in the collection's currency.

    Attributes:
        piece: for each that was accepted.
        bonus: on top, for each that a reviewer marks for it.
    """

    piece: float = 0.0
    bonus: float = 0.0

    def amount(self, pieces: int, bonuses: int = 0) -> Decimal:
        """The exact amount for so many pieces, so many of them with a bonus."""
        return Decimal(str(self.piece)) * pieces + Decimal(str(self.bonus)) * bonuses

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        for key in ("piece", "bonus"):
            value = getattr(self, key)
            if not 0 <= value <= 1e6 or round(value, _CENTS) != value:
                yield Mistake((key,), f"{key}: must be an amount of 0 or more such as 0.26, not {value}")


@dataclass(frozen=True)
class _Step:
    """What all steps have in common.

    Attributes:
        instructions: what people read.
        payment: what they get.
        links: how many private links there are that lead to this step alone.
        most: how many pieces one person may hand in; None: any number.
    """

    instructions: str = ""
    payment: Payment = field(default_factory=Payment)
    links: int = 0
    most: int | None = None

    def mistakes(self) -> Iterator[Mistake]:
        """What cannot be shown, or is out of range."""
        yield from text_mistakes(self, "instructions")
        if not 0 <= self.links <= 10_000:
            yield Mistake(("links",), f"links: must be between 0 and 10,000, not {self.links}")
        if self.most is not None and not 1 <= self.most <= 1_000_000:
            yield Mistake(("most",), f"most: must be between 1 and 1,000,000, not {self.most}")


@dataclass(frozen=True)
class _Qualified(_Step):
    """A step with examples, before which people take a test; an empty one takes ours."""

    examples: tuple[JudgedExample, ...] = ()
    qualification: Qualification | None = field(default_factory=Qualification)
    longest: int = 70

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        yield from super().mistakes()
        if not 10 <= self.longest <= 1000:
            yield Mistake(("longest",), f"longest: must be between 10 and 1,000 characters, not {self.longest}")

    def _of_endings(self, expected: bool) -> Iterator[Mistake]:
        """The mistake that an example is of stories where endings are judged, or the other way round."""
        tests = self.qualification.items if self.qualification else ()
        for key, examples in (("examples", self.examples), ("qualification", tests)):
            if any(each.has_endings != expected for each in examples):
                wanted = "have right and wrong" if expected else "be whole stories, without right and wrong"
                yield Mistake((key,), f"{key}: must {wanted} in this step")


@dataclass(frozen=True)
class StoryStep(_Qualified):
    """Step 1: stories are written.

    Attributes:
        wanted: how many approved stories are enough; None: until the step is closed.
        sentences: of a story; the Story Cloze steps need five.
        prompts: subjects, of which a writer gets one; empty: anything.
        examples, qualification: by default ours; no qualification: `qualification: false`.
        longest: characters in a sentence.
    """

    wanted: int | None = None
    sentences: int = 5
    prompts: tuple[str, ...] = ()

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        yield from super().mistakes()
        yield from self._of_endings(False)
        if self.wanted is not None and not 1 <= self.wanted <= 1_000_000:
            yield Mistake(("wanted",), f"wanted: must be between 1 and 1,000,000, not {self.wanted}")
        if not 2 <= self.sentences <= 20:
            yield Mistake(("sentences",), f"sentences: must be between 2 and 20, not {self.sentences}")
        if not all(prompt.strip() for prompt in self.prompts):
            yield Mistake(("prompts",), "prompts: one of them is empty")
        for prompt in repeated(self.prompts):
            yield Mistake(("prompts",), f"prompts: {prompt!r} is listed twice")


@dataclass(frozen=True)
class ReviewStep(_Step):
    """Step 2: stories are approved, returned with feedback, or rejected with a reason.

    Attributes:
        approve_after_days: a story that nobody reviewed for so long is approved; None: never.
        reviewers: how many must approve.
        returns: how often a story may be returned to its writer.
        links: for reviewers, who come in by private links alone.
    """

    links: int = 2
    approve_after_days: float | None = None
    reviewers: int = 1
    returns: int = 3

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        yield from super().mistakes()
        if self.approve_after_days is not None and not 0 < self.approve_after_days <= 365:
            yield Mistake(
                ("approve_after_days",),
                f"approve_after_days: must be above 0 and at most 365, not {self.approve_after_days:g}",
            )
        if self.reviewers not in (1, 2):
            yield Mistake(("reviewers",), f"reviewers: must be 1 or 2, not {self.reviewers}")
        if not 0 <= self.returns <= 100:
            yield Mistake(("returns",), f"returns: must be between 0 and 100, not {self.returns}")


@dataclass(frozen=True)
class EndingStep(_Qualified):
    """Step 3: right and wrong endings are written.

    Attributes:
        way: `v1.0` (Mostafazadeh et al. 2016, 4.2); `method_1` or `method_2` (Sharma et al. 2018, 5).
        pairs: how many pairs of endings a story gets, each by another person.
        tone_apart: the difference of VADER's compounds, which are from -1 to 1, from which on a hint says that the
            tones differ. A clearly glad ending and a clearly sad one differ by 1.
        max_accuracy: there is an alarm when a model that never sees the story is right in a larger share of the pairs.
    """

    way: Way = "v1.0"
    pairs: int = 1
    tone_apart: float = 1.0
    max_accuracy: float = 0.65

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        yield from super().mistakes()
        yield from self._of_endings(True)
        if not 1 <= self.pairs <= 10:
            yield Mistake(("pairs",), f"pairs: must be between 1 and 10, not {self.pairs}")
        if not 0 < self.tone_apart <= 2:
            yield Mistake(("tone_apart",), f"tone_apart: must be above 0 and at most 2, not {self.tone_apart:g}")
        if not 0.5 <= self.max_accuracy <= 1:
            yield Mistake(("max_accuracy",), f"max_accuracy: must be between 0.5 and 1, not {self.max_accuracy:g}")


@dataclass(frozen=True)
class VerificationStep(_Qualified):
    """Step 4: each ending, with its story, is verified by people who wrote none of it.

    Attributes:
        form: what they answer: `v1.0`: -1, 0 or 1; `v1.5`: sense, until_last or other (`filtering.ANSWERS`).
        people: how many verify each ending.
    """

    form: Form = "v1.0"
    people: int = 3

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        yield from super().mistakes()
        yield from self._of_endings(False)
        if not 1 <= self.people <= 100:
            yield Mistake(("people",), f"people: must be between 1 and 100, not {self.people}")


@dataclass(frozen=True)
class FilterStep:
    """Step 5: which cases are kept, and how they are divided.

    Attributes:
        confirming: how many of the verifiers of each ending must confirm it; None: all, as in both papers.
        seed: draws splits and sides.
        validation: the share of the stories whose cases are for validation; the others are for testing.
    """

    confirming: int | None = None
    seed: int = 1
    validation: float = 0.5

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        if self.confirming is not None and self.confirming < 1:
            yield Mistake(("confirming",), f"confirming: must be at least 1, not {self.confirming}")
        if not 0 <= self.validation <= 1:
            yield Mistake(("validation",), f"validation: must be between 0 and 1, not {self.validation}")


@dataclass(frozen=True)
class Collection:
    """A collection. A step whose section is missing is not asked of anybody.

    Attributes:
        name: in its address and its tables.
        release: of the cases and stories that it exports; by default its name.
        title, consent, contact: what people read; consent is ours by default.
        licence: the line of the datasheet that says how the corpus may be used.
        currency: of all payments.
        entry: how people enter, as in a study.
        hash_ids: whether people's ids are stored as salted hashes only.
        lease_minutes: how long a piece of work is kept for one person.
        keeps_approved: what becomes of the work of a person who withdraws: what was approved stays, or all is deleted.
            The consent must say so; ours does.
    """

    name: str = ""
    release: str = ""
    title: str = ""
    consent: str = ""
    contact: str = ""
    licence: str = ""
    currency: str = "USD"
    entry: Entry = field(default_factory=Entry)
    hash_ids: bool = True
    lease_minutes: float = 60.0
    keeps_approved: bool = True
    stories: StoryStep | None = None
    review: ReviewStep | None = None
    endings: EndingStep | None = None
    verification: VerificationStep | None = None
    filter: FilterStep | None = None

    def __post_init__(self) -> None:
        filled: dict[str, object] = {
            "release": self.release or self.name,
            "title": self.title or self.name,
            "consent": self.consent or our_texts()["consent"]["kept" if self.keeps_approved else "deleted"],
        }
        for name in STEPS:
            step = getattr(self, name)
            if isinstance(step, _Step):
                filled[name] = _with_ours(step, name)
        for key, value in filled.items():
            object.__setattr__(self, key, value)

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps that there are, in their order."""
        return tuple(name for name in STEPS if getattr(self, name) is not None)

    @property
    def of_people(self) -> dict[str, StoryStep | ReviewStep | EndingStep | VerificationStep]:
        """The steps in which people do something, by their names."""
        steps = (self.stories, self.review, self.endings, self.verification)
        return {name: step for name, step in zip(STEPS, steps, strict=False) if step is not None}

    @property
    def of_all(self) -> tuple[str, ...]:
        """The steps that everybody may do who comes in by the collection's own entry: all but the review."""
        return tuple(name for name in self.of_people if name != "review")

    def payment(self, step: str) -> Payment:
        """What a step pays; nothing where the collection says nothing of it."""
        return getattr(getattr(self, step), "payment", None) or Payment()

    @property
    def language(self) -> str:
        """Of its pages: texts are collected in English."""
        return ENGLISH

    @property
    def ask(self) -> Ask:
        """The organiser's own questions, of which a collection has none."""
        return Ask()

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing, out of range or contradicts another key."""
        yield from study_name_mistakes(self.name)
        if self.name and not is_own_release(self.release):
            yield Mistake(
                ("release", "name"),
                f"release: must be a name of letters, digits and . _ - that is of no published release, such as "
                f"kitchen-2026, not {self.release!r}",
            )
        yield from text_mistakes(self, "title", "consent", "contact", "licence")
        if not re.fullmatch("[A-Z]{3}", self.currency):
            yield Mistake(("currency",), f"currency: must be three capitals such as USD, not {self.currency!r}")
        if not 1 <= self.lease_minutes <= 10_080:
            yield Mistake(
                ("lease_minutes",), f"lease_minutes: must be between 1 and 10,080 (a week), not {self.lease_minutes:g}"
            )
        if not self.steps:
            yield Mistake(STEPS, f"{', '.join(STEPS)}: at least one of these sections must be there")
        if self.steps == ("review",) and self.entry.kind != "links":
            yield Mistake(("entry", "review"), "entry.kind: reviewers come in by private links: leave the key out")
        if self.filter and not self.verification:
            yield Mistake(("filter", "verification"), "filter: reads verifications: give the section verification, too")
        if self.stories and self.stories.sentences != 5 and (self.endings or self.verification):
            yield Mistake(("stories", "endings", "verification"), "stories.sentences: Story Cloze cases need 5")
        if self.filter and self.verification and (self.filter.confirming or 1) > self.verification.people:
            yield Mistake(
                ("filter", "verification"),
                f"filter.confirming: must be at most the {self.verification.people} people who verify an ending",
            )


def read_collection(path: Path) -> Collection:
    """The collection that the YAML file `path` describes.

    Raises:
        UserError: no such file, or a file that is too large or no YAML.
        DesignError: all mistakes.
    """
    return collection_from(read_description(path, "collection"), str(path))


def collection_from(section: Mapping[str, Any] | None, where: str) -> Collection:
    """The collection of the keys of `section`, with values as YAML has them.

    A step may be `true`, or empty after its colon, for all its defaults, and `false` is as if it were left out.

    Raises:
        DesignError: all mistakes, each with `where` and its key.
    """
    if isinstance(section, Mapping):
        section = {key: _step_of(value) if key in STEPS else value for key, value in section.items()}
    return described(Collection, section, where)


def to_json(collection: Collection) -> str:
    """The collection as one line of JSON, which `from_json` reads."""
    return json.dumps(dataclasses.asdict(collection), ensure_ascii=False, sort_keys=True)


def from_json(text: str, where: str = "stored collection") -> Collection:
    """The collection that `to_json` wrote. Only its form is checked, so that stricter rules stop no running collection.

    Raises:
        UserError: a key or a value that this version does not know.
    """
    try:
        return build(Collection, json.loads(text), where)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: damaged ({error}); restore the database from a copy") from error


def _step_of(value: Any) -> Any:
    if value is None or value is True:
        return {}
    if isinstance(value, Mapping) and "qualification" in value:
        test = value["qualification"]
        value = {**value, "qualification": {} if test is None or test is True else None if test is False else test}
    return None if value is False else value


def _with_ours(step: _Step, name: str) -> _Step:
    """The step with our instructions, examples and test in the place of empty ones."""
    ours = our_texts()[name]
    variant = {"endings": "way", "verification": "form"}.get(name)
    words = ours.get(getattr(step, variant)) if variant else ours
    if words is None:
        return step  # an unknown way is one of the mistakes
    filled: dict[str, Any] = {"instructions": step.instructions or words["instructions"]}
    if isinstance(step, _Qualified):
        filled["examples"] = step.examples or examples_of(ours["examples"])
        if step.qualification:
            items = step.qualification.items or examples_of(ours["qualification"])
            filled["qualification"] = replace(step.qualification, items=items)
    return replace(step, **filled)
