"""Writes a study's results to files."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from denouement import provenance
from denouement.documents import write_document
from denouement.files import write_text
from denouement.provenance import MadeFrom
from denouement.schemas import write_table
from denouement.study.results.ballot import Ballot, count
from denouement.study.results.exclusion import Exclusion
from denouement.study.results.page import scale_page, study_page
from denouement.study.results.people import WhoTookPart
from denouement.study.results.preferences import StudyResults, study_results
from denouement.study.results.scales import ScaleResults, scale_tables
from denouement.study.results.table_3 import table_3_text
from denouement.study.results.tables import agreements, result_tables, table_3

DOCUMENT = "results.json"
"""The name of the file, in each folder of results, that `documents.read_document` reads back."""

EXCLUSION = "exclusion.json"
"""The name of the file that says what rules left out of the results beside it."""


def write_results(
    out: Path,
    votes: pa.Table,
    items: pa.Table | None,
    made_from: MadeFrom,
    ballot: Ballot | None = None,
    exclusion: Exclusion | None = None,
    people: WhoTookPart | None = None,
) -> StudyResults:
    """Work out the results and write them into the folder `out`; the same answers give the same bytes.

    Written are `results.json`, `results.html`, the tables `pairs`, `agreements`, `strengths`, `questions` and
    `annotators` as Parquet, and, when there are items, Table 3 as `table_3.parquet` and `table_3.txt`.

    Args:
        out: the folder.
        votes: the table `votes`.
        items: the table `items`; None without one.
        made_from: the digests of both, which are written to `made_from.json` and into each table.
        ballot: `ballot.count(votes)`, where the caller has it already.
        exclusion: what rules left out of `votes`; it is written to `exclusion.json`.
        people: who took part, where that is known.

    Raises:
        UserError: as `preferences.study_results`, or a folder that cannot be written to.
    """
    ballot = ballot or count(votes)
    results = replace(study_results(votes, items, ballot), people=people)
    ballots = [ballot, *(count(votes, each.question) for each in results.further)]
    tables = {**result_tables(results), "agreements": pa.concat_tables(map(agreements, ballots))}
    third = table_3(ballot, items) if items is not None else None
    if third is not None:
        tables["table_3"] = third
        write_text(out / "table_3.txt", table_3_text(third) + "\n")
    for name, table in tables.items():
        write_table(table, out / f"{name}.parquet", name, provenance.as_metadata(made_from))
    write_document(results, out / DOCUMENT)
    write_text(out / "results.html", study_page(results, third, exclusion))
    _write_exclusion(out, exclusion)
    provenance.write_record(out, made_from)
    return results


def write_scale_results(
    out: Path, results: ScaleResults, made_from: MadeFrom, exclusion: Exclusion | None = None
) -> None:
    """Write the results of ratings, orders or rankings into the folder `out`; the same answers give the same bytes.

    Written are `results.json`, `results.html`, and the tables `scales.scale_tables` as Parquet.

    Args:
        out: the folder.
        results: what to write.
        made_from: the digests of the answers and the items, which are written to `made_from.json` and into each table.
        exclusion: what rules left out; it is written to `exclusion.json`.

    Raises:
        UserError: a folder that cannot be written to.
    """
    for name, table in scale_tables(results).items():
        write_table(table, out / f"{name}.parquet", name, provenance.as_metadata(made_from))
    write_document(results, out / DOCUMENT)
    provenance.write_record(out, made_from)
    write_text(out / "results.html", scale_page(results, exclusion))
    _write_exclusion(out, exclusion)


def _write_exclusion(out: Path, exclusion: Exclusion | None) -> None:
    """Write what was left out, or remove what an earlier run with rules left in the folder."""
    if exclusion:
        write_document(exclusion, out / EXCLUSION)
    else:
        (out / EXCLUSION).unlink(missing_ok=True)
