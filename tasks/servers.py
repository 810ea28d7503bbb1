"""The local servers of the Prefect and MLflow pages: uses one that runs, or starts one and ends it with the caller."""

import fcntl
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from prefect.logging.handlers import APILogHandler
from prefect.settings import PREFECT_API_URL, temporary_settings

from denouement.errors import UserError
from denouement.files import write_text
from tasks import processes

START_SECONDS = 300.0  # a start takes 5 seconds, but minutes on a busy machine

Command = Callable[[int], tuple[Sequence[str], Mapping[str, str]]]
"""For a port, the command line of a server and the variables of its environment."""


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
    with _shared("server", port, _prefect, "/api/health") as address:
        url = f"{address}/api"
        os.environ["PREFECT_API_URL"] = url
        try:
            with temporary_settings({PREFECT_API_URL: url}):
                yield url
        finally:
            del os.environ["PREFECT_API_URL"]
            APILogHandler().flush()  # or lines still on their way look for the server for more than a minute


def _prefect(port: int) -> tuple[Sequence[str], Mapping[str, str]]:
    url = f"http://127.0.0.1:{port}/api"
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    # with the page's own port, or the page asks port 4200
    return command, {"PREFECT_SERVER_API_PORT": str(port), "PREFECT_UI_API_URL": url, "PREFECT_API_URL": url}


@contextmanager
def mlflow_pages(port: int) -> Iterator[str]:
    """The address of the MLflow pages: a tracking server's own, or those over a local database, shared like Prefect's.

    Raises:
        UserError: they did not start.
    """
    uri = os.environ["MLFLOW_TRACKING_URI"]
    if uri.startswith(("http://", "https://")):
        yield uri
        return
    with _shared("mlflow", port, _mlflow, "/health") as address:
        yield address


def _mlflow(port: int) -> tuple[Sequence[str], Mapping[str, str]]:
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    return [*command, "--backend-store-uri", os.environ["MLFLOW_TRACKING_URI"]], {}


@contextmanager
def _shared(name: str, port: int, command: Command, health: str) -> Iterator[str]:
    """The address of the server `name` of this PREFECT_HOME, used together with other processes.

    Beside `NAME.json`, its record, lie `NAME.users`, on which every user holds a shared lock, `NAME.lock`, held while
    the server is started or ended, and `NAME.log`. The system releases the locks of a process that was killed.
    """
    home = Path(os.environ["PREFECT_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    with (home / f"{name}.users").open("a") as users:
        with processes.one_at_a_time(home / f"{name}.lock"):
            alone = _take(users, fcntl.LOCK_EX)
            address = _found(home, name, health, alone) or _started(home, name, port, command, health)
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield address
        finally:
            with processes.one_at_a_time(home / f"{name}.lock"):
                if _take(users, fcntl.LOCK_EX):
                    _end(home, name)


def _take(users: IO[str], how: int) -> bool:
    try:
        fcntl.flock(users, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _found(home: Path, name: str, health: str, alone: bool) -> str | None:
    """The address of the server that runs already; one that no one uses and that does not answer is ended.

    Raises:
        UserError: others use it and it did not answer in time.
    """
    record = processes.read_record(home / f"{name}.json")
    mark, port = processes.mark(str(record.get("token")), home), record.get("port")
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + (0 if alone else START_SECONDS)
    while processes.marked(mark):
        if isinstance(port, int) and processes.listens(mark, port) and answers(f"{address}{health}"):
            return address
        if alone:  # left by a process that was killed while it started the server
            break
        if time.monotonic() > deadline:
            raise UserError(f"{name}: the server does not answer, and others use it: see {home / f'{name}.log'}")
        time.sleep(0.5)
    _end(home, name)
    return None


def _started(home: Path, name: str, port: int, command: Command, health: str) -> str:
    """The address of a new server; its record is written before it starts, in case this process is killed."""
    for wanted in (port, 0):
        taken = free_port(wanted)
        token = processes.new_token()
        write_text(home / f"{name}.json", json.dumps({"port": taken, "token": token}))
        try:
            arguments, environment = command(taken)
            start(arguments, taken, health, home / f"{name}.log", environment, processes.mark(token, home))
        except BaseException as error:
            _end(home, name)
            # another program may have taken the port meanwhile, for which the answer is another port
            if not isinstance(error, UserError) or wanted == 0 or free_port(taken) == taken:
                raise
        else:
            return f"http://127.0.0.1:{taken}"
    raise AssertionError("the last try returns or raises")


def _end(home: Path, name: str) -> None:
    record = processes.read_record(home / f"{name}.json")
    if isinstance(token := record.get("token"), str):
        processes.end(processes.mark(token, home))
    (home / f"{name}.json").unlink(missing_ok=True)


def page(api_url: str) -> str:
    """The address of the Prefect pages of a server, from that of its API."""
    return api_url.removesuffix("/api")


def start(command: Sequence[str], port: int, health: str, log: Path, environment: Mapping[str, str], mark: str) -> None:
    """Start a server with a mark, in a session of its own, and wait until it answers on `port` under the path `health`.

    In its own session a Ctrl-C at the terminal does not reach it, so that it outlives what still reports to it.

    Raises:
        UserError: it ended, or did not answer in time.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment, processes.MARK: mark},
            start_new_session=True,
        )
    deadline = time.monotonic() + START_SECONDS
    # another program's server may answer on that port
    while not (answers(f"http://127.0.0.1:{port}{health}") and processes.listens(mark, port)):
        if process.poll() is not None:
            raise UserError(f"{command[2]} server ended while starting (status {process.returncode}): see {log}")
        if time.monotonic() > deadline:
            raise UserError(f"{command[2]} server did not answer in {START_SECONDS:.0f} s: see {log}")
        time.sleep(0.2)


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
