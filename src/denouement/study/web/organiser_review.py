"""The organiser's page of what came in: people with unusual answers, and each item with its answers and reasons."""

from fastapi import APIRouter, Response

from denouement.errors import UserError
from denouement.spreadsheets import csv_bytes
from denouement.study.results.review import review
from denouement.study.results.rules import FLAGS, MEASURES, rules
from denouement.study.store.csv_export import csv_tables
from denouement.study.store.export import answers_and_items
from denouement.study.web.organiser_guard import Organised, known, unknown
from denouement.study.web.render import page

router = APIRouter(prefix="/organiser")


@router.get("/{study}/review")
def review_page(store: Organised, study: str, flags: str = "") -> Response:
    """What came in so far; `flags` are the rules that flag people, with commas between them, or empty for ours."""
    answers, items = known(lambda of: answers_and_items(store, of), study)
    given, problem = list(FLAGS), None
    try:
        given = rules([text for text in flags.split(",") if text.strip()]) or given
    except UserError as error:
        problem = str(error)
    states = {each.annotator_id: each.state for each in store.progress(study).people}
    found = review(answers, items, given)
    return page(
        "review.html",
        422 if problem else 200,
        title=f"What came in to {study}",
        study=study,
        review=found,
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
