"""A collection as a corpus: files that `denouement ingest` reads, tables, a datasheet, and apart from these the rest.

- OUT/public: stories, validation and test cases as CSV in the official layout, the tables, the datasheet
- OUT/blind: the test cases without labels
- OUT/private: who did what: all stories, pairs and verifications, and which public id is which
"""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from denouement.collect.beginning import refuse_other_stories
from denouement.collect.datasheet import datasheet
from denouement.collect.description import Collection, FilterStep, VerificationStep
from denouement.collect.exported import CollectedWork, ExportSummary, reviews_csv
from denouement.collect.filtering import KEPT, TEST, VALIDATION, FilterRules, FilterSummary, filter_cases
from denouement.collect.watching import WatchRules, watch, watch_rules
from denouement.corpus import keys
from denouement.corpus.ingest import IngestSettings, ingest
from denouement.corpus.layouts import is_own_release, own_files
from denouement.errors import UserError
from denouement.files import alone_in, check_output, visible_files, write_text
from denouement.schemas import read_table, shortened, write_table
from denouement.spreadsheets import write_csv

DATASHEET = "DATASHEET.md"
REVIEWS = "reviews.csv"
TABLES = ("stories.parquet", "cloze.parquet")

_PUBLIC, _BLIND, _PRIVATE = "public", "blind", "private"
_STORIES, _FILTERED, _IDS = "collected_stories.parquet", "filtered_cases.parquet", "public_ids.parquet"
_STORY_COLUMNS = ("storyid", "storytitle")
_CASE_COLUMNS = (
    "InputStoryid",
    *(f"InputSentence{number}" for number in range(1, 5)),
    "RandomFifthSentenceQuiz1",
    "RandomFifthSentenceQuiz2",
)
_LABEL = "AnswerRightEnding"


def filter_rules(collection: Collection) -> FilterRules:
    """The rules of a collection; those of v1.0 where it says nothing."""
    verification = collection.verification or VerificationStep()
    division = collection.filter or FilterStep()
    return FilterRules(verification.form, verification.people, division.confirming, division.seed, division.validation)


def export(
    work: CollectedWork, collection: Collection, out: Path, cache: Path | None = None, rules: WatchRules | None = None
) -> ExportSummary:
    """Write a collection to the folder `out`.

    A later export of the same collection to the same folder keeps ids, splits and sides. Public ids are random UUIDs,
    and no public file says who did what.

    Args:
        work: what was collected.
        collection: how.
        out: a folder; files of an earlier export in it are replaced, all at the end.
        cache: see `watching.watch`.
        rules: of the bias values of the datasheet; None: those of the collection.

    Raises:
        UserError: a release that may not be called so, another release or collection in `out`, nothing that can be
            exported, or texts that `ingest` would not read.
    """
    release = collection.release
    if not is_own_release(release):
        raise UserError(
            f"release {release!r}: must be a name of letters, digits and . _ - that is of no published release, such "
            "as kitchen-2026"
        )
    with alone_in(out):
        return _export(work, collection, out, cache, rules)


def _export(
    work: CollectedWork, collection: Collection, out: Path, cache: Path | None, rules: WatchRules | None
) -> ExportSummary:
    release = collection.release
    names = own_files(release)
    _refuse_others(out, release)
    _refuse_changed_stories(work.stories, out)
    refuse_other_stories(work.stories, work.endings)
    filtered, summary = _filtered(work, collection, out)
    cases = None if filtered is None else filtered.filter(pc.equal(filtered["outcome"], KEPT))
    kept = [] if cases is None else cases.to_pylist()
    approved, used, others = _training_stories(work.stories, cases)
    if not approved and not kept:
        raise UserError("nothing to export: no story is approved, and no case is kept")
    ids = _public_ids(
        [*(("story", row["story_id"]) for row in approved), *(("case", row["case_id"]) for row in kept)], out
    )
    watched = None if cases is None else watch(cases, cache, rules or watch_rules(collection))
    check_output(out / _PUBLIC / DATASHEET)
    with TemporaryDirectory(prefix=".export-", dir=out) as made:
        public, blind, private = (Path(made) / name for name in (_PUBLIC, _BLIND, _PRIVATE))
        public.mkdir()
        private.mkdir()
        if approved:
            _write_stories(public / names.stories, approved, ids)
        for split, name in ((VALIDATION, names.validation), (TEST, names.test)):
            if of_split := [row for row in kept if row["split"] == split]:
                _write_cases(public / name, of_split, ids, labelled=True)
                if split == TEST:
                    _write_cases(blind / names.blind, of_split, ids, labelled=False)
        _read_again(public, len(approved), len(kept), private)
        _write_private(private, work, filtered, ids)
        written = [path.relative_to(made).as_posix() for path in visible_files(Path(made))]
        found = ExportSummary(
            release=release,
            stories=len(approved),
            stories_used=used,
            other_stories=others,
            filter=summary,
            watch=watched,
            writers=_people(work.stories, "writer"),
            ending_writers=_people(work.endings, "writer"),
            verifiers=_people(work.verifications, "verifier"),
            files=tuple(sorted([*written, f"{_PUBLIC}/{DATASHEET}"])),
        )
        write_text(public / DATASHEET, datasheet(found, work, collection))
        for path in visible_files(Path(made)):
            place = out / path.relative_to(made)
            place.parent.mkdir(exist_ok=True)
            path.replace(place)
        _remove_old(out, found.files)
    return found


def _refuse_others(out: Path, release: str) -> None:
    """Refuse a folder that holds another release, or files that no export wrote."""
    names = own_files(release)
    ours = {names.stories, names.validation, names.test, DATASHEET, *TABLES}
    if (out / _PUBLIC).exists() and (others := [p.name for p in visible_files(out / _PUBLIC) if p.name not in ours]):
        raise UserError(
            f"{out / _PUBLIC}: holds files that are not of release {release} ({shortened(others, 3)}): choose another "
            "folder, or move them away"
        )


def _refuse_changed_stories(stories: pa.Table | None, out: Path) -> None:
    """Refuse a folder in which an approved story of an id has other sentences: ids are those of another collection."""
    before = out / _PRIVATE / _STORIES
    if stories is None or not before.exists():
        return
    approved = {
        row["story_id"]: row["sentences"]
        for row in read_table(before, "collected_stories").to_pylist()
        if row["status"] == "approved"
    }
    for row in stories.select(["story_id", "sentences"]).to_pylist():
        if approved.get(row["story_id"], row["sentences"]) != row["sentences"]:
            raise UserError(
                f"{before}: story {row['story_id']} has other sentences there, so it is of another collection: choose "
                "another folder"
            )


def _remove_old(out: Path, files: Sequence[str]) -> None:
    """Remove files of an earlier export that this one did not write again, such as those of a split without a case."""
    for folder in (_PUBLIC, _BLIND, _PRIVATE):
        for path in visible_files(out / folder):
            if path.relative_to(out).as_posix() not in files:
                path.unlink()


def _filtered(work: CollectedWork, collection: Collection, out: Path) -> tuple[pa.Table | None, FilterSummary | None]:
    if work.endings is None or work.verifications is None:
        return None, None
    before = out / _PRIVATE / _FILTERED
    earlier = read_table(before, "filtered_cases") if before.exists() else None
    return filter_cases(work.endings, work.verifications, filter_rules(collection), earlier)


def _training_stories(
    stories: pa.Table | None, cases: pa.Table | None
) -> tuple[list[dict[str, Any]], int, dict[str, int]]:
    """The approved stories that no kept case uses, how many are used, and how many others there are by status.

    A story is used where a case has its id, or the same first sentences.
    """
    if stories is None:
        return [], 0, {}
    ids: set[str] = set()
    contexts: set[str] = set()
    if cases is not None:
        ids = {story_id for story_id in cases["story_id"].to_pylist() if story_id}
        contexts = {*keys.contexts(cases).to_pylist()}
    rows = stories.to_pylist()
    is_used = [
        row["story_id"] in ids or context in contexts
        for row, context in zip(rows, keys.contexts(stories).to_pylist(), strict=True)
    ]
    approved = [(row, used) for row, used in zip(rows, is_used, strict=True) if row["status"] == "approved"]
    others = Counter(row["status"] for row in rows if row["status"] != "approved")
    return [row for row, used in approved if not used], sum(used for _, used in approved), dict(sorted(others.items()))


_Ids = Mapping[tuple[str, str], str]  # by kind (story or case) and id of the collection the public id


def _public_ids(wanted: Sequence[tuple[str, str]], out: Path) -> _Ids:
    """The public ids: those of an earlier export, and new random UUIDs."""
    path = out / _PRIVATE / _IDS
    known: dict[tuple[str, str], str] = {}
    if path.exists():
        known = {(row["kind"], row["id"]): row["public_id"] for row in read_table(path, "public_ids").to_pylist()}
    return known | {each: str(uuid.uuid4()) for each in wanted if each not in known}


def _write_stories(path: Path, stories: Sequence[Mapping[str, Any]], ids: _Ids) -> None:
    longest = max(len(row["sentences"]) for row in stories)
    names = [f"sentence{number}" for number in range(1, longest + 1)]
    rows = [
        dict(zip(names, [*row["sentences"], *[""] * (longest - len(row["sentences"]))], strict=True))
        | {"storyid": ids["story", row["story_id"]], "storytitle": row["title"] or ""}
        for row in stories
    ]
    write_csv(path, [*_STORY_COLUMNS, *names], sorted(rows, key=lambda row: row["storyid"]))


def _write_cases(path: Path, cases: Sequence[Mapping[str, Any]], ids: _Ids, *, labelled: bool) -> None:
    rows = []
    for case in cases:
        right_first = case["right_ending"] == 1
        endings = (case["right"], case["wrong"]) if right_first else (case["wrong"], case["right"])
        texts = (ids["case", case["case_id"]], *case["context"], *endings)
        rows.append(dict(zip(_CASE_COLUMNS, texts, strict=True)) | {_LABEL: case["right_ending"]})
    columns = [*_CASE_COLUMNS, _LABEL] if labelled else _CASE_COLUMNS
    write_csv(path, columns, sorted(rows, key=lambda row: row["InputStoryid"]))


def _read_again(public: Path, n_stories: int, n_cases: int, scratch: Path) -> None:
    """Read the files as anybody will, and keep the tables; refuse what would not be read."""
    read = ingest([*visible_files(public)], scratch, IngestSettings())
    rejects = read_table(scratch / "rejects.parquet", "rejects").to_pylist()
    if rejects:
        first = rejects[0]
        raise UserError(
            f"{len(rejects):,} rows of the export cannot be read again; the first is line {first['line']} of "
            f"{first['file']}: {first['reason']}. Mend its texts, or leave it out"
        )
    counted = [sum(n for of in counts.values() for n in of.values()) for counts in (read.stories, read.cloze)]
    assert counted == [n_stories, n_cases], f"{counted} read of {[n_stories, n_cases]}"
    for name in TABLES:
        (scratch / name).replace(public / name)
    for path in visible_files(scratch):
        path.unlink()


def _write_private(private: Path, work: CollectedWork, filtered: pa.Table | None, ids: _Ids) -> None:
    tables = {
        "collected_stories": work.stories,
        "filtered_cases": filtered,
        "verifications": work.verifications,
        "public_ids": pa.Table.from_pylist(
            [{"kind": kind, "id": of, "public_id": to} for (kind, of), to in ids.items()]
        ),
    }
    for name, table in tables.items():
        if table is not None:
            write_table(table, private / f"{name}.parquet", name)
    if work.stories is not None:
        _write_rejected(private / "rejected_stories.csv", work.stories, "status", "approved", "sentences")
    if work.reviews:
        (private / REVIEWS).write_bytes(reviews_csv(work.reviews))
    if filtered is not None:
        _write_rejected(private / "rejected_cases.csv", filtered, "outcome", KEPT, "context")


def _write_rejected(path: Path, table: pa.Table, column: str, good: str, texts: str) -> None:
    """The rows that are not exported, for a spreadsheet; the sentences in one cell."""
    rows = [{**row, texts: " ".join(row[texts])} for row in table.to_pylist() if row[column] != good]
    write_csv(path, [name for name in table.column_names if name not in ("split", "right_ending")], rows)


def _people(table: pa.Table | None, column: str) -> int:
    return 0 if table is None else len(set(table[column].to_pylist()) - {None})
