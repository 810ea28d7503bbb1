"""Checks of requests: origin, form token, rate, size and encoding."""

import hashlib
import hmac
import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl, urlsplit

from itsdangerous import Signer
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from denouement.study.languages import ENGLISH, Texts, texts

MOST_FORM_BYTES = 256 * 1024
MOST_DRAINED_BYTES = 16 * 1024 * 1024  # read and dropped, so that the browser shows the response
MOST_FIELDS = 1000  # a question's form has one for each marked word

_FORM = b"form"  # the text that a form's token signs

HEADERS = {
    # form-action stays 'self': the way back to Prolific is a link and never the answer to a form
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # not no-referrer, under which browsers send `Origin: null` with forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-robots-tag": "noindex, nofollow",
    "strict-transport-security": "max-age=31536000",  # browsers heed it under https only
}
HEAD = "denouement.head"  # in the scope of a request for the head of a page alone
NOT_KEPT = {"cache-control": "no-store"}


class Refused(Exception):  # noqa: N818  (no fault of the program)
    """A request that gets a page with an explanation, in English, instead of what it asked for.

    Attributes:
        status: the HTTP status.
        title: what happened: the page's heading.
        message: what the person can do about it.
        retry_after: seconds after which the same request may go through.
    """

    def __init__(self, status: int, title: str, message: str, retry_after: float = 0) -> None:
        super().__init__(title)
        self.status, self.title, self.message, self.retry_after = status, title, message, retry_after

    def words(self, say: Texts) -> tuple[str, str]:
        """Title and message."""
        return self.title, self.message


class RefusedVisit(Refused):
    """A request that an annotator may have made: the explanation is `refused.KEY` of the texts of a language."""

    def __init__(self, status: int, key: str, retry_after: float = 0) -> None:
        super().__init__(status, *_words(texts(ENGLISH), key), retry_after)
        self.key = key

    def words(self, say: Texts) -> tuple[str, str]:
        """Title and message in a language."""
        return _words(say, self.key)


def _words(say: Texts, key: str) -> tuple[str, str]:
    return say(f"refused.{key}.title"), say(f"refused.{key}.text")


class Limiter:
    """A token bucket for each visitor: `burst` requests at once, and `rate` a second in the long run.

    It keeps at most `most` visitors and drops those seen longest ago, so that its size is bounded.
    """

    def __init__(
        self, rate: float, burst: int, most: int = 50_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate, self.burst, self.most, self._clock = rate, burst, most, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens left, when
        self._lock = threading.Lock()

    def knows(self, visitor: str) -> bool:
        """Whether `visitor` took a token and was not dropped since."""
        with self._lock:
            return visitor in self._buckets

    def wait(self, visitor: str) -> float:
        """Take a token of `visitor` and return 0; where there is none, return the seconds until there is one."""
        with self._lock:
            now = self._clock()
            tokens, before = self._buckets.pop(visitor, (float(self.burst), now))
            tokens = min(self.burst, tokens + (now - before) * self.rate)
            allowed = tokens >= 1
            self._buckets[visitor] = (tokens - allowed, now)
            if len(self._buckets) > self.most:
                self._buckets.popitem(last=False)
        return 0 if allowed else (1 - tokens) / self.rate

    def check(self, visitor: str) -> None:
        """Take a token of `visitor`.

        Raises:
            Refused: there is none.
        """
        wait = self.wait(visitor)
        if wait:
            raise RefusedVisit(429, "too_fast", retry_after=wait)


def address(request: Request) -> str:
    """The name under which requests without a session are counted: the address, or the /64 network of IPv6."""
    host = request.client.host if request.client else "unknown"
    try:
        known = ipaddress.ip_address(host)
    except ValueError:  # a Unix socket, or a proxy's own name for one
        return host
    return str(ipaddress.ip_network((known, 64), strict=False)) if known.version == 6 else host


def require_same_origin(request: Request) -> None:
    """Accept only forms of our own pages.

    Browsers send the headers `Sec-Fetch-Site`, `Origin` or both, and no page can change these.

    Raises:
        Refused: the form is another site's, or no header says where it comes from.
    """
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    same = site == "same-origin" if site else origin is not None
    if origin is not None:
        try:
            same = same and urlsplit(origin).netloc == request.headers.get("host")
        except ValueError:  # such as http://[
            same = False
    if not same:
        raise _foreign()


def form_token(key: str) -> str:
    """The hidden field of forms in the session `key`: only pages that were made for that session have it."""
    return _signer(key).get_signature(_FORM).decode()


def require_form_token(key: str, form: Mapping[str, str]) -> None:
    """Accept only forms that were made for the session `key`.

    Raises:
        Refused: the form was made for another session, or for none.
    """
    if not _signer(key).verify_signature(_FORM, form.get("form", "")):
        raise _foreign()


def _signer(key: str) -> Signer:
    return Signer(key, salt="form", key_derivation="hmac", digest_method=hashlib.sha256)


def same_secret(given: str, right: str) -> bool:
    """Whether two secrets are equal; how long this takes depends neither on their length nor on where they differ."""
    digests = [hashlib.sha256(each.encode("utf-8", "surrogatepass")).digest() for each in (given, right)]
    return hmac.compare_digest(*digests)


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a posted form; the last one where several have the same name.

    Raises:
        Refused: the form is another site's, is too long or not UTF-8, or the request has no form.
    """
    require_same_origin(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = bytearray()
    length = 0
    async for chunk in request.stream():
        length += len(chunk)
        if length > MOST_DRAINED_BYTES:
            break
        if length <= MOST_FORM_BYTES:
            body += chunk
    if length > MOST_FORM_BYTES:
        raise RefusedVisit(413, "too_long")
    if kind != "application/x-www-form-urlencoded":
        raise RefusedVisit(415, "unreadable")
    try:
        text = bytes(body).decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError as error:  # not UTF-8, or too many fields
        raise RefusedVisit(400, "unreadable") from error
    return dict(pairs)


def set_cookie(response: Response, request: Request, name: str, value: str, path: str, days: float = 365) -> None:
    """Set a cookie that no script and no other site's form can use; set over https, it is sent over https alone."""
    secure = request.url.scheme == "https"
    response.set_cookie(
        name, value, max_age=int(days * 86_400), path=path, secure=secure, httponly=True, samesite="lax"
    )


class SecurityHeaders:
    """Adds `HEADERS` to every response, and forbids caching unless the response allows it.

    Redirects lead to a path on this server, and do not repeat the name in the request's header `Host`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI asks."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in (NOT_KEPT | HEADERS).items():
                    headers.setdefault(name, value)
                if "location" in headers:
                    parts = urlsplit(headers["location"])
                    local = "" if parts.path.startswith("//") else parts._replace(scheme="", netloc="").geturl()
                    headers["location"] = local or "/"
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _foreign() -> Refused:
    return RefusedVisit(403, "foreign_form")
