"""A study's results as files."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.files import write_text
from denouement.schemas import write_table
from denouement.study.results import agreements, count, result_tables, study_results, table_3
from denouement.study.tables import results_html, table_3_text


def write_results(out: Path, votes: pa.Table, items: pa.Table | None) -> dict[str, Any]:
    """Work out the results and write them into the folder `out`; the same answers give the same bytes.

    Written are `results.json`, `results.html`, the tables `pairs`, `agreements`, `strengths` and `annotators` as
    Parquet, and, when there are items, Table 3 as `table_3.parquet` and `table_3.txt`.

    Returns:
        What `results.study_results` returns.

    Raises:
        UserError: as `results.study_results`, or a folder that cannot be written to.
    """
    results = study_results(votes, items)
    ballot = count(votes)
    tables = {**result_tables(results), "agreements": agreements(ballot)}
    third = table_3(ballot, items) if items is not None else None
    if third is not None:
        tables["table_3"] = third
        write_text(out / "table_3.txt", table_3_text(third) + "\n")
    for name, table in tables.items():
        write_table(table, out / f"{name}.parquet", name)
    write_text(out / "results.json", json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    write_text(out / "results.html", results_html(results, third))
    return results
