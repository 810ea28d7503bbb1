"""Every table's columns in one place, checked on each read and each write.

A table is a Parquet file whose Arrow schema equals the one given here and whose metadata names the table and its
version. Written twice from the same data it is byte-identical: it holds no times, run ids or machine paths.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from denouement.errors import UserError, first_line
from denouement.files import atomic_write, existing_file

SPLITS = ("train", "validation", "test")
RELEASES = ("v1.0", "v1.5", "sample")

# Of an answer to a study: it counts; the organiser's decision; it was rejected on Mechanical Turk or Prolific; it came
# when its lease had lapsed and others had filled the item.
STATUSES = ("accepted", "excluded", "rejected", "surplus")
# How the ids begin that stand for the annotators of a file which names none: one id an answer.
UNNAMED_ANNOTATOR = "unnamed-"

EMBEDDINGS_VERSION = 1

# Sentences repeat in all columns but one of the sample corpus; what does not fit is written as it is.
_DICTIONARY_BYTES = 1 << 23

# What Arrow raises at a damaged file.
_UNREADABLE = (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError)

_NAME_KEY = b"denouement.table"
_VERSION_KEY = b"denouement.version"


@dataclass(frozen=True)
class Table:
    """A table's columns and the rules that Arrow types cannot say.

    Attributes:
        version: raised by one whenever the columns or their meaning change.
        schema: the columns; a field that is not nullable must hold no null.
        key: the columns whose values together stand only once.
        choices: the values that a column may hold, where they are few.
        earlier: the columns of earlier versions, by version, that are read as this one; what they lack is null.
    """

    version: int
    schema: pa.Schema
    key: tuple[str, ...] = ()
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    earlier: Mapping[int, pa.Schema] = field(default_factory=dict)


def preferred_release(present: Collection[str]) -> str | None:
    """The first of `RELEASES` that is present: v1.0, which the paper used, where there is any; None for none."""
    return next((release for release in RELEASES if release in present), None)


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text, in either of Arrow's sizes."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _columns(*fields: tuple[str, pa.DataType] | tuple[str, pa.DataType, bool]) -> pa.Schema:
    return pa.schema([pa.field(name, kind, *nullable or (False,)) for name, kind, *nullable in fields])


_SENTENCES = _WORDS = pa.list_(pa.field("element", pa.string(), nullable=False))
_PLACES = pa.list_(pa.field("element", pa.int8(), nullable=False))
_TIME = pa.timestamp("us", tz="UTC")
_OR_NULL = True

# What the tables of a study's answers have in common, before and after what was answered.
_ANSWERED = (
    ("study", pa.string()),
    ("item_id", pa.string()),
    ("case_id", pa.string()),
    ("annotator_id", pa.string()),
)
_GIVEN = (
    ("is_check", pa.bool_()),
    ("status", pa.string()),
    ("started_at", _TIME, _OR_NULL),
    ("submitted_at", _TIME, _OR_NULL),
)

_MEAN = (
    ("items", pa.int64()),
    ("answers", pa.int64()),
    ("mean", pa.float64()),
    ("low", pa.float64(), _OR_NULL),
    ("high", pa.float64(), _OR_NULL),
    ("over", pa.string(), _OR_NULL),
)

_AGREEMENTS = _columns(
    ("study", pa.string()),
    ("item_id", pa.string()),
    ("case_id", pa.string()),
    ("first", pa.string()),
    ("second", pa.string()),
    ("n_first", pa.int32()),
    ("n_second", pa.int32()),
    ("n_both", pa.int32()),
    ("n_neither", pa.int32()),
    ("agreement", pa.string(), _OR_NULL),
)

_ENDING = (("case_id", pa.string()), ("system", pa.string()), ("ending", pa.string()))

TABLES: dict[str, Table] = {
    "stories": Table(
        1,
        _columns(
            ("story_id", pa.string()),
            ("title", pa.string(), _OR_NULL),
            ("sentences", _SENTENCES),
            ("source", pa.string()),
            ("split", pa.string()),
        ),
        key=("story_id",),
        choices={"split": SPLITS},
    ),
    "cloze": Table(
        1,
        _columns(
            ("case_id", pa.string()),
            ("context", _SENTENCES),
            ("ending_1", pa.string()),
            ("ending_2", pa.string()),
            ("right_ending", pa.int8(), _OR_NULL),
            ("release", pa.string()),
            ("split", pa.string()),
        ),
        key=("case_id", "release", "split"),
        choices={"release": RELEASES, "split": SPLITS},
    ),
    "rejects": Table(
        1,
        _columns(("file", pa.string()), ("line", pa.int64()), ("reason", pa.string())),
    ),
    "endings": Table(
        2,  # since then endings may have no probability
        _columns(
            *_ENDING,
            ("log_prob", pa.float32(), _OR_NULL),
            ("n_tokens", pa.int32(), _OR_NULL),
        ),
        earlier={1: _columns(*_ENDING, ("log_prob", pa.float32()), ("n_tokens", pa.int32()))},
    ),
    "sentiment": Table(
        1,
        _columns(
            ("text_id", pa.string()),
            ("group", pa.string()),
            ("compound", pa.float32()),
            ("negative", pa.float32()),
            ("neutral", pa.float32()),
            ("positive", pa.float32()),
        ),
        key=("text_id", "group"),
    ),
    "scores": Table(
        1,
        _columns(
            ("system", pa.string()),
            ("variant", pa.string()),
            ("case_id", pa.string()),
            ("release", pa.string()),
            ("split", pa.string()),
            ("score_1", pa.float64()),
            ("score_2", pa.float64()),
        ),
        key=("system", "variant", "case_id", "release", "split"),
        choices={"release": RELEASES, "split": SPLITS},
    ),
    "parses": Table(
        1,
        _columns(
            ("sentence", pa.string()),
            ("words", _WORDS),
            ("lemmas", _WORDS),
            ("tags", _WORDS),
            ("pos", _WORDS),
            ("heads", pa.list_(pa.field("element", pa.int32(), nullable=False))),
            ("relations", _WORDS),
        ),
        key=("sentence",),
    ),
    "items": Table(
        1,
        _columns(
            ("study", pa.string()),
            ("item_id", pa.string()),
            ("case_id", pa.string()),
            ("kind", pa.string()),
            ("context", _SENTENCES),
            ("systems", _WORDS),
            ("endings", _SENTENCES),
            ("is_check", pa.bool_()),
            ("is_training", pa.bool_()),
            ("expected", pa.string(), _OR_NULL),
        ),
        key=("study", "item_id"),
        choices={"kind": ("pair", "rating", "order")},
    ),
    "votes": Table(
        1,
        _columns(
            *_ANSWERED,
            ("position_a", pa.string()),
            ("position_b", pa.string()),
            ("answer", pa.string()),
            ("choice", pa.string()),
            ("reason", pa.string(), _OR_NULL),
            *_GIVEN,
        ),
        key=("study", "item_id", "annotator_id"),
        choices={"answer": ("A", "B", "both", "neither"), "status": STATUSES},
    ),
    "ratings": Table(
        1,
        _columns(
            *_ANSWERED,
            ("system", pa.string()),
            ("question", pa.string()),
            ("value", pa.int8()),
            ("reason", pa.string(), _OR_NULL),
            *_GIVEN,
        ),
        key=("study", "item_id", "annotator_id", "question"),
        choices={"status": STATUSES},
    ),
    "orders": Table(
        1,
        _columns(*_ANSWERED, ("shown", _PLACES), ("order", _PLACES), *_GIVEN),
        key=("study", "item_id", "annotator_id"),
        choices={"status": STATUSES},
    ),
    "checkpoint": Table(
        1,
        _columns(
            ("name", pa.string()),
            ("dtype", pa.string()),
            ("shape", pa.list_(pa.field("element", pa.int64(), nullable=False))),
            ("data", pa.large_binary()),
        ),
        key=("name",),
    ),
    # What a study's results are made of: an item with its answers counted, a row of Mori et al. 2019, Table 2, a
    # system's strength, an annotator's agreement with the others, an item of Table 3.
    "agreements": Table(1, _AGREEMENTS, key=("study", "item_id", "first", "second")),
    "pairs": Table(
        2,
        _columns(
            ("first", pa.string()),
            ("second", pa.string()),
            ("items", pa.int64()),
            ("answers", pa.int64()),
            *(
                (f"{figure}_{outcome}", pa.int64() if figure == "n" else pa.float64())
                for outcome in ("first", "second", "both", "neither", "no_agreement")
                for figure in ("n", "share", "low", "high")
            ),
            *(
                column
                for answer in ("first", "second", "both", "neither")
                for column in (
                    (f"answers_{answer}", pa.int64()),
                    (f"answers_share_{answer}", pa.float64()),
                    (f"answers_low_{answer}", pa.float64(), _OR_NULL),
                    (f"answers_high_{answer}", pa.float64(), _OR_NULL),
                )
            ),
            *(
                (f"{of}_{figure}", pa.float64(), _OR_NULL)
                for of in ("items", "answers")
                for figure in ("preference_share", "preference_low", "preference_high", "p", "p_holm")
            ),
            ("answers_over", pa.string(), _OR_NULL),
            ("kappa", pa.float64(), _OR_NULL),
            ("alpha", pa.float64(), _OR_NULL),
        ),
        key=("first", "second"),
    ),
    "strengths": Table(
        2,
        _columns(
            ("system", pa.string()),
            ("strength", pa.float64()),
            ("low", pa.float64(), _OR_NULL),
            ("high", pa.float64(), _OR_NULL),
            ("over", pa.string(), _OR_NULL),
            ("share", pa.float64()),
        ),
        key=("system",),
    ),
    "annotators": Table(
        1,
        _columns(
            ("study", pa.string()),
            ("annotator_id", pa.string()),
            ("answers", pa.int64()),
            ("compared", pa.int64()),
            ("agreeing", pa.int64()),
            ("share", pa.float64(), _OR_NULL),
            ("pairwise", pa.float64(), _OR_NULL),
            ("seconds", pa.float64(), _OR_NULL),
            ("checks", pa.int64()),
            ("checks_failed", pa.int64()),
        ),
        key=("study", "annotator_id"),
    ),
    # What a recruiting platform says about an annotator: a row a column of its export that is not empty.
    "participants": Table(
        1,
        _columns(
            ("study", pa.string()),
            ("annotator_id", pa.string()),
            ("question", pa.string()),
            ("value", pa.string()),
        ),
        key=("study", "annotator_id", "question"),
    ),
    "table_3": Table(
        1,
        pa.schema(
            [
                *_AGREEMENTS,
                *_columns(
                    ("context", _SENTENCES),
                    ("ending_first", pa.string()),
                    ("ending_second", pa.string()),
                    ("choices", _SENTENCES),
                    ("reasons", _SENTENCES),
                ),
            ]
        ),
        key=("study", "item_id", "first", "second"),
    ),
    # What ratings come to, a row a question and system and a row a question; what orders come to, a row a system.
    "rating_means": Table(
        2,
        _columns(
            ("question", pa.string()),
            ("system", pa.string()),
            *_MEAN,
            ("values", pa.list_(pa.field("element", pa.int8(), nullable=False))),
            ("counts", pa.list_(pa.field("element", pa.int64(), nullable=False))),
        ),
        key=("question", "system"),
    ),
    "rating_alphas": Table(
        1,
        _columns(("question", pa.string()), ("items", pa.int64()), ("alpha", pa.float64(), _OR_NULL)),
        key=("question",),
    ),
    "order_means": Table(
        2,
        _columns(("system", pa.string()), *_MEAN, ("right", pa.int64()), ("share", pa.float64())),
        key=("system",),
    ),
    # What reasons are made of: a word, a word of a topic, a rule that found an element in a reason.
    "reason_words": Table(
        1,
        _columns(("word", pa.string()), ("count", pa.int64()), ("reasons", pa.int64())),
        key=("word",),
    ),
    "reason_topics": Table(
        1,
        _columns(
            ("topic", pa.int32()),
            ("share", pa.float64()),
            ("reasons", pa.int64()),
            ("coherence", pa.float64(), _OR_NULL),
            ("word", pa.string()),
            ("weight", pa.float64()),
        ),
        key=("topic", "word"),
    ),
    "reason_elements": Table(
        1,
        _columns(
            ("study", pa.string()),
            ("item_id", pa.string()),
            ("case_id", pa.string()),
            ("annotator_id", pa.string()),
            ("choice", pa.string()),
            ("reason", pa.string()),
            ("element", pa.string()),
            ("rule", pa.string()),
            ("words", pa.string()),
            ("denied", pa.bool_()),
        ),
        key=("study", "item_id", "annotator_id", "element", "rule"),
    ),
    # What statistics find: how often a lemma stands, and those of them that are events; an n-gram that marks right or
    # wrong endings; a case with what a model that sees only endings thinks of it.
    "lemmas": Table(
        1,
        _columns(("lemma", pa.string()), ("pos", pa.string()), ("count", pa.int64())),
        key=("lemma", "pos"),
        choices={"pos": ("NOUN", "VERB")},
    ),
    "event_counts": Table(
        1,
        _columns(("lemma", pa.string()), ("pos", pa.string()), ("count", pa.int64()), ("share", pa.float64())),
        key=("lemma", "pos"),
        choices={"pos": ("NOUN", "VERB")},
    ),
    "ngram_odds": Table(
        1,
        _columns(
            ("release", pa.string()),
            ("split", pa.string()),
            ("kind", pa.string()),
            ("ngram", pa.string()),
            ("right", pa.int64()),
            ("wrong", pa.int64()),
            ("log_odds", pa.float64()),
            ("z", pa.float64()),
        ),
        key=("release", "split", "kind", "ngram"),
        choices={"release": RELEASES, "split": SPLITS},
    ),
    "bias_cases": Table(
        1,
        _columns(
            ("release", pa.string()),
            ("split", pa.string()),
            ("case_id", pa.string()),
            ("right", pa.string()),
            ("wrong", pa.string()),
            ("probability", pa.float64()),
        ),
        key=("release", "split", "case_id"),
        choices={"release": RELEASES, "split": SPLITS},
    ),
}


def embeddings_schema(dimension: int, dtype: pa.DataType) -> pa.Schema:
    """The columns of an embeddings table: the vectors' width and float type differ between encoders."""
    return _columns(
        ("text_id", pa.string()), ("vector", pa.list_(pa.field("element", dtype, nullable=False), dimension))
    )


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
        ValueError: the rows break the schema: a defect of the caller, since what users bring is checked when read.
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
            table = table.append_column(new, pa.nulls(table.num_rows, new.type))
        table = table.select(kind.schema.names).cast(kind.schema.with_metadata(schema.metadata))
    problem = _broken_rule(table, kind)
    if problem:
        raise UserError(f"{path}: {problem}")
    return table


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


def _broken_rule(table: pa.Table, kind: Table) -> str | None:
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
            return f"{' + '.join(kind.key)} stands twice in {table.num_rows - distinct} rows"
    if "right_ending" in kind.schema.names:
        labels = set(pc.unique(table["right_ending"]).to_pylist()) - {1, 2, None}
        if labels:
            return f"right_ending is {', '.join(map(str, sorted(labels)))}; it is 1, 2 or empty"
    if kind is TABLES["stories"] and pc.min(pc.list_value_length(table["sentences"])).as_py() < 2:
        return "a story of fewer than two sentences"
    return None


def _repeating(kind: Table) -> list[str]:
    """The Parquet columns in which a value may stand more than once: all but one that is the key alone."""
    return [
        f"{column.name}.list.element" if pa.types.is_list(column.type) else column.name
        for column in kind.schema
        if kind.key != (column.name,)
    ]


def _listing(schema: pa.Schema) -> str:
    return shortened(f"{column.name} {column.type}" for column in schema)


def shortened(names: Iterable[str], most: int = 12) -> str:
    """The names for a message, or the first of them and how many more there are."""
    listed = [name if len(name) <= 40 else f"{name[:40]}..." for name in names]
    more = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {more:,} more" if more > 0 else "")
