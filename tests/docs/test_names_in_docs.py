"""What the docs name is there: commands and their options, settings, registered names, files, links, words."""

import ast
import importlib
import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from denouement import schemas
from denouement.cli import main
from denouement.cloze import SYSTEMS
from denouement.encoders import ENCODERS
from denouement.generators import GENERATORS
from denouement.yaml_files import read_yaml

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS, *sorted((ROOT / "docs/decisions").glob("*.md"))]
TEXTS = {path: path.read_text(encoding="utf-8") for path in PAGES}
ALL_DOCS = "\n".join(TEXTS[path] for path in [ROOT / "README.md", *DOCS])

MADE_BY_A_RUN = ("data/", "reports/", "mlruns/", "mlartifacts/", ".venv", ".dvc/")
"""Folders whose files are there after a run, or are the user's."""


@pytest.fixture
def say(capsys):
    """Prints how much a test visited, though it passes."""

    def visited(what: str) -> None:
        with capsys.disabled():
            print(f"\n{what} visited")

    return visited


def code_blocks(text: str) -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [content for language, content in blocks if language not in ("python", "yaml", "mermaid")]


def command_lines(text: str) -> Iterator[list[str]]:
    """The words of each line of a code block, and of each code in a sentence, that begins with `denouement`."""
    lines = [line for block in code_blocks(text) for line in re.sub(r"\\\n", " ", block).splitlines()]
    lines += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    for line in lines:
        line = re.sub(r"^\s*(?:\$ )?(?:\.venv/bin/|python -m )?", "", line)
        if line.startswith("denouement "):
            try:
                yield shlex.split(line, comments=True)[1:]
            except ValueError:  # an open quote: not a whole command
                yield line.split()[1:]


def options_of(command: click.Command) -> set[str]:
    return {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help", "-h"}


def unknown_in(words: list[str]) -> list[str]:
    """The command and options among the words that the program does not have."""
    command: click.Command = main
    context = click.Context(main)
    rest = list(words)
    while isinstance(command, click.Group) and rest and re.fullmatch(r"[a-z][a-z-]*", rest[0]):
        named = command.get_command(context, rest[0])
        if named is None:
            return [f"command {rest[0]}"]
        command, rest = named, rest[1:]
    known = options_of(command) | (options_of(main) if command is main else set())
    named_options = [word.strip("[]|.,").partition("=")[0] for word in rest if word.strip("[").startswith("-")]
    if isinstance(command, click.Group) and command is not main:  # `study ... --json`: of any of its commands
        for name in command.list_commands(context):
            known |= options_of(command.get_command(context, name))  # type: ignore[arg-type]
    return [option for option in named_options if re.match(r"--?[a-z]", option) and option not in known]


def test_the_commands_and_options_of_the_docs_are_there(say):
    lines = [(path.name, words) for path, text in TEXTS.items() for words in command_lines(text)]
    assert [(page, *wrong, *words) for page, words in lines if (wrong := unknown_in(words))] == []
    assert len(lines) > 50
    say(f"{len(lines)} command lines")


def test_a_command_or_an_option_that_is_missing_is_noticed():
    assert unknown_in(["cloze", "evaluate", "--wrong", "1"]) == ["--wrong"]
    assert unknown_in(["evaluate"]) == ["command evaluate"]


def test_every_command_is_in_the_docs(say):
    used = {" ".join(words[:depth]) for text in TEXTS.values() for words in command_lines(text) for depth in (1, 2)}
    there = set()
    for name in main.list_commands(click.Context(main)):
        command = main.get_command(click.Context(main), name)
        if isinstance(command, click.Group):
            there |= {f"{name} {each}" for each in command.list_commands(click.Context(command))}
        else:
            there.add(name)
    assert len(there) > 15
    assert not there - used
    say(f"{len(there)} commands")


def test_the_commands_of_make_are_there(say):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = Counter(
        target
        for text in TEXTS.values()
        for code in [*code_blocks(text), *re.findall(r"`([^`\n]+)`", text)]
        for target in re.findall(r"^make ([a-z]+)", code, re.MULTILINE)
    )
    assert set(named) <= targets
    assert {"run", "test", "help"} <= set(named)
    say(f"{named.total()} uses of make")


@pytest.mark.parametrize("registry", [GENERATORS, ENCODERS, SYSTEMS], ids=["generators", "encoders", "systems"])
def test_every_registered_name_is_in_the_docs(registry, say):
    assert [name for name in registry if f"`{name}`" not in ALL_DOCS] == []
    say(f"{len(registry)} names")


def keys(section: Any) -> Iterator[str]:
    if isinstance(section, dict):
        for key, value in section.items():
            yield str(key)
            yield from keys(value)


def test_every_setting_is_in_the_docs(say):
    """Each key of `params.yaml` is in some code of a page, alone or with its section."""
    blocks = re.findall(r"^```.*?^```", ALL_DOCS, re.MULTILINE | re.DOTALL)
    code = set(re.findall(r"[\w-]+", "\n".join([*re.findall(r"`([^`\n]+)`", ALL_DOCS), *blocks])))
    named = set(keys(read_yaml(ROOT / "params.yaml")))
    assert len(named) > 40
    assert sorted(named - code) == []
    say(f"{len(named)} settings")


def is_there(written: str) -> bool:
    """Whether a path that a page names is there: from the root, from the package, or in one of its folders."""
    bases = [ROOT, ROOT / "src", ROOT / "src/denouement"]
    bases += [path for path in (ROOT / "src/denouement").iterdir() if path.is_dir()]
    return any(any(base.glob(written)) for base in bases)


def paths_in(text: str) -> Iterator[str]:
    """Paths in backticks: with a folder and an ending, or a folder of ours with a slash at the end."""
    for code in re.findall(r"`([^`\n]+)`", text):
        is_path = re.fullmatch(r"[\w.-]+(?:/[\w.*-]+)*(?:/|/[\w*-]+\.(?:py|md|yaml|csv|html|txt))", code)
        if is_path and not re.search("[A-Z]{4}", code.replace("README", "")):  # such as CACHE/: the user names it
            yield code


EXAMPLES = {
    path
    for path in re.findall(r"`([\w/]+\.py)`", TEXTS[ROOT / "docs/adding.md"])
    if re.search(r"nearest_words|letters|longest_ending|shortest", path)
}
"""Files that the how-tos make."""


def test_the_files_that_the_docs_name_are_there(say):
    named = [(page.name, path) for page, text in TEXTS.items() for path in paths_in(text) if path not in EXAMPLES]
    of_ours = [(page, path) for page, path in named if not path.startswith(MADE_BY_A_RUN)]
    assert [(page, path) for page, path in of_ours if not is_there(path)] == []
    assert len(of_ours) > 50
    say(f"{len(of_ours)} paths")


def anchors(path: Path) -> set[str]:
    """The addresses within a page that its headings have on GitHub."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path, link: str) -> bool:
    file, _, anchor = link.partition("#")
    target = page.parent / file if file else page
    return not target.exists() or bool(anchor and anchor not in anchors(target))


def test_the_links_of_the_docs_lead_somewhere(say):
    links = []
    for page, text in TEXTS.items():
        prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        targets = re.findall(r"\]\(([^)\s]+)\)", prose)
        links += [(page, link) for link in targets if not link.startswith(("http:", "https:", "mailto:"))]
    assert [(page.name, link) for page, link in links if broken(page, link)] == []
    assert len(links) > 80
    say(f"{len(links)} links")


def test_the_index_links_every_page(say):
    index = TEXTS[ROOT / "docs/README.md"]
    assert [path.name for path in DOCS if path.name != "README.md" and f"({path.name})" not in index] == []
    decisions = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    listed = TEXTS[ROOT / "docs/decisions/README.md"]
    assert [path.name for path in decisions if f"({path.name})" not in listed] == []
    say(f"{len(DOCS)} pages and {len(decisions)} decisions")


def test_the_words_of_the_glossary_are_in_the_code(say):
    rows = re.findall(r"^\| ([\w -]+) \| .+ \| `([\w.]+)` \|$", TEXTS[ROOT / "docs/glossary.md"], re.MULTILINE)
    assert len(rows) > 25
    assert [word for word, _ in rows] == sorted({word for word, _ in rows}, key=str.lower)
    for word, where in rows:
        first, _, name = where.rpartition(".")
        if first in schemas.TABLES:
            assert name in schemas.TABLES[first].schema.names, word
            continue
        try:
            importlib.import_module(where)
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(first), name), word
    say(f"{len(rows)} words")


def test_every_library_has_a_reason(say):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    names = [re.split(r"[\[<>=]", name)[0] for each in lists for name in each]
    text = TEXTS[ROOT / "docs/dependencies.md"]
    typed = re.compile(r"types-|.*-stubs$")  # one line for all of them
    assert [name for name in names if name not in text and not typed.match(name)] == []
    say(f"{len(names)} libraries")


def test_no_class_has_the_name_of_another(say):
    defined = Counter(
        node.name
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, n in defined.items() if n > 1] == []
    say(f"{len(defined)} classes")
