"""Which of the project's files a module imports, and what `dvc.yaml` should say of them: run it to see what to add.

DVC reruns a stage when a file among its `deps` changed, and sees no others. So each stage must list every file of this
project that its flow imports, however far away and however late (inside a function). Rows of a registry, text such as
"denouement.encoders.glove:GloveMean", are imports too.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"([a-z_][\w.]*):\w+")


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
            waiting += _imports(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    return found


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


class Stage(NamedTuple):
    """A stage of `dvc.yaml`.

    Attributes:
        module: its flow.
        imported: the files that its flow imports.
        deps: those among its `deps` that are code: files, or folders that cover what is in them.
    """

    module: str
    imported: set[Path]
    deps: set[Path]

    @property
    def missing(self) -> set[Path]:
        """Imported files that no dep covers."""
        return {path for path in self.imported if not self.deps & {path, *path.parents}}


def stages() -> dict[str, Stage]:
    """Every stage of `dvc.yaml` by name; of the generators, one that works for one of them imports that one only."""
    from dvc.repo import Repo

    from denouement.generators import GENERATORS

    files = {
        name: Path("src", *row.partition(":")[0].split(".")).with_suffix(".py") for name, row in GENERATORS.items()
    }
    described = {}
    with Repo(str(ROOT)) as repo:
        for stage in repo.index.stages:
            _, _, module, *generator = stage.cmd.split()
            others = {path for name, path in files.items() if generator and name not in generator}
            deps = {Path(dep.def_path) for dep in stage.deps if dep.def_path != "params.yaml"}
            code = {path for path in deps if path.parts[0] in ("flows", "tasks", "src")}
            described[stage.addressing] = Stage(module, closure(module, frozenset(others)), code)
    return described


if __name__ == "__main__":
    for name, stage in stages().items():
        for path in sorted(stage.missing):
            print(f"{name}: add {path.as_posix()}")
