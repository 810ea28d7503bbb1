"""The page in a real browser: what comes first, and that it fits a phone and fills a wide screen."""

from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from test_findings import judged
from test_summary import run, write_page  # noqa: F401 -- `run` is a fixture

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(300)]

PHONE, DESK, WIDE = 390, 1280, 1920


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    driver = chromium.start(chromium.options(tmp_path / "chromium", width=DESK))
    yield driver
    driver.quit()


def test_findings_come_first_at_every_width(browser, run):  # noqa: F811
    judged(run, "Seq2seq wrote 1.")
    write_page(run, Path("reports"), None)
    address = Path("reports/report.html").resolve().as_uri()

    def box(selector: str) -> dict[str, float]:
        return browser.find_element(By.CSS_SELECTOR, selector).rect

    for width in (PHONE, DESK, WIDE):
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width == PHONE}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(address)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width, "no sideways scrolling"
        tops = [box(selector)["y"] for selector in (".findings", "#systems", "#findings .story", "#human-evaluation")]
        assert tops == sorted(tops), width
        contents, findings = box("nav"), box("#findings")
        assert (contents["x"] + contents["width"] < findings["x"]) == (width == WIDE), "beside it on a wide screen"
        assert (contents["y"] > findings["y"] + findings["height"]) == (width != WIDE), "below it elsewhere"
        endings = browser.find_elements(By.CSS_SELECTOR, "#findings .story:first-of-type dl > div")
        places = {ending.rect["x" if width == PHONE else "y"] for ending in endings}
        assert (len(endings), len(places)) == (4, 1), "one below the other on a phone, side by side elsewhere"
        for link in browser.find_elements(By.CSS_SELECTOR, ".findings a"):
            link.click()
            assert box(f"#{link.get_attribute('href').rpartition('#')[2]}")["height"] > 0
