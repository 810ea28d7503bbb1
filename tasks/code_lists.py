"""The lists of code and libraries in `dvc.yaml`: `python -m tasks.code_lists` (`make graph`) writes them.

DVC reruns a stage when a file among its `deps` changed, and sees no others. So each stage lists every file of this
project that its flow imports, however far away and however late (inside a function). Rows of a registry, text such as
"denouement.encoders.glove:GloveMean", are imports too, and the files beside a module that are no Python (templates,
word lists) are read by it. A folder means all files in it.

Of `libraries.yaml` a stage lists the libraries that these files compute with: a new version makes the stage stale.
"""

import ast
import importlib.metadata
import io
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from denouement.files import write_text
from denouement.generators import BY_OTHERS, GENERATORS, names
from denouement.yaml_files import read_yaml
from tasks import ROOT
from tasks.libraries import FILE as LIBRARIES
from tasks.params import FILE as PARAMS

GRAPH = Path("dvc.yaml")
CODE = ("flows", "src", "tasks")  # a dep that begins so is code, any other is data
NOT_READ = {"__pycache__", "py.typed"}
_ROW = re.compile(r"([a-z_][\w.]*):\w+")


def closure(module: str, leave_out: Iterable[Path] = ()) -> set[Path]:
    """The project's files that importing `module` can execute, itself included, relative to the root.

    Args:
        module: dotted name.
        leave_out: files not to enter, such as the other generators when only one is trained.
    """
    reached: set[Path] = set()
    waiting = [module]
    while waiting:
        for path in _files(waiting.pop()) - reached - set(leave_out):
            reached.add(path)
            waiting += _imports(path)
    return reached


def libraries(files: Iterable[Path]) -> list[str]:
    """The libraries that the files import or name in a text, as `libraries.yaml` spells them, in its order.

    A package that only carries data, such as word vectors, is named in a text.
    """
    names = _libraries_by_name()
    used = {
        library
        for path in files
        for name in _imports(path) | _texts(path)
        for library in names.get(_plain(name.partition(".")[0]), ())
    }
    return [name for name in read_yaml(ROOT / LIBRARIES) if name in used]


def stage_code(kinds: Iterable[str], name: str, of_generator: bool) -> list[str]:
    """The code that a stage lists among its deps: files, and folders all of whose files it needs.

    Args:
        kinds: of the generators that `params.yaml` has.
        name: of the stage.
        of_generator: whether the stage is one for each generator. The file that only one kind needs is then written
            with `${item.kind}` in the place of its name, where each kind has such a file.
    """
    if not of_generator:
        return _folded(closure(f"flows.{name}"))
    by_kind = {kind: generator_closure(f"flows.{name}", kind) for kind in kinds}
    common = set.intersection(*by_kind.values())
    own = set()
    for path in set().union(*by_kind.values()) - common:
        each = [path.with_name(f"{kind}.py") for kind in by_kind]
        is_one_of_each = path in each and all((ROOT / of_kind).is_file() for of_kind in each)
        own.add((path.with_name("${item.kind}.py") if is_one_of_each else path).as_posix())
    return sorted([*_folded(common), *own])


def generator_closure(module: str, kind: str) -> set[Path]:
    """The closure of a flow that works for one generator: the files of the other rows of the registry are left out.

    A kind that writes by others has the files of all rows: it writes by a generator of any kind.
    """
    if kind in BY_OTHERS:
        return closure(module)
    rows = {name: Path("src", *row.partition(":")[0].split(".")).with_suffix(".py") for name, row in GENERATORS.items()}
    return closure(module, [path for name, path in rows.items() if path != rows[kind]])


def listed() -> str:
    """`dvc.yaml` with the lists as they should be; what else is in it stays as it is, comments too."""
    yaml = YAML()
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.width = 4096
    yaml.preserve_quotes = True
    graph = yaml.load((ROOT / GRAPH).read_text(encoding="utf-8"))
    kinds = dict.fromkeys(names.kinds(read_yaml(ROOT / PARAMS)["generators"], f"{PARAMS}: generators").values())
    for name, stage in graph["stages"].items():
        described = stage.get("do", stage)
        of_generator = stage is not described
        files = set().union(
            *(generator_closure(f"flows.{name}", kind) for kind in kinds)
            if of_generator
            else [closure(f"flows.{name}")]
        )
        data = [dep for dep in described["deps"] if dep.partition("/")[0] not in CODE]
        described["deps"][:] = [*data, *stage_code(kinds, name, of_generator)]
        _set_libraries(described["params"], libraries(files))
    text = io.StringIO()
    yaml.dump(graph, text)
    return text.getvalue()


@cache
def _libraries_by_name() -> dict[str, set[str]]:
    """By the name of a package or of a module of it the libraries of `libraries.yaml` that have it."""
    spelled = {_plain(name): name for name in read_yaml(ROOT / LIBRARIES)}
    of_name = {name: {library} for name, library in spelled.items()}
    for module, distributions in importlib.metadata.packages_distributions().items():
        of_name[_plain(module)] = {spelled[name] for name in map(_plain, distributions) if name in spelled}
    return of_name


def _set_libraries(params: list[Any], names: list[str]) -> None:
    params[:] = [entry for entry in params if not (isinstance(entry, Mapping) and LIBRARIES.name in entry)]
    if names:
        params.append({LIBRARIES.name: names})


@cache
def _files(name: str) -> frozenset[Path]:
    """The project's files of a dotted name: the packages on the way, the module, and what else is in its folder."""
    parts = name.split(".")
    files: set[Path] = set()
    for end in range(1, len(parts) + 1):
        for base in (ROOT, ROOT / "src"):
            path = base.joinpath(*parts[:end])
            if (path / "__init__.py").is_file():
                files |= {path / "__init__.py", *_read_beside(path)}
            if path.with_suffix(".py").is_file():
                files.add(path.with_suffix(".py"))
    return frozenset(path.relative_to(ROOT) for path in files)


@cache
def _read_beside(package: Path) -> frozenset[Path]:
    """The files of a package that are no Python, and those of its folders that hold no Python at all."""
    files: set[Path] = set()
    for path in package.iterdir():
        if path.name in NOT_READ or path.name.startswith("."):
            continue
        if path.is_file() and path.suffix != ".py":
            files.add(path)
        elif path.is_dir() and not any(path.rglob("*.py")):
            files |= {each for each in path.rglob("*") if each.is_file() and NOT_READ.isdisjoint(each.parts)}
    return frozenset(files)


def _folded(files: set[Path]) -> list[str]:
    """The files, and in the place of those of a folder within a package that are all among them, the folder."""
    whole = []
    for folder in sorted({parent for path in files for parent in path.parents if len(parent.parts) > 2}):
        inside = {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()}
        inside = {path for path in inside if NOT_READ.isdisjoint(path.parts)}
        if inside <= files and not any(other in folder.parents for other in whole):
            whole.append(folder)
    rest = [path for path in files if not any(folder in path.parents for folder in whole)]
    return sorted(path.as_posix() for path in (*whole, *rest))


@cache
def _imports(path: Path) -> frozenset[str]:
    """The dotted names that a Python file imports, and those of rows of a registry; a file of another kind has none."""
    names: set[str] = set()
    for node in _nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names | {row[1] for text in _texts(path) if (row := _ROW.fullmatch(text))})


@cache
def _texts(path: Path) -> frozenset[str]:
    """The texts in a Python file."""
    return frozenset(
        node.value for node in _nodes(path) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a Python file but those below `if TYPE_CHECKING:`, which are not executed."""
    if path.suffix != ".py":
        return ()
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    return tuple(ast.walk(tree))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    from tasks.command import errors_as_lines

    with errors_as_lines():
        write_text(ROOT / GRAPH, listed())
