"""The organiser's pages on which something is done to a study or to its people; each asks first, then posts."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from denouement.documents import Dataclass, document
from denouement.errors import UserError
from denouement.study.store import Store, StoreUnavailableError
from denouement.study.store.preview import pages
from denouement.study.web.organiser_guard import COOKIE, HOME, Organised, known, shown_time, unknown
from denouement.study.web.preview import ROOT, Preview
from denouement.study.web.render import page
from denouement.study.web.security import form_token, require_form_token, set_cookie
from denouement.study.web.typed import Typed, forget, keep, kept
from denouement.study.web.visits import SESSION, Form

router = APIRouter(prefix="/organiser")


@dataclass(frozen=True)
class Field:
    """A field of an action's form."""

    name: str
    label: str
    kind: str = "text"
    value: str = ""


@dataclass(frozen=True)
class Action:
    """Something that the organiser does.

    Attributes:
        title: of the page that asks; `{}` is the study, or the person for an action about one.
        text: what it does.
        button: the text of the button.
        done: what the study's page says afterwards.
        run: does it, for the store, the study and the form; raises UserError where it cannot be done.
        fields: what is asked, for the store and the study.
        is_danger: whether something is lost by it.
        is_about_person: whether it is done to the annotator whom the form names.
    """

    title: str
    text: str
    button: str
    done: str
    run: Callable[[Store, str, Mapping[str, str]], object]
    fields: Callable[[Store, str], Sequence[Field]] = lambda store, study: ()
    is_danger: bool = False
    is_about_person: bool = False


def number(form: Mapping[str, str], name: str, label: str) -> int:
    """A field as a whole number from 1 to 10,000; UserError where it is none."""
    text = form.get(name, "").strip()
    if not (re.fullmatch("[0-9]{1,5}", text) and 1 <= int(text) <= 10_000):
        raise UserError(f"{label}: must be a whole number from 1 to 10,000")
    return int(text)


def _edit_fields(store: Store, study: str) -> list[Field]:
    design = store.design(study)
    most = "" if design.max_items_per_person is None else str(design.max_items_per_person)
    return [
        Field("title", "Title of the pages", value=design.title),
        Field("contact", "Contact, which annotators see; may be empty", value=design.contact),
        Field("most", "Most questions a person, checks included; empty leaves it as it is", "number", most),
    ]


def _edit(store: Store, study: str, form: Mapping[str, str]) -> None:
    given, design = {"title": form.get("title", ""), "contact": form.get("contact", "")}, store.design(study)
    changed: dict[str, Any] = {key: value for key, value in given.items() if value != getattr(design, key)}
    if form.get("most", "").strip():
        most = number(form, "most", "most questions a person")
        changed |= {} if most == design.max_items_per_person else {"max_items_per_person": most}
    if changed:
        store.edit(study, **changed, by="organiser")


def _delete(store: Store, study: str, form: Mapping[str, str]) -> None:
    if form.get("name") != study:
        raise UserError("not deleted, since another name was typed")
    store.delete(study, without_export=form.get("unexported") == "yes")


ACTIONS = {
    "pause": Action(
        "Pause {}?",
        "Nobody gets a new question until you reopen the study. Who holds a question may still answer it. People who "
        "come see that the study is paused.",
        "Pause",
        "The study is paused.",
        lambda store, study, form: store.set_state(study, "paused", "organiser"),
    ),
    "close": Action(
        "Close {}?",
        "Nobody comes in, and nobody gets a new question. Who holds a question may still answer it until its time "
        "ends. You may reopen the study.",
        "Close",
        "The study is closed.",
        lambda store, study, form: store.set_state(study, "closed", "organiser"),
    ),
    "reopen": Action(
        "Reopen {}?",
        "People come in and get questions again.",
        "Reopen",
        "The study is open.",
        lambda store, study, form: store.set_state(study, "open", "organiser"),
    ),
    "edit": Action(
        "Edit {}", "Questions and items never change once a study is made.", "Save", "Saved.", _edit, _edit_fields
    ),
    "copy": Action(
        "Copy {}",
        "The copy has the same design and items, no answers, and links and ids of its own.",
        "Copy",
        "The study is copied.",
        lambda store, study, form: store.copy(study, form.get("name", ""), "organiser"),
        lambda store, study: [Field("name", "Name of the copy: a-z, 0-9, - and _")],
    ),
    "delete": Action(
        "Delete {}?",
        "This deletes the study with all its people, answers and links. It cannot be undone. The study must be "
        "closed, and its answers exported since the last of them. Download its other tables, too.",
        "Delete",
        "The study is deleted.",
        _delete,
        lambda store, study: [
            Field("name", f"Type {study} to confirm"),
            Field("unexported", "Its answers may be lost: delete them without an export", "checkbox"),
        ],
        is_danger=True,
    ),
    "links": Action(
        "Add links to {}",
        "Each link is for one person.",
        "Add",
        "The links are added.",
        lambda store, study, form: store.add_links(study, number(form, "n", "how many"), "organiser"),
        lambda store, study: [Field("n", "How many", "number", "5")],
    ),
    "idle": Action(
        "Release what idle people of {} hold",
        "Others get the questions of people who neither got a question nor sent an answer for some minutes. Who comes "
        "back gets the question again, if it is still free.",
        "Release",
        "Released.",
        lambda store, study, form: store.release(
            study, idle=timedelta(minutes=number(form, "minutes", "minutes")), by="organiser"
        ),
        lambda store, study: [Field("minutes", "Minutes", "number", "15")],
    ),
    "release": Action(
        "Release what {} holds?",
        "Others can get the question. The person gets it again when they come back, if it is still free.",
        "Release",
        "What {} held is released.",
        lambda store, study, form: store.release(study, form["annotator"], by="organiser"),
        is_about_person=True,
    ),
    "exclude": Action(
        "Exclude {}?",
        "Their answers stay in the export, marked as excluded, and no longer count. Their items are handed out "
        "again to others, and they can answer no more questions. You may undo it: then their answers count where "
        "others have not answered since.",
        "Exclude",
        "{} is excluded, and the items are open again.",
        lambda store, study, form: store.exclude(study, form["annotator"], form.get("reason", "").strip(), "organiser"),
        lambda store, study: [Field("reason", "Reason, for you and the log; annotators do not see it")],
        is_danger=True,
        is_about_person=True,
    ),
    "readmit": Action(
        "Undo the exclusion of {}?",
        "They may go on. Their answers count again where an item still lacks an answer; where others answered since, "
        "they stay in the export as surplus.",
        "Undo the exclusion",
        "{} is not excluded any more.",
        lambda store, study, form: store.readmit(study, form["annotator"], "organiser"),
        is_about_person=True,
    ),
    "withdraw": Action(
        "Delete the answers of {}?",
        "Do this when the person asks for it. All their answers and replies are deleted and their part in the "
        "study ends. It cannot be undone. Exports made before still have them.",
        "Delete the answers",
        "The answers of {} are deleted.",
        lambda store, study, form: store.withdraw_for(study, form["annotator"], "organiser"),
        is_danger=True,
        is_about_person=True,
    ),
}

_PAGES = {
    "consent": "Consent",
    "before": "Questions before",
    "training": "Training",
    "question": "A question",
    "after": "Questions after",
    "end": "The end",
    "screened_out": "Screened out by the training",
}


def note_of(done: str, annotator: str, actions: Mapping[str, Action] = ACTIONS) -> str | None:
    """What the study's page says after an action."""
    return actions[done].done.format(annotator) if done in actions else None


@router.get("/{study}/log")
def log_page(store: Organised, study: str) -> Response:
    """What was done to a study."""
    entries = reversed(known(store.log, study).entries)
    return page("log.html", title=f"Log of {study}", study=study, entries=entries, shown_time=shown_time, logout=True)


@router.get("/{study}/log.json")
def log_file(store: Organised, study: str) -> Response:
    """The log as `denouement study export` writes it."""
    return json_file(known(store.log, study), f"{study}-log.json")


@router.get("/{study}/person.json")
def person_file(store: Organised, study: str, annotator: str = "") -> Response:
    """All that the store has about a person."""
    return json_file(known(lambda of: store.person(of, annotator, "organiser"), study), f"{study}-person.json")


@router.get("/{study}/preview")
def preview_page(request: Request, store: Organised, study: str) -> Response:
    """The pages that may be previewed."""
    there = [(name, _PAGES[name]) for name in known(lambda of: pages(store, of), study)]
    token = form_token(request.cookies[COOKIE])
    return page("preview.html", title=f"Preview of {study}", study=study, pages=there, form_token=token, logout=True)


@router.post("/{study}/preview")
def preview(request: Request, store: Organised, study: str, form: Form) -> Response:
    """Go to a page as an annotator of the preview."""
    require_form_token(request.cookies[COOKIE], form)
    chosen = next((name for name in known(lambda of: pages(store, of), study) if name == form.get("page")), None)
    if chosen is None:
        raise unknown()
    previews: Preview = request.app.state.preview
    step = "end" if chosen == "screened_out" else chosen
    response = RedirectResponse(f"{ROOT}/s/{study}/{step}", 303)
    set_cookie(response, request, SESSION, previews.begin(store, study, chosen), f"{ROOT}/s/{study}/", days=1)
    return response


@router.get("/{study}/{name}")
def action_page(request: Request, store: Organised, study: str, name: str, annotator: str = "") -> Response:
    """What an action does, with a form to confirm. An annotator's id may have any character, so it is in no path."""
    return asked(request, store, study, ACTIONS, name, annotator)


@router.post("/{study}/{name}")
def act(request: Request, store: Organised, study: str, name: str, form: Form) -> Response:
    """Do it, then go back to the study's page; where it is refused, to the page of the action."""
    return acted(request, store, study, ACTIONS, name, form)


def asked(
    request: Request, store: Store, study: str, actions: Mapping[str, Action], name: str, annotator: str
) -> Response:
    """The page of an action, which asks first.

    Args:
        request: of the page.
        store: the store.
        study: the name of a study, or of what has the same people and addresses.
        actions: by name, those that there are.
        name: of the action.
        annotator: whom it is about; empty for none.

    Raises:
        Refused: there is no such action, study or person.
    """
    action = _action(store, study, actions, name, annotator)
    typed = kept(request, request.cookies[COOKIE], _about(name, annotator))
    response = _form(request, store, study, action, name, annotator, typed)
    forget(response, f"{HOME}{study}/")  # next time the reason of the refusal may be gone
    return response


def acted(
    request: Request, store: Store, study: str, actions: Mapping[str, Action], name: str, form: Mapping[str, str]
) -> Response:
    """What follows the form of `asked`: the study's page, or where the action is refused, the form with the reason.

    Raises:
        Refused: as `asked`, or the form is not ours.
    """
    require_form_token(request.cookies[COOKIE], form)
    annotator = form.get("annotator", "")
    action = _action(store, study, actions, name, annotator)
    try:
        action.run(store, study, form)
    except StoreUnavailableError:
        raise
    except UserError as error:
        fields = {field.name: form.get(field.name, "") for field in action.fields(store, study)}
        typed = Typed(_about(name, annotator), fields, str(error))
        again = RedirectResponse(_address(study, name, annotator), 303)
        fits = keep(again, request, request.cookies[COOKIE], f"{HOME}{study}/", typed)
        return again if fits else _form(request, store, study, action, name, annotator, typed)
    said = {"done": name, **({"annotator": annotator} if action.is_about_person else {})}
    return RedirectResponse(
        f"{HOME}?{urlencode(said)}" if name == "delete" else f"{HOME}{study}?{urlencode(said)}", 303
    )


def _action(store: Store, study: str, actions: Mapping[str, Action], name: str, annotator: str) -> Action:
    """The action of this name.

    Raises:
        Refused: there is none; or it is about a person, and the study has none of this id.
    """
    people = {person.annotator_id for person in known(store.people, study)}
    if name not in actions or (actions[name].is_about_person and annotator not in people):
        raise unknown()
    return actions[name]


def _about(name: str, annotator: str) -> str:
    return f"{name} {annotator}"


def _address(study: str, name: str, annotator: str) -> str:
    return f"{HOME}{study}/{name}" + (f"?{urlencode({'annotator': annotator})}" if annotator else "")


def _form(
    request: Request, store: Store, study: str, action: Action, name: str, annotator: str, typed: Typed
) -> Response:
    fields = action.fields(store, study)
    return page(
        "action.html",
        title=action.title.format(annotator if action.is_about_person else study),
        paragraphs=[action.text],
        action=f"{HOME}{study}/{name}",
        form_token=form_token(request.cookies[COOKIE]),
        hidden={"annotator": annotator} if action.is_about_person else {},
        fields=[replace(field, value=typed.fields.get(field.name, field.value)) for field in fields],
        button=action.button,
        is_danger=action.is_danger,
        problem=typed.problem or None,
        back=f"{HOME}{study}",
        logout=True,
    )


def json_file(found: Dataclass, name: str) -> Response:
    """A result as a file that a browser keeps."""
    text = json.dumps(document(found), indent=2, ensure_ascii=False, default=datetime.isoformat)
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text + "\n", media_type="application/json", headers=headers)
