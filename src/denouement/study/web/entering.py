"""The pages on the way into a study: its link, then consent or refusal."""

import re
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Response

from denouement.study.web.leaving import not_now
from denouement.study.web.render import paragraphs
from denouement.study.web.security import RefusedVisit, require_form_token, set_cookie
from denouement.study.web.visits import BROWSER, Form, Visit, Visiting

PROLIFIC = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
ARRIVAL = "arrival"  # cookie: who the person is whose link was opened, until they arrive

_ID = "id"
_ARRIVAL_DAYS = 1 / 24

router = APIRouter(prefix="/s/{study}")


@router.get("/")
def entry(visit: Visiting) -> Response:
    """The one link of an open study or of a study on Prolific; a person who was here before goes on where they were."""
    kind, query = visit.design.entry.kind, visit.request.query_params
    if kind == "prolific" and PROLIFIC[0] in query:
        given = _of_prolific(query)
        return coming(visit, given.pop(PROLIFIC[0]), given)
    if visit.annotator:
        return visit.onward()
    if kind == "prolific":
        raise RefusedVisit(403, "not_from_prolific")
    if kind == "links":
        raise RefusedVisit(403, "no_own_link")
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
    return coming(visit, token, {})


@router.get("/arrive")
def arrive(visit: Visiting) -> Response:
    """The first page in a browser that keeps cookies, where the store adds the person."""
    return arrived(visit, visit.design.entry.kind == "links")


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
    say = visit.say
    texts = [say("decline.text"), say(f"decline.kept.{visit.design.entry.kind}")]
    button = {"name": "decline", "value": "yes", "kind": "", "text": say("decline.button")}
    return visit.form(say("decline.title"), texts, "decline", button, back="", key=_key(visit))


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
    say, kind = visit.say, visit.design.entry.kind
    if kind == "open" and not visit.annotator:
        changed = say("declined.changed_mind")
        return visit.message("declined.title", say("declined.open"), back=visit.url(""), back_label=changed)
    if not visit.is_at("declined"):
        return visit.onward()
    texts = [say("declined.prolific" if kind == "prolific" else "declined.links")]
    if visit.design.contact:
        texts.append(say("declined.contact", contact=visit.design.contact))
    return visit.message("declined.title", *texts)


def _of_prolific(given: Mapping[str, str]) -> dict[str, str]:
    """The values of `PROLIFIC` among those given.

    Raises:
        RefusedVisit: one is missing, or can be no id of Prolific's.
    """
    values = {name: given.get(name, "") for name in PROLIFIC}
    if not all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value) for value in values.values()):
        raise RefusedVisit(400, "incomplete_link")
    return values


def arriving(visit: Visit) -> str:
    """The id of the person whose link was opened in this browser; empty where none was."""
    return _arriving(visit).get(_ID, "")


def arrived(visit: Visit, is_link: bool) -> Response:
    """Let the person in whose link was opened.

    Programs that look at a link to show a preview of it, or fetch it in advance, add nobody.

    Args:
        visit: the visit.
        is_link: whether it was a private link; else it was one of Prolific's.
    """
    given = _arriving(visit)
    external_id, values = given.get(_ID), dict[str, str]()
    if not external_id or (visit.design.entry.kind == "open" and not is_link):
        return visit.onward()
    if not is_link:  # anybody can write a cookie: it is checked as the link was
        values = _of_prolific({**given, PROLIFIC[0]: external_id})
        external_id = values.pop(PROLIFIC[0])
    if visit.is_only_a_look:
        return Response()
    response = visit.remembering(visit.entered(external_id, values))
    response.delete_cookie(ARRIVAL, visit.url(""))
    return response


def _arriving(visit: Visit) -> dict[str, str]:
    return dict(parse_qsl(visit.request.cookies.get(ARRIVAL, "")))


def coming(visit: Visit, external_id: str, entry: Mapping[str, str]) -> Response:
    """Go to the page where a person arrives; the browser takes along who they are.

    Raises:
        RefusedVisit: nobody can enter with this id.
    """
    if not visit.may_enter(external_id):
        raise RefusedVisit(404, "no_link")
    response = visit.to("arrive")
    value = urlencode({_ID: external_id, **entry})
    set_cookie(response, visit.request, ARRIVAL, value, visit.url(""), days=_ARRIVAL_DAYS)
    return response


def _may_decline(visit: Visit) -> bool:
    """Whether the person has not decided yet: a stored person before consent, or a visitor to an open study."""
    if visit.annotator:
        return visit.is_at("consent")
    return visit.design.entry.kind == "open" and bool(visit.browser)


def _key(visit: Visit) -> str:
    """The key that signs the forms before consent: the person's, or the browser's where no person is stored yet."""
    return visit.key if visit.annotator else visit.browser


def _consent(visit: Visit, action: str, key: str | None = None) -> Response:
    texts = [*paragraphs(visit.design.consent), *visit.length, *visit.contact]
    button = {"name": "consent", "value": "yes", "kind": "", "text": visit.say("consent.agree")}
    refuse = visit.say("consent.refuse")
    return visit.form(visit.design.title, texts, action, button, back="decline", back_label=refuse, key=key)
