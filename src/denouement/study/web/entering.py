"""The pages on the way into a study: its link, then consent or refusal."""

import re
import secrets

from fastapi import APIRouter, Response

from denouement.study.web.leaving import not_now
from denouement.study.web.render import message, paragraphs
from denouement.study.web.security import Refused, require_form_token, set_cookie
from denouement.study.web.visits import BROWSER, Form, Visit, Visiting

PROLIFIC = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")

router = APIRouter(prefix="/s/{study}")


@router.get("/")
def entry(visit: Visiting) -> Response:
    """The one link of an open study or of a study on Prolific; a person who was here before goes on where they were."""
    kind, query = visit.design.entry.kind, visit.request.query_params
    if kind == "prolific" and PROLIFIC[0] in query:
        given = {name: query.get(name, "") for name in PROLIFIC}
        if not all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value) for value in given.values()):
            raise Refused(400, "This link is incomplete", "Go back to Prolific and open the study from there.")
        return visit.remembering(visit.entered(given.pop(PROLIFIC[0]), given))
    if visit.annotator:
        return visit.onward()
    if kind == "prolific":
        raise Refused(403, "Open this study from Prolific", "Its link there shows us who you are.")
    if kind == "links":
        raise Refused(403, "Open your own link", "Each person who takes part was given one.")
    if visit.outlook.state != "free":
        return not_now(visit)
    browser = visit.browser or secrets.token_urlsafe(16)
    response = _consent(visit, "enter", browser)
    set_cookie(response, visit.request, BROWSER, browser, visit.url(""))
    return response


@router.get("/link/{token}")
def private_link(visit: Visiting, token: str) -> Response:
    """The link of one person."""
    if visit.design.entry.kind != "links":
        return visit.to("")
    return visit.remembering(visit.entered(token))


@router.post("/enter")
def enter_open(visit: Visiting, form: Form) -> Response:
    """Consent in an open study. The store adds the person only now, not at their visit."""
    if visit.design.entry.kind != "open" or not visit.browser:
        return visit.to("")
    require_form_token(visit.browser, form)
    if form.get("consent") != "yes":
        return visit.to("decline")
    if visit.outlook.state != "free":
        return visit.to("")
    annotator = visit.entered(visit.browser)
    return visit.remembering(visit.store.consent(annotator.key))


@router.get("/consent")
def consent_page(visit: Visiting) -> Response:
    """The consent text, with a form to agree."""
    if not visit.is_at("consent"):
        return visit.onward()
    return _consent(visit, "consent")


@router.post("/consent")
def consent(visit: Visiting, form: Form) -> Response:
    """Take part."""
    visit.require_form(form)
    if form.get("consent") != "yes":
        return visit.to("decline")
    return visit.onward(visit.store.consent(visit.key))


@router.get("/decline")
def decline_page(visit: Visiting) -> Response:
    """What it means not to take part, with a form to confirm; opening this page is no refusal yet."""
    if not _may_decline(visit):
        return visit.onward()
    texts = ["Taking part is your choice, and it is fine not to. You will be asked no questions."]
    if visit.design.entry.kind == "open":
        texts.append("Nothing about you is kept.")
    elif visit.design.entry.kind == "links":
        texts.append("All that is kept is that the person with your link does not take part. The link ends with it.")
    else:
        texts.append(
            "All that is kept is that you do not take part. You get no code: we will ask you to return your "
            "submission on Prolific, which gives your place to someone else."
        )
    button = {"name": "decline", "value": "yes", "kind": "", "text": "Leave the study"}
    return visit.form("Leave without taking part?", texts, "decline", button, back="", key=_key(visit))


@router.post("/decline")
def decline(visit: Visiting, form: Form) -> Response:
    """Refuse to take part. The store keeps no data of a visitor to an open study, not even the refusal."""
    if not _may_decline(visit):
        return visit.onward()
    require_form_token(_key(visit), form)
    if visit.annotator:
        visit.store.decline(visit.key)
    return visit.to("declined")


@router.get("/declined")
def declined(visit: Visiting) -> Response:
    """The page after a refusal. It has no code, since a person who refuses was not screened out."""
    if visit.design.entry.kind == "open" and not visit.annotator:
        texts = ["Nothing about you was kept. You may close this page."]
        return message("You do not take part", *texts, back=visit.url(""), back_label="I have changed my mind")
    if not visit.is_at("declined"):
        return visit.onward()
    if visit.design.entry.kind == "prolific":
        texts = [
            "Thank you for letting us know. Please return your submission on Prolific now: on its page of this study, "
            "choose to cancel your participation. You need no code for it.",
        ]
    else:
        texts = ["Thank you for letting us know. You may close this page."]
    if visit.design.contact:
        texts.append(f"If this was a mistake, write to {visit.design.contact}.")
    return message("You do not take part", *texts)


def _may_decline(visit: Visit) -> bool:
    """Whether the person has not decided yet: a stored person before consent, or a visitor to an open study."""
    if visit.annotator:
        return visit.is_at("consent")
    return visit.design.entry.kind == "open" and bool(visit.browser)


def _key(visit: Visit) -> str:
    """The key that signs the forms before consent: the person's, or the browser's where no person is stored yet."""
    return visit.key if visit.annotator else visit.browser


def _consent(visit: Visit, action: str, key: str | None = None) -> Response:
    texts = [*paragraphs(visit.design.consent), *visit.contact]
    button = {"name": "consent", "value": "yes", "kind": "", "text": "I agree, begin"}
    return visit.form(visit.design.title, texts, action, button, back="decline", back_label="I do not agree", key=key)
