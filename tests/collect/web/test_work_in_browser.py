"""Writing in a real Chromium: with the keyboard alone, on a phone, through reloads and lost connections."""

from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import Browser
from campaigns import described, opened, sentences, served, story
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(120)]


def told(browser: Browser, box: str) -> list[str]:
    """What is said at a box: a refusal, or after a star a hint."""
    items = browser.all(f"#remarks-{box} li")
    return [("*" if each.get_attribute("class") == "advice" else "") + each.text for each in items]


def said_at(browser: Browser, box: str, *remarks: str) -> None:
    """Wait until this is said at a box."""
    browser.until(lambda each: told(each, box) == list(remarks))


def test_a_story_is_written_with_the_keyboard_alone(tmp_path: Path, browsers: Callable[..., Browser]):
    store = opened(tmp_path, described(stories={}))
    browser = browsers()

    def tab_to(selector: str) -> None:
        for _ in range(15):
            browser.press(Keys.TAB)
            if browser.focused() == browser.one(selector):
                return
        raise AssertionError(f"{selector} is not reached")

    def hand_in() -> None:
        browser.leaves(lambda: browser.focused().send_keys(Keys.CONTROL, Keys.ENTER))

    with served(tmp_path) as address:
        browser.open(f"{address}/s/kitchen/?step=stories")
        tab_to("main button")
        browser.leaves(lambda: browser.press(Keys.ENTER))
        test = store.collection("kitchen").stories.qualification
        tab_to("input[type=radio]")
        browser.press(*("1" if item.acceptable else "2" for item in test.items))
        tab_to("form.question button")
        browser.leaves(lambda: browser.press(Keys.ENTER))
        assert browser.heading == "You have passed the test"
        tab_to("main .button")
        browser.leaves(lambda: browser.press(Keys.ENTER))

        tab_to("#title")
        browser.press(*"My key", Keys.ENTER)
        assert browser.focused().get_attribute("name") == "sentence-1", "Enter goes to the next box"
        browser.press(*'Ann said "stop', Keys.ENTER)
        no_mark = "It does not end with a full stop or another end mark."
        quotation = "No quotation marks: say in your own words what somebody said."
        said_at(browser, "sentence-1", no_mark, quotation)
        box = browser.one("#sentence-1")
        assert box.get_attribute("aria-invalid") == "true"
        assert "remarks-sentence-1" in str(box.get_attribute("aria-describedby"))
        browser.press(*f"{'Ann ran to sooo many shops and asked in every one of them for a key'}")
        said_at(browser, "sentence-2", "*'sooo' is how people speak or text.")
        assert browser.one("#count-sentence-2").text == "67 of 70 characters"
        hand_in()
        assert "not handed in yet" in browser.one("#problem").text
        said_at(browser, "sentence-5", "There are no words in it.")
        said_at(browser, "sentence-1", no_mark, quotation)
        browser.leaves(browser.driver.refresh)
        assert browser.one("#sentence-1").get_property("value") == 'Ann said "stop', "a draft outlives a reload"
        tab_to("#title")
        for text in story(0).values():
            browser.focused().send_keys(Keys.CONTROL, "a")
            browser.press(*text, Keys.ENTER)
        browser.until(lambda each: not each.all(".refusal"))
        browser.leaves(lambda: browser.press(Keys.ENTER))
        assert "Your story is handed in." in browser.text
    [mine] = [each for person in store.people("kitchen") for each in store.stories_since("kitchen")]
    assert list(mine.sentences) == sentences(0)


def test_on_a_phone_a_draft_outlives_the_server_and_is_there_in_another_tab(
    tmp_path: Path, browsers: Callable[..., Browser]
):
    store = opened(tmp_path, described())
    browser = browsers(phone=True)
    with served(tmp_path) as address:
        port = int(address.rpartition(":")[2])
        browser.open(f"{address}/s/kitchen/?step=stories")
        browser.check_looks()
        browser.leaves(browser.one("main button").click)
        browser.one("#sentence-1").send_keys("Ann lost a key.")
        browser.until(lambda each: "Your draft is saved." in each.text)
        browser.check_looks()
    browser.one("#sentence-2").send_keys("She looked below each bench")
    browser.until(lambda each: "Your draft is not saved; trying again." in each.text)
    with served(tmp_path, port):
        browser.until(lambda each: "Your draft is saved." in each.text)
        browser.one("#sentence-1").click()
        said_at(browser, "sentence-2", "It does not end with a full stop or another end mark.")
    browser.one("#sentence-2").send_keys(".")
    browser.until(lambda each: "trying again" in each.text)
    with served(tmp_path, port):
        browser.leaves(browser.driver.refresh)
        newest = "She looked below each bench."
        assert browser.one("#sentence-2").get_property("value") == newest, "the one in the browser is newer"
        browser.until(lambda each: "Your draft is saved." in each.text)
        browser.driver.switch_to.new_window("tab")
        browser.open(f"{address}/s/kitchen/work")
        assert browser.one("#sentence-2").get_property("value") == newest, "it came to the server"
        for name, text in story(0).items():
            box = browser.one(f"#{name}")
            box.clear()
            box.send_keys(text)
        browser.until(lambda each: "Your draft is saved." in each.text)
        older = browser.driver.window_handles[0]
        browser.driver.switch_to.window(older)
        browser.leaves(browser.driver.refresh)
        assert browser.one("#title").get_property("value") == "The key 0", "the one at the server is newer"
        browser.check_looks()
    button = browser.driver.find_element(By.CSS_SELECTOR, "form.question button")
    button.click()
    browser.until(lambda each: each.one("#connection").is_displayed())
    with served(tmp_path, port):
        browser.until(lambda each: "Your story is handed in." in each.text)
        browser.check_looks()
    assert [list(each.sentences) for each in store.stories_since("kitchen")] == [sentences(0)]
