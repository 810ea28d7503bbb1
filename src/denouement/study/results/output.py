"""A study's results as files."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement import provenance
from denouement.files import write_text
from denouement.provenance import MadeFrom
from denouement.schemas import write_table
from denouement.study.results.ballot import Ballot, count
from denouement.study.results.page import results_html, sections_html
from denouement.study.results.results import agreements, result_tables, study_results, table_3
from denouement.study.results.scales import scale_tables
from denouement.study.results.table_3 import table_3_text
from denouement.study.results.tables import Section, scale_reasons


def write_results(
    out: Path, votes: pa.Table, items: pa.Table | None, made_from: MadeFrom, ballot: Ballot | None = None
) -> dict[str, Any]:
    """Work out the results and write them into the folder `out`; the same answers give the same bytes.

    Written are `results.json`, `results.html`, the tables `pairs`, `agreements`, `strengths` and `annotators` as
    Parquet, and, when there are items, Table 3 as `table_3.parquet` and `table_3.txt`.

    Args:
        out: the folder.
        votes: the table `votes`.
        items: the table `items`, if there is one.
        made_from: the digests of both, which stand in `made_from.json` and in each table.
        ballot: `ballot.count(votes)`, where it is at hand.

    Returns:
        What `results.study_results` returns.

    Raises:
        UserError: as `results.study_results`, or a folder that cannot be written to.
    """
    ballot = ballot or count(votes)
    results = study_results(votes, items, ballot)
    tables = {**result_tables(results), "agreements": agreements(ballot)}
    third = table_3(ballot, items) if items is not None else None
    if third is not None:
        tables["table_3"] = third
        write_text(out / "table_3.txt", table_3_text(third) + "\n")
    for name, table in tables.items():
        write_table(table, out / f"{name}.parquet", name, provenance.as_metadata(made_from))
    _write_json(out, results)
    write_text(out / "results.html", results_html(results, third))
    provenance.write_record(out, made_from)
    return results


def write_scale_results(out: Path, results: Mapping[str, Any], section: Section, made_from: MadeFrom) -> None:
    """Write what ratings or orders came to into the folder `out`; the same answers give the same bytes.

    Written are `results.json`, `results.html`, and as Parquet the tables `scales.scale_tables`: of ratings
    `rating_means` and `rating_alphas`, of orders `order_means`.

    Args:
        out: the folder.
        results: of `scales.rating_results` or `scales.order_results`.
        section: the same for the page, which also has the reasons for ratings.
        made_from: the digests of the answers and the items, which stand in `made_from.json` and in each table.

    Raises:
        UserError: a folder that cannot be written to.
    """
    for name, table in scale_tables(results).items():
        write_table(table, out / f"{name}.parquet", name, provenance.as_metadata(made_from))
    _write_json(out, results)
    provenance.write_record(out, made_from)
    write_text(out / "results.html", sections_html(results["studies"], [section, *scale_reasons(results)]))


def _write_json(out: Path, results: Mapping[str, Any]) -> None:
    write_text(out / "results.json", json.dumps(results, indent=2, ensure_ascii=False) + "\n")
