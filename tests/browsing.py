"""A person at a real Chromium, at the pages of a server as `denouement study serve` starts it."""

import base64
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from hosted import TOKEN
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from benchmarks.study import serving

PHONE = {"width": 390, "height": 844, "pixelRatio": 2.0}

# Texts whose contrast with what is behind them is below 4.5, or below 3 where they are large (WCAG 2.2, 1.4.3).
TOO_PALE = """
const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (colour) => {
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = channels(colour).map((c) => linear(c / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const colour = getComputedStyle(each).backgroundColor;
    if ((channels(colour)[3] ?? 1) > 0) return colour;
  }
  return "rgb(255, 255, 255)";
};
return [...document.querySelectorAll("body *")].filter((element) => {
  if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) return false;
  if (!element.checkVisibility({ visibilityProperty: true })) return false;
  const style = getComputedStyle(element);
  const [pale, dark] = [light(style.color), light(behind(element))].sort((a, b) => b - a);
  const large = parseFloat(style.fontSize) >= 24;
  return (pale + 0.05) / (dark + 0.05) < (large ? 3 : 4.5);
}).map((element) => element.outerHTML.slice(0, 200));
"""


# What axe-core finds wrong with the page: which of its rules, and the elements. It takes what is folded for drawn.
VIOLATIONS = """
const done = arguments[0];
axe.run({ exclude: [["details:not([open]) > :not(summary)"]] }).then(
  (found) => done(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])),
  (error) => done([String(error)]),
);
"""


class Browser:
    """A person at a Chromium."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str) -> "Browser":
        self.driver.get(address)
        return self

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    @property
    def heading(self) -> str:
        return self.one("h1").text

    @property
    def text(self) -> str:
        return self.one("body").text

    def until(self, condition: Callable[["Browser"], Any]) -> Any:
        waiting = WebDriverWait(self.driver, 20, poll_frequency=0.05, ignored_exceptions=[Exception])
        return waiting.until(lambda _: condition(self))

    def leaves(self, act: Callable[[], object]) -> None:
        """Do something that leads to another page, and wait for that."""
        page = self.one("html").id
        act()
        self.until(lambda browser: browser.one("html").id != page)
        self.until(lambda browser: browser.driver.execute_script("return document.readyState") == "complete")

    def press(self, *keys: str) -> None:
        for key in keys:
            webdriver.ActionChains(self.driver).send_keys(key).perform()

    def focused(self) -> WebElement:
        return self.driver.switch_to.active_element

    def answer(self, choice: str, reason: str | None = None) -> None:
        """Choose, write why, and go on, with the mouse or a finger."""
        self.one(f'label:has([value="{choice}"])').click()
        if reason:
            self.one("textarea").send_keys(reason)
        self.leaves(self.one("form.question button").click)

    @property
    def endings(self) -> dict[str, str]:
        """The endings on the page of a pair, by their sides, A and B."""
        return {side: self.one(f'label:has([value="{side}"]) .word').text for side in "AB"}

    def side_of(self, ending: str) -> str:
        """A or B: where an ending stands."""
        return next(side for side, text in self.endings.items() if ending in text)

    def keep(self, name: str) -> None:
        """Save the whole page as it is seen, for a person to look at, where DENOUEMENT_SCREENSHOTS says."""
        if folder := os.environ.get("DENOUEMENT_SCREENSHOTS"):
            taken = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
            (Path(folder) / f"study_{name}.png").write_bytes(base64.b64decode(taken["data"]))

    def violations(self) -> list[Any]:
        """What axe-core finds wrong with the page."""
        self.driver.execute_script((files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
        found: list[Any] = self.driver.execute_async_script(VIOLATIONS)
        return found

    def check_looks(self) -> None:
        """Nothing is pale, cut off at the side, or too small to press."""
        assert self.driver.execute_script(TOO_PALE) == []
        root = self.one("html")
        assert int(root.get_property("scrollWidth")) <= int(root.get_property("clientWidth"))
        for element in self.all("button, .button, label.choice"):
            if element.is_displayed():
                assert element.size["height"] >= 44, element.get_attribute("outerHTML")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of the store in `folder`."""
    with serving(f"sqlite:///{folder / 'studies.db'}", TOKEN) as (process, address):
        yield address
    assert process.returncode == 0
