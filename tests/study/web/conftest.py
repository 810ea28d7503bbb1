"""Browsers to open the pages in."""

from collections.abc import Callable, Iterator
from pathlib import Path

import chromium
import pytest
from browsing import PHONE, Browser
from selenium import webdriver


@pytest.fixture
def browsers(tmp_path: Path) -> Iterator[Callable[..., Browser]]:
    """Opens browsers that share nothing."""
    opened: list[webdriver.Chrome] = []

    def start(phone: bool = False, script: bool = True) -> Browser:
        options = chromium.options(tmp_path / f"chromium-{len(opened)}", width=1200)
        if phone:
            options.add_experimental_option(
                "mobileEmulation", {"deviceMetrics": {**PHONE, "mobile": True, "touch": True}}
            )
        if not script:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        opened.append(chromium.start(options))
        return Browser(opened[-1])

    yield start
    for driver in opened:
        driver.quit()
