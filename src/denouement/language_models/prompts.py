"""Prompts: what a language model reads before it writes an ending.

A plain prompt is the context alone, which a model continues. A prompt of kind `few_shot` says what is wanted and shows
some stories of the training split, their endings set apart. Both exist as one text and as messages of a chat.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pyarrow as pa

from denouement.corpus import keys
from denouement.settings import at_least

Kind = Literal["plain", "few_shot"]
Message: TypeAlias = dict[str, str]  # keys `role` and `content`, as chat models take them

INSTRUCTION = "You are given the beginning of a short story. Write its last sentence: one sentence, and nothing else."
_STORY, _ENDING = "Story:", "Ending:"


@dataclass(frozen=True)
class Prompt:
    """Which prompts a model gets.

    Attributes:
        kind: `plain`, the context alone; `few_shot`, an instruction and example stories before it.
        shots: example stories (few_shot); 0 leaves the instruction alone.
        seed: of their draw (few_shot).
    """

    kind: Kind = "plain"
    shots: int = 5
    seed: int = 1

    def __post_init__(self) -> None:
        at_least(self, 0, "shots", "seed")


class Prompts:
    """The prompt of any context, as one text or as messages; `build` makes it.

    An example story whose context is the very one that needs an ending is left out of that prompt: it would tell the
    human ending.
    """

    def __init__(self, settings: Prompt, examples: Sequence[Sequence[str]]) -> None:
        self._settings = settings
        self._examples = list(zip(_keys([story[:-1] for story in examples]), examples, strict=True))

    def __call__(self, context: Sequence[str]) -> str:
        """The text that a model continues with the ending. It has no blank at its end: the ending begins with one."""
        if self._settings.kind == "plain":
            return " ".join(context)
        shown = [f"{_STORY} {' '.join(story[:-1])}\n{_ENDING} {story[-1]}" for story in self._shown(context)]
        return "\n\n".join([INSTRUCTION, *shown, f"{_STORY} {' '.join(context)}\n{_ENDING}"])

    def messages(self, context: Sequence[str]) -> list[Message]:
        """The messages that a chat model answers with the ending: each example is a question and its answer."""
        asked = [] if self._settings.kind == "plain" else [{"role": "system", "content": INSTRUCTION}]
        for story in self._shown(context):
            asked.append({"role": "user", "content": " ".join(story[:-1])})
            asked.append({"role": "assistant", "content": story[-1]})
        return [*asked, {"role": "user", "content": " ".join(context)}]

    def _shown(self, context: Sequence[str]) -> list[Sequence[str]]:
        if not self._examples:
            return []
        [wanted] = _keys([context])
        return [story for key, story in self._examples if key != wanted]


def draw(settings: Prompt, stories: Sequence[Sequence[str]]) -> list[list[str]]:
    """The example stories of a prompt, drawn by its seed from the training stories; none where it is plain.

    A story of one sentence has no context, and is no example.

    Raises:
        ValueError: there are fewer stories than `shots`; the message begins with that word.
    """
    if settings.kind == "plain":
        return []
    stories = [story for story in stories if len(story) > 1]
    if len(stories) < settings.shots:
        raise ValueError(f"shots: {settings.shots} example stories are more than the {len(stories)} training stories")
    return [list(story) for story in random.Random(settings.seed).sample(stories, settings.shots)]  # noqa: S311


def build(settings: Prompt, examples: Sequence[Sequence[str]]) -> Prompts:
    """The prompts of these settings.

    Args:
        settings: which kind, and how many examples.
        examples: sentences of the example stories, each with its ending last, as `draw` returns them.

    Raises:
        ValueError: not as many examples as the settings name, or an example without a context.
    """
    wanted = settings.shots if settings.kind == "few_shot" else 0
    if len(examples) != wanted or not all(len(story) > 1 for story in examples):
        raise ValueError(f"{len(examples)} example stories for a prompt of {wanted}, of two sentences or more each")
    return Prompts(settings, examples)


def _keys(contexts: Sequence[Sequence[str]]) -> list[str]:
    texts: list[str] = keys.normalised(pa.array(["".join(context) for context in contexts], pa.string())).to_pylist()
    return texts
