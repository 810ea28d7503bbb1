"""What is understood of a story that somebody typed: its sentences, its language, and words that a model lacks."""

from collections.abc import Mapping
from dataclasses import dataclass

from denouement.errors import UserError
from denouement.generators.base import Generator
from denouement.text.language import looks_english
from denouement.text.sentences import split_sentences
from denouement.text.words import tokenize

USUAL_SENTENCES = 4
"""Sentences before the ending in ROCStories, in the Story Cloze Test and in the sample corpus."""

MOST_SENTENCES = 100
MOST_CHARACTERS = 20_000
_NAMED = 12  # unknown words that a line names


@dataclass(frozen=True)
class TypedStory:
    """The beginning of a story.

    Attributes:
        sentences: as they were divided; one or more.
        words: how many, punctuation marks not counted.
        english: whether it looks like English.
    """

    sentences: list[str]
    words: int
    english: bool


def read_story(text: str) -> TypedStory:
    """Divide a typed text into sentences.

    >>> read_story("Tom was late. He ran!").sentences
    ['Tom was late.', 'He ran!']

    Raises:
        UserError: it holds no word, or more than is read at once.
    """
    if len(text) > MOST_CHARACTERS:
        raise UserError(
            f"the story has {len(text):,} characters, and at most {MOST_CHARACTERS:,} are read: "
            "leave some of it out, or put stories into a file for `denouement generate`"
        )
    sentences = split_sentences(text)
    if len(sentences) > MOST_SENTENCES:
        raise UserError(
            f"the story has {len(sentences):,} sentences, and at most {MOST_SENTENCES} are read "
            f"(the models learned from {USUAL_SENTENCES}): leave some of them out"
        )
    words = sum(is_word(word) for sentence in sentences for word in tokenize(sentence))
    if not words:
        raise UserError("the story is empty: type at least one sentence")
    return TypedStory(sentences, words, looks_english(text))


def unknown_words(story: TypedStory, generator: Generator) -> list[str]:
    """The different words of a story, not its punctuation, that a generator has no number for, in their order."""
    vocabulary = generator.vocabulary
    if vocabulary is None:
        return []
    unknown = [word for sentence in story.sentences for word in vocabulary.unknown(sentence) if is_word(word)]
    return list(dict.fromkeys(unknown))


def remarks(story: TypedStory, generators: Mapping[str, Generator]) -> list[str]:
    """What a person should know of how a story was read, a line each.

    Args:
        story: the story.
        generators: those that write its endings, by name.
    """
    n = len(story.sentences)
    lines = [f"Read {_count(n, 'sentence')}, {_count(story.words, 'word')}"]
    if n != USUAL_SENTENCES:
        lines[0] += f"; the models learned from stories with {USUAL_SENTENCES} sentences before the ending"
    if not story.english:
        lines.append("This does not look like English, the only language that the models learned from")
    for name, generator in generators.items():
        if unknown := unknown_words(story, generator):
            what = "cannot write these words" if generator.reads_vectors else "does not know these words"
            lines.append(f"{name} {what}: {_named(unknown)}")
    return lines


def is_word(token: str) -> bool:
    """Whether a token is a word or a number, not punctuation."""
    return any(map(str.isalnum, token))


def _named(words: list[str]) -> str:
    more = len(words) - _NAMED
    return ", ".join(words[:_NAMED]) + (f", and {more:,} more" if more > 0 else "")


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
