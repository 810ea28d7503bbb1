"""The project's own Prefect server: shared, and ended by the last who uses it."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from denouement.errors import UserError
from tasks import ROOT, processes, servers

USE = (
    "from tasks.servers import prefect_server\nwith prefect_server() as url:\n    print(url, flush=True)\n    input()\n"
)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_two_who_need_a_server_share_it_and_the_last_one_ends_it(tmp_path):
    environment = {**os.environ, "PREFECT_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environment.pop("PREFECT_API_URL", None)
    users = [
        subprocess.Popen(
            [sys.executable, "-c", USE], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    try:
        first, second = (user.stdout.readline().strip() for user in users)
        assert first == second
        assert servers.answers(f"{first}/health")
        users[0].communicate("\n", timeout=60)
        assert servers.answers(f"{first}/health")
        users[1].communicate("\n", timeout=60)
        assert not servers.answers(f"{first}/health")
        assert [user.returncode for user in users] == [0, 0]
    finally:
        for user in users:
            user.kill()
            user.wait()


def test_a_port_in_use_is_not_taken():
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert servers.free_port(port) != port
    assert servers.free_port() > 0


WELL = """
import http.server, sys
class Well(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Well).serve_forever()
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def others():
    """Starts processes of others, which are ended after the test."""
    started = []

    def start(*command: str, **environment: str) -> subprocess.Popen:
        started.append(subprocess.Popen(command, env={**os.environ, **environment}, start_new_session=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def wait_until_well(port: int) -> None:
    deadline = time.monotonic() + 60
    while not servers.answers(f"http://127.0.0.1:{port}/health"):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def well(port: int) -> tuple[list[str], dict[str, str]]:
    return [sys.executable, "-c", WELL, str(port)], {}


def fails(port: int) -> tuple[list[str], dict[str, str]]:
    return [sys.executable, "-c", "raise SystemExit(3)", str(port)], {}


def shared(command=well):
    return servers._shared("toy", 0, command, "/health")


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def test_a_program_that_ends_at_once_is_one_line_and_leaves_no_record(home):
    with pytest.raises(UserError, match=r"ended while starting \(status 3\): see .*toy.log"), shared(fails):
        pass
    assert not (home / "toy.json").exists()


def test_a_server_ends_with_its_last_user_and_its_record_goes(home):
    with shared() as address:
        with shared() as same:
            assert same == address
        assert servers.answers(f"{address}/health")
    assert not servers.answers(f"{address}/health")
    assert not (home / "toy.json").exists()


@pytest.mark.parametrize("with_token", [False, True])
def test_a_process_of_others_in_the_record_is_neither_used_nor_ended(home, others, with_token):
    port = servers.free_port()
    foreign = others(*well(port)[0])
    wait_until_well(port)
    record = {"url": f"http://127.0.0.1:{port}", "pid": foreign.pid, "port": port}
    (home / "toy.json").write_text(json.dumps(record | ({"token": processes.new_token()} if with_token else {})))
    with shared() as address:
        assert port_of(address) != port
    assert foreign.poll() is None


def test_a_copied_folder_has_a_server_of_its_own_and_leaves_the_original_s_alone(home, monkeypatch, tmp_path_factory):
    with shared() as address:
        copy = tmp_path_factory.mktemp("copy") / "home"
        shutil.copytree(home, copy)
        monkeypatch.setenv("PREFECT_HOME", str(copy))
        with shared() as another:
            assert another != address
        assert servers.answers(f"{address}/health")
        monkeypatch.setenv("PREFECT_HOME", str(home))


def test_a_server_whose_starter_was_killed_is_found_again(home, others):
    port, token = servers.free_port(), processes.new_token()
    others(*well(port)[0], **{processes.MARK: processes.mark(token, home)})
    wait_until_well(port)
    (home / "toy.json").write_text(json.dumps({"port": port, "token": token}))
    with shared() as address:
        assert port_of(address) == port
    assert not servers.answers(f"{address}/health")


def test_one_that_was_left_while_it_started_and_never_answers_is_ended(home, others):
    port, token = servers.free_port(), processes.new_token()
    left = others(sys.executable, "-c", "import time; time.sleep(300)", **{processes.MARK: processes.mark(token, home)})
    (home / "toy.json").write_text(json.dumps({"port": port, "token": token}))
    with shared() as address:
        assert servers.answers(f"{address}/health")
        assert left.wait(timeout=30) != 0


def test_another_s_server_on_the_wanted_port_is_not_taken_for_ours(home, others, monkeypatch):
    port = servers.free_port()
    foreign = others(*well(port)[0])
    wait_until_well(port)
    free_port = servers.free_port
    # as when the other one took the port after it was found free
    monkeypatch.setattr(servers, "free_port", lambda wanted=0: free_port(wanted) if wanted != 1 else port)
    with servers._shared("toy", 1, well, "/health") as address:
        assert port_of(address) != port
    assert foreign.poll() is None
