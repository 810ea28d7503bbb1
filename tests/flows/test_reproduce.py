"""The graph, run by the real DVC, Prefect and MLflow in a git repository of its own."""

import dataclasses
import fcntl
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from project import Project

from denouement.schemas import read_table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

STAGES = [
    "cloze",
    "encode",
    "generate@h_seq2seq",
    "generate@seq2seq",
    "ingest",
    "metrics",
    "report",
    "sample",
    "sentiment",
    "statistics",
    "study",
    "train@h_seq2seq",
    "train@seq2seq",
]


def stages_run(output: str) -> list[str]:
    """The stages whose command DVC ran, by what it printed."""
    return sorted(re.findall(r"Running stage '([^']+)'", output))


def prefect_states() -> dict[str, str]:
    """By stage, the name of the state it has in the newest run of the whole graph."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterName
    from prefect.client.schemas.sorting import FlowRunSort

    with get_client(sync_client=True) as client:
        (newest,) = client.read_flow_runs(
            flow_run_filter=FlowRunFilter(name=FlowRunFilterName(any_=["reproduce"])),
            sort=FlowRunSort.START_TIME_DESC,
            limit=1,
        )
        tasks = client.read_task_runs(flow_run_filter=FlowRunFilter(id={"any_": [newest.id]}))
    return {task.name: task.state_name for task in tasks}


def test_everything_runs_once_and_the_tables_are_shown(first_run):
    project, done = first_run
    assert done.returncode == 0, done.stdout + done.stderr
    assert stages_run(done.stdout) == STAGES
    assert sorted(project.locked()) == STAGES
    for title in (
        "Findings",
        "Systems",
        "Stories and their endings",
        "Training",
        "Sentiment of endings",
        "Story Cloze Test",
    ):
        assert f"## {title}" in done.stdout
    for place in ("data/endings/*.parquet", "make pages"):
        assert place in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_nothing_is_left_for_git_but_the_lock(first_run):
    project, _ = first_run
    assert project.run("git", "status", "--porcelain").stdout.split() == ["??", "dvc.lock"]


def test_a_second_dvc_repro_runs_nothing(reproduced):
    done = reproduced.run("dvc", "repro")
    assert done.returncode == 0, done.stderr
    assert stages_run(done.stdout) == []
    assert "up to date" in done.stdout


def test_an_edited_library_file_reruns_its_stage_and_what_follows_and_prefect_shows_the_others_as_cached(reproduced):
    edited = reproduced.folder / "src/denouement/analysis/sections/sentiment.py"
    edited.write_text(edited.read_text() + "\n# edited\n")
    done = reproduced.reproduce()
    assert done.returncode == 0, done.stdout + done.stderr
    assert stages_run(done.stdout) == ["report", "sentiment", "statistics"]  # these import it
    states = prefect_states()
    assert sorted(states) == STAGES
    assert sorted(stage for stage, state in states.items() if state == "Cached") == sorted(
        set(STAGES) - {"report", "sentiment", "statistics"}
    )
    assert states["sentiment"] == "Completed"


def test_missing_or_changed_outputs_are_made_again_although_prefect_has_a_record(reproduced):
    out = reproduced.folder / "data/sentiment.parquet"
    good = out.read_bytes()
    out.write_bytes(b"spoilt")
    done = reproduced.reproduce()
    assert done.returncode == 0, done.stdout + done.stderr
    assert out.read_bytes() == good
    states = prefect_states()
    assert states["sentiment"] == "Completed"
    assert states["encode"] == "Cached"


def test_a_changed_parameter_retrains_one_generator_keeps_the_embeddings_and_mlflow_compares_the_runs(reproduced):
    import mlflow

    before = reproduced.locked()
    reproduced.set(lambda params: params["train"]["seq2seq"]["small"].update(epochs=2))
    # without Prefect's walk through the graph, and without what follows
    done = reproduced.run("dvc", "repro", "generate@seq2seq")
    assert done.returncode == 0, done.stdout + done.stderr
    assert stages_run(done.stdout) == ["generate@seq2seq", "train@seq2seq"]
    assert reproduced.not_fresh() <= {"sentiment", "metrics", "cloze", "statistics", "report"}
    after = reproduced.locked()
    assert after["encode"] == before["encode"]
    assert after["train@h_seq2seq"] == before["train@h_seq2seq"]
    assert after["train@seq2seq"]["outs"] != before["train@seq2seq"]["outs"]

    mlflow.set_tracking_uri(reproduced.tracking_uri)
    runs = mlflow.search_runs(
        search_all_experiments=True,
        filter_string="tags.stage = 'train' and params.generator = 'seq2seq'",
        order_by=["attributes.start_time"],
    )
    assert runs["params.epochs"].tolist() == ["1", "2"]
    assert runs["tags.parameters"].nunique() == 2
    losses = runs["metrics.best.validation_loss"]
    assert losses.notna().all()
    assert losses[0] != losses[1]
    by_epoch = mlflow.MlflowClient().get_metric_history(runs["run_id"][1], "validation_loss")
    assert [point.step for point in by_epoch] == [0, 1]


def test_a_generator_taken_out_of_the_graph_leaves_every_table(reproduced):
    data = reproduced.folder / "data"
    spoilt = [data / "endings/seq2seq.parquet", *(data / "models/seq2seq").iterdir()]
    for path in spoilt:  # a stage that read one of them would fail
        path.unlink()
        path.write_text("spoilt")
    reproduced.set(lambda params: params["generators"].pop("seq2seq"))
    done = reproduced.run("dvc", "repro")
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(path.read_text() == "spoilt" for path in spoilt)  # what an earlier graph made is the user's to delete
    left = "params.yaml has no generator of the name: data/endings/seq2seq.parquet, data/models/seq2seq;"
    assert left in done.stdout + done.stderr
    groups = read_table(data / "sentiment.parquet", "sentiment")["group"].unique().to_pylist()
    assert "h_seq2seq" in groups
    assert "seq2seq" not in groups
    for path in (
        data / "statistics/statistics.json",
        data / "cloze/evaluation.json",
        reproduced.folder / "reports/summary.md",
    ):
        assert not re.search(r"(?<!h_)seq2seq", path.read_text()), path


def test_a_stage_run_alone_marks_what_it_makes_stale(reproduced):
    changed = ["-S", "generate.decoding.method=sample", "--single-item", "generate@h_seq2seq"]
    done = reproduced.run("dvc", "exp", "run", *changed)
    assert done.returncode == 0, done.stderr
    report = ["-c", "from denouement.cli import main; main(['report', '--out', 'elsewhere'])"]
    done = reproduced.python(*report)
    assert done.returncode == 0, done.stderr
    stale = "warning: stale: data/sentiment.parquet has the scores of other texts of h_seq2seq; renew it with"
    assert stale in done.stderr
    assert "warning: stale: data/statistics was made from another content of endings/h_seq2seq" in done.stderr
    done = reproduced.run("dvc", "repro")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stale" not in reproduced.python(*report).stderr


def test_a_changed_version_of_a_library_reruns_the_stages_that_compute_with_it(reproduced):
    libraries = reproduced.folder / "libraries.yaml"
    libraries.write_text(re.sub(r"(?m)^vaderSentiment: .*$", "vaderSentiment: '0.0.1'", libraries.read_text()))
    assert reproduced.not_fresh() == {"sentiment", "metrics", "cloze", "statistics", "report"}
    done = reproduced.run("dvc", "repro", "sentiment")
    assert done.returncode != 0
    assert "vaderSentiment 3.3.2 (0.0.1 there)" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_failing_stage_leaves_its_last_output_and_the_rerun_goes_on_from_there(reproduced):
    reproduced.leave_out("cloze", "metrics", "statistics")  # sentiment and the report need what fails, too
    output = reproduced.folder / "data/models/seq2seq/best.parquet"
    good, before = output.read_bytes(), reproduced.locked()
    reproduced.set(lambda params: params["train"]["common"].update(seed=2))
    reproduced.set(lambda params: params["train"]["seq2seq"]["small"].update(units=0))
    done = reproduced.reproduce()
    assert done.returncode not in (0, None)
    assert "units: must be at least 1" in done.stdout
    assert done.stderr.strip().splitlines()[-1].startswith("error: train@seq2seq failed")
    assert "Traceback" not in done.stdout + done.stderr
    # what does not need it ran to its end
    assert stages_run(done.stdout) == ["generate@h_seq2seq", "train@h_seq2seq", "train@seq2seq"]
    assert output.read_bytes() == good
    after = reproduced.locked()
    assert after["train@seq2seq"] == before["train@seq2seq"]
    assert after["train@h_seq2seq"] != before["train@h_seq2seq"]
    assert prefect_states()["train@seq2seq"] == "Failed"

    reproduced.set(lambda params: params["train"]["seq2seq"]["small"].update(units=8))
    done = reproduced.reproduce()
    assert done.returncode == 0, done.stdout + done.stderr
    assert stages_run(done.stdout) == ["generate@seq2seq", "report", "sentiment", "train@seq2seq"]


def interrupt(project: Project, *command: str, how: signal.Signals = signal.SIGINT) -> tuple[list[str], str]:
    """Run a flow until training has ended a third epoch, and end it: its lines about epochs, and its errors."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    told = []
    for line in process.stdout:
        if "epoch " in line:
            told.append(line.partition("epoch ")[2])
        if re.search(r"epoch \d+ of .*words per second", line) and len(told) > 2:
            break
    process.send_signal(how)
    _, errors = process.communicate(timeout=120)
    if how == signal.SIGKILL:
        return told, errors
    assert process.returncode == 130
    assert not processes_in(project.folder)
    return told, errors


def test_an_interrupted_run_ends_its_children_leaves_the_last_output_and_goes_on_when_run_again(reproduced):
    import mlflow

    reproduced.set(lambda params: params["train"]["seq2seq"]["small"].update(epochs=100_000))
    good = (reproduced.folder / "data/models/seq2seq/best.parquet").read_bytes()
    first: list[str] = []
    for command, how in (
        (("flows.reproduce",), signal.SIGINT),
        (("flows.reproduce",), signal.SIGHUP),  # the terminal was closed
        (("flows.train", "seq2seq"), signal.SIGINT),
        (("flows.train", "seq2seq"), signal.SIGINT),
    ):
        told, errors = interrupt(reproduced, *command, how=how)
        assert errors.splitlines()[-1] == "interrupted; run the same command again to go on"
        assert "Traceback" not in errors
        assert (reproduced.folder / "data/models/seq2seq/best.parquet").read_bytes() == good
        first = first or told
        if told is not first:  # epochs that ended before are printed without a speed, since they are not trained again
            ended = [line.partition(", words per second")[0] for line in first[:2]]
            assert [line.rstrip("\n") for line in told[:2]] == ended
    mlflow.set_tracking_uri(reproduced.tracking_uri)
    asked = "tags.stage = 'train' and params.epochs = '100000'"
    (run,) = mlflow.search_runs(search_all_experiments=True, filter_string=asked, output_format="list")  # not two
    steps = [value.step for value in mlflow.MlflowClient().get_metric_history(run.info.run_id, "train_loss")]
    assert len(steps) > len(first)
    assert steps == list(range(len(steps)))


def processes_in(folder: Path) -> list[str]:
    """The command lines of the processes whose working folder is `folder`."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder:
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def test_after_a_kill_the_next_run_ends_what_was_left_and_says_of_dead_runs_that_they_are_dead(reproduced, monkeypatch):
    import mlflow

    monkeypatch.setenv("PREFECT_HOME", str(reproduced.folder / ".prefect"))  # a server of its own
    monkeypatch.delenv("PREFECT_API_URL")
    epochs = reproduced.folder / "params.yaml"
    before = epochs.read_text()
    reproduced.set(lambda params: params["train"]["seq2seq"]["small"].update(epochs=100_000))
    interrupt(reproduced, "flows.reproduce", how=signal.SIGKILL)
    assert any("prefect" in command for command in processes_in(reproduced.folder))
    epochs.write_text(before)
    done = reproduced.reproduce()
    assert done.returncode == 0, done.stdout + done.stderr
    assert not processes_in(reproduced.folder)
    mlflow.set_tracking_uri(reproduced.tracking_uri)
    runs = mlflow.search_runs(search_all_experiments=True, order_by=["attributes.start_time"], output_format="list")
    by_name = [(run.info.run_name, run.info.status) for run in runs if run.data.tags["stage"] == "reproduce"]
    assert [status for _, status in by_name] == ["FINISHED", "KILLED", "FINISHED"]
    assert "RUNNING" not in {run.info.status for run in runs}
    with sqlite3.connect(reproduced.folder / ".prefect/prefect.db") as database:
        flows = database.execute("SELECT name, state_name FROM flow_run ORDER BY start_time").fetchall()
        tasks = {name for (name,) in database.execute("SELECT state_type FROM task_run")}
    assert [state for name, state in flows if name == "reproduce"][-2:] == ["Crashed", "Completed"]
    assert not {"Running", "Pending"} & {state for _, state in flows}
    assert not {"RUNNING", "PENDING"} & tasks


def test_a_tracking_server_that_is_down_is_one_line_and_a_status_of_its_own_and_all_outputs_stay(reproduced):
    before = reproduced.contents()
    project = dataclasses.replace(reproduced, variables={"MLFLOW_TRACKING_URI": "http://127.0.0.1:9"})
    done = project.reproduce("--corpus", "")
    assert done.returncode == 3
    assert re.fullmatch(r"error: http://127.0.0.1:9: does not answer .*; nothing was begun.*\n", done.stderr)
    assert done.stdout == ""
    done = project.run("dvc", "repro", "--force", "--single-item", "sentiment")  # DVC removes the output at first
    assert done.returncode != 0
    assert done.stderr.count("does not answer") == 1
    assert reproduced.contents() == before


def test_a_first_stage_that_fails_in_a_fresh_clone_gives_its_own_error_in_one_line(reproduced):
    shutil.rmtree(reproduced.folder / ".dvc/cache")
    shutil.rmtree(reproduced.folder / "data/sample")
    reproduced.set(lambda params: params["sample"].update(stories="many"))
    done = reproduced.reproduce()
    assert done.returncode == 2
    reason = "params.yaml: sample.stories: must be a whole number, not 'many'"
    assert done.stderr.splitlines()[-1] == f"error: sample failed: {reason}; run again to go on from there"
    assert "CalledProcessError" not in done.stdout + done.stderr
    assert "sample | its last outputs are not in DVC's cache" in done.stdout


HEADER = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\n"


def test_an_experiment_in_a_copy_of_the_checkout_has_the_user_s_files_or_is_refused(reproduced):
    commit = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qam", "lock"]
    assert reproduced.run("git", "add", "dvc.lock").returncode == 0
    assert reproduced.run(*commit).returncode == 0
    mine = reproduced.folder / "data/raw/my files"
    mine.mkdir()
    rows = [f"{n},t,Tom ran {n} miles.,He fell.,It rained.,He got up.,He won.\n" for n in range(40)]
    (mine / "roc.csv").write_text(HEADER + "".join(rows))
    refused = reproduced.run("dvc", "exp", "run", "--temp", "-S", "generate.decoding.max_length=7", "generate@seq2seq")
    assert refused.returncode != 0
    assert "lacks 1 of the files there" in refused.stderr
    assert "add --copy-paths 'data/raw/my files'" in refused.stderr
    carried = reproduced.run("dvc", "exp", "run", "--temp", "--copy-paths", "data/raw/my files", "ingest")
    assert carried.returncode == 0, carried.stderr
    assert re.search(r"roc.csv .* 40 ", carried.stdout)
    # neither does DVC's run cache, which holds what the sample corpus gave, stand in
    assert reproduced.run("dvc", "repro", "ingest").returncode == 0
    refused = reproduced.run("dvc", "exp", "run", "--temp", "ingest")
    assert refused.returncode != 0
    assert "lacks 1 of the files there" in refused.stderr


def test_a_copy_of_the_checkout_runs_its_own_library(reproduced):
    environment = {name: value for name, value in reproduced.environment().items() if name != "PYTHONPATH"}
    program = "import tasks, denouement; print(denouement.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=reproduced.folder, env=environment, capture_output=True, text=True
    )
    assert Path(done.stdout.strip()) == reproduced.folder / "src/denouement/__init__.py"


def test_a_second_reproduction_in_the_same_checkout_is_refused_in_one_line(reproduced):
    lock = reproduced.folder / ".dvc/tmp/reproduce.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = reproduced.reproduce("--corpus", "")
    assert done.returncode == 2
    assert re.fullmatch(r"error: another reproduction runs in .*\n", done.stderr)
    assert "are removed" not in done.stdout


def test_the_schedule_is_visible_and_a_run_can_be_triggered(reproduced, prefect_api):
    from prefect.client.orchestration import get_client
    from prefect.deployments import run_deployment

    command = [sys.executable, "-m", "flows.serve", "--cron", "15 4 * * *"]
    often = {**reproduced.environment(), "PREFECT_RUNNER_POLL_FREQUENCY": "1"}  # seconds between looks for a run
    with subprocess.Popen(command, cwd=reproduced.folder, env=often, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert "15 4 * * *" in process.stdout.readline()
            deployment = wait_for_deployment("reproduce/scheduled")
            assert [schedule.schedule.cron for schedule in deployment.schedules] == ["15 4 * * *"]
            run = run_deployment("reproduce/scheduled", timeout=200, poll_interval=1)
            assert run.state is not None
            assert run.state.is_completed(), run.state
            assert set(prefect_states().values()) == {"Cached"}
            with (reproduced.folder / ".dvc/tmp/reproduce.lock").open("a") as held:
                fcntl.flock(held, fcntl.LOCK_EX)  # as one run by hand does
                run = run_deployment("reproduce/scheduled", timeout=200, poll_interval=1)
            assert run.state is not None
            assert run.state.is_failed()
            assert "another reproduction runs in" in (run.state.message or "")
        finally:
            process.send_signal(signal.SIGINT)
    with get_client(sync_client=True) as client:
        assert client.read_deployment(deployment.id).paused  # nobody serves it any more


def wait_for_deployment(name: str):
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound

    with get_client(sync_client=True) as client:
        for _ in range(120):
            try:
                return client.read_deployment_by_name(name)
            except ObjectNotFound:
                time.sleep(0.5)
    raise AssertionError(f"no deployment {name}")
