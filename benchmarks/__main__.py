"""Run the benchmarks, print them, and keep them in `docs/benchmarks.md`, a section a part.

Parts that are not run keep their section as it is, each of which says where and how it was measured. The exit status
is 1 when a ratio is too low, or a part could not be measured.
"""

import importlib
import json
import os
import pkgutil
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import benchmarks
from benchmarks.table import Row, as_text
from denouement import git
from denouement.errors import UserError
from denouement.files import write_text

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"

TITLE = """# Benchmarks

Each row compares this package with the plain way to do the same, the fastest of three runs of each, made in turns in
one run on one machine; or, once, with what it may take or must reach. `make bench` measures all of it again, `python -m
benchmarks PART` one part. Seconds depend on the machine; the ratios are what has to hold."""

NO_PARTS = ("table", "decoding_settings")  # what parts share, and a measurement of endings rather than speed
LIBRARIES = ("torch", "pytorch-lightning", "numpy", "pyarrow", "pandas", "vaderSentiment", "dvc")


def main(names: Sequence[str]) -> int:
    """Run the named parts, or all; give the exit status."""
    modules = [module.name for module in pkgutil.iter_modules(benchmarks.__path__)]
    parts = [name for name in modules if name not in NO_PARTS and not name.startswith("_")]
    unknown = sorted(set(names) - set(parts))
    if unknown:
        print(f"error: no benchmark {', '.join(unknown)}; there are {', '.join(parts)}", file=sys.stderr)
        return 2
    made_with = f"Commit {_commit()}, `python -m benchmarks {' '.join(names)}".rstrip() + f"`, on {_machine()}."
    hold = True
    for name in names or parts:
        print(f"{name} ...", file=sys.stderr, flush=True)
        rows = _measured_apart(name)
        if rows is None:
            hold = False
            continue
        hold = hold and all(row.holds for row in rows)
        print(as_text(rows), flush=True)
        page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        write_text(PAGE, with_section(page, name, f"{as_text(rows)}\n\n{made_with}"))
    return 0 if hold else 1


def with_section(page: str, name: str, text: str) -> str:
    """`page` with its section `name` replaced by `text`, or added, sections in alphabetical order."""
    sections = dict(section.split("\n", 1) for section in page.split("\n## ")[1:])
    sections[name] = text
    sections.setdefault("gpu", "Not measured on a GPU.")
    return "\n\n".join([TITLE, *(f"## {title}\n\n{sections[title].strip()}" for title in sorted(sections))]) + "\n"


def _measured_apart(name: str) -> list[Row] | None:
    """The rows of a part, measured in a process of its own: no part finds memory or caches that another one left.

    None when it could not be measured; its process has then printed why.
    """
    command = [sys.executable, "-c", f"import benchmarks.__main__ as run; run.print_rows({name!r})"]
    measured = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if measured.returncode:
        return None
    return [Row(**row) for row in json.loads(measured.stdout.splitlines()[-1])]


def print_rows(name: str) -> None:
    """Measure the part `name` and print its rows as the last line; a part that cannot be measured says why."""
    try:
        rows: list[Row] = importlib.import_module(f"benchmarks.{name}").measure()
    except UserError as error:
        print(f"error: {name} is not measured: {error}", file=sys.stderr)
        sys.exit(1)
    print(json.dumps([asdict(row) for row in rows]))


def _machine() -> str:
    """The machine in words, without its name."""
    cpu_info = Path("/proc/cpuinfo")
    models = [line.partition(":")[2].strip() for line in cpu_info.read_text().splitlines() if "model name" in line]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB of memory, "
        f"{platform.system()}, Python {platform.python_version()}, {libraries}"
    )


def _commit() -> str:
    commit = git.commit(ROOT, ("src", "benchmarks"))
    if commit is None:
        return "unknown"
    return commit.name[:7] + (" and changes on top of it" if commit.is_changed else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
