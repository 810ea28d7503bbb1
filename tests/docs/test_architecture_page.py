"""The diagram of `docs/architecture.md` is how the rooms of the library import each other."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src/denouement"
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
OUTSIDE = {"tasks", "flows"}  # in the diagram, and no rooms of the library


def arrows() -> dict[str, set[str]]:
    """By room those that an arrow leads to; a box that names several is each of them."""
    boxes = {name: set(label.split(", ")) for name, label in re.findall(r"(\w+)\[\"(.+?)\"\]", PAGE)}
    leads: dict[str, set[str]] = {}
    for line in re.findall(r"^    (\w.* --> \w+)$", PAGE, re.MULTILINE):
        start, _, end = re.sub(r"\[.+?\]", "", line).partition(" --> ")
        for room in boxes.get(start, {start}):
            leads.setdefault(room, set()).update(boxes.get(end, {end}))
    return leads


def reached(room: str, leads: dict[str, set[str]]) -> set[str]:
    """The rooms that may be imported: those at the ends of arrows, and those that arrows lead to from there."""
    found: set[str] = set()
    waiting = [room]
    while waiting:
        new = leads.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def imported(room: str) -> set[str]:
    """The rooms that the files of a room import, but for what only mypy reads."""
    found = set()
    for path in sorted((SRC / room).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                node.body = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            found |= {name.split(".")[1] for name in names if name.startswith("denouement.")}
    return {name for name in found if (SRC / name).is_dir()} - {room}


def test_rooms_import_only_what_the_diagram_shows(capsys):
    leads = arrows()
    rooms = {path.name for path in SRC.iterdir() if (path / "__init__.py").exists()}
    assert rooms <= {room for start, ends in leads.items() for room in (start, *ends)}
    wrong = {room: extra for room in sorted(rooms) if (extra := imported(room) - reached(room, leads))}
    assert wrong == {}
    with capsys.disabled():
        print(f"\n{len(rooms)} rooms visited")


def test_the_diagram_has_no_room_that_is_missing():
    named = {room for start, ends in arrows().items() for room in (start, *ends)} - OUTSIDE
    assert [name for name in named if not (SRC / name).is_dir() and not (SRC / f"{name}.py").is_file()] == []


def test_no_two_rooms_import_each_other():
    leads = arrows()
    assert [room for room in leads if room in reached(room, leads)] == []
