"""The design of a study: all that its file says, as one frozen `Design`.

`docs/study.md` lists every key. A study's design never changes once it is in a store.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import get_args

from denouement.answers import QuestionAsked
from denouement.legible import can_be_shown, seen
from denouement.schemas import BETTER
from denouement.study.design.ask import Ask
from denouement.study.design.cases import Cases
from denouement.study.design.entry import Entry
from denouement.study.design.known_items import Checks, KnownItem, Training
from denouement.study.design.mistakes import UNSHOWN, Mistake, repeated, text_mistakes
from denouement.study.design.names import CHECK_SYSTEMS, RANKED, TIES, Kind, study_name_mistakes
from denouement.study.design.questions import CODES, Choices, PairQuestion
from denouement.study.design.reason import Reason
from denouement.study.design.scales import SCALES, Scale
from denouement.study.design.skipping import Skip
from denouement.study.languages import ENGLISH, languages, texts

FEWEST_RANKED, MOST_RANKED = 3, 8
"""How many endings of a story may be shown at once."""

# What a file may choose by the kind of study, the default first.
_CHOICES: dict[Kind, tuple[Choices, ...]] = {"pair": ("ties", "forced", "graded"), "ranking": ("forced", "ties")}


@dataclass(frozen=True)
class Design:
    """A study.

    Attributes:
        name: the study's name in its address and its tables.
        kind: what is asked: which of two endings is better (Mori et al. 2019, 4.3), how good one is on `scales`, in
            which order the sentences were written (Mostafazadeh et al. 2016, 3.3), which of several endings is the
            best and which the worst (Louviere et al. 2015), or how several endings rank.
        systems: whose endings are judged: any system of the endings tables, `human_right`, `human_wrong`.
        pairs: in a pair study, the systems that are compared; by default every two systems.
        choices: in a pair study, whether both and neither may be chosen (`ties`), a side alone (`forced`), or a side
            and whether it is much or slightly better (`graded`); in a ranking study, whether endings may share a place
            (`ties`) or not (`forced`).
        questions: in a pair study, what is asked about the same two endings; empty for the one `question`.
        n_shown: in best_worst and ranking studies, how many endings of a story are shown; by default those of all
            systems.
        scales: in a rating study; the file lists scales or names of `SCALES`, or has one such name.
        answers_per_item: the number of answers, by as many different people.
        lease_minutes: how long an item is kept for one person.
        training: the practice items, which are passed one after the other; the file has a list, one item or `true`.
        ask: questions of the organiser's own, before and after the items.
        skip: whether, and how often, a person may leave an item unanswered; the file has `true` or a section.
        flag: whether a person may report a problem with an item.
        back: whether a person may correct the last answer until the next one is submitted.
        max_items_per_person: the most items, checks included; None: no limit.
        hash_ids: whether annotators' ids are stored as salted hashes only.
        contact: whom annotators may write to.
        language: of the pages: the name of a file in `languages`.
        title, consent, instructions, question: what annotators read; plain text, an empty line between paragraphs. An
            empty one, also of `reason` and `training`, becomes the default text of the language.
    """

    name: str = ""
    kind: Kind = "pair"
    systems: tuple[str, ...] = ()
    pairs: tuple[tuple[str, ...], ...] = ()
    choices: Choices | None = None
    questions: tuple[PairQuestion, ...] = ()
    n_shown: int | None = None
    scales: tuple[Scale, ...] = ()
    cases: Cases = field(default_factory=Cases)
    answers_per_item: int = 5
    reason: Reason = field(default_factory=Reason)
    checks: Checks = field(default_factory=Checks)
    training: tuple[Training, ...] = ()
    ask: Ask = field(default_factory=Ask)
    skip: Skip | None = None
    flag: bool = False
    back: bool = False
    entry: Entry = field(default_factory=Entry)
    lease_minutes: float = 20.0
    max_items_per_person: int | None = None
    hash_ids: bool = True
    contact: str = ""
    language: str = ENGLISH
    title: str = ""
    consent: str = ""
    instructions: str = ""
    question: str = ""

    def __post_init__(self) -> None:
        if self.choices is None and self.kind in _CHOICES:
            object.__setattr__(self, "choices", _CHOICES[self.kind][0])
        if self.n_shown is None and self.kind in RANKED:
            object.__setattr__(self, "n_shown", len(self.systems))
        self._fill_in_texts()
        if self.kind == "pair" and not self.pairs:
            object.__setattr__(self, "pairs", tuple(combinations(dict.fromkeys(self.systems), 2)))

    def _fill_in_texts(self) -> None:
        """Put the default texts of the language in the place of empty ones."""
        if self.language not in languages() or self.kind not in get_args(Kind):
            return  # one of the mistakes

        def say(key: str) -> str:  # a stored design has its texts, and is read without the language's file
            return texts(self.language)(key)

        def instructions() -> str:
            if self.kind != "pair":
                return self.kind
            is_own = self.questions or self.question not in ("", say("design.question.pair"))
            return f"pair{'_own' if is_own else ''}{'' if self.choices == 'ties' else '_forced'}"

        why = "rating" if self.kind == "rating" else "pair_several" if len(self.questions) > 1 else "pair"
        values: dict[str, object] = {
            "title": self.title or say("design.title"),
            "consent": self.consent or say("design.consent"),
            "instructions": self.instructions or say(f"design.instructions.{instructions()}"),
            "question": self.question or say(f"design.question.{self.kind}"),
        }
        if self.reason.mode != "off" and self.kind != "order":
            values["reason"] = replace(self.reason, question=self.reason.question or say(f"design.reason.{why}"))
        values["training"] = tuple(
            replace(
                item,
                feedback=item.feedback or say("design.own_feedback.wrong"),
                feedback_right=item.feedback_right or say("design.own_feedback.right"),
            )
            for item in self.training
        )
        for key, value in values.items():
            object.__setattr__(self, key, value)

    @property
    def asked(self) -> tuple[PairQuestion, ...]:
        """The questions of a pair study, the first of which checks and the training item ask."""
        return self.questions or (PairQuestion(BETTER, self.question),)

    @property
    def asks_better(self) -> bool:
        """Whether a pair study asks nothing but which ending is better, in our words of its language or in English."""
        known = {self.language, ENGLISH} & {*languages()}
        return not self.questions and self.question in {texts(each)("design.question.pair") for each in known}

    @property
    def general_texts(self) -> list[str]:
        """The keys whose default texts are for questions of the organiser's own, and are not in the file."""
        if self.kind != "pair" or self.asks_better:
            return []
        say = texts(self.language)
        instructions = say("design.instructions.pair_own"), say("design.instructions.pair_own_forced")
        reasons = say("design.reason.pair"), say("design.reason.pair_several")
        are_ours = {
            "instructions": self.instructions in instructions,
            "reason.question": self.reason.question in reasons,
        }
        return [key for key, is_ours in are_ours.items() if is_ours]

    def questions_asked(self) -> dict[str, QuestionAsked]:
        """The questions of a pair study, by name.

        The one `question` has the name `better` whatever it asks, so its words decide whether it asks that.
        """
        return {
            each.name: QuestionAsked(each.text, each.name == BETTER if self.questions else self.asks_better)
            for each in self.asked
        }

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the answers to a pair (`questions.CODES`)."""
        return CODES[self.choices or "ties"]

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing, out of range or contradicts another key."""
        yield from study_name_mistakes(self.name)
        if self.language not in languages():
            yield Mistake(("language",), f"language: must be one of {', '.join(languages())}, not {self.language!r}")
        yield from self._systems_mistakes()
        yield from self._questions_mistakes()
        yield from self._scales_mistakes()
        for key, least, most in (("answers_per_item", 1, 1000), ("max_items_per_person", 1, 1_000_000)):
            value = getattr(self, key)
            if value is not None and not least <= value <= most:
                yield Mistake((key,), f"{key}: must be between {least} and {most:,}, not {value}")
        if not 1 <= self.lease_minutes <= 10_080:
            yield Mistake(
                ("lease_minutes",), f"lease_minutes: must be between 1 and 10,080 (a week), not {self.lease_minutes:g}"
            )
        yield from text_mistakes(self, "title", "consent", "instructions", "question")
        if not can_be_shown(self.contact):
            yield Mistake(("contact",), f"contact: {UNSHOWN}")
        if self.kind == "order" and self.reason.mode != "off":
            yield Mistake(("kind", "reason"), "reason.mode: must be off in a study of kind order")
        yield from self._known_mistakes()

    def _systems_mistakes(self) -> Iterator[Mistake]:
        least = FEWEST_RANKED if self.kind in RANKED else 2 if self.kind == "pair" else 1
        if len(self.systems) < least:
            yield Mistake(("systems", "kind"), f"systems: must be at least {least} in a study of kind {self.kind}")
        for system in repeated(self.systems):
            yield Mistake(("systems",), f"systems: {system} is listed twice")
        for system in self.systems:
            if not seen(system) or not can_be_shown(system) or system in (*TIES, *CHECK_SYSTEMS):
                yield Mistake(("systems",), f"systems: {system!r} cannot be a system's name: rename it")
        if self.pairs and self.kind != "pair":
            yield Mistake(("pairs", "kind"), f"pairs: a study of kind {self.kind} has none: leave the key out")
        for pair in self.pairs:
            if len(pair) != 2 or pair[0] == pair[1]:
                yield Mistake(("pairs",), f"pairs: must each be two systems, not {' and '.join(pair) or 'none'}")
            for system in pair:
                if system not in self.systems:
                    yield Mistake(("pairs", "systems"), f"pairs: {system} is not among the systems")
        for system in self.systems:
            if self.kind == "pair" and self.pairs and not any(system in pair for pair in self.pairs):
                yield Mistake(("pairs", "systems", "kind"), f"pairs: {system} is in none: compare it, or leave it out")
        for pair_text in repeated([" and ".join(sorted(pair)) for pair in self.pairs]):
            yield Mistake(
                ("pairs", "systems"), f"pairs: {pair_text} is listed twice: sides are drawn for each annotator"
            )

    def _questions_mistakes(self) -> Iterator[Mistake]:
        allowed = _CHOICES.get(self.kind, ())
        if self.choices is not None and self.choices not in allowed:
            instead = f"must be {' or '.join(allowed)}" if allowed else "has none: leave the key out"
            yield Mistake(("choices", "kind"), f"choices: a study of kind {self.kind} {instead}")
        if self.questions:
            if self.kind != "pair":
                yield Mistake(("questions", "kind"), f"questions: a study of kind {self.kind} has none: use pair")
            elif self.language in languages() and self.question != texts(self.language)("design.question.pair"):
                yield Mistake(
                    ("questions", "question"), "question: the questions have texts of their own: leave it out"
                )
        for name in repeated([question.name for question in self.questions]):
            yield Mistake(("questions",), f"questions: {name} is listed twice")
        if self.kind not in RANKED and self.n_shown is not None:
            yield Mistake(("n_shown", "kind"), f"n_shown: a study of kind {self.kind} has none: leave the key out")
        if self.kind in RANKED and self.n_shown is not None and len(self.systems) >= FEWEST_RANKED:
            most = min(MOST_RANKED, len(self.systems))
            if not FEWEST_RANKED <= self.n_shown <= most:
                yield Mistake(
                    ("n_shown", "systems", "kind"),
                    f"n_shown: must be between {FEWEST_RANKED} and {most}, not {self.n_shown}",
                )

    def _scales_mistakes(self) -> Iterator[Mistake]:
        if self.kind == "rating" and not self.scales:
            yield Mistake(("scales", "kind"), f"scales: are missing: list them or name {', '.join(SCALES)}")
        if self.kind != "rating" and self.scales:
            yield Mistake(("scales", "kind"), f"scales: a study of kind {self.kind} has none: leave the key out")
        for name in repeated([scale.name for scale in self.scales]):
            yield Mistake(("scales",), f"scales: {name} is listed twice")

    def _known_mistakes(self) -> Iterator[Mistake]:
        if self.kind == "rating" and self.checks.rate and not self.checks.items:
            yield Mistake(("checks", "kind"), "checks.items: are missing: a study of kind rating needs its own")
        if self.checks.rate and not self.checks.items and self.asked[0].name != BETTER:
            yield Mistake(
                ("checks", "questions"),
                f"checks.items: are missing: ours are checks of the question {BETTER}, which is not the first one",
            )
        ours = _our_story(self.language) if self.language in languages() else None
        if any(item.context == ours for item in self.training) and self.asked[0].name != BETTER:
            yield Mistake(
                ("training", "questions"),
                f"training: ours is about the question {BETTER}, which is not the first one: write your own",
            )
        known: list[tuple[str, KnownItem]] = [
            (f"checks.items.{number}", item) for number, item in enumerate(self.checks.items, 1)
        ]
        known += [(f"training.{number}", item) for number, item in enumerate(self.training, 1)]
        for where, item in known:
            for text in item.mistakes_as(self.kind, self.scales, self.choices, self.n_shown):
                keys = (where.partition(".")[0], "kind", "scales", "choices", "n_shown", "systems")
                yield Mistake(keys, f"{where}.{text}")
        for place, item in enumerate(self.training, 1):
            if (first := self.training.index(item) + 1) < place:
                yield Mistake(("training",), f"training: {first} and {place} are the same: leave one out")


def _our_story(language: str) -> tuple[str, ...]:
    """The context of the package's training item."""
    return texts(language).story("training_story").context
