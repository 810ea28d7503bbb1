"""The rules that keep the project easy to change, read from its files."""

import ast
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

import pytest
from import_closure import ROOT, Stage, closure, stages

from denouement.corpus.ingest import IngestSettings
from denouement.encoders.embeddings import EncodeSettings
from denouement.generators import GENERATORS
from denouement.generators.training import settings_for
from denouement.settings import build
from denouement.stages.generate import GenerateSettings
from denouement.yaml_files import read_yaml
from tasks.cloze import ClozeSettings
from tasks.report import ReportSettings
from tasks.sample import SampleSettings
from tasks.sentiment import SentimentSettings
from tasks.statistics import StatisticsSettings
from tasks.study import StudySettings

PARAMS = read_yaml(ROOT / "params.yaml")
SETTINGS = {
    "sample": SampleSettings,
    "ingest": IngestSettings,
    "encode": EncodeSettings,
    "generate": GenerateSettings,
    "sentiment": SentimentSettings,
    "cloze": ClozeSettings,
    "statistics": StatisticsSettings,
    "study": StudySettings,
    "report": ReportSettings,
}
NOT_STAGES = {"__init__", "reproduce", "serve", "pages"}


@pytest.fixture(scope="module")
def graph() -> dict[str, Stage]:
    return stages()


def imported_packages(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
    return found


def python_files(*folders: str) -> list[Path]:
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    assert files
    return files


def test_the_library_knows_nothing_of_the_pipeline():
    files = python_files("src")
    assert len(files) > 20
    for path in files:
        assert not imported_packages(path) & {"prefect", "mlflow", "dvc", "flows", "tasks"}, path


def test_only_flows_import_flows():
    for path in python_files("src", "tasks", "benchmarks"):
        assert "flows" not in imported_packages(path), path


@pytest.mark.parametrize(("folders", "extras"), [(["src"], []), (["tasks", "flows", "benchmarks"], ["pipeline"])])
def test_every_package_that_is_imported_is_declared(folders, extras):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    declared = {re.sub(r"[-_.]+", "-", name).lower() for names in lists for name in names}
    own = {"denouement", "tasks", "flows", "benchmarks"} | sys.stdlib_module_names
    distributions = {
        package: {re.sub(r"[-_.]+", "-", name).lower() for name in names}
        for package, names in importlib.metadata.packages_distributions().items()
    }
    for path in python_files(*folders):
        for package in imported_packages(path) - own:
            assert declared & distributions[package], f"{path}: {package} is of no package in pyproject.toml"


def test_no_pickle_is_loaded():
    for path in python_files("src", "flows", "tasks", "benchmarks"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            called = ast.unparse(node.func)
            assert called not in {"pickle.load", "pickle.loads", "joblib.load", "pd.read_pickle"}, (path, node.lineno)
            if called == "torch.load":
                given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
                assert given.get("weights_only") == "True", (path, node.lineno)


def test_stage_module_and_settings_share_a_name(graph):
    names = {name.partition("@")[0] for name in graph}
    modules = {path.stem for path in (ROOT / "flows").glob("*.py")} - NOT_STAGES
    assert names == modules == set(PARAMS)
    for name, stage in graph.items():
        assert stage.module == f"flows.{name.partition('@')[0]}"


def in_graph(graph: dict[str, Stage]) -> set[str]:
    """The generators that `vars` of dvc.yaml names."""
    return {name.partition("@")[2] for name in graph if name.startswith("train@")}


def test_the_generators_of_the_graph_are_registered_and_generate(graph):
    names = in_graph(graph)
    assert names
    assert names <= set(GENERATORS)
    assert {name for name in graph if name.startswith("generate@")} == {f"generate@{name}" for name in names}


def test_deps_cover_what_a_stage_imports(graph):
    missing = {name: sorted(map(str, stage.missing)) for name, stage in graph.items() if stage.missing}
    assert not missing, "add to dvc.yaml (python tests/import_closure.py lists them)"
    assert len(graph) == 8 + 2 * len(in_graph(graph))


def test_deps_name_no_code_that_no_stage_of_the_name_imports(graph):
    for kind in {name.partition("@")[0] for name in graph}:
        alike = [stage for name, stage in graph.items() if name.partition("@")[0] == kind]
        imported = set().union(*(stage.imported for stage in alike))
        for dep in set().union(*(stage.deps for stage in alike)):
            is_code = dep.suffix == ".py" or any((ROOT / dep).rglob("*.py"))
            code = dep if is_code else dep.parent  # templates are read by the package that they are in
            assert any(code in (path, *path.parents) for path in imported), f"{kind} does not import {dep}"


def test_closure_follows_late_imports_registry_rows_and_packages():
    found = {path.as_posix() for path in closure("denouement.encoders.base")}
    assert "src/denouement/encoders/glove.py" in found  # named in a row of the registry
    assert "src/denouement/__init__.py" in found  # executed on the way
    assert "src/denouement/generators/__init__.py" not in found


def test_training_one_generator_does_not_depend_on_another(graph):
    assert Path("src/denouement/generators/h_seq2seq.py") not in graph["train@seq2seq"].imported
    assert Path("src/denouement/generators/h_seq2seq.py") in graph["train@h_seq2seq"].imported


@pytest.mark.parametrize("stage", SETTINGS)
def test_section_makes_valid_settings(stage):
    build(SETTINGS[stage], PARAMS[stage], f"params.yaml: {stage}")


@pytest.mark.parametrize("kind", ["sample", "official"])
@pytest.mark.parametrize("generator", GENERATORS)
def test_train_section_makes_valid_settings(generator, kind, graph):
    if generator not in PARAMS["train"]:
        assert generator not in in_graph(graph)
        return
    settings_for(generator, PARAMS["train"], kind)


def test_every_section_was_checked():
    assert set(SETTINGS) | {"train"} == set(PARAMS)
