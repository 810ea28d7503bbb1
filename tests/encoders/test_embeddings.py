"""The table of sentence vectors, with a small GloVe encoder and tables of a few stories."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denouement import schemas
from denouement.encoders import embeddings
from denouement.encoders.base import load_encoder
from denouement.encoders.embeddings import (
    EmbeddingTable,
    EncodeSettings,
    RememberedVectors,
    SentenceVectors,
    embed_corpus,
    text_id,
)
from denouement.errors import UserError
from denouement.settings import build
from denouement.text.word_dropout import drop_words

TRAINING = [
    ["Ann ran home .", "the dog ran quickly .", "He was glad again ."],
    ["He could stop .", "Ann ran home .", "the dog was glad .", "He ran .", "Ann was home again ."],
    ["the dog , the dog .", "Ann , Ann ."],
    ["He ran and ran .", "Ann could stop .", "the end is not read"],
]
VALIDATION = [["Ann ran home .", "He was home quickly .", "nor is this one"]]
CLOZE = [["He was home quickly .", "again and again ."]]

# Every sentence but the last of each story, once, training first, then validation, then cloze.
TRAINING_SENTENCES = [
    *("Ann ran home .", "the dog ran quickly .", "He could stop .", "the dog was glad .", "He ran ."),
    *("the dog , the dog .", "He ran and ran .", "Ann could stop ."),
]
SENTENCES = [*TRAINING_SENTENCES, "He was home quickly .", "again and again ."]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(embeddings, "BLOCK", 3)  # several row groups a view


def write_corpus(folder: Path, training=TRAINING, validation=VALIDATION, cloze=CLOZE) -> tuple[Path, Path]:
    stories = [*validation, *training]  # the order in the file does not matter: training sentences come first
    schemas.write_table(
        pa.table(
            {
                "story_id": pa.array([str(number) for number in range(len(stories))], pa.string()),
                "title": pa.nulls(len(stories), pa.string()),
                "sentences": pa.array(stories, pa.list_(pa.string())),
                "source": pa.array(["sample"] * len(stories), pa.string()),
                "split": pa.array(["validation"] * len(validation) + ["train"] * len(training), pa.string()),
            }
        ),
        folder / "stories.parquet",
        "stories",
    )
    rows = [
        {
            "case_id": str(number),
            "context": context,
            "endings": ["a", "b"],
            "language": "en",
            "right_ending": None,
            "release": "sample",
            "split": "test",
        }
        for number, context in enumerate(cloze)
    ]
    cases = pa.Table.from_pylist(rows, schema=schemas.TABLES["cloze"].schema)
    schemas.write_table(cases, folder / "cloze.parquet", "cloze")
    return folder / "stories.parquet", folder / "cloze.parquet"


@pytest.fixture
def settings(vectors_file) -> EncodeSettings:
    return EncodeSettings(encoder="glove", options={"vectors": str(vectors_file)}, views=2, seed=5)


@pytest.fixture
def encoder(settings):
    return load_encoder(settings.encoder, **settings.options)


@pytest.fixture
def path(tmp_path, settings) -> Path:
    embed_corpus(*write_corpus(tmp_path), tmp_path / "embeddings.parquet", settings)
    return tmp_path / "embeddings.parquet"


def test_round_trip(tmp_path, settings, encoder):
    path = tmp_path / "embeddings.parquet"
    summary = embed_corpus(*write_corpus(tmp_path), path, settings)
    table = EmbeddingTable.open(path)
    assert (table.encoder, table.dimension, table.views, table.word_dropout, table.seed) == ("glove", 5, 2, 0.3, 5)
    assert (table.sentences, table.training_sentences) == (10, 8)
    assert summary.rows == 10 + 2 * 8 == pq.read_metadata(path).num_rows
    assert table.rows(SENTENCES[::-1]).tolist() == list(range(10))[::-1]
    np.testing.assert_array_equal(table.view(None), encoder.encode(SENTENCES).astype(np.float16))
    for view in (0, 1):
        dropped = [drop_words(sentence, 0.3, 5, view) for sentence in TRAINING_SENTENCES]
        np.testing.assert_array_equal(table.view(view), encoder.encode(dropped).astype(np.float16))
    assert not np.array_equal(table.view(0), table.view(1))
    with pytest.raises(ValueError, match="view 2 of a table of 2"):
        table.view(2)


def test_columns_and_ids(path):
    table = pq.read_table(path)
    assert table.schema.equals(schemas.embeddings_schema(5, pa.float16()))
    ids = table["text_id"].to_pylist()
    assert ids[:10] == [text_id(sentence) for sentence in SENTENCES]
    assert ids[10:18] == [f"{text_id(sentence)}#0" for sentence in TRAINING_SENTENCES]
    assert ids[18:] == [f"{text_id(sentence)}#1" for sentence in TRAINING_SENTENCES]


def test_float16_rounds_by_less_than_half_a_thousandth_and_float32_not_at_all(tmp_path, settings, encoder, path):
    exact = encoder.encode(SENTENCES)
    np.testing.assert_allclose(EmbeddingTable.open(path).view(None), exact, rtol=2**-11, atol=1e-7)
    single = EncodeSettings(**{**vars(settings), "dtype": "float32"})
    embed_corpus(*write_corpus(tmp_path), tmp_path / "single.parquet", single)
    np.testing.assert_array_equal(EmbeddingTable.open(tmp_path / "single.parquet").view(None), exact)


def test_a_text_has_the_table_s_vector_whether_its_tokens_were_asked_for_before_or_not(settings, encoder, path):
    stored, other = TRAINING[0][0], "A text of no table: cat."
    remembered = RememberedVectors(SentenceVectors("glove", settings.options, EmbeddingTable.open(path)))
    tokens = remembered.with_tokens([stored, other, stored])
    assert list(tokens) == [stored, other]
    np.testing.assert_array_equal(tokens[stored], encoder.encode_with_tokens([stored])[1][0])
    rounded = encoder.encode([stored])[0].astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(remembered([stored, other]), [rounded, encoder.encode([other])[0]])


def test_the_same_corpus_gives_the_same_bytes_wherever_the_files_lie(tmp_path, settings, vectors_file, path):
    other = tmp_path / "elsewhere"
    shutil.copy(vectors_file, other.with_suffix(".txt"))
    moved = EncodeSettings(**{**vars(settings), "options": {"vectors": str(other.with_suffix(".txt"))}})
    embed_corpus(*write_corpus(other), other / "e.parquet", moved)
    assert (other / "e.parquet").read_bytes() == path.read_bytes()
    assert str(tmp_path).encode() not in path.read_bytes()


def damage_vectors(path: Path, groups: range) -> None:
    """Overwrite the vectors of some row groups."""
    content = bytearray(path.read_bytes())
    metadata = pq.read_metadata(path)
    for group in groups:
        column = metadata.row_group(group).column(1)
        start, size = column.data_page_offset, column.total_compressed_size
        content[start + size // 2 : start + size] = b"\x55" * (size - size // 2)
    path.write_bytes(content)


def test_a_view_is_read_without_the_others(path):
    whole = EmbeddingTable.open(path).view(1)
    assert pq.read_metadata(path).num_row_groups == 4 + 3 + 3  # 10, 8 and 8 rows in groups of three
    damage_vectors(path, range(4 + 3))
    table = EmbeddingTable.open(path)
    np.testing.assert_array_equal(table.view(1), whole)
    for damaged in (None, 0):
        with pytest.raises(UserError, match="damaged table"):
            table.view(damaged)


def test_a_missing_sentence_is_named(path):
    table = EmbeddingTable.open(path)
    assert table.find(["He ran .", "Nobody ran ."]).tolist() == [4, -1]
    with pytest.raises(UserError, match=r"no vector for 2 sentences, the first is 'Nobody ran .'"):
        table.rows(["He ran .", "Nobody ran .", "Nobody did ."])
    with pytest.raises(UserError, match="the end is not read"):
        table.rows(["the end is not read"])  # endings are no context


@pytest.mark.parametrize(
    ("training", "validation", "cloze", "rows"),
    [(TRAINING, [], [], 8 + 16), ([], VALIDATION, [], 2), ([], [], CLOZE, 2), ([], [], [], 0)],
)
def test_parts_of_a_corpus_may_be_missing(tmp_path, settings, training, validation, cloze, rows):
    summary = embed_corpus(*write_corpus(tmp_path, training, validation, cloze), tmp_path / "e.parquet", settings)
    table = EmbeddingTable.open(tmp_path / "e.parquet")
    assert summary.rows == rows == len(table.view(None)) + len(table.view(0)) + len(table.view(1))
    assert table.view(1).shape == (table.training_sentences, 5)


def test_no_views(tmp_path, settings):
    none = EncodeSettings(**{**vars(settings), "views": 0, "word_dropout": 0.0})
    embed_corpus(*write_corpus(tmp_path), tmp_path / "e.parquet", none)
    table = EmbeddingTable.open(tmp_path / "e.parquet")
    assert (table.views, len(table.view(None))) == (0, 10)


def test_truncated_and_foreign_files_are_refused(tmp_path, path):
    def message(file: Path) -> str:
        with pytest.raises(UserError) as caught:
            EmbeddingTable.open(file)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    assert "no such file" in message(tmp_path / "none.parquet")
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(path.read_bytes()[:-20])
    assert "not a Parquet file, or a damaged one" in message(cut)
    assert "is a table 'stories', not 'embeddings'" in message(tmp_path / "stories.parquet")


@pytest.mark.parametrize("change", ["fewer", "order", "view order", "twice", "metadata", "type"])
def test_rows_that_disagree_with_the_metadata_are_refused(path, change):
    table = pq.read_table(path)
    metadata = dict(table.schema.metadata)
    rows = list(range(table.num_rows))
    if change == "fewer":
        rows = rows[:-3]
    elif change == "order":
        rows[0], rows[1] = rows[1], rows[0]
    elif change == "view order":
        rows[12], rows[13] = rows[13], rows[12]
    elif change == "twice":
        rows[8] = rows[9]
    elif change == "metadata":
        del metadata[b"views"]
    table = table.take(rows).replace_schema_metadata(metadata)
    if change == "type":
        vectors = pa.array(table["vector"].to_pylist(), pa.list_(pa.float16()))
        table = table.set_column(1, "vector", vectors).replace_schema_metadata(metadata)
    with pq.ParquetWriter(path, table.schema) as writer:
        for start, stop in ((0, 10), (10, 18), (18, len(rows))):
            writer.write_table(table.slice(start, stop - start), row_group_size=3)
    with pytest.raises(UserError, match="damaged table of sentence vectors"):
        EmbeddingTable.open(path)


@pytest.mark.parametrize("name", ["dimension", "sentences", "training_sentences", "views"])
@pytest.mark.parametrize("value", [b"", b"-1", b"0.5", b"seven", b"10000000000", b"9" * 40, b"9" * 5000, b"\xff"])
def test_metadata_written_by_hand_are_refused(path, name, value):
    table = pq.read_table(path)
    table = table.replace_schema_metadata({**table.schema.metadata, name.encode(): value})
    with pq.ParquetWriter(path, table.schema) as writer:
        for start, stop in ((0, 10), (10, 18), (18, table.num_rows)):
            writer.write_table(table.slice(start, stop - start), row_group_size=3)
    with pytest.raises(UserError, match="damaged table of sentence vectors"):
        EmbeddingTable.open(path)


def test_a_failure_leaves_the_last_good_table(tmp_path, settings, path):
    before = path.read_bytes()
    huge = tmp_path / "huge.txt"
    huge.write_text("Ann 1e30 0 0 0 0\n")  # infinite as float16
    with pytest.raises(UserError, match="encoder glove gives vectors that are not finite"):
        embed_corpus(
            tmp_path / "stories.parquet",
            tmp_path / "cloze.parquet",
            path,
            EncodeSettings(**{**vars(settings), "options": {"vectors": str(huge)}}),
        )
    assert path.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {
        *("stories.parquet", "cloze.parquet", "embeddings.parquet", "huge.txt")
    }


def test_sentences_without_known_words_are_in_the_summary(tmp_path, settings, capsys):
    files = write_corpus(tmp_path, training=[["Zounds", "Egad Egad", "Ann ran ."]], validation=[], cloze=[])
    summary = embed_corpus(*files, tmp_path / "e.parquet", settings)
    assert summary.notes == {"no known word, so its vector is zero": 2 * 3}  # two sentences, as they are and twice
    assert capsys.readouterr().err.count("warning") == 1


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"word_dropout": 1.0}, "encode.word_dropout: must be at least 0 and less than 1"),
        ({"word_dropout": -0.1}, "encode.word_dropout: must be at least 0"),
        ({"views": -1}, "encode.views: must be 0 or more"),
        ({"word_dropout": 0}, "encode.views: must be 0 where word_dropout is 0"),
        ({"dtype": "float64"}, "encode.dtype: must be one of float16, float32"),
        ({"options": "x"}, "encode.options: must be"),
    ],
)
def test_settings_out_of_range(section, message):
    with pytest.raises(UserError, match=message):
        build(EncodeSettings, section, "params.yaml: encode")


class TestSentenceVectors:
    def test_from_the_table_and_the_rest_from_the_encoder(self, path, settings, encoder):
        vectors = SentenceVectors("glove", settings.options, EmbeddingTable.open(path))
        sentences = ["Nobody ran home .", "He ran .", "Ann"]
        exact = encoder.encode(sentences)
        found = vectors(sentences)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found[[0, 2]], exact[[0, 2]])
        np.testing.assert_array_equal(found[1], exact[1].astype(np.float16))

    def test_the_encoder_is_not_loaded_for_what_the_table_has(self, path):
        vectors = SentenceVectors("glove", {"vectors": "not there"}, EmbeddingTable.open(path))
        assert vectors(["He ran .", "Ann ran home ."]).shape == (2, 5)
        vectors.prepare(["He ran .", "Ann ran home ."])
        with pytest.raises(UserError, match="not there: no such file"):
            vectors(["Nobody ran ."])
        with pytest.raises(UserError, match="not there: no such file"):
            vectors.prepare(["He ran .", "Nobody ran ."])

    def test_prepared_for_all_batches_the_file_of_vectors_is_read_once(self, path, vectors_file, tmp_path):
        copy = tmp_path / "copy.txt"
        copy.write_bytes(vectors_file.read_bytes())
        vectors = SentenceVectors("glove", {"vectors": str(copy)}, EmbeddingTable.open(path))
        batches = [["Nobody ran home ."], ["the dog stop .", "He ran ."]]
        expected = [vectors(batch) for batch in batches]
        prepared = SentenceVectors("glove", {"vectors": str(copy)}, EmbeddingTable.open(path))
        prepared.prepare([sentence for batch in batches for sentence in batch])
        copy.unlink()
        for batch, wanted in zip(batches, expected, strict=True):
            np.testing.assert_array_equal(prepared(batch), wanted)

    def test_options_that_are_missing_or_unknown_are_named(self, path):
        table = EmbeddingTable.open(path)
        with pytest.raises(UserError, match=r"options of encoder glove: unknown key vektors .known keys are vectors"):
            SentenceVectors("glove", {"vektors": "x"}, table)
        lacking = SentenceVectors("infersent", {"vectors": "x"})
        with pytest.raises(UserError, match=r"by infersent are needed here: give --encoder-option weights=\.\.\.$"):
            lacking(["He ran ."])

    def test_without_a_table(self, settings, encoder):
        vectors = SentenceVectors("glove", settings.options)
        np.testing.assert_array_equal(vectors(["He ran ."]), encoder.encode(["He ran ."]))

    def test_vectors_of_two_encoders_are_never_mixed(self, path):
        table = EmbeddingTable.open(path)
        with pytest.raises(UserError, match="vectors of encoder glove, but minilm is wanted"):
            SentenceVectors("minilm", {}, table)
        with pytest.raises(UserError, match="made by glove from other files"):
            SentenceVectors("glove", {}, table)(["Nobody ran ."])

    def test_an_encoder_with_other_files_than_those_wanted_is_refused_without_a_table_too(self, settings, encoder):
        wanted = SentenceVectors("glove", settings.options, fingerprint=encoder.fingerprint)
        np.testing.assert_array_equal(wanted(["He ran ."]), encoder.encode(["He ran ."]))
        with pytest.raises(UserError, match="the sentence vectors wanted here: made by glove from other files"):
            SentenceVectors("glove", fingerprint=encoder.fingerprint)(["He ran ."])
