"""Answers that were collected elsewhere, as the tables `votes` and `items`. A file is recognised by its content.

Our own exports may also hold `ratings` or `orders`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from denouement import schemas
from denouement.answers import ANSWER, SCALES, QuestionAsked, as_metadata, n_answers, of_people, questions_asked
from denouement.errors import UserError
from denouement.study.importing import (
    argilla,
    battles,
    label_studio,
    merging,
    mturk,
    own,
    plain,
    potato,
    prolific,
    published,
)
from denouement.study.importing.answers import Imported, ImportedAnswer, Unusable, hashing, tables_of
from denouement.study.importing.copies import Conflict
from denouement.study.importing.fields import check_named
from denouement.study.importing.interpreting import interpret
from denouement.study.importing.recognising import find_answers, recognise, sources_of
from denouement.study.importing.records import FileRead, Format, Loaded, Reading, Source
from denouement.study.importing.telling import imported_text
from denouement.study.results.agreement import like_an_answer

__all__ = ["SYSTEMS", "find_answers", "import_answers", "imported_text", "recognise"]

SYSTEMS = ("h_seq2seq", "human_right")
"""Names for the two systems where a file says only which ending was generated: those of Mori et al. 2019."""

IDS_KEY = "denouement.ids"
"""In the metadata of a written table `votes`: what its annotators' ids were hashed with."""

_LOADERS: dict[Format, Callable[[Source], Loaded]] = {
    "mturk": mturk.load_batch,
    "label_studio": label_studio.load_tasks,
    "argilla": argilla.load_records,
    "battles": battles.load_battles,
}


def import_answers(
    files: Sequence[Path],
    *,
    study: str | None = None,
    systems: tuple[str, str] = SYSTEMS,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    keep_ids: bool = False,
    ids_of: Callable[[str, str], Iterable[str]] | None = None,
) -> Imported:
    """Read files of answers, in any order; of several copies of an answer one is counted (`copies.settle`).

    Args:
        files: Mechanical Turk batch results, exports of Label Studio, Argilla and Potato (with the project's data
            file), battles as of LMArena, the published answers of Mori et al. 2019, our own export, any CSV whose
            columns are named; with them Prolific's demographic export.
        study: the name of the study in the tables; None is the format's name, such as `mturk`, or `mori_2019`. Our own
            tables keep the name that they have.
        systems: names for the generator and for the human endings, where a file says only which is which.
        columns: by role (`roles.ROLES`) the field that has it, where the field's name does not show it.
        values: by a text that means an answer, such as 1, the answer.
        keep_ids: keep the annotators' ids, which are otherwise hashed; those of our own tables stay as they are.
        ids_of: the ids that a participant of Prolific may have in a study of our own, by the study and Prolific's id.

    Raises:
        UserError: the two systems have one name, or the name of an answer; an unknown role, or a field that is missing;
            a file of another kind, or one that cannot be read; no usable answer in any file; copies that cannot be one
            answer; tables that do not belong together.
    """
    if systems[0] == systems[1]:
        raise UserError(f"systems: both are called {systems[0]}; name two")
    if problem := like_an_answer(systems):
        raise UserError(f"systems: {problem}; give it another name")
    reading = Reading(systems, columns or {}, values or {})
    sources = sources_of(files, columns)
    gathered = _Gathered()
    for source in sources:
        if source.found.kind in ("own", "own_csv"):
            _read_own(source, gathered)
        elif source.found.kind == "prolific":
            file = FileRead(source)
            gathered.submissions += prolific.read_submissions(file)
            gathered.unusable += file.unusable  # its rows are no answers, and are not counted
    named = _read_others(sources, reading, study, gathered)
    hash_id = None if keep_ids or not named else hashing(named)
    if hash_id:
        gathered.hashed_with.add(hash_id("")[:16])
    for name, answers in gathered.answers.items():
        hidden = [
            answer if answer.annotator.startswith(schemas.UNNAMED_ANNOTATOR) or hash_id is None
            else replace(answer, annotator=hash_id(answer.annotator))
            for answer in answers
        ]  # fmt: skip
        made, its, conflicts = tables_of(name, hidden, gathered.truths.get(name, []))
        gathered.counts += its
        gathered.conflicts += conflicts
        files_of = ", ".join(dict.fromkeys(answer.file for answer in answers))
        for table_name, table in made.items():
            gathered.parts.setdefault(table_name, []).append((files_of, table))
    tables = _together(gathered)
    if gathered.submissions:

        def called(of_study: str, participant: str) -> list[str]:
            ours = list(ids_of(of_study, participant)) if ids_of else []
            return [participant, *([hash_id(participant)] if hash_id else []), *ours]

        joined = prolific.join(gathered.submissions, tables, called)
        tables = {**joined.tables, "participants": joined.participants}
        gathered.notes += joined.notes
    _check_any(files, sources, tables, gathered)
    return _imported(sources, tables, gathered)


@dataclass
class _Gathered:
    """All that was read so far."""

    parts: dict[str, list[tuple[str, pa.Table]]] = field(default_factory=dict)
    answers: dict[str, list[ImportedAnswer]] = field(default_factory=dict)
    truths: dict[str, list[ImportedAnswer]] = field(default_factory=dict)
    submissions: list[prolific.Submission] = field(default_factory=list)
    unusable: list[Unusable] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    conflicts: list[Conflict] = field(default_factory=list)
    taken: dict[str, list[str]] = field(default_factory=dict)
    passed_over: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    hashed_with: set[str] = field(default_factory=set)
    exports: set[str] = field(default_factory=set)
    questions: dict[str, dict[str, QuestionAsked]] = field(default_factory=dict)

    def add(self, file: FileRead) -> None:
        """Add what a file has besides its answers."""
        self.unusable += file.unusable
        self.counts += file.counts
        self.notes += file.notes


def _read_own(source: Source, gathered: _Gathered) -> None:
    """Add a table of our own."""
    name = source.found.table or "votes"
    if source.found.kind == "own":
        table = own.read_own(source.path, name)
        gathered.counts["rows"] += table.num_rows if name != "items" else 0
        gathered.exports.add(source.label)
        hashes = (table.schema.metadata or {}).get(IDS_KEY.encode(), b"").decode()
        gathered.hashed_with |= set(filter(None, hashes.split(",")))
    else:
        file = FileRead(source)
        table = own.read_votes(file)
        gathered.add(file)
    if name == "votes":
        people = of_people(table)
        if left_out := n_answers(table) - n_answers(people):
            gathered.notes.append(f"{source.label}: {left_out:,} answers of models are left out")
        if people.num_rows or not left_out:
            _add_questions(people, gathered)
        table = people
    gathered.parts.setdefault(name, []).append((source.label, table))


def _add_questions(table: pa.Table, gathered: _Gathered) -> None:
    """Add what people were asked; a question that has other words in another file loses its words."""
    for study, of_study in questions_asked(table).items():
        known = gathered.questions.setdefault(study, {})
        for name, asked in of_study.items():
            if known.setdefault(name, asked) != asked:
                known[name] = QuestionAsked(None, asked.is_better and known[name].is_better)
                note = f"study {study}: the question {name} has other words in another file, so its name is shown"
                gathered.notes += [note] if note not in gathered.notes else []


def _read_others(sources: Sequence[Source], reading: Reading, study: str | None, gathered: _Gathered) -> list[Path]:
    """Add the answers of other tools' files; return the files whose annotators have ids of their own."""
    data = _potato_data(sources)
    loaded: list[Loaded] = []
    for source in sources:
        kind = source.found.kind
        if kind in _LOADERS:
            loaded.append(_LOADERS[kind](source))
        elif kind == "csv":
            loaded.append(plain.load_rows(source, reading))
        elif kind == "potato":
            loaded.append(potato.load_annotations(source, data))
        elif kind == "published":
            file = FileRead(source)
            answers = published.read_published(file, reading.systems)
            gathered.answers.setdefault(study or published.STUDY, []).extend(answers)
            gathered.add(file)
    check_named(loaded, reading)
    for its in loaded:
        gathered.add(its)
        if its.records:
            found = interpret(its, reading)
            gathered.unusable += found.unusable
            gathered.counts["truths"] += len(found.truths)
            gathered.taken[its.source.label] = found.taken
            gathered.passed_over[its.source.label] = found.passed_over
            name = study or its.source.found.kind
            gathered.answers.setdefault(name, []).extend(found.answers)
            gathered.truths.setdefault(name, []).extend(found.truths)
    gathered.notes += _unused_values(reading, loaded)
    return [its.source.path for its in loaded]


def _potato_data(sources: Sequence[Source]) -> dict[str, dict[str, str]]:
    """The texts of all data files of Potato by the id of the instance."""
    data: dict[str, dict[str, str]] = {}
    files = [source for source in sources if source.found.kind == "potato_data"]
    for source in files:
        for key, texts in potato.data_of(source).items():
            if data.setdefault(key, texts) != texts:
                raise UserError(f"{source.path}: instance {key} has other texts in another data file; leave one out")
    if data and not any(source.found.kind == "potato" for source in sources):
        raise UserError(f"{files[0].path}: texts and no answers; name Potato's annotations too")
    return data


def _unused_values(reading: Reading, files: Sequence[Loaded]) -> list[str]:
    """Notes on the values of `reading` that no file has."""
    written = {
        text.strip().casefold()
        for file in files
        for record in file.records
        for name, value in (*record.given.items(), *record.shown.items())
        for text in (*value.split("|"), value, name.rpartition(".")[2])
    }
    return [
        f"the value {text}, which is to mean {answer}, is in no file"
        for text, answer in reading.values.items()
        if text.strip().casefold() not in written
    ]


def _together(gathered: _Gathered) -> dict[str, pa.Table]:
    """By name, the tables of all files as one."""
    tables: dict[str, pa.Table] = {}
    for name, parts in gathered.parts.items():
        if name == "items":
            tables[name] = merging.merged_items(parts) if len(parts) > 1 else parts[0][1]
            continue
        exports, notes = merging.without_withdrawn([part for part in parts if part[0] in gathered.exports])
        gathered.notes += notes
        others = [part for part in parts if part[0] not in gathered.exports]
        tables[name], its, conflicts = merging.merged([*exports, *others])
        gathered.counts += its
        gathered.conflicts += conflicts
    tables.setdefault("votes", schemas.empty_table("votes"))
    if "items" in tables:
        gathered.notes += merging.check_items(tables["votes"], tables["items"])
    studies = Counter(tables["votes"]["study"].to_pylist())
    if len(studies) > 1:
        listed = ", ".join(f"{name} ({n:,} answers)" for name, n in sorted(studies.items()))
        gathered.notes.append(f"{len(studies)} studies, kept apart: {listed}")
    if len(gathered.hashed_with) > 1:
        gathered.notes.append(
            "ids of annotators were hashed by different imports: a person in two of them counts as two; import the "
            "original files in one command"
        )
    return tables


def _check_any(
    files: Sequence[Path], sources: Sequence[Source], tables: Mapping[str, pa.Table], gathered: _Gathered
) -> None:
    """Refuse files without any answer."""
    listed = ", ".join(map(str, files))
    if all(source.found.table == "items" for source in sources):
        raise UserError(f"{listed}: items and no answers; name the votes.parquet beside it too")
    if all(source.found.kind == "prolific" or source.found.table == "items" for source in sources):
        raise UserError(f"{listed}: participants and no answers; name the files of answers too")
    if not any(tables[name].num_rows for name in ("votes", *SCALES) if name in tables):
        unusable = gathered.unusable
        first = f": {unusable[0].file} line {unusable[0].line}: {unusable[0].reason}" if unusable else ""
        raise UserError(f"{listed}: no usable answer in {gathered.counts['rows']:,} rows{first}")


def _imported(sources: Sequence[Source], tables: dict[str, pa.Table], gathered: _Gathered) -> Imported:
    counts = gathered.counts
    for name in ("votes", *SCALES):
        if name in tables:  # of ratings, an answer has a row for each question
            one_each = tables[name].group_by([*ANSWER, "status", "is_check"]).aggregate([])
            counts.update(one_each["status"].to_pylist())
            counts["checks"] += sum(one_each.filter(pc.equal(one_each["status"], "accepted"))["is_check"].to_pylist())
    counts["unusable"] = len(gathered.unusable)
    counts["conflicts"] = len(gathered.conflicts)
    rejects = [{"file": each.file, "line": each.line, "reason": each.reason} for each in gathered.unusable]
    always = ("rows", "unusable")
    metadata = {IDS_KEY: ",".join(sorted(gathered.hashed_with))} if gathered.hashed_with else {}
    metadata |= as_metadata(gathered.questions) if gathered.questions else {}
    tables["votes"] = tables["votes"].replace_schema_metadata(metadata)
    return Imported(
        kinds={source.label: source.found.kind for source in sorted(sources, key=lambda each: each.label)},
        tables=tables,
        rejects=pa.Table.from_pylist(rejects, schema=schemas.TABLES["rejects"].schema),
        counts={name: n for name, n in sorted(counts.items()) if n or name in always},
        conflicts=gathered.conflicts,
        taken=gathered.taken,
        passed_over=gathered.passed_over,
        notes=gathered.notes,
        metadata=metadata,
    )
