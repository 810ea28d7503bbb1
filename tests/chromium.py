"""A real Chromium without a window, that shares nothing with another and asks nobody for anything."""

from pathlib import Path

from selenium import webdriver


def options(profile: Path, width: int) -> webdriver.ChromeOptions:
    """How it starts: with a profile of its own, in the folder `profile`, and a page of so many pixels."""
    found = webdriver.ChromeOptions()
    found.binary_location = "/usr/bin/chromium"
    for flag in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        f"window-size={width},1000",
        f"user-data-dir={profile}",
    ):
        found.add_argument(f"--{flag}")
    return found


def start(found: webdriver.ChromeOptions) -> webdriver.Chrome:
    """Start one; whoever does so quits it."""
    return webdriver.Chrome(found, webdriver.ChromeService("/usr/bin/chromedriver"))
