"""What a module imports, and what `dvc.yaml` should say of it: run it to see what to add.

DVC reruns a stage when a file among its `deps` changed, and sees no others. So each stage must list every file of this
project that its flow imports, however far away and however late (inside a function). Rows of a registry, text such as
"denouement.encoders.glove:GloveMean", are imports too.

It must also list, from `libraries.yaml`, every library that these files compute with: a new version of it makes the
stage stale.
"""

import ast
import importlib.metadata
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from denouement.yaml_files import read_yaml

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"([a-z_][\w.]*):\w+")
LIBRARIES = "libraries.yaml"
# what prints, tracks or reads settings and pages, and changes no figure
NOT_COMPUTING = {
    "click",
    "jinja2",
    "markupsafe",
    "mlflow",
    "prefect",
    "psutil",
    "pydantic",
    "ruamel-yaml",
    "sqlalchemy",
}
NOT_COMPUTING |= {"tqdm"}


def closure(module: str, leave_out: frozenset[Path] = frozenset()) -> set[Path]:
    """The project's files that importing `module` can execute, itself included, relative to the root.

    Args:
        module: dotted name.
        leave_out: files not to enter, such as the other generators when only one is trained.
    """
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        for path in _files(name) - found - leave_out:
            found.add(path)
            waiting += _imports(_tree(path))
    return found


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


@cache
def _distributions() -> Mapping[str, list[str]]:
    """By module, the distributions that it is part of."""
    return importlib.metadata.packages_distributions()


def _files(name: str) -> set[Path]:
    """The project's files executed for the dotted name: the packages on the way and the module itself."""
    parts = name.split(".")
    files = set()
    for end in range(1, len(parts) + 1):
        for base in (ROOT, ROOT / "src"):
            path = base.joinpath(*parts[:end])
            files |= {each for each in (path / "__init__.py", path.with_suffix(".py")) if each.is_file()}
    return {path.relative_to(ROOT) for path in files}


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (row := ROW.fullmatch(node.value)):
            yield row[1]


def libraries(files: set[Path]) -> set[str]:
    """The libraries that the files compute with, as `libraries.yaml` names them: imported, or named in a text.

    A package that only carries data, such as word vectors, is found by its name.
    """
    declared = {_plain(name): name for name in read_yaml(ROOT / LIBRARIES)}
    of_name = {name: {name} for name in declared}
    for module, distributions in _distributions().items():
        of_name[_plain(module)] = {_plain(each) for each in distributions} & declared.keys()
    found = set()
    for path in files:
        tree = _tree(path)
        texts = [each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)]
        for name in (*_imports(tree), *(text for text in texts if isinstance(text, str))):
            found |= of_name.get(_plain(name.partition(".")[0]), set())
    return {declared[each] for each in found}


def third_party(files: set[Path]) -> set[str]:
    """The distributions, names in lower case, that the files import and that may compute."""
    of_module = _distributions()
    found = set()
    for path in files:
        for name in _imports(_tree(path)):
            found |= {_plain(each) for each in of_module.get(name.partition(".")[0], ())}
    return {name.removesuffix("-skinny").removesuffix("-tracing") for name in found} - NOT_COMPUTING - {"denouement"}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


class Stage(NamedTuple):
    """A stage of `dvc.yaml`.

    Attributes:
        module: its flow.
        imported: the files that its flow imports.
        deps: those among its `deps` that are code: files, or folders that cover what is in them.
        libraries: those that it names of `libraries.yaml`.
    """

    module: str
    imported: set[Path]
    deps: set[Path]
    libraries: set[str]

    @property
    def missing(self) -> set[Path]:
        """Imported files that no dep covers."""
        return {path for path in self.imported if not self.deps & {path, *path.parents}}


def stages() -> dict[str, Stage]:
    """Every stage of `dvc.yaml` by name; of the generators, one that works for one of them imports that one only."""
    from dvc.dependency import ParamsDependency
    from dvc.repo import Repo

    from denouement.generators import GENERATORS

    files = {
        name: Path("src", *row.partition(":")[0].split(".")).with_suffix(".py") for name, row in GENERATORS.items()
    }
    described = {}
    with Repo(str(ROOT)) as repo:
        for stage in repo.index.stages:
            _, _, module, *words = stage.cmd.split()
            generator = words[0] if words and words[0] in files else None  # else the stage is of all generators
            others = {path for name, path in files.items() if generator and name != generator}
            deps = {Path(dep.def_path) for dep in stage.deps if not isinstance(dep, ParamsDependency)}
            named = {name for dep in stage.deps if dep.def_path == LIBRARIES for name in dep.params}
            code = {path for path in deps if path.parts[0] in ("flows", "tasks", "src")}
            described[stage.addressing] = Stage(module, closure(module, frozenset(others)), code, named)
    return described


if __name__ == "__main__":
    for name, stage in stages().items():
        for path in sorted(stage.missing):
            print(f"{name}: add {path.as_posix()}")
        for library in sorted(libraries(stage.imported) - stage.libraries):
            print(f"{name}: add {LIBRARIES}: {library}")
