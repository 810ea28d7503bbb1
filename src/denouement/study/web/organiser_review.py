"""The organiser's page of what came in: people with unusual answers, and each item with its answers and reasons."""

import math
import re
from typing import Annotated

from fastapi import APIRouter, Query, Response

from denouement.errors import UserError
from denouement.spreadsheets import csv_bytes
from denouement.study.results.review import review
from denouement.study.results.rules import FLAGS, MEASURES, rules
from denouement.study.store.csv_export import csv_tables
from denouement.study.store.export import answers_and_items
from denouement.study.web.organiser_guard import Organised, known, unknown
from denouement.study.web.render import page

router = APIRouter(prefix="/organiser")

_ITEMS = 100  # of which one page shows the answers


@router.get("/{study}/review")
def review_page(
    store: Organised, study: str, flags: str = "", number: Annotated[str, Query(alias="page")] = "1"
) -> Response:
    """What came in so far.

    Args:
        store: the store.
        study: its name.
        flags: the rules that flag people, with commas between them, or empty for ours.
        number: which hundred items are shown, from 1; the last where there are not so many.
    """
    answers, items = known(lambda of: answers_and_items(store, of), study)
    given, problem = list(FLAGS), None
    try:
        given = rules([text for text in flags.split(",") if text.strip()]) or given
    except UserError as error:
        problem = str(error)
    states = {each.annotator_id: each.state for each in store.progress(study).people}
    found = review(answers, items, given)
    n_pages = max(1, math.ceil(len(found.items) / _ITEMS))
    shown = min(max(1, int(number)), n_pages) if re.fullmatch("[0-9]{1,9}", number) else 1
    return page(
        "review.html",
        422 if problem else 200,
        title=f"What came in to {study}",
        study=study,
        review=found,
        before=(shown - 1) * _ITEMS,
        on_page=_ITEMS,
        number=shown,
        marked={
            each.conduct.annotator_id: {one.measure: one.text for one in given if one.holds(each.conduct)}
            for each in found.people
        },
        states=states,
        flags=flags or ", ".join(each.text for each in given),
        measures=", ".join(MEASURES),
        problem=problem,
        logout=True,
    )


@router.get("/{study}/export/{name}.csv")
def csv_file(store: Organised, study: str, name: str) -> Response:
    """A table as `denouement study export --csv` writes it, with the mark by which spreadsheets know UTF-8."""
    table = known(lambda of: csv_tables(store, of), study).get(name)
    if table is None:
        raise unknown()
    return Response(
        csv_bytes(table.columns, table.rows, bom=True),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{study}-{name}.csv"'},
    )
