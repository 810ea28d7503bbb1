"""`denouement try` in a real Chromium, served as the command serves it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from small_systems import neural

from denouement.generators.checkpoints import save_generator

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(300)]

STORY = 'Zed bought a "red" car. He drove it to the hill.'


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address that the command prints, with two models in the folder of a run."""
    for seed, name in enumerate(("one", "two"), 1):
        folder = tmp_path / "data" / "models" / name
        folder.mkdir(parents=True)
        save_generator(neural(seed), folder / "best.parquet")
    command = [sys.executable, "-m", "denouement", "try", "--data", str(tmp_path / "data")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    line = process.stdout.readline()
    assert line.startswith("one, two: http://127.0.0.1:")
    yield re.search(r"http://\S+", line)[0]
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_a_story_is_typed_and_its_endings_are_read(width: int, address: str, tmp_path: Path):
    driver = chromium.start(chromium.options(tmp_path / "chromium", 1280))
    try:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(address)
        story = driver.find_element(By.ID, "story")
        assert driver.switch_to.active_element == story, "one can type at once"
        assert "Tom had a big test" in story.get_attribute("value")
        story.clear()
        story.send_keys(STORY)
        driver.find_element(By.CSS_SELECTOR, '[name="decoding Greedy"]').click()
        send(driver)
        assert driver.find_element(By.TAG_NAME, "mark").text == "Zed"
        assert driver.find_element(By.ID, "story").get_attribute("value") == STORY
        assert [each.text for each in driver.find_elements(By.TAG_NAME, "h3")] == ["Beam", "Sample", "Greedy"]
        one, two = (each.rect for each in driver.find_elements(By.TAG_NAME, "article")[:2])
        assert (one["y"] == two["y"]) == (width == 1280), "side by side where there is room, else below each other"
        assert driver.find_elements(By.CSS_SELECTOR, ".systems li")
        root = driver.find_element(By.TAG_NAME, "html")
        assert root.get_property("scrollWidth") <= root.get_property("clientWidth")
        if folder := os.environ.get("DENOUEMENT_SCREENSHOTS"):
            driver.save_screenshot(str(Path(folder) / f"try_{width}.png"))
        seen = driver.find_element(By.ID, "endings").text
        driver.refresh()  # no question whether to send the form again
        assert driver.find_element(By.ID, "endings").text == seen
        assert not [entry for entry in driver.get_log("browser") if "Security" in entry["message"]]
        driver.find_element(By.ID, "story").clear()
        send(driver)
        assert driver.find_element(By.CSS_SELECTOR, "[role=alert]").text.startswith("The story is empty")
    finally:
        driver.quit()


def send(driver: webdriver.Chrome) -> None:
    """Send the form, and wait for the next page."""
    before = driver.find_element(By.TAG_NAME, "html").id
    driver.find_element(By.CSS_SELECTOR, "form button").click()
    WebDriverWait(driver, 60, poll_frequency=0.05).until(
        lambda _: (
            driver.find_element(By.TAG_NAME, "html").id != before
            and driver.execute_script("return document.readyState") == "complete"
        )
    )
