"""The parsed documents that systems count in: the stories, and the further texts that the user names."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from denouement.cloze.base import ClozeSystem
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError
from denouement.files import existing_file
from denouement.schemas import is_text
from denouement.text.sentences import split_sentences
from denouement.text.syntax import Parse

STORIES, CORPORA = "stories", "corpora"

_PIECE = 50_000  # sentences that are in memory, and in a file of the cache, at once
_LONGEST = 100  # sentences; longer texts are cut: entities are resolved nearby, and pairs grow with the square


@dataclass(frozen=True)
class Document:
    """A text whose sentences belong together.

    Attributes:
        sentences: its parsed sentences.
        count: how often it occurs: 1, except for the n-grams of a file of counts.
    """

    sentences: list[Parse]
    count: int = 1


class CountingSystem(ClozeSystem):
    """A system that counts in documents, with a variant for each of `sources`."""

    def learns_from_stories(self, variant: str) -> bool:
        """See `ClozeSystem`."""
        return variant == STORIES

    def learned_elsewhere(self, variant: str, resources: Resources) -> str | None:
        """See `ClozeSystem`."""
        return None if variant == STORIES else f"texts of {', '.join(path.name for path in resources.corpora)}"


def sources(resources: Resources, system: str) -> list[str]:
    """What there is to count in, of `STORIES` and `CORPORA`.

    Raises:
        MissingResourceError: nothing.
    """
    has_stories = resources.stories is not None and resources.stories.num_rows > 0
    found = [name for name, is_there in ((STORIES, has_stories), (CORPORA, resources.corpora)) if is_there]
    if not found:
        raise MissingResourceError(f"{system} counts events: give stories with --stories or texts with --corpus")
    return found


def documents(source: str, resources: Resources) -> Iterator[Document]:
    """The documents of one of `sources`.

    Raises:
        UserError: a file that cannot be read.
        MissingResourceError: no parser is installed.
    """
    if source == STORIES:
        stories = resources.need_stories(source)["sentences"].to_pylist()
        parses = resources.parse([sentence for story in stories for sentence in story])
        yield from (Document([parses[sentence] for sentence in story]) for story in stories)
    else:
        for path in resources.corpora:
            for piece in _pieces(read(path)):
                yield from _parsed(piece, resources)


def read(path: Path) -> Iterator[tuple[list[str], int]]:
    """The sentences of each document of a file, and how often the document occurs.

    `.parquet`: a document a row, of the only column of text (a string) or of sentences (a list of strings). `.tsv`: an
    n-gram and its count a line, a tab between them. Anything else is UTF-8 text, a document or paragraph a line.

    Raises:
        UserError: no such file; not as described above.
    """
    path = existing_file(path)
    if path.suffix == ".parquet":
        yield from ((sentences, 1) for sentences in _rows(path) if sentences)
    elif path.suffix == ".tsv":
        for number, line in enumerate(_lines(path), start=1):
            ngram, tab, count = line.rstrip("\n").rpartition("\t")
            if not tab or not count.strip().isdecimal():
                raise UserError(f"{path}, line {number}: an n-gram, a tab and a count are wanted")
            yield [ngram], int(count)
    else:
        yield from ((sentences, 1) for sentences in map(split_sentences, _lines(path)) if sentences)


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8-sig") as opened:
        try:
            yield from opened
        except UnicodeDecodeError as error:
            raise UserError(f"{path}: not UTF-8 text; save it as UTF-8") from error


def _rows(path: Path) -> Iterator[list[str]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def is_list_of_text(kind: pa.DataType) -> bool:
        return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind)) and is_text(kind.value_type)

    try:
        opened = pq.ParquetFile(path)
        schema = opened.schema_arrow
        lists = [each.name for each in schema if is_list_of_text(each.type)]
        columns = lists or [each.name for each in schema if is_text(each.type)]
        if len(columns) != 1:
            raise UserError(f"{path}: {len(columns)} columns of text ({', '.join(schema.names)}); keep the one to read")
        for batch in opened.iter_batches(columns=columns):
            for value in batch.column(0).to_pylist():
                if lists:
                    yield [sentence for sentence in value or () if sentence]
                else:
                    yield split_sentences(value or "")
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: not a Parquet file, or a damaged one; make it again") from error


def _pieces(texts: Iterable[tuple[list[str], int]]) -> Iterator[list[tuple[list[str], int]]]:
    piece: list[tuple[list[str], int]] = []
    sentences = 0
    for text in texts:
        piece.append(text)
        sentences += len(text[0])
        if sentences >= _PIECE:
            yield piece
            piece, sentences = [], 0
    if piece:
        yield piece


def _parsed(piece: list[tuple[list[str], int]], resources: Resources) -> Iterator[Document]:
    """The documents of a piece, whose parses have a folder of their own in the cache: a cache is read as a whole."""
    sentences = [sentence for text, _ in piece for sentence in text]
    if resources.cache:
        digest = hashlib.sha256("\n".join(sentences).encode()).hexdigest()[:16]
        resources = replace(resources, cache=resources.cache / "corpora" / digest)
    parses = resources.parse(sentences)
    for text, count in piece:
        for start in range(0, len(text), _LONGEST):
            yield Document([parses[sentence] for sentence in text[start : start + _LONGEST]], count)
