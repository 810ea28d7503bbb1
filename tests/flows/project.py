"""A copy of the project in a folder of its own, used as a person at a terminal would."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from denouement.yaml_files import read_yaml


@dataclass(frozen=True)
class Project:
    """A copy of the project, in `folder`, used with the usual environment variables and with these; None: not set."""

    folder: Path
    variables: Mapping[str, str | None] = field(default_factory=dict)

    def run(self, *command: str, timeout: float = 900) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=timeout
        )

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, *arguments)

    def reproduce(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "flows.reproduce", *arguments)

    def environment(self) -> dict[str, str]:
        # the library of the copy, not the one installed from the project itself
        paths = {"PYTHONPATH": str(self.folder / "src"), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        variables = {**os.environ, **paths, "MLFLOW_TRACKING_URI": self.tracking_uri, **self.variables}
        return {name: value for name, value in variables.items() if value is not None}

    @property
    def tracking_uri(self) -> str:
        return f"sqlite:///{self.folder / 'mlflow.db'}"

    def set(self, change: Callable[[dict[str, Any]], None]) -> None:
        self._change("params.yaml", change)

    def leave_out(self, *stages: str) -> None:
        """Take stages out of the graph; the files that they made stay, for the stages that read them."""

        def change(graph: dict[str, Any]) -> None:
            for stage in stages:
                del graph["stages"][stage]

        self._change("dvc.yaml", change)

    def _change(self, file: str, change: Callable[[dict[str, Any]], None]) -> None:
        path = self.folder / file
        content = read_yaml(path)
        change(content)
        path.write_text(json.dumps(content, indent=2))  # JSON is YAML

    def locked(self) -> dict[str, Any]:
        return read_yaml(self.folder / "dvc.lock")["stages"]

    def not_fresh(self) -> frozenset[str]:
        """The stages that DVC would run, as far as is known before those that they need ran."""
        return frozenset(re.findall(r"(?m)^(\S+):$", self.run("dvc", "status").stdout))

    def contents(self) -> dict[str, bytes]:
        """What is under data/ and reports/, and the lock."""
        made = [self.folder / "dvc.lock"]
        for place in ("data", "reports"):
            made += [path for path in (self.folder / place).rglob("*") if path.is_file()]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in made}

    def copy(self, folder: Path) -> "Project":
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder)
