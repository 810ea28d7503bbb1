"""The layout of an official file, by its header, and its release, split and source, by its name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from denouement import schemas
from denouement.delimited import first_row

Kind = Literal["stories", "cloze"]

DELIMITERS = (",", "\t")

_STORY_COLUMNS = ("storyid", "storytitle")
_CASE_COLUMNS_AS_PUBLISHED = (
    "InputStoryid",
    *(f"InputSentence{number}" for number in range(1, 5)),
    "RandomFifthSentenceQuiz1",
    "RandomFifthSentenceQuiz2",
)
_CASE_COLUMNS = tuple(name.lower() for name in _CASE_COLUMNS_AS_PUBLISHED)
_LABEL_COLUMN = "answerrightending"
ALL_COLUMNS = (*_STORY_COLUMNS, *_CASE_COLUMNS, _LABEL_COLUMN)  # and of stories sentence1, sentence2, ...
_SENTENCE = re.compile(r"sentence([1-9][0-9]{0,5})")
_AS_PUBLISHED = dict(zip(_CASE_COLUMNS, _CASE_COLUMNS_AS_PUBLISHED, strict=True))
_MOST_NAMED = 5  # columns in a message

_RELEASE_MARKS = {
    "v1.0": r"spring[ _-]*2016|(?<![a-z0-9])v1[._]0(?![0-9])",
    "v1.5": r"winter[ _-]*2018|(?<![a-z0-9])v1[._]5(?![0-9])",
}
TRANSLATED = "xstorycloze"
"""The release of Story Cloze cases in other languages than English: Lin et al. 2022, who translated v1.0 validation."""

_TRANSLATED = re.compile(r"split_20_80_(train|eval)|x[ _-]?story[ _-]?cloze")
# The languages of XStoryCloze. Its files are called `spring2016.val.es.tsv.split_20_80_eval.tsv` and the like.
_LANGUAGES = ("en", "ru", "zh", "es", "ar", "hi", "id", "te", "sw", "eu", "my")
_LANGUAGE = re.compile(rf"\.({'|'.join(_LANGUAGES)})\.")
_TRANSLATED_SPLITS = {"train": "train", "eval": "test"}

# The files of a collection of one's own; what stands behind " - " says more about a file.
_OWN_CASES = re.compile(r"cloze_test_(val|test)__([A-Za-z0-9][\w.-]*?)(?: - .*)?\.[a-z]+", re.ASCII)
_OWN_STORIES = re.compile(r"stories__([A-Za-z0-9][\w.-]*?)(?: - .*)?\.[a-z]+", re.ASCII)

_SPLIT_MARKS = {"validation": {"val", "valid", "validation", "dev"}, "test": {"test"}}
_SOURCE_MARKS = {
    "rocstories_spring_2016": r"spring[ _-]*2016",
    "rocstories_winter_2017": r"winter[ _-]*2017",
}


@dataclass(frozen=True)
class OfficialLayout:
    """An official file's columns.

    Attributes:
        kind: "stories" (ROCStories) or "cloze" (Story Cloze).
        columns: every column's name in the order of the file, in lower case without spaces, `_` and `-`.
        written: the same names as they are written in the file, for messages.
        delimiter: comma or TAB.
        header_lines: physical lines up to the end of the header.
        header_bytes: bytes up to the end of the header, without a byte order mark.
    """

    kind: Kind
    columns: tuple[str, ...]
    written: tuple[str, ...]
    delimiter: str
    header_lines: int
    header_bytes: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """The columns of sentences in the story's order; for cloze cases the context, then both endings."""
        if self.kind == "cloze":
            return _CASE_COLUMNS[1:]
        return tuple(f"sentence{number}" for number in range(1, len(self.columns) - len(_STORY_COLUMNS) + 1))

    @property
    def label(self) -> str | None:
        """The column that says which ending is right; None for stories and blind cases."""
        return _LABEL_COLUMN if _LABEL_COLUMN in self.columns else None


def recognise(text: str) -> OfficialLayout | None:
    """The layout of a file that starts with `text`; None if its header is not an official one.

    Blank lines above the header are ignored.
    """
    for delimiter in DELIMITERS:
        header, lines, characters = first_row(text, delimiter)
        columns = columns_of(header)
        kind = _kind(columns)
        if kind:
            return OfficialLayout(
                kind=kind,
                columns=columns,
                written=tuple(" ".join(name.split()) for name in header),
                delimiter=delimiter,
                header_lines=lines,
                header_bytes=len(text[:characters].encode()),
            )
    return None


def columns_of(cells: Sequence[str]) -> tuple[str, ...]:
    """The names of columns as `OfficialLayout.columns` has them."""
    return tuple(re.sub(r"[\s_\ufeff-]+", "", name).lower() for name in cells)


def is_header(cells: Sequence[str]) -> bool:
    """Whether a row is an official header or contains a part of one: at least three of its cells are columns' names."""
    return sum(name in ALL_COLUMNS or _SENTENCE.fullmatch(name) is not None for name in columns_of(cells)) >= 3


def header_in(text: str) -> list[str] | None:
    """The cells of the row `text` if they are such a header, with any delimiter; else None."""
    rows = (first_row(text, delimiter).cells for delimiter in DELIMITERS)
    return next(filter(is_header, rows), None)


def mistakes(text: str) -> str | None:
    """Why the header of a file that starts with `text` is not an official one, if it resembles one; else None.

    The reasons are columns that are missing, unknown or repeated, and another delimiter.
    """
    for delimiter in (*DELIMITERS, ";", "|"):
        written = first_row(text, delimiter).cells
        columns = columns_of(written)
        numbers = {int(found[1]) for name in columns if (found := _SENTENCE.fullmatch(name))}
        last = min(max(numbers, default=0), len(columns))
        stories = (*_STORY_COLUMNS, *(f"sentence{number}" for number in range(1, max(2, last) + 1)))
        like = max((stories, _CASE_COLUMNS), key=lambda official: len(set(official) & set(columns)))
        if 2 * len(set(like) & set(columns)) < len(like):
            continue
        allowed = {*like, _LABEL_COLUMN} if like is _CASE_COLUMNS else set(like)
        unknown = [name for name, column in zip(written, columns, strict=True) if column not in allowed]
        problems = {
            "unknown": [repr(" ".join(name.split())) for name in unknown],
            "missing": [_AS_PUBLISHED.get(name, name) for name in like if name not in columns],
            "repeated": [name for name in dict.fromkeys(columns) if columns.count(name) > 1],
        }
        parts = [f"{what}: {', '.join(names[:_MOST_NAMED])}" for what, names in problems.items() if names]
        if delimiter not in DELIMITERS:
            parts.append(f"'{delimiter}' is between its columns, not a comma or a tab")
        return "; ".join(parts)
    return None


def _kind(columns: Sequence[str]) -> Kind | None:
    if len(set(columns)) != len(columns):
        return None
    n_sentences = len(columns) - len(_STORY_COLUMNS)
    sentences = {f"sentence{number}" for number in range(1, n_sentences + 1)}
    if n_sentences >= 2 and set(columns) == {*_STORY_COLUMNS, *sentences}:
        return "stories"
    if set(columns) - {_LABEL_COLUMN} == set(_CASE_COLUMNS):
        return "cloze"
    return None


def release_of(name: str) -> str | None:
    """The release that a file's name contains: v1.0 is spring 2016, v1.5 winter 2018. None without one, or with two.

    That of a collection of one's own stands in the name as `own_files` puts it there.
    """
    return _published_release(name) or (own[2] if (own := _OWN_CASES.fullmatch(name)) else None)


def source_of(name: str) -> str:
    """The collection of stories that a file's name contains, or just "rocstories"."""
    if published := "sample" if is_sample(name) else _marked(name, _SOURCE_MARKS):
        return published
    return own[1] if (own := _OWN_STORIES.fullmatch(name)) else "rocstories"


@dataclass(frozen=True)
class OwnFiles:
    """The names of the files of a release of one's own, from which it is read again.

    Attributes:
        blind: of the test cases without labels.
    """

    stories: str
    validation: str
    test: str
    blind: str


def own_files(release: str) -> OwnFiles:
    """The names of the files of a release of one's own (`is_own_release`)."""
    return OwnFiles(
        f"stories__{release}.csv",
        f"cloze_test_val__{release}.csv",
        f"cloze_test_test__{release}.csv",
        f"cloze_test_test__{release} - blind.csv",
    )


def is_own_release(release: str) -> bool:
    """Whether a release may be called so: as a part of the names of its files it is read as no published release."""
    if not schemas.is_name(release) or release in {*schemas.RELEASES, *_SOURCE_MARKS, TRANSLATED, "rocstories"}:
        return False
    names = own_files(release)
    return source_of(names.stories) == release_of(names.validation) == release_of(names.blind) == release


def _published_release(name: str) -> str | None:
    if is_sample(name):
        return "sample"
    if _TRANSLATED.search(name.lower()):
        return TRANSLATED
    return _marked(name, _RELEASE_MARKS)


def split_of(name: str, labelled: bool) -> str | None:
    """The split of a Story Cloze file, by the word "val" or "test" in its name; a blind file without either is a test.

    The "test" in "Cloze test", the name of the task, does not count. None for a labelled file with neither or both.
    """
    translated = _TRANSLATED.search(name.lower())
    if translated and translated[1]:
        return _TRANSLATED_SPLITS[translated[1]]
    if not _published_release(name) and (own := _OWN_CASES.fullmatch(name)):
        return {"val": "validation", "test": "test"}[own[1]]
    named = _splits_in(name, _SPLIT_MARKS)
    if len(named) == 1:
        return named[0]
    return "test" if not named and not labelled else None


def split_of_choices(name: str, labelled: bool) -> str | None:
    """As `split_of`, for files of other data sets, whose splits may also be train."""
    named = _splits_in(name, {"train": {"train", "training"}, **_SPLIT_MARKS})
    if len(named) == 1:
        return named[0]
    return "test" if not named and not labelled else None


def _splits_in(name: str, marks: Mapping[str, set[str]]) -> list[str]:
    words = set(re.split(r"[^a-z]+", re.sub(r"cloze[ _-]*test(?![a-z])", "cloze", name.lower())))
    return [split for split, of_split in marks.items() if words & of_split]


def language_of(path: Path) -> str | None:
    """The language that a file's name has between full stops, as XStoryCloze's have, or that is its folder's name."""
    named = _LANGUAGE.findall(path.name.lower())
    if len(set(named)) == 1:
        return str(named[0])
    return path.parent.name if path.parent.name in _LANGUAGES else None


def is_sample(name: str) -> bool:
    """Whether the file belongs to the embedded sample corpus (the published `ROCStories_sample.csv` does not)."""
    return name.startswith(("sample_stories", "sample_cloze"))


def _marked(name: str, marks: dict[str, str]) -> str | None:
    named = [value for value, mark in marks.items() if re.search(mark, name.lower())]
    return named[0] if len(named) == 1 else None
