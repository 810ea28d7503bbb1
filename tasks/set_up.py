"""Makes `.venv` from the lock file: `python3 tasks/set_up.py .venv requirements.lock`.

`python3 tasks/set_up.py .venv requirements-lm.lock --add` adds the packages of language models to it.

It says before it starts what it installs, how much that is and about how long it takes, and shows how far it is. It
runs before anything is installed, so it imports the standard library alone.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

LEAST = (3, 11)
SIZE = "about 3 GB on disk; up to 4 GB more if your package index gives PyTorch with CUDA"
TIME = "About 5 minutes on a fast network, 20 on a slow one; only once."
SIZE_ADDED, TIME_ADDED = "about 110 MB on disk", "Less than a minute on a fast network."
_LAST_LINES, _LONGEST_LINE = 15, 300  # of pip's messages when it fails


def packages(lock: Path) -> int:
    """How many packages a lock file names."""
    return len(re.findall(r"^[\w.-]+(?:\[.*?\])?==", lock.read_text(encoding="utf-8"), re.MULTILINE))


def progress(log: str, installed: int, n: int) -> str:
    """How far pip is.

    Args:
        log: what it has printed.
        installed: packages that are in the environment.
        n: packages in all, some of which may need further ones that the lock does not name.
    """
    if "\nInstalling collected packages" in log:
        return f"{min(installed, n)} of {n} packages installed"
    return f"{min(len(re.findall('^Collecting ', log, re.MULTILINE)), n)} of {n} packages fetched"


def _steps(told: str) -> tuple[int, str]:
    """What a line of progress says, to 50 packages: where no terminal is, only a new step is printed."""
    count, _, rest = told.partition(" of ")
    return int(count) // 50, rest


def make(environment: Path, lock: Path) -> None:
    """Make the environment, and print how far it is."""
    began = time.monotonic()
    print(f"Setting up {environment}: {packages(lock)} packages from {lock} ({SIZE}). {TIME}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    _install(environment, lock)
    subprocess.run([*_pip(environment), "--quiet", "--no-deps", "--editable", "."], check=True)
    minutes, seconds = divmod(round(time.monotonic() - began), 60)
    print(f"\n{environment} is ready, after {minutes} min {seconds} s.", flush=True)


def add(environment: Path, lock: Path) -> None:
    """Add the packages of a lock to an environment that has all that they need, and print how far it is."""
    print(f"Adding to {environment}: {packages(lock)} packages from {lock} ({SIZE_ADDED}). {TIME_ADDED}", flush=True)
    _install(environment, lock, "--no-deps")
    print(f"\n{environment} has all of {lock}.", flush=True)


def _pip(environment: Path) -> list[str]:
    python = str(environment / "bin" / "python")
    return [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]


def _install(environment: Path, lock: Path, *options: str) -> None:
    """Run pip, and print how far it is: on a terminal in one line, else now and then in a new one."""
    n, before = packages(lock), _installed(environment)
    log = environment / "set_up.log"
    shown = "0 of nothing"
    with log.open("w", encoding="utf-8") as written:
        command = [*_pip(environment), "--progress-bar", "off", *options, "--requirement", str(lock)]
        process = subprocess.Popen(command, stdout=written, stderr=subprocess.STDOUT)
        try:
            while process.poll() is None:
                time.sleep(0.5)
                told = progress(
                    log.read_text(encoding="utf-8", errors="replace"), max(0, _installed(environment) - before), n
                )
                if sys.stdout.isatty():
                    print(f"\r  {told} ", end="", flush=True)
                elif _steps(told) != _steps(shown):
                    print(f"  {told}", flush=True)
                shown = told
        finally:
            if process.poll() is None:
                process.terminate()
    if process.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        last = [line[:_LONGEST_LINE] for line in lines[-_LAST_LINES:]]
        sys.exit("\n".join(["", *last, f"error: pip could not install all of {lock}; {log} has all that it printed"]))


def _installed(environment: Path) -> int:
    return len(list(environment.glob("lib/python*/site-packages/*.dist-info")))


if __name__ == "__main__":
    if sys.version_info < LEAST:
        sys.exit(
            "Python {}.{} or newer is needed, but {} is {}: name another with PYTHON=python3.12".format(
                *LEAST, sys.executable, sys.version.split()[0]
            )
        )
    try:
        (add if "--add" in sys.argv[3:] else make)(Path(sys.argv[1]), Path(sys.argv[2]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {' '.join(map(str, error.cmd[:4]))} ... failed")
    except KeyboardInterrupt:
        sys.exit("\ninterrupted; the same command begins the set-up again")
