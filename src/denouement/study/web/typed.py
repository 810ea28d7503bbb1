"""What a person sent with a form that was refused, so that the form shows it again.

A refused form leads to its page again, so that the browser's Back and Reload never ask whether to send it once more.
What was sent waits in the browser until then, in a cookie that the person's key signs and that any server process can
read; the store keeps nothing that was not accepted.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from fastapi import Request, Response
from itsdangerous import BadData, URLSafeTimedSerializer

from denouement.errors import UserError
from denouement.settings import build
from denouement.study.web.security import set_cookie

_COOKIE = "typed"
_SECONDS = 600
_MOST_BYTES = 3800  # browsers keep 4,096 bytes of a cookie, its name and path included


@dataclass(frozen=True)
class Typed:
    """A refused form.

    Attributes:
        about: the `assignment` of the form, without which it is no longer the form that is shown.
        fields: what was sent, without hidden fields.
        problem: why it was refused; empty where that follows from `missed`.
        missed: in the training item of a rating study, the scales with a wrong value.
    """

    about: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    missed: tuple[str, ...] = ()


def refused(form: Mapping[str, str], problem: str = "", missed: Sequence[str] = ()) -> Typed:
    """A form that is refused for these reasons."""
    fields = {name: value for name, value in form.items() if name not in ("form", "assignment")}
    return Typed(form.get("assignment", ""), fields, problem, tuple(missed))


def keep(response: Response, request: Request, key: str, path: str, typed: Typed) -> bool:
    """Have the browser keep a refused form for ten minutes; whether it is short enough for that.

    Args:
        response: gets the cookie.
        request: of the form.
        key: the person's key.
        path: where the pages of the study are.
        typed: the form.
    """
    value = str(_serializer(key).dumps(asdict(typed)))
    if fits := len(value) <= _MOST_BYTES:
        set_cookie(response, request, _COOKIE, value, path, days=_SECONDS / 86_400)
    return fits


def kept(request: Request, key: str, about: str) -> Typed:
    """The refused form that the browser keeps for the assignment `about`; an empty one where it keeps none."""
    try:
        loaded = _serializer(key).loads(request.cookies.get(_COOKIE, ""), max_age=_SECONDS)
        typed = build(Typed, loaded, _COOKIE)
    except (BadData, UserError):
        return Typed()
    whole = typed.about == about and all(isinstance(value, str) for value in typed.fields.values())
    return typed if whole else Typed()


def forget(response: Response, path: str) -> None:
    """Have the browser drop the form."""
    response.delete_cookie(_COOKIE, path)


def _serializer(key: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(key, salt="typed", signer_kwargs={"digest_method": hashlib.sha256})
