"""The texts that annotators read: one YAML file a language, in this folder, whose name is the language's code.

`en.yaml` says which texts there are. Another file has the same keys, and in each text the same words in braces.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.yaml_files import read_yaml

ENGLISH = "en"

_FOLDER = Path(__file__).parent
_FILLED_IN = re.compile(r"\{([a-z_]+)\}")
_FORMS = {"one", "other"}

Entry = str | tuple[str, ...] | Mapping[str, str]  # a text, a list of texts, or the forms of a text for a number


@dataclass(frozen=True)
class ClearCase:
    """A story with two endings, of which one is clearly the right one."""

    context: tuple[str, ...]
    right: str
    wrong: str


@dataclass(frozen=True)
class Texts:
    """The texts of one language.

    Attributes:
        language: its code in HTML, such as `en`.
        entries: each text by its path in the file, such as `consent.agree`; a list is a tuple, and a text with forms
            for a number a mapping of `one` and `other`.
    """

    language: str
    entries: Mapping[str, Entry]

    def __call__(self, key: str, **values: object) -> str:
        """The text under `key`, with the values in the place of the words in braces; integers have marked thousands.

        The value `n` decides between the forms `one` and `other`.

        Raises:
            KeyError: no such text, or a word in braces without a value.
        """
        entry = self.entries[key]
        if isinstance(entry, tuple):
            raise KeyError(f"{key} is a list")
        text = entry if isinstance(entry, str) else entry["one" if values["n"] == 1 else "other"]
        return _FILLED_IN.sub(lambda found: _shown(values[found[1]]), text)

    def several(self, key: str) -> tuple[str, ...]:
        """The list of texts under `key`.

        Raises:
            KeyError: no such list.
        """
        entry = self.entries[key]
        if not isinstance(entry, tuple):
            raise KeyError(f"{key} is no list")
        return entry

    def story(self, key: str) -> ClearCase:
        """The story under `key`."""
        return ClearCase(self.several(f"{key}.context"), self(f"{key}.right"), self(f"{key}.wrong"))

    def names(self, key: str) -> list[str]:
        """The names directly below `key`, in the order of the file."""
        below = (entry.removeprefix(f"{key}.") for entry in self.entries if entry.startswith(f"{key}."))
        return list(dict.fromkeys(name.partition(".")[0] for name in below))


def languages() -> list[str]:
    """The codes of all languages."""
    return sorted(path.stem for path in _FOLDER.glob("*.yaml"))


@cache
def texts(language: str) -> Texts:
    """The texts of a language.

    Raises:
        UserError: no such language, or a file whose keys or words in braces are not those of `en.yaml`.
    """
    if language not in languages():
        raise UserError(f"language {language}: has no texts; the languages are {', '.join(languages())}")
    path = _FOLDER / f"{language}.yaml"
    found = Texts(language, dict(entries(read_yaml(path, aliases=False), path)))
    if language != ENGLISH and (differing := differences(found, texts(ENGLISH))):
        raise UserError(f"{path}: not the texts of {ENGLISH}.yaml: {shortened(differing)}; correct these keys")
    return found


def differences(one: Texts, other: Texts) -> list[str]:
    """The keys that only one of two languages has, or whose texts have other words in braces or another length."""
    keys = dict.fromkeys([*one.entries, *other.entries])
    return [key for key in keys if _form(one.entries.get(key)) != _form(other.entries.get(key))]


def joined(sentences: Sequence[str]) -> str:
    """The sentences in one line: with a space after each, except after a character of full width, as in Japanese."""
    gaps = ["" if unicodedata.east_asian_width(text[-1:] or " ") in "WF" else " " for text in sentences]
    return "".join(f"{text}{gap}" for text, gap in zip(sentences, gaps, strict=True)).rstrip(" ")


def entries(value: Any, path: Path | str, key: str = "") -> Iterator[tuple[str, Entry]]:
    """The entries of a part of a file, which is under `key`; without one, of all of it.

    Raises:
        UserError: a value that is neither a text nor a list of texts.
    """
    texts_in = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
    is_texts = all(isinstance(text, str) for text in texts_in)
    if isinstance(value, Mapping) and not (is_texts and set(value) == _FORMS):
        for name, below in value.items():
            yield from entries(below, path, f"{key}.{name}" if key else str(name))
    elif is_texts:
        yield key, tuple(value) if isinstance(value, list) else value
    else:
        raise UserError(f"{path}: {key or 'the file'}: must be a text or a list of texts, not {value!r}; quote it")


def _form(entry: Entry | None) -> object:
    """What the entry under one key has in common in all languages: a list's length, or the words in braces.

    The words are those of a text, or of each of its forms for a number; a language may have one text for all numbers.
    A text whose two forms have other words in braces, or forms without `{n}` to choose between them, fits no text.
    """
    if entry is None or isinstance(entry, tuple):
        return entry if entry is None else len(entry)
    if isinstance(entry, str):
        return set(_FILLED_IN.findall(entry))
    one, other = (set(_FILLED_IN.findall(entry[form])) for form in ("one", "other"))
    return other if one | {"n"} == other else (one, other)


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
