"""The organiser's pages of a collection in a real Chromium, at a desk and on a phone."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from browsing import Browser
from campaigns import TOKEN, served
from collect.collected import endings
from collect.gathered import gathered
from selenium.webdriver.support.ui import WebDriverWait

from denouement.collect.description import collection_from
from denouement.collect.store import open_store

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(240)]


def test_axe_finds_nothing_and_the_curve_is_drawn(tmp_path: Path, browsers: Callable[..., Browser]):
    with closing(open_store(f"sqlite:///{tmp_path / 'studies.db'}")) as store:
        gathered(store)
        bias = collection_from({"name": "bias", "verification": {"qualification": False}}, "test")
        store.create_collection(bias, endings=endings(110, writer="Cem"))
    with served(tmp_path) as address:
        for phone in (False, True):
            browser = browsers(phone=phone)
            browser.open(f"{address}/organiser/")
            browser.one("#token").send_keys(TOKEN)
            browser.leaves(browser.one("main button").click)
            for page in (
                "",
                "kitchen/newest",
                "kitchen/pause-stories",
                "kitchen/withdraw?annotator=Ada",
                "kitchen/log",
            ):
                look(browser.open(f"{address}/organiser/{page}"), f"{page[:15]}_{phone}")
            for name in ("kitchen", "bias"):
                browser.open(f"{address}/organiser/{name}")
                wait_for_the_look(browser)
                for details in browser.all("details"):
                    browser.driver.execute_script("arguments[0].open = true", details)
                look(browser, f"{name}_{phone}")
            assert browser.driver.execute_script("return document.querySelector('.curve img').naturalWidth") > 0
            assert "sees only the endings is right in" in browser.one(".problem").text


def wait_for_the_look(browser: Browser) -> None:
    def is_there(_: object) -> bool:
        browser.driver.refresh()
        return "being worked out" not in browser.text

    WebDriverWait(browser.driver, 120, 1).until(is_there)


def look(browser: Browser, page: str) -> None:
    browser.keep(f"organiser_{page.replace('/', '_')}")
    browser.check_looks()
    assert browser.violations() == [], page
