"""The address under which people reach the server, which it cannot know behind a proxy."""

import ipaddress
from urllib.parse import urlsplit

from denouement.errors import UserError


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
