"""What a judge reads, and what is read of its answer.

All judges read the same: the study's instructions, a story with its two endings, the study's question, and the form of
the answer, which is the choice first and then the reason, as on the page that people answer.
"""

import re
from dataclasses import dataclass
from hashlib import sha256

from denouement.judging.questions import PairAsked, Questionnaire
from denouement.language_models.prompts import Message
from denouement.legible import printed

ANSWER, REASON = "Answer:", "Reason:"

_FORM = (
    f'Answer in two lines. The first begins with "{ANSWER}" and goes on with {{options}}. The second begins with '
    f'"{REASON}" and says in a sentence why.'
)
_AGAIN = "That has no answer of this form. Write the two lines once more, and nothing else."
_THOUGHT = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)
_ANSWERED = re.compile(
    rf"^\W*{ANSWER}\W*(?:(?:option|ending|sentence)\s+)?(\w+)\b"
    r"(?!\s*(?:,|/|&|or\b|and\b)\s*(?:A|B|both|neither)\b)",  # the list of options is no answer
    re.IGNORECASE | re.MULTILINE,
)
_REASONED = re.compile(rf"{REASON}\W*(\S.*)", re.IGNORECASE | re.DOTALL)
_MARKS = '*_` \t\n"'


@dataclass(frozen=True)
class JudgeReply:
    """What a judge answered.

    Attributes:
        answer: one of the options.
        reason: None where it gave none.
    """

    answer: str
    reason: str | None


def prompt_digest(questionnaire: Questionnaire) -> str:
    """Hex SHA-256 of all that the prompts of a study have in common: other words give another digest."""
    parts = [_FORM, _AGAIN, questionnaire.instructions, *questionnaire.options]
    parts += [f"{name}: {asked.words}" for name, asked in questionnaire.questions.items()]
    return sha256("\x1f".join(parts).encode()).hexdigest()


def messages(pair: PairAsked, questionnaire: Questionnaire) -> list[Message]:
    """The messages that a chat model answers."""
    *first, last = questionnaire.options
    shown = [
        f"Story: {' '.join(pair.context)}",
        f"A: {pair.endings[0]}\nB: {pair.endings[1]}",
        questionnaire.questions[pair.question].words or "",
        _FORM.format(options=f"{', '.join(first)} or {last}"),
    ]
    return [
        {"role": "system", "content": questionnaire.instructions},
        {"role": "user", "content": "\n\n".join(shown)},
    ]


def once_more(said: str) -> list[Message]:
    """The messages that follow on an answer that cannot be read; servers refuse an empty one."""
    return [{"role": "assistant", "content": printed(said).strip() or "(nothing)"}, {"role": "user", "content": _AGAIN}]


def as_text(asked: list[Message]) -> str:
    """The messages as one text, which a model without chats continues with the answer."""
    return "\n\n".join(each["content"] for each in asked) + "\n\n"


def read_reply(said: str, options: tuple[str, ...]) -> JudgeReply | None:
    """What a judge answered; None where its text has no such line, or lines that name different options.

    >>> read_reply("**Answer:** b\\nReason: It follows from the story.", ("A", "B"))
    JudgeReply(answer='B', reason='It follows from the story.')
    >>> read_reply("I like both, but A is better.", ("A", "B"))
    """
    said = _THOUGHT.sub("", said)
    known = {option.casefold(): option for option in options}
    found = {known.get(word.casefold()) for word in _ANSWERED.findall(said)}
    if len(found) != 1 or (answer := found.pop()) is None:
        return None
    reasoned = _REASONED.search(said)
    reason = " ".join(reasoned[1].strip(_MARKS).split()) if reasoned else ""
    return JudgeReply(answer, reason or None)
