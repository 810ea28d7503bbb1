"""Reads endings with the stories that they end, and the human endings that some scores compare them with."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement import provenance
from denouement.cloze.evaluation.case_sets import read_cases
from denouement.corpus.cases import right_and_wrong
from denouement.corpus.endings import read_endings, read_made_elsewhere
from denouement.errors import UserError
from denouement.files import existing_file
from denouement.metrics.base import EndingRows
from denouement.metrics.grams import words
from denouement.metrics.items import cases_of_items
from denouement.schemas import in_order, shortened, table_name
from denouement.study.design.names import HUMAN_RIGHT, HUMAN_WRONG


@dataclass(frozen=True)
class EndingsToScore:
    """Endings that are scored: one a case and system, each with at least one word.

    Attributes:
        case_ids: of each ending.
        systems: of each ending.
        rows: the endings with their contexts and references, in the same order.
        cases: table `cloze`: the cases that the endings are of, each once.
        left_out: a sentence with the number of endings or references of each kind that do not count.
    """

    case_ids: Sequence[str]
    systems: Sequence[str]
    rows: EndingRows
    cases: pa.Table
    left_out: Sequence[str]

    def of_system(self) -> dict[str, list[int]]:
        """The places of the endings of each system, in their order."""
        places: dict[str, list[int]] = {}
        for place, system in enumerate(self.systems):
            places.setdefault(system, []).append(place)
        return places

    @property
    def digest(self) -> str:
        """Of the endings with all that they are compared with, in whatever order."""
        texts = zip(self.rows.endings, self.rows.contexts, self.rows.references, strict=True)
        return provenance.rows_digest(
            (case, system, ending, *context, "", *sorted(references))
            for case, system, (ending, context, references) in zip(self.case_ids, self.systems, texts, strict=True)
        )


def read_endings_to_score(
    endings: Sequence[Path],
    cases: Path,
    references: Path | None = None,
    human: bool = False,
    only: Mapping[str, Sequence[str]] | None = None,
) -> EndingsToScore:
    """Endings of files, each with its story and references.

    Args:
        endings: files of endings (`corpus.endings.read_endings`). The first ending of a system for a case counts.
        cases: table `cloze`, or `items` of a study, whose endings are scored too.
        references: file with the columns `case_id` and `ending`; None: the right ending of each case.
        human: whether the right and the wrong ending of each labelled case are scored too, as the systems that studies
            have of them. The right one does not count as a reference of itself; of several wrong ones the first is
            scored.
        only: by column (`release`, `split`, `language`) the values of the cases of `cloze` that count; None: all. A
            case that several releases have is that of the first (`schemas.in_order`).

    Raises:
        UserError: a file that cannot be used, endings of other contexts, a system in two files, ids that different
            cases have, no ending of one of the cases, or no reference for one.
    """
    left_out: list[str] = []
    of_system: dict[str, dict[str, str]] = {}
    if table_name(existing_file(cases)) == "items":
        if human or any((only or {}).values()):
            raise UserError(f"{cases}: all its items are scored; leave out --human, --release, --split and --language")
        chosen, of_system = cases_of_items(cases, left_out)
    elif not endings and not human:
        raise UserError("nothing to score: name files of endings, or give --human for those of the cases")
    else:
        chosen = _chosen(cases, only or {})
    for path in endings:
        provenance.check_contexts(path, chosen)
        for system, of_case in _first_endings(path, chosen["case_id"].to_pylist(), left_out):
            if system in of_system:
                raise UserError(f"{path}: system {system} is in an earlier file too; name it anew in one of them")
            of_system[system] = of_case
    wanted = sorted(set().union(*of_system.values())) if of_system else chosen["case_id"].to_pylist()
    table = _one_row_a_case(chosen.filter(pc.is_in(chosen["case_id"], pa.array(wanted, pa.string()))), cases)
    if human:
        for system, of_case in _human_endings(table):
            if system in of_system:
                raise UserError(f"a file has endings of {system}, which --human adds: leave one of them out")
            of_system[system] = of_case
    contexts = dict(zip(table["case_id"].to_pylist(), table["context"].to_pylist(), strict=True))
    of_references = _references(references, table, left_out)
    columns: list[tuple[str, str, str, Sequence[str], Sequence[str]]] = []
    wordless: Counter[str] = Counter()
    for system, of_case in of_system.items():
        for case, ending in of_case.items():
            if not words(ending):
                wordless[system] += 1
                continue
            others = of_references.get(case, [])
            if system == HUMAN_RIGHT:
                others = [text for text in others if text.strip() != ending.strip()]
            columns.append((case, system, ending, contexts[case], others))
    left_out += [f"{n:,} endings of {system} without a word are not scored" for system, n in wordless.items()]
    if not columns:
        raise UserError(f"{', '.join(map(str, endings)) or cases}: no ending to score")
    case_ids, systems, texts, of_contexts, others = ([*column] for column in zip(*columns, strict=True))
    return EndingsToScore(case_ids, systems, EndingRows(texts, of_contexts, others), table, left_out)


def _chosen(path: Path, only: Mapping[str, Sequence[str]]) -> pa.Table:
    """The cases whose columns have one of the values named, those of the preferred release first."""
    cases = read_cases(path, **only)
    for column, values in only.items():
        if values:
            cases = cases.filter(pc.is_in(cases[column], pa.array(values)))
    releases = in_order(pc.unique(cases["release"]).to_pylist())
    place = pc.index_in(cases["release"], pa.array(releases, pa.string())).to_numpy()
    return cases.take(pa.array(np.argsort(place, kind="stable")))


def _one_row_a_case(cases: pa.Table, path: Path) -> pa.Table:
    """The first of the rows of each id; all must have the same context: releases repeat cases."""
    first: dict[str, list[str]] = {}
    keep = []
    for case, context in zip(cases["case_id"].to_pylist(), cases["context"].to_pylist(), strict=True):
        keep.append(case not in first)
        if first.setdefault(case, context) != context:
            raise UserError(
                f"{path}: stories with other contexts have the same id {case}: choose by --release, --split, --language"
            )
    return cases.filter(pa.array(keep, pa.bool_()))


def _first_endings(path: Path, case_ids: Sequence[str], left_out: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The systems in a file with the first ending that each has for a case; others are counted in `left_out`."""
    known = set(case_ids)
    found: dict[str, dict[str, str]] = {}
    strange = further = 0
    for row in read_endings(path).to_pylist():
        of_case = found.setdefault(row["system"], {})
        if row["case_id"] not in known:
            strange += 1
        elif row["case_id"] in of_case:
            further += 1
        else:
            of_case[row["case_id"]] = row["ending"]
    for n, what in (
        (strange, "endings of other cases are left out"),
        (further, "further endings of a case are left out: the first one counts"),
    ):
        if n:
            left_out.append(f"{path.name}: {n:,} {what}")
    for system, of_case in found.items():
        if not of_case:
            raise UserError(f"{path}: no ending of {system} is of one of the cases: give those that it was written for")
        yield system, of_case


def _human_endings(cases: pa.Table) -> Iterator[tuple[str, dict[str, str]]]:
    labelled = cases.filter(pc.is_valid(cases["right_ending"]))
    if not labelled.num_rows:
        return
    ids = labelled["case_id"].to_pylist()
    rows = zip(ids, labelled["endings"].to_pylist(), labelled["right_ending"].to_pylist(), strict=True)
    pairs = [(case, of_case[right - 1], of_case[1 if right == 1 else 0]) for case, of_case, right in rows]
    yield HUMAN_RIGHT, {case: right for case, right, _ in pairs}
    yield HUMAN_WRONG, {case: wrong for case, _, wrong in pairs}


def _references(path: Path | None, cases: pa.Table, left_out: list[str]) -> Mapping[str, list[str]]:
    """The references of each case that has any."""
    if path is None:
        labelled = cases.filter(pc.is_valid(cases["right_ending"]))
        right = right_and_wrong(labelled)[0].to_pylist()
        return {case: [text] for case, text in zip(labelled["case_id"].to_pylist(), right, strict=True)}
    known: Collection[str] = set(cases["case_id"].to_pylist())
    found: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    strange: list[str] = []
    for row in read_made_elsewhere(path):
        if row.case_id is None:
            raise UserError(f"{path}: {row.where} has no case_id; references need the columns case_id and ending")
        if row.case_id not in known:
            strange.append(row.case_id)
        elif not words(row.ending):
            counts["references without a word are left out"] += 1
        elif row.ending in found.setdefault(row.case_id, []):
            counts["references repeat another one of their case, and count once"] += 1
        else:
            found[row.case_id].append(row.ending)
    if not any(found.values()):
        raise UserError(
            f"{path}: no reference is of a case that is scored; its case ids are such as {shortened(strange[:3])}"
        )
    if strange:
        counts["references of cases that are not scored are left out"] = len(strange)
    left_out += [f"{path.name}: {n:,} {what}" for what, n in counts.items()]
    return found
