"""The boxes of a piece of work: what its page shows, and what its form says."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from denouement.collect.checks import LONGEST_TEXT, LONGEST_TITLE, RIGHT, TITLE, WRONG, Remark
from denouement.collect.description import Collection
from denouement.collect.filtering import ANSWERS
from denouement.collect.reviewing import Decision
from denouement.collect.store.records import EndingWork, Piece, ReviewWork, StoryWork, VerificationWork, Work
from denouement.study.web.questions import Choice

DECISIONS: tuple[tuple[Decision, str, str], ...] = (
    ("approve", "Approve:", "it is as it should be"),
    ("return", "Return:", "it can be mended: say what to change"),
    ("reject", "Reject:", "it cannot be mended: say why"),
)

EDITED = "edited"  # field: when the browser last changed a box, in milliseconds of its own clock
_TYPED = "typed-"  # field, before a box's name: how many characters were typed into it
_BLANKS = re.compile("[ \t\r\n]+")  # other ones are refused, not mended

# By form and answer: its key, its name, and what it means.
_ANSWERS = {
    "v1.0": {"1": ("1", "1", "They make sense"), "0": ("0", "0", "They do not"), "-1": ("-", "-1", "I cannot tell")},
    "v1.5": {
        "sense": ("1", "They make sense", ""),
        "until_last": ("2", "They make sense until the last sentence", ""),
        "other": ("3", "They do not make sense for another reason", ""),
    },
}


@dataclass(frozen=True)
class Box:
    """A box to write into.

    Attributes:
        name: of its field.
        label: what stands above it.
        longest: characters that are allowed.
    """

    name: str
    label: str
    longest: int

    @property
    def about(self) -> str:
        """The box as `Remark` names it."""
        return self.name.replace("-", " ")


def boxes(collection: Collection, step: str) -> list[Box]:
    """The boxes of a step in which one writes; none in another one."""
    if step == "stories" and collection.stories:
        n, longest = collection.stories.sentences, collection.stories.longest
        sentences = [Box(f"sentence-{number}", f"Sentence {number}", longest) for number in range(1, n + 1)]
        return [Box(TITLE, "Title", LONGEST_TITLE), *sentences]
    if step == "endings" and collection.endings:
        longest = collection.endings.longest
        if collection.endings.way == "method_2":
            return [Box(WRONG, "Your last sentence, with which the story no longer makes sense", longest)]
        return [Box(RIGHT, "Right ending", longest), Box(WRONG, "Wrong ending", longest)]
    return []


def choices(collection: Collection, step: str) -> list[Choice]:
    """What a reviewer or a verifier chooses from; nothing in another step."""
    if step == "review":
        return [Choice(value, str(place), name, text) for place, (value, name, text) in enumerate(DECISIONS, 1)]
    if step == "verification" and collection.verification:
        meanings = _ANSWERS[collection.verification.form]
        return [
            Choice(value, key, name, text)
            for value in ANSWERS[collection.verification.form]
            for key, name, text in [meanings[value]]
        ]
    return []


def kept(collection: Collection, step: str, form: Mapping[str, str]) -> dict[str, str]:
    """The fields of a form that a draft has. One that is too long to be read is left out, never cut."""
    names = [box.name for box in boxes(collection, step)]
    wanted = {*names, *(_TYPED + name for name in names), "decision", "remark", "bonus", "answer", EDITED}
    return {name: value for name, value in form.items() if name in wanted and len(value) <= LONGEST_TEXT}


def shown(collection: Collection, piece: Piece) -> dict[str, str]:
    """What the boxes of a piece hold when its page is opened: the draft; in `method_2` the sentence to change."""
    begun = {WRONG: piece.ending} if piece.step == "endings" and piece.ending else {}
    return {**begun, **piece.draft}


def texts(collection: Collection, step: str, fields: Mapping[str, str]) -> dict[str, str]:
    """The text in each box, by its name, with one blank for several and for ends of lines, and none at its ends."""
    return {box.name: _BLANKS.sub(" ", fields.get(box.name, "")).strip(" ") for box in boxes(collection, step)}


def typed(collection: Collection, step: str, fields: Mapping[str, str]) -> dict[str, int]:
    """By the name of a box how many characters were typed into it, where a script counted them."""
    counted = {box.name: fields.get(_TYPED + box.name, "") for box in boxes(collection, step)}
    return {name: int(value) for name, value in counted.items() if re.fullmatch("[0-9]{1,9}", value)}


def work_of(collection: Collection, step: str, form: Mapping[str, str]) -> Work | Remark:
    """What a form of a step hands in; a remark where it has none of the answers to choose from.

    In `method_2` the right ending is empty: the store has it.
    """
    written = texts(collection, step, form)
    if step == "stories":
        return StoryWork(written.pop(TITLE), tuple(written.values()))
    if step == "endings":
        return EndingWork(written.get(RIGHT, ""), written[WRONG])
    if step == "review":
        decision = next((value for value, _, _ in DECISIONS if form.get("decision") == value), None)
        if decision is None:
            return Remark("no_answer", "", "Choose whether you approve, return or reject the story.")
        remark = form.get("remark", "").replace("\r\n", "\n").strip()
        return ReviewWork(decision, remark, "bonus" in form)
    offered: Sequence[str] = [choice.value for choice in choices(collection, step)]
    if (answer := form.get("answer", "")) not in offered:
        return Remark("no_answer", "", "Choose one of the three answers.")
    return VerificationWork(answer)
