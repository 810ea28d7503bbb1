"""Each part of `docs/adding.md` is followed as it is written, in a copy of the project, whose tests are then run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/adding.md").read_text(encoding="utf-8")
PARTS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))

pytestmark = pytest.mark.slow


def test_the_parts_that_are_followed_are_those_of_the_page():
    followed = {"A generator", "An encoder", "A Story Cloze system", "A section of the report", "A column of endings"}
    assert set(PARTS) == followed


class Copy:
    """A copy of the project, and one part of the page."""

    def __init__(self, folder: Path, part: str) -> None:
        for name in ("src", "tests", "tasks", "flows", "docs", "benchmarks"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (*ROOT.glob("*.*"), ROOT / ".dvc/config"):
            if path.is_file():
                copy = folder / path.relative_to(ROOT)
                copy.parent.mkdir(exist_ok=True)
                shutil.copyfile(path, copy)
        subprocess.run(["git", "init", "--quiet", str(folder)], check=True)  # DVC works in a git repository alone
        self.folder = folder
        self.blocks = re.findall(r"^```\w+\n(.*?)^```", PARTS[part], re.MULTILINE | re.DOTALL)

    def write(self, path: str, block: int) -> None:
        """A new file, which the page names."""
        assert f"`{path}`" in PAGE
        assert not (self.folder / path).exists()
        (self.folder / path).write_text(self.blocks[block], encoding="utf-8")

    def change(self, path: str, pattern: str, put: str) -> None:
        """Put a text in the place of the one that `pattern` matches; the page names the file."""
        assert f"`{path}`" in PAGE
        text, n = re.subn(
            pattern, lambda _: put, (self.folder / path).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
        )
        assert n == 1, (path, pattern)
        (self.folder / path).write_text(text, encoding="utf-8")

    def row(self, path: str, registry: str, block: int) -> None:
        """A new first row of a registry."""
        self.change(path, rf"^{registry}: [^\n]*= \{{\n", f"{registry}: dict[str, str] = {{\n{self.blocks[block]}")

    def run(self, *arguments: str) -> str:
        """What a program of the copy printed, which must end well."""
        done = subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder / "src")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def check(self, *tests: str) -> None:
        """The style is that of the project, and the tests pass."""
        self.run("ruff", "check", "src")
        self.run("pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "", *tests)


def test_a_generator(tmp_path):
    copy = Copy(tmp_path / "copy", "A generator")
    copy.write("src/denouement/generators/nearest_words.py", 0)
    copy.row("src/denouement/generators/__init__.py", "GENERATORS", 1)
    copy.write("tests/generators/test_nearest_words.py", 2)
    row, section = (block.splitlines()[-1] for block in copy.blocks[3:5])
    copy.change("params.yaml", r"^(?=  h_seq2seq: \{kind)", f"{row}\n")
    copy.change("params.yaml", r"^(?=  retrieval: \{\})", f"{section}\n")
    copy.check("tests/generators/test_nearest_words.py", "tests/generators/test_contract.py", "-k", "nearest or row")
    copy.run("tasks.code_lists")
    copy.check("tests/test_architecture.py", "tests/test_layout.py")


def test_an_encoder(tmp_path):
    copy = Copy(tmp_path / "copy", "An encoder")
    copy.write("src/denouement/encoders/letters.py", 0)
    copy.row("src/denouement/encoders/__init__.py", "ENCODERS", 1)
    copy.check("tests/encoders/test_encoder_registry.py")


def test_a_story_cloze_system(tmp_path):
    copy = Copy(tmp_path / "copy", "A Story Cloze system")
    copy.write("src/denouement/cloze/systems/longest_ending.py", 0)
    copy.row("src/denouement/cloze/__init__.py", "SYSTEMS", 1)
    copy.change("src/denouement/cloze/__init__.py", r"^WITHOUT_CONTEXT = [^\n]*$", copy.blocks[2].strip())
    copy.check("tests/cloze/systems/test_cloze_systems.py", "-k", "longest_ending")


def test_a_section_of_the_report(tmp_path):
    copy = Copy(tmp_path / "copy", "A section of the report")
    copy.write("src/denouement/analysis/shortest.py", 0)
    copy.write("src/denouement/analysis/sections/shortest.py", 1)
    function, entry, imports, terms = copy.blocks[2:6]
    sections = "src/denouement/report/sections.py"
    copy.change(sections, r"^(?=from denouement\.analysis\.sentiment import)", imports)
    copy.change(sections, r"^(?=_KINDS = \()", f"{function}\n\n")
    copy.change(sections, r"^_KINDS = \(\n", f"_KINDS = (\n{entry}")
    first = "TERMS: dict[str, list[tuple[str, str]]] = {\n"
    copy.change("src/denouement/report/terms.py", re.escape(first), first + terms)
    copy.run("ruff", "check", "--fix", "--select", "I", "src")
    copy.check("tests/report/test_page.py")  # all sections are shown there


def test_a_column_of_endings(tmp_path):
    copy = Copy(tmp_path / "copy", "A column of endings")
    table, field, value = copy.blocks
    copy.change("src/denouement/schemas.py", r"^    \"endings\": TableRules\(.*?^    \),\n", table)
    copy.change("src/denouement/generators/base.py", r"(?<=    n_tokens: int \| None = None\n)", field)
    copy.change("src/denouement/generators/endings.py", r"(?<=            \"n_tokens\": ending.n_tokens,\n)", value)
    copy.check("tests/test_schemas.py", "tests/generators/test_endings.py", "tests/analysis/test_endings_analysis.py")
