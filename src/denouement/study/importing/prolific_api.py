"""Submissions from Prolific's API (docs.prolific.com/api-reference/submissions)."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from denouement.errors import UserError
from denouement.study.importing.prolific import Submission, plain_status

API_URL = "https://api.prolific.com"
_TIMEOUT = 30.0  # seconds
_A_PAGE, _MOST_PAGES = 100, 1000
_HERE = ("127.0.0.1", "localhost", "::1")


class _NoRedirect(HTTPRedirectHandler):
    """Follows no redirect, which would send the token to another address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """No request."""


def submissions(study_id: str, token: str, api_url: str = API_URL, timeout: float = _TIMEOUT) -> list[Submission]:
    """All submissions to a study on Prolific, of every page of the list.

    Args:
        study_id: the id that Prolific gave the study.
        token: of an account that may see the study.
        api_url: where the API is, without its path.
        timeout: seconds to wait for each page.

    Raises:
        UserError: no such study, a token that is not accepted, an address that is not https, or no answer; the message
            never contains the token.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", study_id, re.ASCII):
        raise UserError(f"Prolific: {study_id!r} is no id of a study; take it from the study's address on Prolific")
    if not token.isascii() or not token.isprintable():
        raise UserError("PROLIFIC_TOKEN: has characters that no token has; copy it again")
    parts = urlsplit(api_url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _HERE):
        raise UserError(f"PROLIFIC_API_URL {api_url}: must begin with https://, since the token is sent there")
    opener = build_opener(_NoRedirect)
    found: dict[str, Submission] = {}
    for number in range(1, _MOST_PAGES + 1):
        asked = urlencode({"study": study_id, "page": number, "page_size": _A_PAGE})
        request = Request(  # noqa: S310 (the scheme was checked)
            f"{api_url.rstrip('/')}/api/v1/submissions/?{asked}",
            headers={"Authorization": f"Token {token}", "Accept": "application/json"},
        )
        document = _document(opener, request, study_id, timeout)
        its, is_last = _page(document)
        found |= {each.id: each for each in its}
        if is_last:
            return list(found.values())
    raise UserError(f"Prolific: more than {_MOST_PAGES:,} pages of submissions; is PROLIFIC_API_URL right?")


def _document(opener: OpenerDirector, request: Request, study_id: str, timeout: float) -> Any:
    """The JSON that the API answers.

    Raises:
        UserError: it answers with an error or no JSON, or not at all.
    """
    try:
        with opener.open(request, timeout=timeout) as answer:
            return json.loads(answer.read())
    except HTTPError as error:
        raise UserError(_said(error, study_id)) from error
    except (URLError, OSError) as error:
        why = getattr(error, "reason", None) or error
        raise UserError(f"Prolific: cannot be reached ({why}); try again") from error
    except ValueError as error:
        raise UserError("Prolific: the answer is no JSON; is PROLIFIC_API_URL right?") from error


def _said(error: HTTPError, study_id: str) -> str:
    """What an error of the API means, in one line."""
    status = error.code
    if status in (401, 403):
        return f"Prolific: the token is not accepted ({status}); set PROLIFIC_TOKEN to one that may see the study"
    if status == 404:
        return f"Prolific: no study {study_id} (404); take the id from the study's address on Prolific"
    if status == 429:
        wait = error.headers.get("Retry-After", "")
        return f"Prolific: too many requests (429); try again in {wait + ' seconds' if wait.isdigit() else 'a minute'}"
    if status >= 500:
        return f"Prolific: does not work at present ({status}); try again later"
    return f"Prolific: answered with status {status}; is PROLIFIC_API_URL right?"


def _page(document: Any) -> tuple[list[Submission], bool]:
    """The submissions of a page, and whether it is the last.

    Raises:
        UserError: it is no page of submissions.
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("results"), list):
        raise UserError("Prolific: the answer is no list of submissions; is PROLIFIC_API_URL right?")
    found = [_submission(each) for each in document["results"]]
    links = document.get("_links")
    following = links.get("next") if isinstance(links, Mapping) else None
    address = following.get("href") if isinstance(following, Mapping) else following
    return found, not (found and address)


def _submission(document: Any) -> Submission:
    """A submission of the list.

    Raises:
        UserError: it lacks a text that is needed.
    """
    texts: list[str] = []
    for name in ("id", "participant_id", "status"):
        text = document.get(name) if isinstance(document, Mapping) else None
        if not isinstance(text, str) or not text:
            raise UserError(f"Prolific: a submission has no {name}; is PROLIFIC_API_URL right?")
        texts.append(text)
    return Submission(texts[0], texts[1], plain_status(texts[2]), {})
