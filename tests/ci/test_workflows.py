"""GitHub and pre-commit run only what is in this repository; no action of a third party is used."""

import os
import re
import tomllib
from pathlib import Path

import pytest

from denouement.yaml_files import read_yaml

ROOT = Path(__file__).parents[2]

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTIONS = {"actions/checkout", "actions/setup-python", "actions/cache"}


def test_there_are_two_workflows():
    assert [path.stem for path in WORKFLOWS] == ["reproduce", "tests"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_its_steps_are_scripts_of_the_project_and_three_known_actions(path):
    for job in read_yaml(path)["jobs"].values():
        assert job["timeout-minutes"]
        for step in job["steps"]:
            if "uses" in step:
                assert step["uses"].partition("@")[0] in ACTIONS
                continue
            # what GitHub fills in is never part of a command: a branch may have any name
            assert "${{" not in step["run"]
            for script in re.findall(r"\.ci/\S+", step["run"]):
                assert (ROOT / script).is_file()
                assert script.endswith(".py") or os.access(ROOT / script, os.X_OK)
            for target in re.findall(r"^make (\w+)", step["run"]):
                assert re.search(rf"(?m)^{target}:", (ROOT / "Makefile").read_text())


def test_secrets_reach_no_step_that_a_fork_s_code_could_print_them_from():
    text = (ROOT / ".github/workflows/reproduce.yml").read_text()
    assert "pull_request_target" not in text  # which would give a fork's code this repository's secrets


def test_hooks_run_the_tools_of_the_environment_alone():
    hooks = [hook for repo in read_yaml(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    assert {repo["repo"] for repo in read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]} == {"local"}
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["dev"]
    assert len(hooks) == 4
    for hook in hooks:
        program, *arguments = hook["entry"].split()
        assert hook["language"] == "system"
        assert program.removeprefix(".venv/bin/") in {*declared, "python"}
        for script in filter(re.compile(r"\.ci/").match, arguments):
            assert (ROOT / script).is_file()
