"""A model behind an OpenAI-compatible endpoint: one request, asked again while that can help, and its answer.

The key comes from an environment variable and goes into the header of requests alone: neither messages nor what is kept
hold it.
"""

from __future__ import annotations

import ipaddress
import os
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from denouement.errors import UserError, first_line

if TYPE_CHECKING:
    import httpx

Api = Literal["chat", "completions"]

_PATHS: dict[Api, str] = {"chat": "chat/completions", "completions": "completions"}
_BUSY = {408, 409, 425, 429, 500, 502, 503, 504}  # the same request may be answered later
_LONGEST_WAIT = 600.0  # seconds; a server that asks for more is out of service
_BACKOFF, _MOST_BACKOFF = 0.5, 30.0  # seconds before the second try, doubled each time up to the latter


@dataclass(frozen=True)
class ServedAnswer:
    """What a model answered.

    Attributes:
        texts: one or several, in the order of the answer.
        prompt_tokens: as the server counted them; 0 where it does not say.
        completion_tokens: of all texts together.
    """

    texts: list[str]
    prompt_tokens: int
    completion_tokens: int


class Endpoint:
    """Sends requests to one address, from several threads at once."""

    def __init__(self, url: str, key_variable: str, timeout: float, retries: int) -> None:
        """Read the key; nothing is sent yet.

        Args:
            url: as `address` returns it.
            key_variable: the environment variable that has the key. A local host needs none.
            timeout: seconds without a byte after which a request counts as lost.
            retries: how often a request is sent again.

        Raises:
            UserError: no key for a host that is not local, or one that would go there unencrypted.
        """
        import httpx

        self._url, self._key_variable, self._retries = url, key_variable, retries
        self._key = os.environ.get(key_variable, "").strip()
        local = _is_local(urlsplit(url).hostname or "")
        if not local and not self._key:
            raise UserError(f"{url}: needs a key: set the environment variable {key_variable}")
        if not local and url.startswith("http://"):
            raise UserError(f"{url}: the key would be sent unencrypted; use an address that begins with https")
        if not (self._key.isascii() and self._key.isprintable()):
            raise UserError(f"{key_variable}: holds characters that no key has; set it again")
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # a proxy of the environment knows no local hosts
        self._client = httpx.Client(headers=headers, timeout=timeout, trust_env=not local)
        self._closed = threading.Event()

    def close(self) -> None:
        """Send nothing more; a request that waits to be sent again ends."""
        self._closed.set()
        self._client.close()

    def ask(self, body: Mapping[str, Any]) -> ServedAnswer:
        """Send a request, again after pauses where the server is busy or cannot be reached, and return its answer.

        Raises:
            UserError: it cannot be reached, refuses the request, or its answer is not one of such an endpoint.
        """
        import httpx

        for attempt in range(self._retries + 1):
            wait = min(_MOST_BACKOFF, _BACKOFF * 2**attempt) * random.uniform(0.5, 1)  # noqa: S311
            try:
                response = self._client.post(self._url, json=body)
            except (httpx.RequestError, httpx.InvalidURL, RuntimeError) as error:  # the last: closed meanwhile
                problem = f"cannot be reached ({first_line(error)})"
            else:
                if response.status_code == 200:
                    return self._answer(response)
                problem = self._problem(response, str(body.get("model")))
                if response.status_code not in _BUSY:
                    raise UserError(f"{self._url}: {problem}")
                wait = _asked_for(response.headers.get("Retry-After", ""), wait)
                if wait > _LONGEST_WAIT:
                    raise UserError(f"{self._url}: {problem}; it asks to wait {wait:,.0f} seconds: run again then")
            if attempt == self._retries or self._closed.wait(wait):
                break
        tries = self._retries + 1
        times = "once" if tries == 1 else f"{tries} times"
        raise UserError(f"{self._url}: {problem}; asked {times}: run again to go on from there")

    def _answer(self, response: httpx.Response) -> ServedAnswer:
        document = self._document(response)
        choices = document.get("choices") if isinstance(document, Mapping) else None
        if not isinstance(choices, list) or not all(isinstance(each, Mapping) for each in choices):
            raise UserError(f"{self._url}: the answer has no list of choices; is base_url right?")
        ordered = sorted(enumerate(choices), key=lambda each: _count(each[1], "index", each[0]))
        usage = document.get("usage")
        usage = usage if isinstance(usage, Mapping) else {}
        texts = [self._text(choice) for _, choice in ordered]
        return ServedAnswer(texts, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))

    def _text(self, choice: Mapping[str, Any]) -> str:
        """The text of a choice; empty where the server gives none, such as one that its filter withheld."""
        message = choice.get("message")  # of a chat
        text = message.get("content") or message.get("refusal") if isinstance(message, Mapping) else choice.get("text")
        return text if isinstance(text, str) else ""

    def _document(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except (ValueError, RecursionError) as error:
            raise UserError(f"{self._url}: the answer is no JSON; is base_url right?") from error

    def _problem(self, response: httpx.Response, model: str) -> str:
        """What an error of the server means, in a few words; of its own words the first line."""
        status = response.status_code
        if status in (401, 403):
            return (
                f"the key in {self._key_variable} is not accepted ({status}); set another one"
                if self._key
                else f"asks for a key ({status}): set the environment variable {self._key_variable}"
            )
        said = self._said(response)
        if status == 404:
            return f"no model {model}, or no such address (404{said})"
        if status == 429:
            return f"too many requests (429{said})"
        if status >= 500:
            return f"does not work at present ({status}{said})"
        if 300 <= status < 400:
            return f"sends requests elsewhere ({status}); give the address itself as base_url"
        return f"refuses the request ({status}{said})"

    def _said(self, response: httpx.Response) -> str:
        """The server's message, if it is JSON and has one, without the key."""
        try:
            document = response.json()
            error = document.get("error", document)
            message = error if isinstance(error, str) else error.get("message") or error.get("detail")
            line = str(message).splitlines()[0][:200] if message else ""
        except (ValueError, AttributeError, IndexError, RecursionError):
            return ""
        return f": {line.replace(self._key, '[key]') if self._key else line}" if line else ""


def address(base_url: str, api: Api) -> str:
    """Where requests of a kind go; where the address of an endpoint has no path, it is `/v1`.

    Raises:
        ValueError: no address of HTTP, or one with a password, a query or a fragment; it begins with `base_url`.
    """
    try:
        parts = urlsplit(base_url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"base_url: is no address such as http://localhost:8000/v1 ({error})") from error
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("base_url: must have no name, password, ? or #; a key goes into an environment variable")
    if parts.scheme not in ("http", "https") or not host or not base_url.strip().isprintable():
        raise ValueError(f"base_url: must be an address such as http://localhost:8000/v1, not {base_url!r}")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or '/v1'}/{_PATHS[api]}"


def _is_local(host: str) -> bool:
    """Whether a host is this computer or one of its own network, where models are served without a key."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".localhost", ".local", ".internal", ".lan"))
    return address.is_private or address.is_loopback or address.is_link_local


def _asked_for(retry_after: str, otherwise: float) -> float:
    """The seconds that a server asks to wait, as a number or as the time until when."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return otherwise


def _count(values: Mapping[str, Any], name: str, otherwise: int = 0) -> int:
    value = values.get(name)
    return value if isinstance(value, int) and value >= 0 else otherwise
