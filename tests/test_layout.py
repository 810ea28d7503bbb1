"""The graph and the library name the same files."""

from pathlib import Path

from dvc.dependency import ParamsDependency
from dvc.repo import Repo

from denouement.generators import GENERATORS
from denouement.layout import Layout

ROOT = Path(__file__).parents[1]
CODE = ("flows", "src", "tasks")


def named(layout: Layout, stages: list[str]) -> set[Path]:
    """All paths that a layout names, of the graph's generators and stages."""
    places = {getattr(layout, name) for name, kind in vars(Layout).items() if isinstance(kind, property)}
    of_generator = (layout.model, layout.last_model, layout.history, layout.endings)
    of_stage = (layout.metrics, layout.plot)
    return (
        places
        | {of(name) for of in of_generator for name in GENERATORS}
        | {of(name) for of in of_stage for name in stages}
    )


def test_whatever_the_graph_reads_and_makes_is_a_path_of_the_layout():
    with Repo(str(ROOT)) as repo:
        stages = {stage.addressing: stage for stage in repo.index.stages}
        paths = {
            (name, Path(each.def_path))
            for name, stage in stages.items()
            for each in (*stage.outs, *stage.deps)
            if not isinstance(each, ParamsDependency) and Path(each.def_path).parts[0] not in CODE
        }
    known = named(Layout(), list(stages))
    assert len(stages) > 10
    assert len(paths) > 40
    assert {(name, path) for name, path in paths if path not in known} == set()
    # each metrics file is the one of the stage that makes it
    metrics = {(name, path) for name, path in paths if path.parent == Layout().metrics("x").parent}
    assert metrics
    assert {path == Layout().metrics(name) for name, path in metrics} == {True}


def test_a_run_in_another_folder_has_its_report_and_lock_beside_it():
    layout = Layout(Path("elsewhere/data"))
    assert (layout.reports, layout.lock) == (Path("elsewhere/reports"), Path("elsewhere/dvc.lock"))
    assert layout.metrics("train@seq2seq") == Path("elsewhere/data/metrics/train_seq2seq.json")
