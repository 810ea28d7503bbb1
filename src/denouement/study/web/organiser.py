"""The organiser's pages, which need a token: how far each study is, its people, and the export."""

import io
from collections.abc import Sequence
from zipfile import ZipFile

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from denouement.study.design.description import Design
from denouement.study.design.questions import PairQuestion
from denouement.study.results.ballot import count
from denouement.study.results.pairs import PairItems, pair_items
from denouement.study.store import Answer, Progress, Store
from denouement.study.store.export import ANSWER_TABLES, answers_table, study_table, table_file, table_names
from denouement.study.web.addresses import PROLIFIC_QUERY, private_link
from denouement.study.web.organiser_guard import (
    COOKIE,
    HOME,
    SESSION_DAYS,
    Guard,
    Organised,
    known,
    shown_time,
    unknown,
)
from denouement.study.web.organiser_life import note_of
from denouement.study.web.render import page
from denouement.study.web.security import form_token, require_form_token, set_cookie
from denouement.study.web.visits import Form

router = APIRouter(prefix="/organiser")


@router.get("/")
def home(request: Request, done: str = "", wrong: str = "") -> Response:
    """The list of studies; in a browser without the token, the form for it, which says if it was `wrong`."""
    guard: Guard = request.app.state.guard
    if not guard.knows(request):
        return page("login.html", title="Organiser", problem="That is not the token." if wrong else None)
    store: Store = request.app.state.store
    studies = [(name, store.state(name)) for name in store.studies()]
    note = note_of(done, "")
    return page("studies.html", title="Studies", studies=studies, note=note, logout=True)


@router.post("/login")
def login(request: Request, form: Form) -> Response:
    """Check the token, and open a session."""
    guard: Guard = request.app.state.guard
    if not guard.opens(request, form.get("token", "")):
        return RedirectResponse(f"{HOME}?wrong=token", 303)
    response = RedirectResponse(HOME, 303)
    set_cookie(response, request, COOKIE, guard.begin(), HOME, days=SESSION_DAYS)
    return response


@router.post("/logout")
def logout(request: Request, form: Form) -> Response:
    """End the session of this browser."""
    guard: Guard = request.app.state.guard
    guard.end(request)
    response = RedirectResponse(HOME, 303)
    response.delete_cookie(COOKIE, HOME)
    return response


@router.get("/{study}")
def overview(request: Request, store: Organised, study: str, done: str = "", annotator: str = "") -> Response:
    """How far a study is, and after an action (`done`) what was done."""
    design = known(store.design, study)
    answers = store.answers(study)
    progress = store.progress(study, answers=answers)
    return page(
        "study.html",
        title=f"Study {study}",
        study=study,
        design=design,
        progress=progress,
        questions=_pairs_so_far(progress, design, answers) if design.kind == "pair" else [],
        tables=[name for name in table_names(design) if answers or name != ANSWER_TABLES[design.kind]],
        form_token=form_token(request.cookies[COOKIE]),
        flags=store.flags(study),
        links=[(private_link(_address(request), study, token), who) for token, who in store.opened_by(study).items()],
        entry=f"{_address(request)}/s/{study}/" + (f"?{PROLIFIC_QUERY}" if design.entry.kind == "prolific" else ""),
        shown_time=shown_time,
        note=note_of(done, annotator),
        logout=True,
    )


@router.get("/{study}/export/{name}.parquet")
def table(store: Organised, study: str, name: str) -> Response:
    """A table of a study, as `denouement study export` writes it."""
    answers = known(store.answers, study)
    if name not in table_names(store.design(study)):
        raise unknown()
    file = table_file(study_table(store, study, name, answers), name)
    return download(file, "application/vnd.apache.parquet", f"{study}-{name}.parquet")


@router.post("/{study}/export/all.zip")
def export(request: Request, store: Organised, study: str, form: Form) -> Response:
    """All tables of a study; the store keeps that they were exported. No link does so: programs follow links."""
    require_form_token(request.cookies[COOKIE], form)
    answers = known(store.answers, study)
    packed = io.BytesIO()
    with ZipFile(packed, "w") as files:
        for name in table_names(store.design(study)):
            files.writestr(f"{name}.parquet", table_file(study_table(store, study, name, answers), name))
    if not store.is_read_only:
        store.exported(study, answers, "organiser")
    return download(packed.getvalue(), "application/zip", f"{study}.zip")


def download(content: bytes, kind: str, name: str) -> Response:
    """A file that a browser keeps, of this media type and name."""
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})


def _pairs_so_far(
    progress: Progress, design: Design, answers: Sequence[Answer]
) -> list[tuple[PairQuestion, list[PairItems]]]:
    """By question `pairs.pair_items` of each pair, over the items that have all answers; without any it is empty."""
    complete = {item.item_id for item in progress.items if item.accepted >= design.answers_per_item}
    votes = answers_table("pair", progress.study, [each for each in answers if each.item.id in complete])
    found = []
    for asked in design.asked if votes.num_rows else ():
        ballot = count(votes, asked.name)
        counts, pair_of_item = ballot.counts(), ballot.items["pair"].to_numpy()
        pairs = [pair_items(pair, counts[pair_of_item == place]) for place, pair in enumerate(ballot.pairs)]
        found += [(asked, pairs)] if pairs else []
    return found


def _address(request: Request) -> str:
    return str(request.app.state.base_url)
