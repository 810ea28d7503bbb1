"""`denouement study serve` as a person starts it; what it serves is tested by the pages' own tests."""

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hosted import TOKEN, design, store_with

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
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"port {port}: Address already in use" in refused(monkeypatch, tmp_path, "--port", port)
    assert "cannot listen at no.such.host.invalid" in refused(monkeypatch, tmp_path, "--host", "no.such.host.invalid")


@pytest.mark.slow
@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_ends_when_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: signal.Signals
):
    store_with(tmp_path, design()).close()
    monkeypatch.delenv("DENOUEMENT_ORGANISER_TOKEN", raising=False)
    command = [sys.executable, "-c", "from denouement.cli import main; main()", "study", "serve", "--port", "0"]
    command += ["--store", f"sqlite:///{tmp_path / 'studies.db'}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        study, organiser = process.stdout.readline(), process.stdout.readline()
        address = re.fullmatch(r"pilot: http://127\.0\.0\.1:(\d+)/s/pilot/\n", study)
        assert address
        assert re.fullmatch(rf"organiser: http://127\.0\.0\.1:{address[1]}/organiser/ \(token: \S{{32}}\)\n", organiser)
        with socket.create_connection(("127.0.0.1", int(address[1]))) as connection:
            # ten megabytes are read to the end, so that their sender sees the page that refuses them
            head = f"POST /s/pilot/enter HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\nConnection: close\r\n"
            head += f"Origin: http://127.0.0.1:{address[1]}\r\nContent-Length: 10000000\r\n\r\n"
            connection.sendall(head.encode() + b"x" * 10_000_000)
            answer = b"".join(iter(lambda: connection.recv(65_536), b""))
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"too long" in answer
        process.send_signal(told)
        _, errors = process.communicate(timeout=20)
    assert process.returncode in (0, 130)
    assert "Traceback" not in errors
