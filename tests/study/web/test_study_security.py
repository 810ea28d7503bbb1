import asyncio

import pytest
from starlette.requests import Request

from denouement.study.web import security
from denouement.study.web.security import Limiter, Refused, form_token, read_form, same_secret

FORM = "application/x-www-form-urlencoded"


def posted(*chunks: bytes, kind: str = FORM, **headers: str) -> Request:
    """A POST to example.org that arrives in `chunks`."""
    sent = {"host": "example.org", "content-type": kind, **{name.replace("_", "-"): headers[name] for name in headers}}
    messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    messages.append({"type": "http.request", "body": b"", "more_body": False})
    waiting = iter(messages)

    async def receive():
        return next(waiting)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": b"",
        "client": ("192.0.2.1", 5),
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
    }
    return Request(scope, receive)


def fields(*chunks: bytes, **headers: str) -> dict[str, str]:
    return asyncio.run(read_form(posted(*chunks, **{"origin": "https://example.org", **headers})))


def refusal(*chunks: bytes, **headers: str) -> int:
    with pytest.raises(Refused) as refused:
        fields(*chunks, **headers)
    return refused.value.status


def test_a_form_is_read_from_several_pieces():
    assert fields(b"answer=A&rea", b"son=%C3%A9t%C3%A9+1&empty=") == {"answer": "A", "reason": "été 1", "empty": ""}


def test_a_megabyte_is_read_to_its_end_and_refused():
    assert refusal(*[b"x" * 65_536] * 16) == 413
    assert fields(b"a=" + b"x" * (security.MOST_FORM_BYTES - 2))


@pytest.mark.parametrize("body", [b"reason=%FF%FE", b"reason=\xff", b"&".join([b"a=1"] * 1001)])
def test_what_is_no_form_of_ours_is_refused(body: bytes):
    assert refusal(body) == 400


def test_another_kind_of_content_is_refused():
    assert refusal(b'{"answer": "A"}', kind="application/json") == 415
    assert fields(b"a=1", kind=f"{FORM}; charset=UTF-8") == {"a": "1"}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "https://example.org:8443"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "none"},
        {"origin": "https://evil.example", "sec_fetch_site": "same-origin"},
    ],
)
def test_another_sites_form_is_refused(headers: dict[str, str]):
    assert refusal(b"a=1", **headers) == 403


def test_a_post_that_says_nothing_of_its_origin_is_refused():
    with pytest.raises(Refused):
        asyncio.run(read_form(posted(b"a=1")))
    assert asyncio.run(read_form(posted(b"a=1", sec_fetch_site="same-origin"))) == {"a": "1"}


def test_a_form_token_is_of_one_session():
    security.require_form_token("one", {"form": form_token("one")})
    for form in ({}, {"form": ""}, {"form": form_token("two")}, {"form": "é"}):
        with pytest.raises(Refused):
            security.require_form_token("one", form)


def test_secrets_compare_by_content():
    assert same_secret("a", "a")
    assert not same_secret("a", "b")
    assert not same_secret("", "b")
    assert not same_secret("\udcff", "b")


def test_a_burst_passes_and_then_so_many_a_second():
    now = 10.0
    limiter = Limiter(rate=2, burst=3, clock=lambda: now)
    assert not limiter.knows("a")
    assert [limiter.wait("a") for _ in range(3)] == [0, 0, 0]
    assert limiter.knows("a")
    assert limiter.wait("a") == 0.5
    assert limiter.wait("b") == 0
    now = 10.5
    assert limiter.wait("a") == 0
    assert limiter.wait("a") == 0.5
    now = 100.0
    assert [limiter.wait("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_a_limiter_forgets_those_seen_longest_ago():
    limiter = Limiter(rate=1, burst=1, most=2, clock=lambda: 0.0)
    for visitor in ("a", "b", "c"):
        limiter.wait(visitor)
    assert limiter.wait("b") > 0
    assert limiter.wait("a") == 0


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::7", "2001:db8::/64"),
        ("2001:db8:0:0:9::1", "2001:db8::/64"),
        ("unix", "unix"),
    ],
)
def test_neighbours_in_an_ipv6_network_count_as_one(host: str, counted: str):
    request = posted()
    request.scope["client"] = (host, 1)
    assert security.address(request) == counted
