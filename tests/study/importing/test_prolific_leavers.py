"""People who left on Prolific are released, by its export and by its API; a small server stands for the API."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner
from crowd import design, pairs, ready

from denouement.cli import main
from denouement.errors import UserError
from denouement.study.design.entry import Entry
from denouement.study.importing.prolific import Submission
from denouement.study.importing.prolific_api import submissions
from denouement.study.importing.prolific_leavers import who_left
from denouement.study.store import open_store

TOKEN = "a-secret-token"
STATUSES = {"ann": "RETURNED", "bob": "TIMED-OUT", "eve": "ACTIVE", "never": "RETURNED"}


class Api(ThreadingHTTPServer):
    """Prolific's list of submissions, two a page, or an error in its place."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.found = [
            {"id": f"s{n}", "participant_id": who, "status": of} for n, (who, of) in enumerate(STATUSES.items())
        ]
        self.instead: tuple[int, bytes, dict[str, str]] | None = None
        self.asked: list[tuple[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Api

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["Authorization"]))
        asked = parse_qs(urlsplit(self.path).query)
        page = int(asked["page"][0])
        if self.server.instead:
            status, body, headers = self.server.instead
        else:
            its = self.server.found[2 * page - 2 : 2 * page]
            more = f"{self.server.url}/next" if len(self.server.found) > 2 * page else None
            body = json.dumps({"results": its, "_links": {"next": {"href": more, "title": "Next"}}}).encode()
            status, headers = 200, {}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def api(monkeypatch) -> Iterator[Api]:
    server = Api()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
    monkeypatch.setenv("PROLIFIC_API_URL", server.url)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def ids(tmp_path: Path, monkeypatch) -> dict[str, str]:
    """A study in which three people hold an item each; their ids in the tables."""
    monkeypatch.chdir(tmp_path)
    with closing(open_store("sqlite:///studies.db")) as store:
        store.create(design(entry=Entry("prolific")), pairs(3))
        store.create(design(name="open"), pairs(1))
        keys = {name: ready(store, name) for name in ("ann", "bob", "eve")}
        assert all(store.next(key) for key in keys.values())
        return {name: store.annotator(key).id for name, key in keys.items()}


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["study", "release", *arguments])
    assert done.exit_code == code, done.output
    return done.output


def holding() -> set[str]:
    with closing(open_store("sqlite:///studies.db")) as store:
        return {each.annotator_id for each in store.progress("crowd").people if each.is_holding}


def export(path: Path, rows: dict[str, str], name: str = "Status") -> Path:
    lines = [f"Submission id,Participant id,{name}", *(f"s{n},{who},{of}" for n, (who, of) in enumerate(rows.items()))]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_export_releases_who_left_and_nobody_else(ids, tmp_path):
    file = export(tmp_path / "prolific.csv", STATUSES | {"": "RETURNED"})
    found = json.loads(run("crowd", "--prolific", str(file), "--json"))
    assert found == {
        "study": "crowd",
        "participants": 4,
        "left": 3,
        "came": 2,
        "people": [ids["ann"], ids["bob"]],
        "unusable": 1,
    }
    assert holding() == {ids["eve"]}
    assert "0 items are released." in run("crowd", "--prolific", str(file)), "the same file again changes nothing"


def test_the_api_is_asked_page_by_page_with_the_token(ids, api):
    printed = run("crowd", "--prolific-api", "64abc")
    assert "3 of 4 participants returned their submission or timed out; 2 of them came to study crowd." in printed
    assert holding() == {ids["eve"]}
    paths = [path for path, _ in api.asked]
    assert paths == [f"/api/v1/submissions/?study=64abc&page={page}&page_size=100" for page in (1, 2)]
    assert {token for _, token in api.asked} == {f"Token {TOKEN}"}
    with closing(open_store("sqlite:///studies.db")) as store:
        assert [entry.by for entry in store.log("crowd").entries if entry.what == "released"] == ["service"] * 2


def test_who_came_back_after_a_return_has_not_left():
    both = [Submission("1", "ann", "RETURNED", {}), Submission("2", "ann", "ACTIVE", {})]
    assert who_left(both) == []
    assert who_left([both[0], Submission("3", "ann", "TIMED-OUT", {}), Submission("4", "bob", "APPROVED", {})]) == [
        "ann"
    ]


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        (401, {}, "the token is not accepted (401)"),
        (403, {}, "the token is not accepted (403)"),
        (404, {}, "no study 64abc (404)"),
        (429, {"Retry-After": "17"}, "try again in 17 seconds"),
        (429, {}, "try again in a minute"),
        (503, {}, "does not work at present (503)"),
        (302, {"Location": "http://127.0.0.1:1/"}, "status 302"),
        (418, {}, "status 418"),
    ],
)
def test_each_error_of_the_api_is_one_line_without_the_token(ids, api, status, headers, message):
    api.instead = status, b"{}", headers
    printed = run("crowd", "--prolific-api", "64abc", code=2)
    assert message in printed
    assert printed.count("\n") == 1
    assert TOKEN not in printed
    assert len(holding()) == 3
    assert len(api.asked) == 1, "a redirect is not followed"


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"results": [{"id": "s"}]}', b'{"results": 1}', b"\xff"])
def test_an_answer_that_is_no_list_is_refused(api, body):
    api.instead = 200, body, {}
    with pytest.raises(UserError, match="is PROLIFIC_API_URL right"):
        submissions("64abc", TOKEN, api.url)


def test_no_answer_and_no_server(api):
    with pytest.raises(UserError, match="cannot be reached"):
        submissions("64abc", TOKEN, "http://127.0.0.1:1")
    slow = threading.Event()
    api.instead = 200, b"", {}
    before = api.RequestHandlerClass.do_GET
    api.RequestHandlerClass = type("Slow", (_Handler,), {"do_GET": lambda handler: (slow.wait(5), before(handler))})
    with pytest.raises(UserError, match="cannot be reached"):
        submissions("64abc", TOKEN, api.url, timeout=0.2)
    slow.set()


def test_an_endless_list_ends(api, monkeypatch):
    monkeypatch.setattr("denouement.study.importing.prolific_api._MOST_PAGES", 3)
    api.found = api.found * 10
    with pytest.raises(UserError, match="more than 3 pages"):
        submissions("64abc", TOKEN, api.url)


@pytest.mark.parametrize("url", ["http://api.example.org", "ftp://127.0.0.1", "file:///etc/passwd", "api.prolific.com"])
def test_the_token_is_sent_nowhere_without_encryption(url):
    with pytest.raises(UserError, match="must begin with https"):
        submissions("64abc", TOKEN, url)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["crowd"], "name --annotator, --item, --idle, --prolific or --prolific-api"),
        (["crowd", "--prolific", "p.csv", "--idle", "3"], "alone"),
        (["crowd", "--prolific", "p.csv", "--prolific-api", "64abc"], "alone"),
        (["nothing", "--prolific-api", "64abc"], "no study nothing"),
        (["crowd", "--prolific-api", "../users"], "is no id of a study"),
        (["crowd", "--prolific", "other.csv"], "other.csv: no"),
        (["open", "--prolific", "p.csv"], "people do not come from Prolific"),
    ],
)
def test_mistakes_are_one_line(ids, api, tmp_path, arguments, message):
    export(tmp_path / "p.csv", STATUSES)
    export(tmp_path / "other.csv", STATUSES, "State")
    printed = run(*arguments, code=2)
    assert message in printed
    assert printed.count("\n") == 1


def test_without_a_token_nothing_is_asked(ids, api, monkeypatch):
    monkeypatch.delenv("PROLIFIC_TOKEN")
    assert "set PROLIFIC_TOKEN" in run("crowd", "--prolific-api", "64abc", code=2)
    assert api.asked == []
