"""The address under which people reach the server, which it cannot know behind a proxy, and the links below it."""

import ipaddress
from urllib.parse import urlsplit

from denouement.errors import UserError

PROLIFIC_QUERY = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
"""What an address on Prolific ends with, as its form for a new study takes it."""


def base_url(given: str) -> str:
    """The address, without a slash at its end; empty where `given` is.

    Raises:
        UserError: it is no address of a host alone.
    """
    try:
        parts = urlsplit(given.strip().rstrip("/"))
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts, port = urlsplit(""), ""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    if given.strip() and (parts.scheme not in ("http", "https") or not host or f"{host}{port}" != parts.netloc.lower()):
        raise UserError(
            f"base URL {given!r}: must be http:// or https:// and a host, such as https://study.example.org"
        )
    if parts.path or parts.query or parts.fragment:
        raise UserError(f"base URL {given!r}: must end with the host: a study is served at its root")
    return f"{parts.scheme}://{host}{port}" if given.strip() else ""


def is_local(host: str) -> bool:
    """Whether only this machine reaches a server that listens at `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def private_link(base_url: str, name: str, token: str) -> str:
    """The private link with this token into a study or collection, which is for one person."""
    return f"{base_url}/s/{name}/link/{token}"
