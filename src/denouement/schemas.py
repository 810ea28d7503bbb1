"""Every table's columns in one place, checked on each read and each write.

A table is a Parquet file whose Arrow schema equals the one given here and whose metadata names the table and its
version. Written twice from the same data it is byte-identical: it holds no times, run ids or machine paths.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from denouement.errors import UserError, first_line
from denouement.files import atomic_write, existing_file

SPLITS = ("train", "validation", "test")
RELEASES = ("v1.0", "v1.5", "sample")
"""The releases of Story Cloze in the order in which one is preferred; those of other data sets come behind these."""

ENGLISH = "en"

# What may become a part of the names of files: a release, the code of a language.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

# An answer to a study counts; or the organiser excluded it; or it was rejected on Mechanical Turk or Prolific; or it
# came after its lease had ended and other annotators had given all the answers that its item needs.
STATUSES = ("accepted", "excluded", "rejected", "surplus")
# The question of votes that were collected when there was one question about a pair.
BETTER = "better"
# Who gave the answer of a vote.
PERSON, MODEL = "person", "model"
# Where a file of answers names no annotators, each answer has an annotator id of its own, which begins like this.
UNNAMED_ANNOTATOR = "unnamed-"

EMBEDDINGS_VERSION = 1

# A dictionary's size. Sentences repeat in all but one column of the sample corpus; those beyond it are written in full.
_DICTIONARY_BYTES = 1 << 23

# What Arrow raises when it reads a damaged file.
_UNREADABLE = (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError)

_NAME_KEY = b"denouement.table"
_VERSION_KEY = b"denouement.version"


@dataclass(frozen=True)
class TableRules:
    """A table's columns, and the rules for its rows that Arrow's types cannot express.

    Attributes:
        version: raised by one whenever the columns or their meaning change.
        schema: the columns; a field that is not nullable must hold no null.
        key: the columns whose values together identify a row: no two rows have the same.
        choices: the values that a column may hold, where they are few.
        earlier: the columns of earlier versions, by version, that are read as this one; what they lack is null, or
            what `filled` says.
        filled: by column, what the rows of earlier versions without the column have there.
        gathered: by column of lists, the columns of earlier versions without it that hold the values of each list.
    """

    version: int
    schema: pa.Schema
    key: tuple[str, ...] = ()
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    earlier: Mapping[int, pa.Schema] = field(default_factory=dict)
    filled: Mapping[str, str] = field(default_factory=dict)
    gathered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def in_order(releases: Collection[str]) -> list[str]:
    """Each release once: `RELEASES` in their order, then all others by name."""
    return [*(release for release in RELEASES if release in releases), *sorted(set(releases) - set(RELEASES))]


def preferred_release(present: Collection[str]) -> str | None:
    """The first release in their order: v1.0, which the paper used, where there is any; None for none."""
    return next(iter(in_order(present)), None)


def set_name(release: str, split: str, language: str) -> str:
    """The name of the cases of one release, split and language; English is not named: `v1.0 test`, `x test es`."""
    return " ".join([release, split, *([language] if language != ENGLISH else [])])


def is_name(text: str) -> bool:
    """Whether a text may name a release or a language: letters, digits and . _ - alone, at most 64."""
    return _NAME.fullmatch(text) is not None


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text, in either of Arrow's sizes."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _each(kind: pa.DataType, *names: str, null: bool = False) -> list[pa.Field]:
    """Columns of one type, which may hold nulls or not."""
    return [pa.field(name, kind, null) for name in names]


def _list_of(kind: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", kind, nullable=False))


_text = partial(_each, pa.string())
_counts = partial(_each, pa.int64())
_numbers = partial(_each, pa.float64())
_words = _sentences = partial(_each, _list_of(pa.string()))

# What the tables of a study's answers have in common, before and after what was answered.
_ANSWERED = _text("study", "item_id", "case_id", "annotator_id")
_GIVEN = [
    *_each(pa.bool_(), "is_check"),
    *_text("status"),
    *_each(pa.timestamp("us", tz="UTC"), "started_at", "submitted_at", null=True),
]
_VOTE = [
    *_ANSWERED,
    *_text("position_a", "position_b", "question", "answer"),
    *_each(pa.int8(), "strength", null=True),
    *_text("choice"),
    *_text("reason", null=True),
    *_words("elements", null=True),
    *_GIVEN,
]
_RATING = [*_ANSWERED, *_text("system", "question"), *_each(pa.int8(), "value"), *_text("reason", null=True)]
_MEAN = [
    *_counts("items", "answers"),
    *_numbers("mean"),
    *_numbers("low", "high", null=True),
    *_text("over", null=True),
]
_OUTCOMES = [
    *_each(pa.int32(), "n_first", "n_second", "n_both", "n_neither"),
    *_text("agreement", null=True),
]
_AGREEMENT = [*_text("study", "item_id", "case_id", "question", "first", "second"), *_OUTCOMES]
_TAG = [*_text("choice", "reason", "element", "rule", "words"), *_each(pa.bool_(), "denied")]
_TABLE_3 = [*_sentences("context"), *_text("ending_first", "ending_second"), *_sentences("choices", "reasons")]
_ENDING = _text("case_id", "system", "ending")
_SCORED = _text("system", "variant", "case_id")
# What is collected, since version 2 with the minutes that it took its writer.
_COLLECTED_STORIES = [
    *_text("story_id"),
    *_text("title", null=True),
    *_sentences("sentences"),
    *_text("writer", null=True),
    *_text("status"),
    *_text("remark", null=True),
]
_COLLECTED_ENDINGS = [
    *_text("case_id"),
    *_text("story_id", null=True),
    *_sentences("context"),
    *_text("right", "wrong"),
    *_text("writer", "story_writer", null=True),
]
_FILTERED = [*_text("outcome"), *_text("split", null=True), *_each(pa.int8(), "right_ending", null=True)]
_MINUTES = _numbers("minutes", null=True)

TABLES: dict[str, TableRules] = {
    "stories": TableRules(
        1,
        pa.schema(
            [*_text("story_id"), *_text("title", null=True), *_sentences("sentences"), *_text("source", "split")]
        ),
        key=("story_id",),
        choices={"split": SPLITS},
    ),
    # A story without its end, and the endings to choose from: two or more. `question` is what is asked where that is
    # not which ending is right, and `language` a code such as en.
    "cloze": TableRules(
        2,  # since then with any number of endings, questions and languages, and of any data set
        pa.schema(
            [
                *_text("case_id"),
                *_sentences("context", "endings"),
                *_each(pa.int8(), "right_ending", null=True),
                *_text("question", null=True),
                *_text("language", "release", "split"),
            ]
        ),
        key=("case_id", "language", "release", "split"),
        choices={"split": SPLITS},
        earlier={
            1: pa.schema(
                [
                    *_text("case_id"),
                    *_sentences("context"),
                    *_text("ending_1", "ending_2"),
                    *_each(pa.int8(), "right_ending", null=True),
                    *_text("release", "split"),
                ]
            )
        },
        filled={"language": ENGLISH},
        gathered={"endings": ("ending_1", "ending_2")},
    ),
    "rejects": TableRules(1, pa.schema([*_text("file"), *_counts("line"), *_text("reason")])),
    "endings": TableRules(
        2,  # since then endings may have no probability
        pa.schema([*_ENDING, *_each(pa.float32(), "log_prob", null=True), *_each(pa.int32(), "n_tokens", null=True)]),
        earlier={1: pa.schema([*_ENDING, *_each(pa.float32(), "log_prob"), *_each(pa.int32(), "n_tokens")])},
    ),
    # Automatic scores. A value without a case is of all endings of its system together.
    "ending_scores": TableRules(
        1,
        pa.schema([*_text("case_id", null=True), *_text("system", "score"), *_numbers("value")]),
        key=("case_id", "system", "score"),
    ),
    "sentiment": TableRules(
        1,
        pa.schema([*_text("text_id", "group"), *_each(pa.float32(), "compound", "negative", "neutral", "positive")]),
        key=("text_id", "group"),
    ),
    "scores": TableRules(
        2,  # since then with a score for each ending of a case, however many, and with languages
        pa.schema(
            [*_SCORED, *_text("language", "release", "split"), *_each(_list_of(pa.float64()), "scores")],
        ),
        key=("system", "variant", "case_id", "language", "release", "split"),
        choices={"split": SPLITS},
        earlier={1: pa.schema([*_SCORED, *_text("release", "split"), *_numbers("score_1", "score_2")])},
        filled={"language": ENGLISH},
        gathered={"scores": ("score_1", "score_2")},
    ),
    "parses": TableRules(
        1,
        pa.schema(
            [
                *_text("sentence"),
                *_words("words", "lemmas", "tags", "pos"),
                *_each(_list_of(pa.int32()), "heads"),
                *_words("relations"),
            ]
        ),
        key=("sentence",),
    ),
    "items": TableRules(
        1,
        pa.schema(
            [
                *_text("study", "item_id", "case_id", "kind"),
                *_sentences("context"),
                *_words("systems"),
                *_sentences("endings"),
                *_each(pa.bool_(), "is_check", "is_training"),
                *_text("expected", null=True),
            ]
        ),
        key=("study", "item_id"),
        choices={"kind": ("pair", "rating", "order", "best_worst", "ranking")},
    ),
    "votes": TableRules(
        3,  # since 2 with several questions, strengths of preferences and boxes of reasons; since 3 of models, too
        pa.schema([*_VOTE, *_text("kind")]),
        key=("study", "item_id", "annotator_id", "question"),
        choices={"answer": ("A", "B", "both", "neither"), "status": STATUSES, "kind": (PERSON, MODEL)},
        earlier={
            1: pa.schema(
                [
                    *_ANSWERED,
                    *_text("position_a", "position_b", "answer", "choice"),
                    *_text("reason", null=True),
                    *_GIVEN,
                ]
            ),
            2: pa.schema(_VOTE),
        },
        filled={"question": BETTER, "kind": PERSON},
    ),
    "ratings": TableRules(
        2,  # since then with the boxes of the reason that were ticked
        pa.schema([*_RATING, *_words("elements", null=True), *_GIVEN]),
        earlier={1: pa.schema([*_RATING, *_GIVEN])},
        key=("study", "item_id", "annotator_id", "question"),
        choices={"status": STATUSES},
    ),
    "orders": TableRules(
        1,
        pa.schema([*_ANSWERED, *_each(_list_of(pa.int8()), "shown", "order"), *_GIVEN]),
        key=("study", "item_id", "annotator_id"),
        choices={"status": STATUSES},
    ),
    # Words of a story that a person marked as part of the reason for an answer, without `system` before the ending.
    "highlights": TableRules(
        1,
        pa.schema(
            [
                *_ANSWERED,
                *_text("system", null=True),
                *_each(pa.int32(), "sentence", "start", "end"),
                *_text("text"),
                *_each(pa.bool_(), "is_check"),
                *_text("status"),
            ]
        ),
        key=("study", "item_id", "annotator_id", "system", "sentence", "start"),
        choices={"status": STATUSES},
    ),
    # Answers that were corrected later, an item that was skipped or a problem with it, and replies to a study's own
    # questions.
    "corrections": TableRules(
        1,
        pa.schema(
            [
                *_ANSWERED,
                *_each(pa.int32(), "place"),
                *_text("earlier"),
                *_each(pa.bool_(), "is_check"),
                *_each(pa.timestamp("us", tz="UTC"), "submitted_at"),
            ]
        ),
        key=("study", "item_id", "annotator_id", "place"),
    ),
    "flags": TableRules(
        1,
        pa.schema(
            [
                *_ANSWERED,
                *_text("kind"),
                *_text("text", null=True),
                *_each(pa.bool_(), "is_check"),
                *_each(pa.timestamp("us", tz="UTC"), "made_at"),
            ]
        ),
        key=("study", "item_id", "annotator_id", "kind"),
        choices={"kind": ("skip", "flag")},
    ),
    "replies": TableRules(
        1,
        pa.schema(_text("study", "annotator_id", "question", "type", "value")),
        key=("study", "annotator_id", "question", "value"),
        choices={"type": ("text", "number", "choice", "several")},
    ),
    # An answer about several endings of a story at once: the systems as shown, and the rank of each, 1 the best.
    "rankings": TableRules(
        1,
        pa.schema(
            [
                *_ANSWERED,
                *_text("kind"),
                *_words("systems"),
                *_each(_list_of(pa.int8()), "ranks"),
                *_text("reason", null=True),
                *_words("elements", null=True),
                *_GIVEN,
            ]
        ),
        key=("study", "item_id", "annotator_id"),
        choices={"kind": ("best_worst", "ranking"), "status": STATUSES},
    ),
    # What a collection gathered, in the order in which it came in: stories, pairs of endings, what verifiers said of
    # each ending, and what became of the pairs. Who did it may be unknown.
    "collected_stories": TableRules(
        2,
        pa.schema([*_COLLECTED_STORIES, *_MINUTES]),
        key=("story_id",),
        choices={"status": ("approved", "open", "returned", "rejected")},
        earlier={1: pa.schema(_COLLECTED_STORIES)},
    ),
    "collected_endings": TableRules(
        2,
        pa.schema([*_COLLECTED_ENDINGS, *_MINUTES]),
        key=("case_id",),
        earlier={1: pa.schema(_COLLECTED_ENDINGS)},
    ),
    "verifications": TableRules(
        1,
        pa.schema(_text("case_id", "ending", "verifier", "answer")),
        key=("case_id", "ending", "verifier"),
        choices={"ending": ("right", "wrong")},
    ),
    "filtered_cases": TableRules(
        2,
        pa.schema([*_COLLECTED_ENDINGS, *_MINUTES, *_FILTERED]),
        key=("case_id",),
        earlier={1: pa.schema([*_COLLECTED_ENDINGS, *_FILTERED])},
    ),
    # Which id of an exported story or case is which one of the collection.
    "public_ids": TableRules(
        1, pa.schema(_text("kind", "id", "public_id")), key=("kind", "id"), choices={"kind": ("story", "case")}
    ),
    "checkpoint": TableRules(
        1,
        pa.schema([*_text("name", "dtype"), *_each(_list_of(pa.int64()), "shape"), *_each(pa.large_binary(), "data")]),
        key=("name",),
    ),
    # The results of a study: an item with its answers counted, a row of Mori et al. 2019, Table 2, a system's strength,
    # an annotator's agreement with the others, an item of Table 3.
    "agreements": TableRules(2, pa.schema(_AGREEMENT), key=("study", "item_id", "question", "first", "second")),
    "pairs": TableRules(
        3,
        pa.schema(
            [
                *_text("question", "first", "second"),
                *_counts("items", "answers"),
                *(
                    column
                    for outcome in ("first", "second", "both", "neither", "no_agreement")
                    for column in (
                        *_counts(f"n_{outcome}"),
                        *_numbers(f"share_{outcome}", f"low_{outcome}", f"high_{outcome}"),
                    )
                ),
                *(
                    column
                    for answer in ("first", "second", "both", "neither")
                    for column in (
                        *_counts(f"answers_{answer}"),
                        *_numbers(f"answers_share_{answer}"),
                        *_numbers(f"answers_low_{answer}", f"answers_high_{answer}", null=True),
                    )
                ),
                *_numbers(
                    *(
                        f"{of}_{value}"
                        for of in ("items", "answers")
                        for value in ("preference_share", "preference_low", "preference_high", "p", "p_holm")
                    ),
                    null=True,
                ),
                *_text("answers_over", null=True),
                *_numbers("kappa", "alpha", null=True),
                *_numbers("graded_mean", "graded_low", "graded_high", null=True),
            ]
        ),
        key=("question", "first", "second"),
    ),
    # How far two questions about the same pairs get the same answer.
    "questions": TableRules(
        1,
        pa.schema(
            [
                *_text("first", "second"),
                *_counts("answers"),
                *_counts("same", null=True),
                *_numbers("share", "low", "high", "kappa", null=True),
            ]
        ),
        key=("first", "second"),
    ),
    "strengths": TableRules(
        3,
        pa.schema(
            [
                *_text("question", "system"),
                *_numbers("strength"),
                *_numbers("low", "high", null=True),
                *_text("over", null=True),
                *_numbers("share"),
            ]
        ),
        key=("question", "system"),
    ),
    "annotators": TableRules(
        1,
        pa.schema(
            [
                *_text("study", "annotator_id"),
                *_counts("answers", "compared", "agreeing"),
                *_numbers("share", "pairwise", "seconds", null=True),
                *_counts("checks", "checks_failed"),
            ]
        ),
        key=("study", "annotator_id"),
    ),
    # What a recruiting platform says about an annotator: a row for each column of its export that is not empty.
    "participants": TableRules(
        1,
        pa.schema(_text("study", "annotator_id", "question", "value")),
        key=("study", "annotator_id", "question"),
    ),
    "table_3": TableRules(
        2,
        pa.schema([*_AGREEMENT, *_TABLE_3]),
        key=("study", "item_id", "question", "first", "second"),
        earlier={1: pa.schema([*_text("study", "item_id", "case_id", "first", "second"), *_OUTCOMES, *_TABLE_3])},
        filled={"question": BETTER},
    ),
    # The results of ratings, a row for each question and system and a row for each question; those of orders, a row for
    # each system.
    "rating_means": TableRules(
        2,
        pa.schema(
            [
                *_text("question", "system"),
                *_MEAN,
                *_each(_list_of(pa.int8()), "values"),
                *_each(_list_of(pa.int64()), "counts"),
            ]
        ),
        key=("question", "system"),
    ),
    "rating_alphas": TableRules(
        1,
        pa.schema([*_text("question"), *_counts("items"), *_numbers("alpha", null=True)]),
        key=("question",),
    ),
    # How people chose and ranked several endings of a story at once, a row for each kind of study and system.
    "ranking_means": TableRules(
        1,
        pa.schema(
            [
                *_text("kind", "system"),
                *_MEAN,
                *_counts("best", "worst"),
                *_numbers("strength", "strength_low", "strength_high", "share", null=True),
            ]
        ),
        key=("kind", "system"),
    ),
    "order_means": TableRules(
        2,
        pa.schema([*_text("system"), *_MEAN, *_counts("right"), *_numbers("share")]),
        key=("system",),
    ),
    # What reasons consist of: a word, a word of a topic, a rule that matched an element in a reason.
    "reason_words": TableRules(1, pa.schema([*_text("word"), *_counts("count", "reasons")]), key=("word",)),
    "reason_topics": TableRules(
        1,
        pa.schema(
            [
                *_each(pa.int32(), "topic"),
                *_numbers("share"),
                *_counts("reasons"),
                *_numbers("coherence", null=True),
                *_text("word"),
                *_numbers("weight"),
            ]
        ),
        key=("topic", "word"),
    ),
    "reason_elements": TableRules(
        2,
        pa.schema([*_ANSWERED, *_text("question"), *_TAG]),
        key=("study", "item_id", "annotator_id", "question", "element", "rule"),
        earlier={1: pa.schema([*_ANSWERED, *_TAG])},
        filled={"question": BETTER},
    ),
    # The results of statistics: how often a lemma occurs, and the lemmas that are events; an n-gram that marks right or
    # wrong endings; a case with the probability that a model which sees only endings gives its right ending.
    "lemmas": TableRules(
        1,
        pa.schema([*_text("lemma", "pos"), *_counts("count")]),
        key=("lemma", "pos"),
        choices={"pos": ("NOUN", "VERB")},
    ),
    "event_counts": TableRules(
        1,
        pa.schema([*_text("lemma", "pos"), *_counts("count"), *_numbers("share")]),
        key=("lemma", "pos"),
        choices={"pos": ("NOUN", "VERB")},
    ),
    "ngram_odds": TableRules(
        1,
        pa.schema(
            [*_text("release", "split", "kind", "ngram"), *_counts("right", "wrong"), *_numbers("log_odds", "z")]
        ),
        key=("release", "split", "kind", "ngram"),
        choices={"split": SPLITS},
    ),
    "bias_cases": TableRules(
        1,
        pa.schema([*_text("release", "split", "case_id", "right", "wrong"), *_numbers("probability")]),
        key=("release", "split", "case_id"),
        choices={"split": SPLITS},
    ),
}


def embeddings_schema(dimension: int, dtype: pa.DataType) -> pa.Schema:
    """The columns of an embeddings table: the vectors' width and float type differ between encoders."""
    vector = pa.list_(pa.field("element", dtype, nullable=False), dimension)
    return pa.schema([*_text("text_id"), *_each(vector, "vector")])


def stamp(schema: pa.Schema, name: str, version: int, metadata: Mapping[str, str] | None = None) -> pa.Schema:
    """`schema` with the table's name and version, and further `metadata`, in its metadata."""
    entries = {key.encode(): value.encode() for key, value in sorted((metadata or {}).items())}
    return schema.with_metadata({_NAME_KEY: name.encode(), _VERSION_KEY: str(version).encode(), **entries})


def empty_table(name: str) -> pa.Table:
    """A table with the columns of `name` and no rows."""
    return TABLES[name].schema.empty_table()


def write_table(table: pa.Table, path: Path, name: str, metadata: Mapping[str, str] | None = None) -> None:
    """Check `table` against the schema `name` and write it to `path`, atomically.

    Raises:
        ValueError: the rows break the schema. That is a defect of the caller: users' data are checked when read.
    """
    kind = TABLES[name]
    table = table.select(kind.schema.names)
    problem = _broken_rule(table, kind)
    if problem:
        raise ValueError(f"table {name} for {path}: {problem}")
    table = table.cast(kind.schema)
    with atomic_write(path) as beside:
        pq.write_table(
            table.replace_schema_metadata(stamp(kind.schema, name, kind.version, metadata).metadata),
            beside,
            compression="zstd",
            use_dictionary=_repeating(kind),
            dictionary_pagesize_limit=_DICTIONARY_BYTES,
            write_statistics=False,
            write_page_checksum=True,  # a flipped bit is an error, not another word or number
        )


def read_table(path: Path, name: str) -> pa.Table:
    """Read the table `name` from `path`, checked.

    Raises:
        UserError: no such file, not Parquet, another table or version, or rows that break the schema.
    """
    schema = read_schema(path, name)
    kind = TABLES[name]
    version = int(schema.metadata[_VERSION_KEY])
    wanted = kind.schema if version == kind.version else kind.earlier[version]
    if not schema.equals(wanted):
        raise UserError(f"{path}: columns are {_listing(schema)}; a table '{name}' has {_listing(wanted)}")
    table = read_parquet(path)
    if wanted is not kind.schema:
        for new in (column for column in kind.schema if column.name not in wanted.names):
            table = table.append_column(new, _of_earlier(table, kind, new))
        table = table.select(kind.schema.names).cast(kind.schema.with_metadata(schema.metadata))
    problem = _broken_rule(table, kind)
    if problem:
        raise UserError(f"{path}: {problem}")
    return table


def _of_earlier(table: pa.Table, kind: TableRules, new: pa.Field) -> pa.Array:
    """What the rows of an earlier version have in a column that it lacks."""
    if new.name not in kind.gathered:
        return pa.repeat(pa.scalar(kind.filled.get(new.name), new.type), table.num_rows)
    columns = [table[name].combine_chunks() for name in kind.gathered[new.name]]
    row_by_row = np.arange(len(columns) * table.num_rows).reshape(len(columns), -1).T.ravel()
    offsets = np.arange(table.num_rows + 1, dtype=np.int32) * len(columns)
    return pa.ListArray.from_arrays(offsets, pa.concat_arrays(columns).take(pa.array(row_by_row)), type=new.type)


def read_parquet(path: Path) -> pa.Table:
    """All columns of any Parquet file, its checksums and its text checked.

    Raises:
        UserError: a damaged file.
    """
    try:
        # not pq.read_table: it imports pandas, and takes a folder named a=b for a column
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            table = file.read()
        table.validate(full=True)  # text that is not UTF-8, which other programs may write
    except _UNREADABLE as error:
        raise UserError(f"{path}: damaged Parquet file ({first_line(error)}); make it again") from error
    return table


def read_schema(path: Path, name: str) -> pa.Schema:
    """The Arrow schema of the Parquet file `path`, once its metadata says that it is the table `name`, readable here.

    Raises:
        UserError: no such file, not Parquet, another table or another version.
    """
    try:
        schema = pq.read_schema(existing_file(path))
    except _UNREADABLE as error:
        raise UserError(f"{path}: not a Parquet file, or a damaged one ({first_line(error)})") from error
    metadata = schema.metadata or {}
    found = metadata.get(_NAME_KEY, b"").decode(errors="replace")
    if found != name:
        raise UserError(f"{path}: is {f'a table {found!r}' if found else 'no table of denouement'}, not '{name}'")
    version = metadata.get(_VERSION_KEY, b"").decode(errors="replace")
    kind = TABLES.get(name)
    newest = kind.version if kind else EMBEDDINGS_VERSION
    if version not in map(str, (newest, *(kind.earlier if kind else ()))):
        raise UserError(f"{path}: version {version} of table '{name}', but {newest} is read here: make it again")
    return schema


def table_name(path: Path) -> str | None:
    """The name of the table that the Parquet file `path` says it is; None when it is no table of this package."""
    try:
        metadata = pq.read_schema(path).metadata or {}
    except _UNREADABLE:
        return None
    return metadata.get(_NAME_KEY, b"").decode(errors="replace") or None


def _broken_rule(table: pa.Table, kind: TableRules) -> str | None:
    for column_field in kind.schema:
        column = table[column_field.name]
        if not column_field.nullable and column.null_count:
            return f"column {column_field.name} is empty in {column.null_count} rows"
    if table.num_rows == 0:
        return None
    for name, choices in kind.choices.items():
        strange = set(pc.unique(table[name]).to_pylist()) - set(choices)
        if strange:
            return f"column {name} holds {', '.join(sorted(strange))}; it may hold {', '.join(choices)}"
    if kind.key:
        distinct = (
            len(pc.unique(table[kind.key[0]]))
            if len(kind.key) == 1
            else table.group_by(list(kind.key)).aggregate([]).num_rows
        )
        if distinct != table.num_rows:
            return f"{table.num_rows - distinct} rows repeat the {' + '.join(kind.key)} of another"
    for name in [name for name in ("release", "language") if name in kind.schema.names]:
        if unfit := [value for value in pc.unique(table[name]).to_pylist() if not is_name(value)]:
            return f"column {name} holds {unfit[0]!r}; it may hold letters, digits and . _ - alone, at most 64"
    if kind is TABLES["cloze"]:
        return _broken_endings(table)
    if kind is TABLES["ending_scores"] and not pc.all(pc.is_finite(table["value"])).as_py():
        return "a value that is no finite number"
    if kind is TABLES["scores"] and pc.min(pc.list_value_length(table["scores"])).as_py() < 2:
        return "a case with fewer than two scores"
    if kind is TABLES["stories"] and pc.min(pc.list_value_length(table["sentences"])).as_py() < 2:
        return "a story of fewer than two sentences"
    return None


def _broken_endings(cases: pa.Table) -> str | None:
    n = pc.list_value_length(cases["endings"])
    if pc.min(n).as_py() < 2:
        return "a case with fewer than two endings"
    if not pc.min(pc.binary_length(pc.list_flatten(cases["endings"]))).as_py():
        return "an empty ending"
    right = cases["right_ending"]
    is_wrong = pc.or_(pc.less(right, 1), pc.greater(right, n)).fill_null(False)
    if pc.any(is_wrong).as_py():
        first = cases.filter(is_wrong).slice(0, 1).to_pylist()[0]
        return f"right_ending is {first['right_ending']} where there are {len(first['endings'])} endings"
    return None


def _repeating(kind: TableRules) -> list[str]:
    """The Parquet columns whose values may repeat: all of them, except a column that alone is the key."""
    return [
        f"{column.name}.list.element" if pa.types.is_list(column.type) else column.name
        for column in kind.schema
        if kind.key != (column.name,)
    ]


def _listing(schema: pa.Schema) -> str:
    return shortened(f"{column.name} {column.type}" for column in schema)


def shortened(names: Iterable[str], most: int = 12) -> str:
    """The names for a message: the first `most`, and how many more there are."""
    listed = [name if len(name) <= 40 else f"{name[:40]}..." for name in names]
    more = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {more:,} more" if more > 0 else "")
