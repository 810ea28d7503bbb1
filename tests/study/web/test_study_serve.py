"""`denouement study serve` as a person starts it; what it serves is tested by the pages' own tests."""

import re
import signal
import socket
import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from hosted import TOKEN, design, store_with

from benchmarks.study import hidden, serving
from denouement.cli import main


def refused(monkeypatch: pytest.MonkeyPatch, folder: Path, *arguments: str, token: str = TOKEN) -> str:
    monkeypatch.setenv("DENOUEMENT_ORGANISER_TOKEN", token)
    done = CliRunner().invoke(main, ["study", "serve", "--store", f"sqlite:///{folder / 'studies.db'}", *arguments])
    assert done.exit_code == 2
    assert done.output.count("\n") == 1
    return done.output


def test_what_keeps_it_from_starting_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert "no such file" in refused(monkeypatch, tmp_path)
    store_with(tmp_path, design()).close()
    assert "16 characters" in refused(monkeypatch, tmp_path, token="short")
    with sqlite3.connect(tmp_path / "studies.db") as connection:
        connection.execute("""UPDATE studies SET design = replace(design, '"language": "en"', '"language": "xx"')""")
    assert "language xx: has no texts; the languages are en, ja" in refused(monkeypatch, tmp_path)
    with sqlite3.connect(tmp_path / "studies.db") as connection:
        connection.execute("""UPDATE studies SET design = replace(design, '"language": "xx"', '"language": "en"')""")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"port {port}: Address already in use" in refused(monkeypatch, tmp_path, "--port", port)
    assert "cannot listen at no.such.host.invalid" in refused(monkeypatch, tmp_path, "--host", "no.such.host.invalid")


@pytest.mark.parametrize(
    "address",
    [
        "study.example.org",
        "ftp://study.example.org",
        "https://",
        "https://a.example/study",
        "http://[",
        "http://u@a.example",
    ],
)
def test_a_base_url_is_an_address_of_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str):
    store_with(tmp_path, design()).close()
    assert f"base URL {address!r}: must" in refused(monkeypatch, tmp_path, "--base-url", address)


def test_links_are_printed_with_the_base_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store_with(tmp_path, design(entry={"kind": "links", "links": 1})).close()
    apps = []

    def serve(app, host, port, started):
        apps.append(app)
        started("http://0.0.0.0:8000")

    monkeypatch.setattr("denouement.study.web.app.serve", serve)
    monkeypatch.setenv("DENOUEMENT_ORGANISER_TOKEN", TOKEN)
    command = ["study", "serve", "--store", f"sqlite:///{tmp_path / 'studies.db'}", "--host", "0.0.0.0"]
    bare = CliRunner().invoke(main, command)
    assert bare.stderr == "the links may not work elsewhere: name the address that people open with --base-url\n"
    monkeypatch.setenv("DENOUEMENT_BASE_URL", "https://Study.example.org:8443/")
    named = CliRunner().invoke(main, command)
    assert named.stderr == ""
    assert named.stdout.startswith("pilot: https://study.example.org:8443/s/pilot/ (by private links")
    assert apps[1].state.base_url == "https://study.example.org:8443"


@pytest.mark.slow
@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_ends_on_a_signal(tmp_path: Path, told: signal.Signals):
    store_with(tmp_path, design()).close()
    with serving(f"sqlite:///{tmp_path / 'studies.db'}") as (process, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        organiser = process.stdout.readline()
        assert re.fullmatch(rf"organiser: {address}/organiser/ \(token: \S{{32}}\)\n", organiser)
        host = address.removeprefix("http://")
        with socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2]))) as connection:
            # ten megabytes are read to the end, so that their sender sees the page that refuses them
            head = f"POST /s/pilot/enter HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
            head += f"Origin: {address}\r\nContent-Length: 10000000\r\n\r\n"
            connection.sendall(head.encode() + b"x" * 10_000_000)
            answer = b"".join(iter(lambda: connection.recv(65_536), b""))
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"too long" in answer
        process.send_signal(told)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Traceback" not in errors


class Client:
    """Somebody who answers over HTTP, each time with a reason of its own."""

    def __init__(self, name: str) -> None:
        self.name, self.http = name, httpx.Client(timeout=10)
        self.confirmed: list[str] = []  # reasons whose answers a page confirmed
        self.sent: dict[str, str] | None = None  # the form that was sent and not confirmed
        self.count = 0

    def page(self, method: str, address: str, form: dict[str, str] | None = None) -> httpx.Response:
        origin = "/".join(address.split("/")[:3])
        return self.http.request(method, address, data=form, headers={"origin": origin}, follow_redirects=False)

    def enter(self, address: str) -> None:
        form = hidden(self.page("GET", f"{address}/s/pilot/").content)
        assert self.page("POST", f"{address}/s/pilot/enter", {**form, "consent": "yes"}).status_code == 303

    def send(self, address: str) -> None:
        response = self.page("POST", f"{address}/s/pilot/answer", self.sent)
        # a form sent again after a lost confirmation is told to be a duplicate: that confirms it, too
        assert response.status_code == 303
        assert response.headers["location"] in ("/s/pilot/question", "/s/pilot/question?note=duplicate")
        self.confirmed.append(self.sent["reason"])
        self.sent = None

    def work(self, address: str) -> None:
        """Answer until the server is gone."""
        try:
            if self.sent:
                self.send(address)
            while True:
                form = hidden(self.page("GET", f"{address}/s/pilot/question").content)
                self.count += 1
                self.sent = {**form, "answer": "A", "reason": f"{self.name}, reason {self.count}"}
                self.send(address)
        except httpx.TransportError:
            pass


@pytest.mark.slow
def test_kill_9_of_the_server_under_load_loses_no_answer_that_a_page_confirmed(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    store = store_with(tmp_path, design(answers_per_item=5, reason={"mode": "required"}), n=2_000)
    clients = [Client(f"person {number}") for number in range(8)]
    for run in range(3):
        before = sum(len(client.confirmed) for client in clients)
        with serving(url) as (process, address):
            if run == 0:
                for client in clients:
                    client.enter(address)
            with ThreadPoolExecutor(len(clients)) as pool:
                working = [pool.submit(client.work, address) for client in clients]
                deadline = time.monotonic() + 60
                while sum(len(client.confirmed) for client in clients) < before + 100:
                    assert time.monotonic() < deadline
                    time.sleep(0.01)
                process.kill()
            for each in working:
                each.result()
        assert process.returncode == -signal.SIGKILL
        kept = Counter(answer.reason for answer in store.answers("pilot"))
        confirmed = [reason for client in clients for reason in client.confirmed]
        assert set(kept.values()) == {1}
        assert set(confirmed) <= set(kept)
        assert kept.keys() - set(confirmed) <= {client.sent["reason"] for client in clients if client.sent}
    assert len(confirmed) >= 300
