"""The Prefect and MLflow pages in a real browser, opened as `make pages` opens them."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from project import Project
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.timeout(1800),
]


@pytest.fixture(scope="module")
def pages(first_run) -> Iterator[dict[str, str]]:
    """Addresses by page."""
    project: Project = first_run[0]
    command = [sys.executable, "-m", "flows.pages", "--mlflow-port", "0"]
    with subprocess.Popen(
        command, cwd=project.folder, env=project.environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(2)]
            yield {line.partition(",")[0]: re.search(r"http://\S+", line)[0] for line in lines}
        finally:
            process.send_signal(signal.SIGINT)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    driver = chromium.start(chromium.options(tmp_path / "chromium", width=1400))
    yield driver
    driver.quit()


def text_once(browser: webdriver.Chrome, *wanted: str) -> str:
    """The page's text as soon as it shows all of `wanted`."""

    def shown(driver: webdriver.Chrome) -> str | bool:
        text = driver.find_element(By.TAG_NAME, "body").text
        return text if all(word in text for word in wanted) else False

    try:
        return WebDriverWait(browser, 60, ignored_exceptions=[Exception]).until(shown)
    except Exception as error:
        raise AssertionError(browser.find_element(By.TAG_NAME, "body").text) from error


def keep(browser: webdriver.Chrome, tmp_path: Path, name: str) -> None:
    """Save what is seen, for a person to look at, where DENOUEMENT_SCREENSHOTS says."""
    folder = Path(os.environ.get("DENOUEMENT_SCREENSHOTS", tmp_path))
    browser.save_screenshot(str(folder / f"{name}.png"))


def test_prefect_shows_the_run_and_its_stages(first_run, pages, browser, tmp_path):
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterName
    from prefect.settings import PREFECT_API_URL, temporary_settings

    browser.get(f"{pages['Prefect']}/runs")
    text_once(browser, "reproduce", "train@seq2seq")
    keep(browser, tmp_path, "prefect_runs")
    with temporary_settings({PREFECT_API_URL: f"{pages['Prefect']}/api"}), get_client(sync_client=True) as client:
        name = FlowRunFilterName(any_=["reproduce"])
        run = client.read_flow_runs(flow_run_filter=FlowRunFilter(name=name))[0]
    browser.get(f"{pages['Prefect']}/runs/flow-run/{run.id}")
    text_once(browser, "reproduce", "Task Runs")
    browser.get(f"{pages['Prefect']}/runs/flow-run/{run.id}?tab=Task%20Runs")
    text = text_once(browser, "reproduce")
    keep(browser, tmp_path, "prefect_run")
    assert "Completed" in text
    browser.get(f"{pages['Prefect']}/artifacts")
    text_once(browser, "cloze", "sentiment", "report")
    keep(browser, tmp_path, "prefect_artifacts")


def test_mlflow_shows_the_runs(first_run, pages, browser, tmp_path):
    import mlflow

    mlflow.set_tracking_uri(first_run[0].tracking_uri)
    experiment = mlflow.get_experiment_by_name("denouement")
    browser.get(pages["MLflow"])  # the address that is printed
    text_once(browser, "reproduce (sample corpus", "stories", "14 matching runs")
    keep(browser, tmp_path, "mlflow_runs")
    (run,) = mlflow.search_runs(
        [experiment.experiment_id], "attributes.run_name LIKE 'train seq2seq%'", output_format="list"
    )
    server = pages["MLflow"].partition("/#")[0]
    browser.get(f"{server}/#/experiments/{experiment.experiment_id}/runs/{run.info.run_id}")
    text_once(browser, "train seq2seq", "validation_perplexity")
    keep(browser, tmp_path, "mlflow_run")
