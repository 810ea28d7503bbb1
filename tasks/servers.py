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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from prefect.logging.handlers import APILogHandler
from prefect.settings import PREFECT_API_URL, temporary_settings

from denouement.errors import UserError
from denouement.files import write_text

SERVER = "server.json"  # in PREFECT_HOME: address and process of the project's server
START_SECONDS = 300.0  # a first start takes 5 seconds, and minutes on a machine that is busy with other things


@contextmanager
def prefect_server(port: int = 0) -> Iterator[str]:
    """The address of a Prefect server's API, which this process and the processes it starts then use.

    That is `PREFECT_API_URL` when set, else the address of this project's own server: the one that already runs, or one
    started here, on `port` unless that is in use. All who use it at the same time share it, since two servers on one
    SQLite file lock each other out, and the last one to leave ends it.

    Raises:
        UserError: the server did not start.
    """
    if configured := os.environ.get("PREFECT_API_URL"):
        yield configured
        return
    home = Path(os.environ["PREFECT_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    with (home / "server.users").open("w") as users:
        with _alone(home):
            fcntl.flock(users, fcntl.LOCK_SH)
            server = _found(home) or _start_prefect(home, free_port(port))
        os.environ["PREFECT_API_URL"] = server["url"]
        try:
            with temporary_settings({PREFECT_API_URL: server["url"]}):
                yield server["url"]
        finally:
            del os.environ["PREFECT_API_URL"]
            APILogHandler().flush()  # or lines still on their way look for the server for more than a minute
            with _alone(home):
                try:
                    fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    pass  # others use it still
                else:
                    end(server["pid"])
                    (home / SERVER).unlink(missing_ok=True)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Keep others from starting or ending the server meanwhile."""
    with (home / "server.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _found(home: Path) -> dict[str, Any] | None:
    """Address and process of the server that runs already, if it answers."""
    try:
        server: dict[str, Any] = json.loads((home / SERVER).read_text(encoding="utf-8"))
        return server if answers(f"{server['url']}/health") else None
    except (OSError, ValueError, KeyError):
        return None


def _start_prefect(home: Path, port: int) -> dict[str, Any]:
    url = f"http://127.0.0.1:{port}/api"
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    # with the page's own port, or the page asks port 4200
    environment = {"PREFECT_SERVER_API_PORT": str(port), "PREFECT_UI_API_URL": url, "PREFECT_API_URL": url}
    server = {"url": url, "pid": start(command, f"{url}/health", home / "server.log", environment)}
    write_text(home / SERVER, json.dumps(server))
    return server


@contextmanager
def mlflow_pages(port: int) -> Iterator[str]:
    """The address of the MLflow pages: a tracking server's own, or those started here over a local database.

    Raises:
        UserError: they did not start.
    """
    uri = os.environ["MLFLOW_TRACKING_URI"]
    if uri.startswith(("http://", "https://")):
        yield uri
        return
    port = free_port(port)
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    log = Path(os.environ["PREFECT_HOME"]) / "mlflow.log"
    process = start([*command, "--backend-store-uri", uri], f"{url}/health", log, {})
    try:
        yield url
    finally:
        end(process)


def page(api_url: str) -> str:
    """The address of the Prefect pages of a server, from that of its API."""
    return api_url.removesuffix("/api")


def start(command: Sequence[str], health: str, log: Path, environment: Mapping[str, str]) -> int:
    """Start a server in a session of its own and wait until `health` answers; gives its process id.

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
        end(process.pid)
        raise
    return process.pid


def end(*pids: int, seconds: float = 20) -> None:
    """End processes that each lead a session, and what they started: as Ctrl-C does, then by force."""
    for how in (signal.SIGINT, signal.SIGKILL):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.killpg(pid, how)
        deadline = time.monotonic() + seconds
        while any(map(_lives, pids)) and time.monotonic() < deadline:
            time.sleep(0.1)


def _lives(pid: int) -> bool:
    try:
        # a child that ended stays until it is waited for, which is for whoever started it to do
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


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
