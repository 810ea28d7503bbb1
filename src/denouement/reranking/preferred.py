"""How often a chooser prefers a system's ending to the one that people wrote: a judge that reads as no person does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from denouement import provenance
from denouement.cloze.evaluation.case_sets import chosen_cases
from denouement.cloze.parts.asked_model import contexts, endings_of_cases
from denouement.corpus.cases import with_human_endings
from denouement.corpus.endings import read_endings
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.intervals import share_with_interval
from denouement.reranking.choosers import CHECKPOINT, EndingChooser, open_chooser, trained_on
from denouement.reranking.reranked import RECORD
from denouement.schemas import table_name

WRONG = "human_wrong"
"""The row of the wrong endings, which shows how often the chooser errs."""


@dataclass(frozen=True)
class PreferredShare:
    """How often the chooser prefers a system's ending to the human one.

    Attributes:
        system: whose endings.
        n: cases.
        preferred: how often the system's ending has the higher score, with `share` (0 to 1) of the cases and its exact
            95% interval `low` to `high`.
        equal: how often both have the same score, as the same ending has.
    """

    system: str
    n: int
    preferred: int
    equal: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Preferences:
    """What a chooser prefers.

    Attributes:
        chooser: its path, or the language model's name.
        labelled: cases whose right ending is known: that is the human ending.
        blind: cases without a label: the human ending is the one that the chooser likes best of those of the case, one
            of which is wrong.
        systems: a row for each system, and `human_wrong` where labelled cases have wrong endings.
        dependent: a sentence for each file of endings whose chooser learned from cases that this one learned from too,
            or of which that is not known.
        left_out: a sentence with the number of endings of each kind that are not compared.
    """

    chooser: str
    labelled: int
    blind: int
    systems: Sequence[PreferredShare]
    dependent: Sequence[str]
    left_out: Sequence[str]


def prefer(
    chooser: str,
    cases: Path,
    endings: Sequence[Path],
    releases: Sequence[str] = (),
    splits: Sequence[str] = (),
    languages: Sequence[str] = (),
    language_model: str | None = None,
) -> Preferences:
    """How often a chooser prefers the first ending that each system has for a case to the human one.

    Args:
        chooser: see `open_chooser`.
        cases: table `cloze`, or `stories`, whose last sentences are the human endings.
        endings: files of endings; see `corpus.endings.read_endings`.
        releases: only cases of these; empty: of all.
        splits: only cases of these; empty: of all.
        languages: only cases in these; empty: in all.
        language_model: where the language model of the chooser lies now; None: where it lay.

    Raises:
        UserError: a file that cannot be used, endings of other contexts, a system in two files, ids that several cases
            have, no case in common, or cases that trained the chooser.
    """
    rows = _cases(cases, release=releases, split=splits, language=languages)
    left_out: list[str] = []
    of_system: dict[str, dict[str, str]] = {}
    for path in endings:
        provenance.check_contexts(path, rows)
        for system, of_case in _first_endings(path, rows, left_out):
            if system in of_system:
                raise UserError(f"{path}: system {system} is in an earlier file too; write it again with --system NAME")
            of_system[system] = of_case
    wanted = set().union(*of_system.values())
    rows = rows.filter(pc.is_in(rows["case_id"], pa.array(sorted(wanted), pa.string())))
    judge = open_chooser(chooser, language_model)
    judge.refuse_trained(
        rows["context"].to_pylist(),
        "compare endings of another release and split (--release, --split), or by a chooser that was trained on others",
    )
    blind = rows["right_ending"].null_count
    return Preferences(
        judge.given,
        rows.num_rows - blind,
        blind,
        _shares(judge, rows, of_system),
        [said for path in endings if (said := _dependence(path, judge))],
        left_out,
    )


def _shares(judge: EndingChooser, rows: pa.Table, of_system: Mapping[str, Mapping[str, str]]) -> list[PreferredShare]:
    """A row for each system: the human endings of a case and those of all systems are scored together."""
    human, ids, rights = endings_of_cases(rows), rows["case_id"].to_pylist(), rows["right_ending"].to_pylist()
    asked = [
        [*of_people, *(of_case[case] for of_case in of_system.values() if of_case.get(case))]
        for case, of_people in zip(ids, human, strict=True)
    ]
    pairs: dict[str, list[tuple[float, float]]] = {system: [] for system in (*of_system, WRONG)}
    found = judge.scores(contexts(rows), asked)
    for case, of_people, right, scores in zip(ids, human, rights, found, strict=True):
        own, others = scores[: len(of_people)].tolist(), iter(scores[len(of_people) :].tolist())
        mark = max(own) if right is None else own[right - 1]
        for system, of_case in of_system.items():
            if case in of_case:
                pairs[system].append((next(others) if of_case[case] else float("-inf"), mark))
        if right is not None and len(own) > 1:
            pairs[WRONG].append((max(own[: right - 1] + own[right:]), mark))
    return [_share(system, compared) for system, compared in pairs.items() if compared]


def _share(system: str, compared: Sequence[tuple[float, float]]) -> PreferredShare:
    """The row of a system, whose scores and the human ones are compared."""
    preferred = sum(score > mark for score, mark in compared)
    equal = sum(score == mark for score, mark in compared)
    return PreferredShare(system, len(compared), preferred, equal, **share_with_interval(preferred, len(compared)))


def _cases(path: Path, **wanted: Sequence[str]) -> pa.Table:
    """The cases that are wanted (`chosen_cases`), each with an id of its own."""
    rows = chosen_cases(with_human_endings(path), path, **wanted)
    if repeated := rows.num_rows - len(pc.unique(rows["case_id"])):
        raise UserError(
            f"{path}: {repeated:,} cases have the id of another: choose one set by --release, --split and --language"
        )
    return rows


def _first_endings(path: Path, rows: pa.Table, left_out: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The systems in a file with the first ending that each has for a case, by the case's id.

    What is not compared is counted in `left_out`.
    """
    known = set(rows["case_id"].to_pylist())
    found: dict[str, dict[str, str]] = {}
    strange = further = empty = 0
    for row in read_endings(path).to_pylist():
        of_case = found.setdefault(row["system"], {})
        if row["case_id"] not in known:
            strange += 1
        elif row["case_id"] in of_case:
            further += 1
        else:
            of_case[row["case_id"]] = row["ending"] if row["ending"].strip() else ""
            empty += not row["ending"].strip()
    for n, what in (
        (strange, "endings of other cases are left out"),
        (further, "further endings of a case are left out: the first one counts"),
        (empty, "empty endings are never preferred"),
    ):
        if n:
            left_out.append(f"{path}: {n:,} {what}")
    for system, of_case in found.items():
        if not of_case:
            raise UserError(f"{path}: no ending of {system} is of one of the cases: give those that it was written for")
        yield system, of_case


def _dependence(path: Path, judge: EndingChooser) -> str:
    """What the endings of a file and their judge have learned in common, where the file says how they were chosen."""
    record = _record(path)
    if record is None:
        return ""
    given, digest = record
    if digest == judge.digest:
        return f"{path}: the endings were chosen by this very chooser, which prefers what it chose"
    if Path(given).suffix != CHECKPOINT:
        return ""
    if not Path(given).is_file() or file_digest(Path(given)) != digest:
        return (
            f"{path}: which cases trained the chooser of its endings is not known: {given} is gone or another one now"
        )
    shared = len(trained_on(given) & (judge.trained_on or {}).keys())
    return f"{path}: {shared:,} contexts trained both this chooser and that of the endings, {given}" if shared else ""


def _record(path: Path) -> tuple[str, str] | None:
    """The chooser of the endings in a file, and its digest; None where the file does not speak of any."""
    if table_name(path) != "endings":
        return None
    written = (pq.read_schema(path).metadata or {}).get(RECORD.encode())
    if written is None:
        return None
    try:
        record = json.loads(written)
        return str(record["chooser"]), str(record["chooser_digest"])
    except (ValueError, LookupError, TypeError) as error:
        raise UserError(f"{path}: its record of how endings were chosen is damaged; write them again") from error
