"""The rules that keep the project easy to change, read from its files."""

import ast
import importlib.metadata
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from denouement.corpus.ingest import IngestSettings
from denouement.encoders.embeddings import EncodeSettings
from denouement.generators import BY_OTHERS, GENERATORS
from denouement.generators.training import settings_for
from denouement.settings import build
from denouement.stages.generate import GenerateSettings
from denouement.stages.metrics import MetricsSettings
from denouement.stages.sample import SampleSettings
from denouement.yaml_files import read_yaml
from tasks import code_lists
from tasks.cloze import ClozeSettings
from tasks.report import ReportSettings
from tasks.sentiment import SentimentSettings
from tasks.statistics import StatisticsSettings
from tasks.study import StudySettings

ROOT = Path(__file__).parents[1]
PARAMS = read_yaml(ROOT / "params.yaml")
SETTINGS = {
    "sample": SampleSettings,
    "ingest": IngestSettings,
    "encode": EncodeSettings,
    "generate": GenerateSettings,
    "sentiment": SentimentSettings,
    "metrics": MetricsSettings,
    "cloze": ClozeSettings,
    "statistics": StatisticsSettings,
    "study": StudySettings,
    "report": ReportSettings,
}
NOT_STAGES = {"__init__", "collect", "reproduce", "serve", "pages"}


@pytest.fixture(scope="module")
def stages() -> dict[str, str]:
    """The command of every stage, by its name in the graph."""
    described = read_yaml(ROOT / "dvc.yaml")
    generators = PARAMS["generators"]
    return {
        name if name == stage else f"{stage}@{name}": of_stage.get("do", of_stage)["cmd"].replace("${key}", name)
        for stage, of_stage in described["stages"].items()
        for name in (generators if "foreach" in of_stage else [stage])
    }


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


COMPARED_WITH = {"lm_eval", "datasets", "rouge_score"}
"""What a benchmark compares with where it is installed; it says so, or leaves the row out, where it is not."""


@pytest.mark.parametrize(
    ("folders", "extras"), [(["src"], ["lm"]), (["tasks", "flows", "benchmarks"], ["lm", "pipeline"])]
)
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
        for package in imported_packages(path) - own - COMPARED_WITH:
            of_package = distributions.get(
                package, {re.sub(r"[-_.]+", "-", package).lower()}
            )  # an extra may be missing
            assert declared & of_package, f"{path}: {package} is of no package in pyproject.toml"


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


def test_stage_module_and_settings_share_a_name(stages):
    names = {name.partition("@")[0] for name in stages}
    modules = {path.stem for path in (ROOT / "flows").glob("*.py")} - NOT_STAGES
    assert names == modules == set(PARAMS) - {"generators"}
    for name, command in stages.items():
        assert command.split()[:3] == ["python", "-m", f"flows.{name.partition('@')[0]}"]


def test_the_generators_of_the_graph_are_registered_and_generate(stages):
    names = {name.partition("@")[2] for name in stages if name.startswith("train@")}
    assert names
    assert {PARAMS["generators"][name]["kind"] for name in names} <= set(GENERATORS)
    assert {name for name in stages if name.startswith("generate@")} == {f"generate@{name}" for name in names}


def test_the_lists_of_code_and_libraries_in_the_graph_are_up_to_date():
    assert (ROOT / code_lists.GRAPH).read_text(encoding="utf-8") == code_lists.listed(), "run make graph"


def test_closure_follows_late_imports_registry_rows_packages_and_what_modules_read():
    reached = {path.as_posix() for path in code_lists.closure("denouement.encoders.base")}
    assert "src/denouement/encoders/glove.py" in reached  # named in a row of the registry
    assert "src/denouement/__init__.py" in reached  # executed on the way
    assert "src/denouement/generators/__init__.py" not in reached
    read = {path.as_posix() for path in code_lists.closure("denouement.corpus.sample.grammar")}
    assert "src/denouement/corpus/sample/scenarios/home.yaml" in read
    assert "src/denouement/py.typed" not in read


def test_reading_settings_does_not_depend_on_the_generators():
    assert not [path for path in code_lists.closure("tasks.params") if "generators" in path.parts]


def test_training_one_generator_does_not_depend_on_another():
    files = {name: code_lists.generator_closure("flows.train", name) for name in GENERATORS}
    rows = {name: Path("src", *row.partition(":")[0].split(".")).with_suffix(".py") for name, row in GENERATORS.items()}
    for name, of_it in files.items():
        needed = set(GENERATORS) if name in BY_OTHERS else {name}
        assert {other for other, path in rows.items() if path in of_it} == needed


def test_a_folder_is_listed_when_all_that_is_in_it_is_needed():
    listed = code_lists.stage_code(GENERATORS, "report", of_generator=False)
    assert "src/denouement/report" in listed
    assert not [path for path in listed if path.startswith("src/denouement/report/")]
    assert "src/denouement/generators" not in listed  # training is not needed for a report
    by_generator = code_lists.stage_code(GENERATORS.keys() - BY_OTHERS, "train", of_generator=True)
    assert "src/denouement/generators/${item.kind}.py" in by_generator
    assert not {"src/denouement/generators/seq2seq.py", "src/denouement"} & set(by_generator)


def test_a_generator_that_writes_by_others_depends_on_files_that_are_there():
    listed = code_lists.stage_code(["seq2seq", "retrieval", *BY_OTHERS], "generate", of_generator=True)
    assert {f"src/denouement/generators/{name}.py" for name in ("seq2seq", "retrieval", "bm25")} <= set(listed)
    assert all((ROOT / path).exists() for path in listed)


@pytest.mark.parametrize("stage", SETTINGS)
def test_section_makes_valid_settings(stage):
    build(SETTINGS[stage], PARAMS[stage], f"params.yaml: {stage}")


@pytest.mark.parametrize("kind", ["sample", "official"])
@pytest.mark.parametrize("generator", GENERATORS)
def test_train_section_makes_valid_settings(generator, kind, stages):
    if generator not in PARAMS["train"]:
        assert f"train@{generator}" not in stages
        return
    settings_for(generator, PARAMS["train"], kind)


def test_every_section_was_checked():
    assert set(SETTINGS) | {"train", "generators"} == set(PARAMS)


def test_no_two_test_files_have_one_name():
    """Pytest imports only the first of them that a process reads, and reports the other as an error."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, n in names.items() if n > 1] == []
