"""Flows called with nonsense end with status 2 and one line, before any server is started."""

import pytest
from click.testing import CliRunner

from flows import collect, pages, serve


@pytest.fixture(autouse=True)
def no_server(monkeypatch):
    def refuse(*_):
        raise AssertionError("a server was started")

    monkeypatch.setattr("tasks.servers.prefect_server", refuse)


@pytest.mark.parametrize("cron", ["nonsense", "", "61 3 * * *", "0 3 * *", "0\n3"])
@pytest.mark.parametrize(("command", "words"), [(serve.main, []), (collect.main, ["kitchen"])])
def test_a_schedule_that_is_none_is_refused(command, words, cron):
    result = CliRunner().invoke(command, [*words, "--cron", cron])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --cron")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("port", ["-1", "65536", "x", "99999999999999999999"])
@pytest.mark.parametrize(
    ("command", "option"),
    [(serve.main, "--port"), (collect.main, "--port"), (pages.main, "--prefect-port"), (pages.main, "--mlflow-port")],
)
def test_a_port_that_is_none_is_refused(command, option, port):
    result = CliRunner().invoke(command, [option, port])
    assert result.exit_code == 2
    assert option in result.stderr
