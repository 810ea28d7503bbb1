"""The one sentence that is taken of what a language model wrote, or why there is none.

Models go on after the ending, introduce it ("Here is the last sentence:"), think aloud, repeat the story, refuse, or
write nothing. The first sentence by the project's rule is the ending; what is no ending is named, so that it can be
counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from denouement.corpus import keys
from denouement.text.sentences import split_sentences

Why = Literal["empty", "echo", "refusal"]

_SAID: dict[Why, str] = {"empty": "empty", "echo": "repeats the story", "refusal": "refuses"}

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_INTRODUCTION = re.compile(
    r"""\s*(?:
        (?:(?:sure|certainly|of\ course|okay|ok)\b[!,.]*\s*)?
        (?:here(?:'s|\ is)\b[^:\n]{0,80} | \**(?:(?:the\ )?(?:last|final)\ sentence|(?:story\ )?ending|answer)\**)
        \s*:\**\s*
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_REFUSAL = re.compile(
    r"""\bas\ an?\ (?:AI|artificial\ intelligence|(?:large\ )?language\ model)\b
    | \bI(?:'m|\ am)\ (?:only\ |just\ )?an?\ (?:AI|(?:large\ )?language\ model)\b
    | \A(?:(?:I(?:'m|\ am)\ )?(?:(?:so|very|really)\ )?sorry\b[,.!]?\ |I\ apologi[sz]e\b[,.!]?\ |unfortunately,?\ )?
      (?:but\ )?I(?:\ can(?:not|'t)|\ will\ not|\ won't|(?:'m|\ am)\ (?:unable|not\ able)\ to)\ (?:
        (?:help|assist)\ (?:you\ )?with\ (?:that|this)\b
        | (?:comply|fulfil+|complete|continue|finish|write|provide|generate|create|produce|engage)\b[^.!?]*
          \b(?:request|stor(?:y|ies)|endings?|sentences?|prompt|content)\b
      )
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True)
class WrittenSentence:
    """What was taken of a model's answer.

    Attributes:
        text: the sentence; None where there is none.
        why: why there is none: the answer has no letter or digit, its first sentence repeats one of the context, or the
            model refuses.
    """

    text: str | None
    why: Why | None = None


def first_sentence(text: str, context: Sequence[str]) -> WrittenSentence:
    """The first sentence of what a model wrote after a context.

    What a model thinks aloud between `<think>` and `</think>` is left out, and so are an introduction that ends in a
    colon and stars around the sentence.
    """
    answer = _THOUGHT.sub("", text)
    introduction = _INTRODUCTION.match(answer)
    sentences = split_sentences(answer[introduction.end() :] if introduction else answer)
    if sentences and _REFUSAL.search(" ".join(sentences[:2]).replace("’", "'")):
        return WrittenSentence(None, "refusal")
    sentence = sentences[0].strip("* ") if sentences else ""
    [found, *of_context] = keys.normalised(pa.array([sentence, *context], pa.string())).to_pylist()
    if not found:
        return WrittenSentence(None, "empty")
    if found in of_context:
        return WrittenSentence(None, "echo")
    return WrittenSentence(sentence)


def without_ending(written: Iterable[WrittenSentence]) -> str:
    """How many answers gave no ending, and why, such as `3 answers give no ending (2 empty, 1 refuses)`; or nothing."""
    counts = Counter(each.why for each in written if each.why)
    if not counts:
        return ""
    whys = ", ".join(f"{counts[why]:,} {said}" for why, said in _SAID.items() if counts[why])
    total = counts.total()
    return f"{total:,} {'answer gives' if total == 1 else 'answers give'} no ending ({whys})"
