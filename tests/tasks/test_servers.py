"""The project's own Prefect server: shared, and ended by the last who uses it."""

import os
import subprocess
import sys

import pytest

from tasks import ROOT, servers

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


def test_a_program_that_ends_at_once_is_told_in_one_line(tmp_path):
    from denouement.errors import UserError

    with pytest.raises(UserError, match=r"see .*log"):
        servers.start([sys.executable, "-c", "raise SystemExit(3)", "x"], "http://127.0.0.1:9/", tmp_path / "log", {})
