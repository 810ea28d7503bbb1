"""The organiser's pages of collections: how far each is, what waits where, what endings give away, who did what."""

import io
import re
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode
from zipfile import ZipFile

from fastapi import APIRouter, Depends, Query, Request, Response

from denouement.collect.crowd import crowd_table
from denouement.collect.description import Collection
from denouement.collect.exported import reviews_csv
from denouement.collect.exporting import REVIEWS
from denouement.collect.paying import payments, payments_csv
from denouement.collect.sections import filter_blocks, given_away, words_of, writers_table
from denouement.collect.store import CollectionProgress, CollectionStore
from denouement.collect.waiting import PIECES, flow
from denouement.collect.web.addresses import entry_addresses
from denouement.collect.web.monitor import Monitor
from denouement.collect.web.organiser_life import actions
from denouement.collect.web.render import page
from denouement.collect.web.routes import IS_THERE, CollectionRoute
from denouement.collect.web.words import STEP_WORDS
from denouement.present.cells import Share, written
from denouement.study.store.export import table_file
from denouement.study.web import organiser
from denouement.study.web.addresses import private_link
from denouement.study.web.organiser import download
from denouement.study.web.organiser_guard import COOKIE, Guard, Organised, shown_time, unknown
from denouement.study.web.organiser_life import json_file, note_of
from denouement.study.web.security import form_token, require_form_token
from denouement.study.web.visits import Form

home_router = APIRouter(prefix="/organiser")
router = APIRouter(prefix="/organiser", route_class=CollectionRoute, dependencies=[IS_THERE])

_TITLES = {step: words.title for step, words in STEP_WORDS.items()}
_ON_PAGE = 50  # pieces of work
_SAID = {
    "approve": "Approves it",
    "return": "Returns it",
    "reject": "Rejects it",
    "approved": "Approved",
    "open": "Waits for a reviewer",
    "returned": "Returned",
    "rejected": "Rejected",
    "1": "Makes sense",
    "0": "Does not make sense",
    "-1": "It is not clear",
    "sense": "Makes sense",
    "until_last": "Makes sense until the last sentence",
    "other": "Does not make sense, for another reason",
}


def collected(request: Request, _: Organised) -> CollectionStore:
    """The store, for a browser in which the token was entered."""
    store: CollectionStore = request.app.state.store
    return store


Collected = Annotated[CollectionStore, Depends(collected)]


@dataclass(frozen=True)
class ShownLink:
    """A private link: its address, the titles of the steps to which it leads, and who opened it."""

    address: str
    steps: tuple[str, ...]
    person: str | None


@home_router.get("/")
def home(request: Request, done: str = "", wrong: str = "") -> Response:
    """The list of studies and collections; in a browser without the token, the form for it."""
    guard: Guard = request.app.state.guard
    if not guard.knows(request):
        return organiser.home(request, done, wrong)
    store: CollectionStore = request.app.state.store
    return page(
        "campaigns.html",
        title="Studies and collections",
        kinds={
            "study": [(name, store.state(name)) for name in store.studies()],
            "collect": [(name, store.state(name)) for name in store.collections()],
        },
        note="It is deleted." if done == "delete" else note_of(done, ""),
        logout=True,
    )


@router.get("/{study}")
def overview(request: Request, store: Collected, study: str, done: str = "", annotator: str = "") -> Response:
    """How far a collection is, and after an action (`done`) what was done."""
    collection = store.collection(study)
    progress = store.collection_progress(study)
    monitor: Monitor = request.app.state.monitor
    last = monitor.look(study, _state(store, progress))
    found = last.look.overview if last.look else None
    watch = found.watch if found else None
    return page(
        "collection.html",
        title=f"Collection {study}",
        study=study,
        progress=progress,
        titles=_TITLES,
        flow=flow(progress),
        is_held=any(step.open for step in progress.steps),
        last=last,
        watch=watch,
        watch_tables=[*given_away(watch), writers_table(watch)] if watch and not watch.missing else [],
        confirmed=filter_blocks(found.filter)[0] if found and found.filter else None,
        crowd=crowd_table(found.crowd, collection.currency) if found else None,
        entries=_entries(request, collection),
        links=_links(request, store, study),
        form_token=form_token(request.cookies[COOKIE]),
        shown_time=shown_time,
        percent=Share,
        written=written,
        words_of=words_of,
        note=note_of(done, annotator, actions(collection)),
        logout=True,
    )


@router.get("/{study}/bias.svg")
def curve(request: Request, store: Collected, study: str) -> Response:
    """The curve of what endings give away, as it was when the collection was last looked at."""
    monitor: Monitor = request.app.state.monitor
    look = monitor.last(study).look
    if look is None or look.picture is None:
        raise unknown()
    return Response(look.picture, media_type="image/svg+xml")


@router.get("/{study}/newest")
def newest(store: Collected, study: str, by: str = "", number: Annotated[str, Query(alias="page")] = "1") -> Response:
    """What came in, to read: the newest first.

    Args:
        store: the store.
        study: the name of the collection.
        by: of this person alone; empty: of all.
        number: which page of it, from 1.
    """
    at = max(1, int(number)) if re.fullmatch("[0-9]{1,6}", number) else 1
    found = store.newest(study, by or None, skip=(at - 1) * _ON_PAGE, most=_ON_PAGE + 1)

    def address(number: int) -> str:
        return f"/organiser/{study}/newest?" + urlencode({**({"by": by} if by else {}), "page": number})

    return page(
        "newest.html",
        title=f"What came in to {study}",
        study=study,
        by=by,
        pieces=found[:_ON_PAGE],
        kinds={step: piece.one.capitalize() for step, piece in PIECES.items()},
        said=_SAID,
        newer=address(at - 1) if at > 1 else None,
        older=address(at + 1) if len(found) > _ON_PAGE else None,
        shown_time=shown_time,
        logout=True,
    )


@router.get("/{study}/person.json")
def person_file(store: Collected, study: str, annotator: str = "") -> Response:
    """All that the store has about a person."""
    if annotator not in {each.annotator_id for each in store.people(study)}:
        raise unknown()
    return json_file(store.collector(study, annotator, "organiser"), f"{study}-person.json")


@router.get("/{study}/payments.csv")
def payments_file(store: Collected, study: str) -> Response:
    """What each person is to be paid, with the mark by which spreadsheets know UTF-8."""
    collection = store.collection(study)
    content = payments_csv(payments(store.done_work(study), collection), collection.currency, bom=True)
    return download(content, "text/csv; charset=utf-8", f"{study}-payments.csv")


@router.post("/{study}/export/all.zip")
def export(request: Request, store: Collected, study: str, form: Form) -> Response:
    """All tables with who did what; the store keeps that they were exported. No link does so: programs follow links."""
    require_form_token(request.cookies[COOKIE], form)
    digest = store.work_digest(study)
    work = store.collected(study)
    tables = {
        "collected_stories": work.stories,
        "collected_endings": work.endings,
        "verifications": work.verifications,
    }
    packed = io.BytesIO()
    with ZipFile(packed, "w") as files:
        for name, table in tables.items():
            if table is not None:
                files.writestr(f"{name}.parquet", table_file(table, name))
        if work.reviews:
            files.writestr(REVIEWS, reviews_csv(work.reviews))
    if not store.is_read_only:
        store.collection_exported(study, digest, "organiser")
    return download(packed.getvalue(), "application/zip", f"{study}.zip")


def _state(store: CollectionStore, progress: CollectionProgress) -> object:
    """What is equal as long as the collection has the same work: not of another one that has its name later, and not
    once somebody withdrew, even where others have made up for their work.
    """
    log = store.log(progress.collection).entries
    changed = [entry.at for entry in log if entry.what in ("created", "withdrew")]
    return changed, [(each.done, each.surplus, each.excluded, dict(each.statuses)) for each in progress.steps]


def _entries(request: Request, collection: Collection) -> list[tuple[str, str]]:
    """The addresses for everyone, with what they are for; none where people come by private links alone."""
    return [
        (_TITLES[steps[0]] if len(steps) == 1 else "All steps", address)
        for steps, address in entry_addresses(collection, request.app.state.base_url).items()
    ]


def _links(request: Request, store: CollectionStore, study: str) -> list[ShownLink]:
    led = store.links_to(study)
    return [
        ShownLink(
            private_link(request.app.state.base_url, study, token),
            tuple(_TITLES[step] for step in led.get(token, ())),
            person,
        )
        for token, person in store.opened_by(study).items()
    ]
