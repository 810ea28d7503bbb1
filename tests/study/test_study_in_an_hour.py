"""The README's section "A study in an hour", typed: from the file of a study to the report."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from hosted import Person

from denouement.cli import main
from denouement.stages.study import StudyPaths, StudySettings, run
from denouement.study.importing import find_answers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
REASON = "It goes on with what the story tells, and he is happy."


def section() -> str:
    return README.partition("## A study in an hour\n")[2].partition("\n## ")[0]


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", section(), re.DOTALL)
    return [line.partition(" #")[0].strip() for block in blocks for line in block.splitlines()]


def typed(command: str) -> str:
    """What a command prints; it must end well, and say nothing on standard error."""
    done = CliRunner().invoke(main, shlex.split(command)[1:])
    assert (done.exit_code, done.stderr) == (0, ""), (command, done.output)
    return done.stdout


@contextmanager
def served(command: str, folder: Path) -> Iterator[str]:
    """The address of the server that a command starts, at a free port instead of the usual one."""
    words = [sys.executable, "-m", *shlex.split(command), "--port", "0"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield re.search(r"http://[\d.:]+", process.stdout.readline())[0]
        finally:
            process.terminate()


def answer_all(address: str, link: str) -> int:
    """How many questions a person answers who follows a private link."""
    with httpx.Client() as client:
        person = Person.at_server(client, address)
        person.open(link).send(consent="yes")
        answered = 0
        while not person.at.endswith("/end"):
            answered += 1
            assert answered < 100
            person.send(answer="A", reason=REASON)
        return answered


def test_the_commands_lead_from_a_file_to_the_report(run_folder: Path, monkeypatch: pytest.MonkeyPatch):
    folder = run_folder
    monkeypatch.chdir(folder)
    lines = commands()
    [design] = re.findall(r"```yaml\n(.*?)```", section(), re.DOTALL)
    (folder / "study.yaml").write_text(design)
    create, serve, *after, make = lines
    assert create.startswith("denouement study create study.yaml ")
    assert (serve, make) == ("denouement study serve", "make run")
    links = re.findall(r"/s/pilot/link/\S+", typed(create))
    assert len(links) == 5
    with served(serve, folder) as address:
        assert [answer_all(address, link) for link in links] == [20] * 5
    progress, results, review, export, elements = map(typed, after)
    assert "100 of 100 answers" in progress
    assert "100 accepted" in export
    assert REASON in results
    assert "fast" in review
    assert re.search(r"\| emotion +\| +100 \(100.0%\)", elements), elements
    # `make run` would run these two stages, and nothing else, again
    run(StudySettings(), StudyPaths(find_answers(folder / "data/raw"), folder / "data/study"))
    assert "report.html" in typed("denouement report --out reports")
    page = (folder / "reports/report.html").read_text(encoding="utf-8")
    assert REASON in page
    assert "Number 1" in page
