"""The local servers behind the Prefect and MLflow pages: found, or started and ended with the caller."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from prefect.logging.handlers import APILogHandler
from prefect.settings import PREFECT_API_URL, temporary_settings

from denouement.errors import UserError

START_SECONDS = 120.0  # a first start on a slow, busy machine takes 20 to 40 seconds


@contextmanager
def prefect_server(port: int | None = None) -> Iterator[str]:
    """The address of a Prefect server's API, which this process and the processes it starts then use.

    That is `PREFECT_API_URL` when set, else the server that another process of this project started and still runs,
    else one started here on `port` (a free one by default) and ended with the block. A project has one server at a
    time: two on the same SQLite file lock each other out.

    Raises:
        UserError: the server did not start.
    """
    if configured := os.environ.get("PREFECT_API_URL"):
        yield configured
        return
    home = Path(os.environ["PREFECT_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    address = home / "server.json"
    process = None
    with (home / "server.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two processes that start at once: the second finds the first one's server
        url = _running(address)
        if url is None:
            url, process = _start_prefect(home, port or free_port())
            address.write_text(json.dumps({"url": url}), encoding="utf-8")
    os.environ["PREFECT_API_URL"] = url
    try:
        with temporary_settings({PREFECT_API_URL: url}):
            yield url
    finally:
        del os.environ["PREFECT_API_URL"]
        if process is not None:
            APILogHandler().flush()  # or lines still on their way look for the server for more than a minute
            address.unlink(missing_ok=True)
            end(process)


def _start_prefect(home: Path, port: int) -> tuple[str, subprocess.Popen[bytes]]:
    url = f"http://127.0.0.1:{port}/api"
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    # with the page's own port, or the page asks port 4200
    environment = {"PREFECT_SERVER_API_PORT": str(port), "PREFECT_UI_API_URL": url, "PREFECT_API_URL": url}
    return url, start(command, f"{url}/health", home / "server.log", environment)


def _running(address: Path) -> str | None:
    """The address in the file, if a server answers there."""
    try:
        url: str = json.loads(address.read_text(encoding="utf-8"))["url"]
    except (OSError, ValueError, KeyError):
        return None
    return url if answers(f"{url}/health") else None


def mlflow_page(port: int, log: Path, uri: str) -> tuple[str, subprocess.Popen[bytes]]:
    """Start the MLflow pages over the runs at `uri`; gives the address and the process, for the caller to end."""
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    return url, start([*command, "--backend-store-uri", uri], f"{url}/health", log, {})


def start(command: Sequence[str], health: str, log: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a server in a session of its own and wait until `health` answers.

    In its own session a Ctrl-C at the terminal does not reach it, so that it outlives what still reports to it.

    Raises:
        UserError: it ended, or did not answer in time.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not answers(health):
            if process.poll() is not None:
                raise UserError(f"{command[2]} server ended while starting (status {process.returncode}): see {log}")
            if time.monotonic() > deadline:
                raise UserError(f"{command[2]} server did not answer in {START_SECONDS:.0f} s: see {log}")
            time.sleep(0.2)
    except BaseException:
        end(process)
        raise
    return process


def end(process: subprocess.Popen[bytes] | subprocess.Popen[str], seconds: float = 20) -> None:
    """End a process that leads a session, and what it started: as Ctrl-C does, then by force."""
    for how in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
        except ProcessLookupError:
            break
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def answers(url: str) -> bool:
    """Whether a server at `url` says that it is well."""
    try:
        with urllib.request.urlopen(url, timeout=5) as response:  # noqa: S310 -- an http address made here
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def free_port(wanted: int = 0) -> int:
    """`wanted` when no one listens there, else a free port of the machine's choice."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            return free_port()
        return int(probe.getsockname()[1])
