"""Events, near words and synonyms by WordNet (Miller 1995), from the files of its database.

The files are read directly (https://wordnet.princeton.edu/documentation/wndb5wn), since NLTK reads only files in its
own folders.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from denouement.errors import UserError

FILES = ("index.noun", "data.noun", "index.verb", "data.verb")

_FOLDERS = ("/usr/share/wordnet", "/usr/local/share/wordnet", "/usr/local/WordNet-3.0/dict")
_HYPERNYMS = ("@", "@i")
_DERIVED = "+"
_NEAR = frozenset({*_HYPERNYMS, "~", "~i", _DERIVED})
_PROCESSES = frozenset({"physical_process", "cognitive_process", "unconscious_process"})
_ADVICE = (
    "apt-get install wordnet-base, or download the database files of WordNet 3.0 or 3.1, and name their folder (it "
    "holds data.noun) with --wordnet or WNSEARCHDIR"
)
_VERSION = re.compile(r"WordNet (\d+\.\d+)")
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        *(("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z")),
        *(("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    ),
    "verb": (*(("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
"""By part of speech the endings that Morphy replaces (https://wordnet.princeton.edu/documentation/morphy7wn)."""


class NoWordNetError(UserError):
    """WordNet is not installed, or not in the folder that was named."""


@dataclass(frozen=True)
class Events:
    """The lemmas that name an event or a process.

    Attributes:
        nouns: those whose most frequent sense is a hyponym of *event* or *process*. Rare senses do not count, since
            nearly every noun of everyday language ("dog", "box") has one that is an event.
        verbs: those with a sense that has a derivationally related noun with such a sense ("go": "going"). WordNet has
            no nouns above verbs, so only this link leads from them to *event*.
        spelled: those that as nouns have any sense, even a rare one, at or below any sense of *event* or *process*
            ("cat", a tomography; "hand", a process of a body): the literal rule of Mostafazadeh et al. 2016, 3.1.
    """

    nouns: frozenset[str]
    verbs: frozenset[str]
    spelled: frozenset[str]


@dataclass(frozen=True)
class _Synset:
    words: tuple[str, ...]
    pointers: tuple[tuple[str, str, str, int, int], ...]  # symbol, offset, part of speech, word from, word to


def find_wordnet(folder: Path | None = None) -> Path:
    """The folder of WordNet's database: `folder`, else WNSEARCHDIR, else the usual places of systems and of NLTK.

    Raises:
        NoWordNetError: no database there.
    """
    named = folder or (Path(os.environ["WNSEARCHDIR"]) if os.environ.get("WNSEARCHDIR") else None)
    if named:
        if missing := [name for name in FILES if not (named / name).is_file()]:
            raise NoWordNetError(f"{named}: no WordNet database, it lacks {', '.join(missing)}: {_ADVICE}")
        return named
    nltk = [Path(each) / "corpora" / "wordnet" for each in os.environ.get("NLTK_DATA", "").split(os.pathsep) if each]
    for place in (*map(Path, _FOLDERS), *nltk, Path.home() / "nltk_data" / "corpora" / "wordnet"):
        if all((place / name).is_file() for name in FILES):
            return place
    raise NoWordNetError(f"no WordNet: {_ADVICE}")


def read_events(folder: Path) -> Events:
    """The events of the database in `folder`.

    Raises:
        NoWordNetError: a file is missing, is no file of WordNet, or is incomplete.
    """
    try:
        nouns, verbs = (dict(_synsets(folder / f"data.{kind}")) for kind in ("noun", "verb"))
        noun_senses, verb_senses = (dict(_senses(folder / f"index.{kind}")) for kind in ("noun", "verb"))
        _check_whole("noun", noun_senses, nouns)
        _check_whole("verb", verb_senses, verbs)
        roots = {noun_senses["event"][0], *_processes(noun_senses, nouns)}
        happening = _hyponyms(roots, nouns)
        in_any_sense = _hyponyms([*noun_senses["event"], *noun_senses["process"]], nouns)
    except (OSError, UnicodeDecodeError, ValueError, IndexError, KeyError) as error:
        raise NoWordNetError(f"{folder}: no WordNet database, or a damaged one ({error}): {_ADVICE}") from error
    return Events(
        frozenset(lemma for lemma, senses in noun_senses.items() if senses[0] in happening),
        frozenset(lemma for lemma, senses in verb_senses.items() if _happens(lemma, senses, verbs, happening)),
        frozenset(lemma for lemma, senses in noun_senses.items() if not in_any_sense.isdisjoint(senses)),
    )


def _check_whole(kind: str, senses: Mapping[str, list[str]], synsets: Mapping[str, _Synset]) -> None:
    """Check that the files are complete: index and data name the same synsets.

    Raises:
        ValueError: they name different ones.
    """
    named = {offset for of_lemma in senses.values() for offset in of_lemma}
    if apart := named ^ synsets.keys():
        raise ValueError(
            f"index.{kind} and data.{kind} differ in {len(apart):,} of {len(named | synsets.keys()):,} senses"
        )


def _processes(senses: Mapping[str, list[str]], nouns: Mapping[str, _Synset]) -> list[str]:
    """The senses of *process* that are a course of events; in its others it is a document or a part of a body."""
    return [offset for offset in senses["process"] if _PROCESSES.intersection(nouns[offset].words)]


def _hyponyms(roots: Iterable[str], nouns: Mapping[str, _Synset]) -> set[str]:
    """The offsets of the synsets at and below `roots`."""
    below: dict[str, list[str]] = {}
    for offset, synset in nouns.items():
        for symbol, above, *_ in synset.pointers:
            if symbol in _HYPERNYMS:
                below.setdefault(above, []).append(offset)
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        offset = waiting.pop()
        if offset not in found:
            found.add(offset)
            waiting += below.get(offset, ())
    return found


def _happens(lemma: str, senses: Iterable[str], verbs: Mapping[str, _Synset], happening: set[str]) -> bool:
    """Whether a noun derived from the verb, in any of its senses, is in `happening`."""
    for sense in senses:
        synset = verbs[sense]
        word = synset.words.index(lemma) + 1
        for symbol, offset, pos, source, _ in synset.pointers:
            if symbol == _DERIVED and pos == "n" and source in (0, word) and offset in happening:
                return True
    return False


def _synsets(path: Path) -> Iterator[tuple[str, _Synset]]:
    """The synsets of a data file by offset."""
    for fields in _lines(path):
        n_words = int(fields[3], 16)
        words = tuple(word.lower() for word in fields[4 : 4 + 2 * n_words : 2])
        at = 4 + 2 * n_words
        pointers = []
        for start in range(at + 1, at + 1 + 4 * int(fields[at]), 4):
            symbol, offset, pos, ends = fields[start : start + 4]
            pointers.append((symbol, offset, pos, int(ends[:2], 16), int(ends[2:], 16)))
        yield fields[0], _Synset(words, tuple(pointers))


def _senses(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The offsets of each lemma's senses, the most frequent first."""
    for fields in _lines(path):
        yield fields[0], fields[-int(fields[2]) :]


def _lines(path: Path) -> Iterator[list[str]]:
    """The fields of each line, without glosses and without the lines of the licence, which begin with blanks."""
    with path.open(encoding="utf-8") as opened:
        for line in opened:
            if not line.startswith(" "):
                yield line.partition("|")[0].split()


class Relations:
    """Which lemmas are near in meaning: the most frequent sense of one is next to that of the other.

    Nouns and verbs are read. Rare senses do not count, since by those nearly all everyday words are near each other.
    """

    def __init__(self, folder: Path) -> None:
        """Read the database in `folder`.

        Raises:
            NoWordNetError: a file is missing, is no file of WordNet, or is incomplete.
        """
        try:
            self._synsets = {kind[0]: dict(_synsets(folder / f"data.{kind}")) for kind in ("noun", "verb")}
            self._senses = {kind[0]: dict(_senses(folder / f"index.{kind}")) for kind in ("noun", "verb")}
        except (OSError, UnicodeDecodeError, ValueError, IndexError) as error:
            raise NoWordNetError(f"{folder}: no WordNet database, or a damaged one ({error}): {_ADVICE}") from error
        self._near: dict[str, frozenset[str]] = {}

    def near(self, lemma: str) -> frozenset[str]:
        """The lemma with its synonyms, what is one step above or below it, and what derives from it or it from."""
        if lemma not in self._near:
            found = {lemma}
            for kind, senses in self._senses.items():
                if lemma in senses:
                    found.update(self._beside(kind, senses[lemma][0]))
            self._near[lemma] = frozenset(found)
        return self._near[lemma]

    def _beside(self, kind: str, offset: str) -> Iterator[str]:
        synset = self._synsets[kind][offset]
        yield from synset.words
        for symbol, other, of_kind, *_ in synset.pointers:
            if symbol in _NEAR and of_kind in self._synsets and other in self._synsets[of_kind]:
                yield from self._synsets[of_kind][other].words


SYNONYM_FILES = tuple(f"{what}.{kind}" for kind in _ENDINGS for what in ("index", "data")) + tuple(
    f"{kind}.exc" for kind in _ENDINGS
)


class Synonyms:
    """The words that share a sense with a word, in any part of speech, whatever form the word has.

    Base forms are found as by WordNet's Morphy: listed exceptions, else endings that are replaced. Words of several
    parts ("ice cream") are no synonyms here.

    Attributes:
        version: of the database, such as 3.0.
    """

    def __init__(self, folder: Path) -> None:
        """Read the database in `folder`.

        Raises:
            NoWordNetError: one of `SYNONYM_FILES` is missing, or is no file of WordNet.
        """
        try:
            self.version = _version(folder / "data.noun")
            self._senses = {kind: dict(_senses(folder / f"index.{kind}")) for kind in _ENDINGS}
            self._words = {kind: dict(_words(folder / f"data.{kind}")) for kind in _ENDINGS}
            self._exceptions = {kind: _exceptions(folder / f"{kind}.exc") for kind in _ENDINGS}
        except (OSError, UnicodeDecodeError, ValueError, IndexError) as error:
            raise NoWordNetError(f"{folder}: no WordNet database, or a damaged one ({error}): {_ADVICE}") from error
        self._known: dict[str, frozenset[str]] = {}

    def of(self, word: str) -> frozenset[str]:
        """The synonyms of a word in lower case, itself among them where WordNet has it; names keep their capitals."""
        if word not in self._known:
            self._known[word] = frozenset(
                name
                for kind, senses in self._senses.items()
                for base in self._bases(word, kind)
                for offset in senses.get(base, ())
                for name in self._words[kind][offset]
            )
        return self._known[word]

    def _bases(self, word: str, kind: str) -> Iterator[str]:
        yield word
        if word in self._exceptions[kind]:
            yield from self._exceptions[kind][word]
        else:
            yield from (word[: -len(ending)] + other for ending, other in _ENDINGS[kind] if word.endswith(ending))


def _version(path: Path) -> str:
    with path.open(encoding="utf-8") as opened:
        found = _VERSION.search(opened.read(4096))
    if not found:
        raise ValueError("no version in its licence")
    return found[1]


def _words(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words of each synset by offset, without words of several parts and marks of an adjective's place."""
    for fields in _lines(path):
        words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
        yield fields[0], tuple(word.partition("(")[0] for word in words if "_" not in word)


def _exceptions(path: Path) -> dict[str, list[str]]:
    """The base forms of each irregular form."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {form: bases for form, *bases in map(str.split, filter(None, lines))}
