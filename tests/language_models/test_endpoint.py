"""Requests to a served model, at a real server whose failures are scripted."""

import time
from email.utils import formatdate

import pytest

from denouement.errors import UserError
from denouement.language_models import endpoint
from denouement.language_models.endpoint import Endpoint, address
from tests import toy_endpoint
from tests.toy_endpoint import failure

KEY = "sk-very-secret"
BODY = {"model": "m", "n": 2, "prompt": "Tom ran."}


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setenv("TOY_KEY", KEY)
    monkeypatch.setattr(endpoint, "_BACKOFF", 0.01)
    with toy_endpoint.served() as served:
        yield served


def made(toy, api="completions", **options):
    return Endpoint(address(toy.base_url, api), **{"key_variable": "TOY_KEY", "timeout": 5, "retries": 3, **options})


@pytest.mark.parametrize(("api", "path"), [("completions", "/v1/completions"), ("chat", "/v1/chat/completions")])
def test_texts_come_in_order_with_the_tokens_counted(toy, api, path):
    answer = made(toy, api).ask(BODY)
    assert answer.texts == [" It ended well 0. Then", " It ended well 1. Then"]
    assert (answer.prompt_tokens, answer.completion_tokens) == (10, 6)
    [(asked, headers, body)] = toy.requests
    assert (asked, body) == (path, BODY)
    assert headers["Authorization"] == f"Bearer {KEY}"


def test_a_local_host_needs_no_key(toy, monkeypatch):
    monkeypatch.delenv("TOY_KEY")
    made(toy).ask(BODY)
    assert "Authorization" not in toy.requests[0][1]


@pytest.mark.parametrize("first", [None, failure(429, "slow down"), failure(500), failure(503, "loading")])
def test_what_may_pass_is_asked_again(toy, first):
    toy.failures = [first, first]
    assert len(made(toy).ask(BODY).texts) == 2
    assert len(toy.requests) == 3


def test_a_slow_answer_is_asked_for_again(toy):
    toy.delay = 0.5
    with pytest.raises(UserError, match=r"cannot be reached \(timed out\); asked 2 times: run again to go on"):
        made(toy, timeout=0.1, retries=1).ask(BODY)
    toy.delay = 0
    assert made(toy, timeout=0.1, retries=1).ask(BODY)


def test_it_waits_as_long_as_the_server_asks(toy, monkeypatch):
    waited = []
    one = made(toy)
    monkeypatch.setattr(one._closed, "wait", waited.append)
    until = failure(503, "later", retry_after=formatdate(time.time() + 20, usegmt=True))
    toy.failures = [failure(429, "slow", retry_after="7"), until, failure(429, "slow", retry_after="soon")]
    one.ask(BODY)
    assert waited[0] == 7
    assert 15 < waited[1] <= 20
    assert waited[2] < 1
    toy.failures = [failure(429, "quota", retry_after="86400")]
    with pytest.raises(UserError, match="it asks to wait 86,400 seconds"):
        one.ask(BODY)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (failure(401, f"Incorrect API key provided: {KEY}"), "the key in TOY_KEY is not accepted (401); set another"),
        (failure(404, "The model `m` does not exist"), "no model m, or no such address (404: The model `m` does not"),
        (failure(400, f"bad request by {KEY}\nmore"), "refuses the request (400: bad request by [key])"),
        (failure(400), "refuses the request (400)"),
        (failure(307, location="http://elsewhere.example"), "sends requests elsewhere (307)"),
        ((200, {}, b"<html>hello</html>"), "the answer is no JSON; is base_url right?"),
        ((200, {}, b'{"texts": []}'), "the answer has no list of choices"),
        ((200, {}, b"[1]"), "the answer has no list of choices"),
    ],
)
def test_what_does_not_pass_is_one_line_without_the_key(toy, reply, problem):
    toy.failures = [reply]
    with pytest.raises(UserError) as caught:
        made(toy).ask(BODY)
    assert problem in str(caught.value)
    assert len(toy.requests) == 1
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_server_that_asks_for_a_key_is_told(toy, monkeypatch):
    monkeypatch.delenv("TOY_KEY")
    toy.failures = [failure(401)]
    with pytest.raises(UserError, match=r"asks for a key \(401\): set the environment variable TOY_KEY"):
        made(toy).ask(BODY)


def test_a_server_that_is_not_there_is_one_line(monkeypatch):
    monkeypatch.setattr(endpoint, "_BACKOFF", 0.01)
    with toy_endpoint.served() as toy:
        pass
    with pytest.raises(UserError, match=r"cannot be reached \(.*refused.*\); asked 3 times"):
        made(toy, retries=2).ask(BODY)


def test_texts_that_are_not_there_are_empty(toy):
    content = (
        b'{"choices": [{"message": {"content": null, "refusal": "I cannot."}}, {"message": {"content": null}}, {}]}'
    )
    toy.failures = [(200, {}, content)]
    answer = made(toy, "chat").ask(BODY)
    assert answer.texts == ["I cannot.", "", ""]
    assert (answer.prompt_tokens, answer.completion_tokens) == (0, 0)


def test_a_key_never_goes_unencrypted_to_another_network(monkeypatch):
    monkeypatch.setenv("TOY_KEY", KEY)
    with pytest.raises(UserError, match="the key would be sent unencrypted; use an address that begins with https"):
        Endpoint("http://models.example.com/v1/completions", "TOY_KEY", 5, 0)
    monkeypatch.setenv("TOY_KEY", "")
    with pytest.raises(UserError, match="needs a key: set the environment variable TOY_KEY"):
        Endpoint("https://models.example.com/v1/completions", "TOY_KEY", 5, 0)
    for host in ("localhost", "127.0.0.1", "10.1.2.3", "[::1]", "gpu.local", "vllm"):
        Endpoint(f"http://{host}:8000/v1/completions", "TOY_KEY", 5, 0).close()


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://localhost:8000", "http://localhost:8000/v1/completions"),
        ("http://localhost:8000/v1/", "http://localhost:8000/v1/completions"),
        ("https://host.example/api/v2", "https://host.example/api/v2/completions"),
    ],
)
def test_addresses(base_url, url):
    assert address(base_url, "completions") == url


@pytest.mark.parametrize(
    "base_url",
    [
        "localhost:8000",
        "ftp://host",
        "http://",
        "http://u:secret@host",
        "ftp://u:secret@host",
        "http://h?key=secret",
        "http://h:x",
        "http://[::1",
    ],
)
def test_what_is_no_address_is_refused_without_its_secrets(base_url):
    with pytest.raises(ValueError, match=r"^base_url: ") as caught:
        address(base_url, "chat")
    assert "secret" not in str(caught.value)
