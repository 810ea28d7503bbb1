"""The table of sentence vectors, which is written once and read a view at a time.

The first rows are the vectors of every distinct context sentence (of stories all sentences but the last, of Story Cloze
cases the context), those of training stories first. Then follow, view after view, the vectors of the training sentences
with words dropped. Each view is a sequence of whole row groups, so that it can be read without the others.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from denouement.console import progress
from denouement.encoders.base import SentenceEncoder, Vectors, load_encoder, missing_options
from denouement.encoders.settings import EncodeSettings
from denouement.errors import UserError
from denouement.files import atomic_write
from denouement.schemas import EMBEDDINGS_VERSION, embeddings_schema, read_schema, read_table, stamp
from denouement.text.word_dropout import drop_words

BLOCK = 2048  # sentences that are encoded, held in memory and written as a row group at once

_DTYPES = {"float16": pa.float16(), "float32": pa.float32()}


@dataclass(frozen=True)
class EncodedCorpus:
    """What `embed_corpus` wrote.

    Attributes:
        encoder: its name.
        dimension: numbers in a vector.
        rows: vectors: one for each sentence, and one for each training sentence in each view.
        notes: the encoder's oddities, such as sentences without a known word, and how often each occurred.
    """

    encoder: str
    dimension: int
    rows: int
    notes: dict[str, int]


def text_id(sentence: str) -> str:
    """The key of a sentence in the table: a hex digest of its text."""
    return hashlib.blake2b(sentence.encode(), digest_size=16).hexdigest()


def embed_corpus(stories: Path, cloze: Path | None, out: Path, settings: EncodeSettings | None = None) -> EncodedCorpus:
    """Write the vectors of all context sentences of the tables `stories` and `cloze`, if any, to `out`, atomically.

    A block of sentences at a time is held in memory. Equal tables, settings, encoders and machines give equal bytes.

    Raises:
        UserError: a table that cannot be read, an encoder that cannot be loaded, or one that gives no finite numbers.
    """
    settings = settings or EncodeSettings()
    encoder = load_encoder(settings.encoder, **settings.options)
    sentences, n_training = context_sentences(stories, cloze)
    metadata = {
        "encoder": encoder.name,
        "fingerprint": encoder.fingerprint,
        "dimension": encoder.dimension,
        "sentences": len(sentences),
        "training_sentences": n_training,
        "views": settings.views,
        "word_dropout": settings.word_dropout,
        "seed": settings.seed,
    }
    schema = stamp(
        embeddings_schema(encoder.dimension, _DTYPES[settings.dtype]),
        "embeddings",
        EMBEDDINGS_VERSION,
        {key: str(value) for key, value in metadata.items()},
    )
    encoder.prepare(text for _, texts in _blocks(sentences, n_training, settings) for text in texts)
    n_blocks = -(-len(sentences) // BLOCK) + settings.views * -(-n_training // BLOCK)
    with (
        atomic_write(out) as part,
        # No dictionaries: every value is distinct. Checksums: a flipped bit is an error, not a strange vector.
        pq.ParquetWriter(part, schema, compression="zstd", use_dictionary=False, write_page_checksum=True) as writer,
    ):
        for ids, texts in progress(_blocks(sentences, n_training, settings), "encode", n_blocks, "block"):
            with np.errstate(over="ignore"):  # a number too large for float16 becomes infinite, and is refused below
                vectors = encoder.encode(texts).astype(settings.dtype)
            if not np.isfinite(vectors).all():
                raise UserError(f"encoder {encoder.name} gives vectors that are not finite numbers: check its files")
            column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), type=schema.field("vector").type)
            writer.write_table(pa.table([pa.array(ids), column], schema=schema), row_group_size=BLOCK)
    rows = len(sentences) + settings.views * n_training
    return EncodedCorpus(encoder.name, encoder.dimension, rows, dict(encoder.notes))


def context_sentences(stories: Path, cloze: Path | None) -> tuple[list[str], int]:
    """The distinct context sentences of the tables, those of training stories first, and the number of the latter.

    Raises:
        UserError: a table that cannot be read.
    """
    rows = read_table(stories, "stories")
    training = pc.equal(rows["split"], "train")
    ordered = [
        _all_but_last(rows.filter(training)["sentences"]),
        _all_but_last(rows.filter(pc.invert(training))["sentences"]),
        *([] if cloze is None else [pc.list_flatten(read_table(cloze, "cloze")["context"])]),
    ]
    distinct = pc.unique(pa.chunked_array([chunk for part in ordered for chunk in part.chunks], pa.string()))
    return distinct.to_pylist(), len(pc.unique(ordered[0]))


def _all_but_last(stories: pa.ChunkedArray) -> pa.ChunkedArray:
    """The sentences of every story but its last one, flattened."""
    last = np.cumsum(pc.list_value_length(stories).to_numpy()) - 1
    flat = pc.list_flatten(stories)
    kept = np.ones(len(flat), bool)
    kept[last] = False
    return flat.filter(pa.array(kept))


def _blocks(
    sentences: Sequence[str], n_training: int, settings: EncodeSettings
) -> Iterator[tuple[list[str], list[str]]]:
    """The ids and texts of the table, row group by row group."""
    for start in range(0, len(sentences), BLOCK):
        texts = list(sentences[start : start + BLOCK])
        yield [text_id(text) for text in texts], texts
    for view in range(settings.views):
        for start in range(0, n_training, BLOCK):
            whole = sentences[start : min(start + BLOCK, n_training)]
            texts = [drop_words(text, settings.word_dropout, settings.seed, view) for text in whole]
            yield [f"{text_id(text)}#{view}" for text in whole], texts


@dataclass(frozen=True)
class EmbeddingTable:
    """An opened table of sentence vectors; `view` reads the vectors.

    Attributes:
        encoder: name of the encoder whose vectors it holds.
        fingerprint: the encoder's.
        dimension: numbers in a vector.
        sentences: how many context sentences there are: the rows of the view without dropped words.
        training_sentences: how many of these, the first ones, are of training stories: the rows of each other view.
        views: draws of dropped words.
        word_dropout: probability that a word was dropped.
        seed: of the draws.
    """

    path: Path
    encoder: str
    fingerprint: str
    dimension: int
    sentences: int
    training_sentences: int
    views: int
    word_dropout: float
    seed: int

    @classmethod
    def open(cls, path: Path) -> "EmbeddingTable":
        """Open a table and check that its rows are those it says it has.

        Raises:
            UserError: no such file, not a table of vectors, damaged, or one whose rows and metadata disagree.
        """
        schema = read_schema(path, "embeddings")
        try:
            metadata = {key.decode(): value.decode() for key, value in schema.metadata.items()}
            table = cls(
                Path(path),
                encoder=metadata["encoder"],
                fingerprint=metadata["fingerprint"],
                dimension=int(metadata["dimension"]),
                sentences=int(metadata["sentences"]),
                training_sentences=int(metadata["training_sentences"]),
                views=int(metadata["views"]),
                word_dropout=float(metadata["word_dropout"]),
                seed=int(metadata["seed"]),
            )
            known = [embeddings_schema(table.dimension, dtype) for dtype in _DTYPES.values()]
        except (KeyError, ValueError, OverflowError) as error:  # a dimension that Arrow cannot count
            raise _no_table(path) from error
        if not any(map(schema.equals, known)):
            raise _no_table(path)
        table._check_rows()
        return table

    def view(self, view: int | None) -> npt.NDArray[np.float16 | np.float32]:
        """Vectors [rows, dimension] of one view, in the stored type; the other views are not read.

        Args:
            view: None: all sentences, unchanged; k: the training sentences with the words of draw k dropped, where row
                i is of the same sentence as row i of the unchanged ones.

        Raises:
            UserError: the file is damaged.
        """
        if view is not None and not 0 <= view < self.views:
            raise ValueError(f"view {view} of a table of {self.views}")
        with self._opened() as file:
            dtype = file.schema_arrow.field("vector").type.value_type.to_pandas_dtype()
            vectors = np.empty((self._rows_of(view), self.dimension), dtype)
            filled = 0
            for group in self._row_groups(view):
                for chunk in file.read_row_group(group, columns=["vector"])["vector"].chunks:
                    vectors[filled : filled + len(chunk)] = chunk.flatten().to_numpy().reshape(-1, self.dimension)
                    filled += len(chunk)
        return vectors

    def find(self, sentences: Sequence[str]) -> npt.NDArray[np.int64]:
        """The row of each sentence in the view without dropped words; -1 for a sentence that is not in the table."""
        return np.fromiter((self._row_of_id.get(text_id(text), -1) for text in sentences), np.int64, len(sentences))

    def rows(self, sentences: Sequence[str]) -> npt.NDArray[np.int64]:
        """The row of each sentence in the view without dropped words; for training sentences, in every view.

        Raises:
            UserError: a sentence is missing in the table.
        """
        rows = self.find(sentences)
        missing = np.flatnonzero(rows < 0)
        if len(missing):
            raise UserError(
                f"{self.path}: no vector for {len(missing)} sentences, the first is {sentences[missing[0]]!r}; "
                "encode the corpus again"
            )
        return rows

    @cached_property
    def _row_of_id(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self._ids(None).to_pylist())}

    def _ids(self, view: int | None) -> pa.ChunkedArray:
        with self._opened() as file:
            return file.read_row_groups(self._row_groups(view), columns=["text_id"])["text_id"]

    @contextmanager
    def _opened(self) -> Iterator[pq.ParquetFile]:
        try:
            with pq.ParquetFile(self.path, page_checksum_verification=True) as file:
                yield file
        except (pa.ArrowInvalid, OSError) as error:
            raise _no_table(self.path) from error

    def _rows_of(self, view: int | None) -> int:
        return self.sentences if view is None else self.training_sentences

    def _row_groups(self, view: int | None) -> range:
        """The row groups of a view; all but its last one are full."""
        whole, dropped = -(-self.sentences // BLOCK), -(-self.training_sentences // BLOCK)
        return range(whole) if view is None else range(whole + view * dropped, whole + (view + 1) * dropped)

    def _check_rows(self) -> None:
        """Refuse a table in which a view lacks rows, or has other sentences or another order than the first view."""
        with self._opened() as file:
            groups = file.num_row_groups
        if groups != self._row_groups(self.views - 1 if self.views else None).stop:
            raise _no_table(self.path)
        ids = self._ids(None)
        if len(ids) != self.sentences or len(pc.unique(ids)) != len(ids):
            raise _no_table(self.path)
        for view in range(self.views):
            expected = pc.binary_join_element_wise(ids.slice(0, self.training_sentences), str(view), "#")
            if not self._ids(view).equals(expected):
                raise _no_table(self.path)


class SentenceVectors:
    """Vectors of sentences, from a table or else from the encoder, which is loaded when it is first needed."""

    def __init__(
        self,
        encoder_name: str,
        options: Mapping[str, Any] | None = None,
        table: EmbeddingTable | None = None,
        fingerprint: str | None = None,
    ) -> None:
        """Take the vectors of `encoder_name`.

        Args:
            encoder_name: in the registry.
            options: the encoder's own; they are needed only to encode a sentence.
            table: where vectors are looked up.
            fingerprint: the encoder must have this one, or the table's where there is a table; None: any.

        Raises:
            UserError: the table is of another encoder; no such encoder, or an option that it does not know.
        """
        missing_options(encoder_name, options or {})
        if table is not None and table.encoder != encoder_name:
            raise UserError(f"{table.path}: vectors of encoder {table.encoder}, but {encoder_name} is wanted here")
        self._name = encoder_name
        self._options = dict(options or {})
        self._table = table
        self._fingerprint = fingerprint if table is None else table.fingerprint

    def __call__(self, sentences: Sequence[str]) -> Vectors:
        """Vectors [sentences, dimension]; those from the table are rounded as it is.

        Raises:
            UserError: a sentence is not in the table, and the encoder cannot be loaded or has another fingerprint.
        """
        if self._table is None:
            return self._encoded(sentences)
        rows = self._table.find(sentences)
        vectors = np.empty((len(sentences), self._table.dimension), np.float32)
        vectors[rows >= 0] = self._stored[rows[rows >= 0]]
        missing = [sentence for sentence, row in zip(sentences, rows, strict=True) if row < 0]
        if missing:
            vectors[rows < 0] = self._encoded(missing)
        return vectors

    def are_stored(self, sentences: Sequence[str]) -> npt.NDArray[np.bool_]:
        """bool [sentences]: whether the table has each; without a table none is."""
        return np.zeros(len(sentences), bool) if self._table is None else self._table.find(sentences) >= 0

    def prepare(self, sentences: Sequence[str]) -> None:
        """Call `SentenceEncoder.prepare` for those of `sentences` that are not in the table.

        Raises:
            UserError: as when `sentences` are encoded.
        """
        missing = sentences
        if self._table is not None:
            missing = [each for each, row in zip(sentences, self._table.find(sentences), strict=True) if row < 0]
        if missing:
            self.encoder.prepare(missing)

    def _encoded(self, sentences: Sequence[str]) -> Vectors:
        """Vectors [sentences, dimension] from the encoder, which encodes each distinct sentence once."""
        place = {sentence: row for row, sentence in enumerate(dict.fromkeys(sentences))}
        return self.encoder.encode(list(place))[[place[sentence] for sentence in sentences]]

    @cached_property
    def _stored(self) -> npt.NDArray[np.float16 | np.float32]:
        assert self._table is not None
        return self._table.view(None)

    @cached_property
    def encoder(self) -> SentenceEncoder:
        """The encoder.

        Raises:
            UserError: it cannot be loaded, lacks an option, or has another fingerprint.
        """
        if missing := missing_options(self._name, self._options):
            needed = " ".join(f"--encoder-option {option}=..." for option in missing)
            raise UserError(f"sentence vectors by {self._name} are needed here: give {needed}")
        encoder = load_encoder(self._name, **self._options)
        if self._fingerprint not in (None, encoder.fingerprint):
            raise UserError(
                f"{self._table.path if self._table else 'the sentence vectors wanted here'}: made by {self._name} from "
                "other files or options than those given now; give the same ones (--encoder-option NAME=VALUE)"
            )
        return encoder


class RememberedVectors:
    """Encodes each text once, however often and with whatever other texts it is asked for."""

    def __init__(self, encode: SentenceVectors) -> None:
        self._encode = encode
        self._known: dict[str, Vectors] = {}

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Vectors [texts, dimension].

        Raises:
            UserError: as `SentenceVectors`.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encode(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    def with_tokens(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """By text the vectors [tokens, dimension] of its tokens, which are not remembered.

        The vectors of whole texts that come from the same pass are, unless the table has the text: which vector it has
        must not depend on what was asked for before.

        Raises:
            UserError: as `SentenceVectors`, or the encoder has no vectors of tokens.
        """
        distinct = list(dict.fromkeys(texts))
        whole, tokens = self._encode.encoder.encode_with_tokens(distinct)
        for text, vector, is_stored in zip(distinct, whole, self._encode.are_stored(distinct), strict=True):
            if not is_stored:
                self._known.setdefault(text, vector)
        return dict(zip(distinct, tokens, strict=True))


def _no_table(path: Path) -> UserError:
    return UserError(f"{path}: damaged table of sentence vectors, or one of another program; encode the corpus again")
