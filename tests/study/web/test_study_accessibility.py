"""axe-core finds nothing on any page, on a phone and at a desk, in any language; the keys reach everything."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import Browser, served
from hosted import TOKEN, design, items_of, store_with
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from denouement.study.languages import languages, texts

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(300)]

REASON = "It fits. それは物語に合っています。"


class Walk:
    """Somebody who looks at each page, with axe-core and by eye: in English at both widths, else on a phone."""

    def __init__(self, browser: Browser, address: str, language: str) -> None:
        self.browser, self.address, self.language, self.seen = browser, address, language, []

    def look(self, name: str) -> None:
        """Nothing is wrong with the page."""
        self.seen.append(name)
        driver = self.browser.driver
        assert self.browser.one("html").get_attribute("lang") == self.language
        for width in (390, 1280) if self.language == "en" else (390,):
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            assert self.browser.violations() == [], (name, width)
            self.browser.check_looks()
            self.browser.keep(f"{self.language}_{name}_{width}")

    def open(self, path: str, name: str) -> None:
        self.browser.open(f"{self.address}{path}")
        self.look(name)

    def press(self, selector: str, name: str) -> None:
        self.browser.leaves(self.browser.one(selector).click)
        self.look(name)

    def enter(self, study: str) -> None:
        self.browser.open(f"{self.address}/s/{study}/")
        self.browser.leaves(self.browser.one("button").click)


@pytest.mark.parametrize("language", languages())
def test_axe_finds_nothing_on_the_pages_of_annotators(tmp_path: Path, browsers: Callable[..., Browser], language: str):
    keys = {"language": language, "reason": {"mode": "required"}}
    store = store_with(tmp_path, design(**keys, training={"attempts": 2}, answers_per_item=1), n=1)
    for name, more in (
        ("rating", {"scales": "consistency_readability", "systems": ["human_right"], "training": False}),
        ("order", {"systems": ["human_right"], "reason": {"mode": "off"}}),
    ):
        study = design(**keys | more | {"name": name, "kind": name})
        store.create(study, items_of(study, 2))
    say = texts(language)
    browser = browsers()
    with served(tmp_path) as address:
        walk = Walk(browser, address, language)
        walk.open("/s/pilot/", "consent")
        walk.press(".actions a", "decline")
        walk.press("button", "declined")
        walk.press("main .button", "consent_again")
        walk.press("button", "training")
        right = browser.side_of(say("training_story.right"))
        browser.answer("BA"[right == "B"])
        walk.look("training_wrong")
        browser.answer(right)
        walk.look("passed")
        walk.press("main .button", "question")
        browser.answer("A", "\u200b" * 10)
        walk.look("question_refused")
        assert browser.focused().get_attribute("id") == "problem"
        walk.press('[href$="/withdraw"]', "withdraw")
        walk.press(".actions a", "question_again")
        browser.one("textarea").clear()
        browser.answer("A", REASON)
        walk.look("end")
        walk.open("/s/pilot/withdraw", "withdraw_at_the_end")
        walk.press("button", "withdrawn")
        walk.open("/s/pilot/no/such/page", "no_page")
        for kind in ("rating", "order"):
            walk.enter(kind)
            walk.look(kind)
        browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        walk.enter("pilot")
        for _ in range(2):
            browser.answer("neither")
        walk.look("screened_out")
    assert len(walk.seen) == 18


def test_axe_finds_nothing_on_the_pages_of_the_organiser(tmp_path: Path, browsers: Callable[..., Browser]):
    store = store_with(tmp_path, design(answers_per_item=1, entry={"kind": "links", "links": 3}), n=3)
    key = store.consent(store.enter("pilot", store.links("pilot")[0]).key).key
    while assignment := store.next(key):
        store.submit(key, assignment.id, "A")
    browser = browsers()
    with served(tmp_path) as address:
        walk = Walk(browser, address, "en")
        walk.open("/", "home")
        walk.open("/organiser/pilot", "organiser_refused")
        walk.open("/organiser/", "login")
        browser.one("#token").send_keys("not the token")
        walk.press("button", "login_refused")
        browser.one("#token").send_keys(TOKEN)
        walk.press("button", "studies")
        browser.leaves(browser.driver.find_element(By.LINK_TEXT, "pilot").click)
        for details in browser.all("details"):
            browser.driver.execute_script("arguments[0].open = true", details)
        walk.look("study")
        walk.press('[href*="/exclude"]', "exclude")
        walk.press("button.danger", "excluded")


def test_a_question_is_answered_with_keys_alone(tmp_path: Path, browsers: Callable[..., Browser]):
    store = store_with(tmp_path, design(reason={"mode": "required"}), n=3)
    browser = browsers()
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        assert re.search(r"R goes to the reason.* I opens", browser.one(".keys").text)
        is_open = browser.one("details").get_property("open")
        browser.press("i")
        assert browser.one("details").get_property("open") != is_open
        browser.press("2", "r", *"i write 1 reason", Keys.ESCAPE)
        assert browser.focused().tag_name == "button"
        browser.leaves(lambda: browser.press(Keys.ENTER))
        browser.press("1", "r", *"and another one")
        with_control = [Keys.CONTROL, Keys.ENTER]
        browser.leaves(lambda: browser.focused().send_keys(*with_control))
        browser.one("#keys").click()
        browser.one("h1").click()
        browser.press("1")
        assert not browser.all(":checked:not(#keys)"), "the keys are off"
        browser.driver.refresh()
        assert not browser.one("#keys").is_selected()
    assert {(each.answer, each.reason) for each in store.answers("pilot")} == {
        ("B", "i write 1 reason"),
        ("A", "and another one"),
    }


@pytest.mark.parametrize("script", [True, False])
def test_back_and_reload_after_a_refused_form_ask_nothing_and_keep_what_was_sent(
    tmp_path: Path, browsers: Callable[..., Browser], script: bool
):
    store_with(tmp_path, design(reason={"mode": "required"}))
    browser = browsers(script=script)
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        browser.answer("B", "\u200b" * 12)
        browser.leaves(browser.driver.refresh)
        assert "0 can be seen so far" in browser.one("#problem").text
        assert browser.one('[value="B"]').is_selected()
        browser.leaves(browser.one('[href$="/withdraw"]').click)
        browser.leaves(browser.driver.back)
        assert browser.one('[value="B"]').is_selected()
        assert browser.one("textarea").get_property("value") == "\u200b" * 12
        browser.one("textarea").send_keys("now it can be seen")
        browser.leaves(browser.one("form.question button").click)
        assert browser.heading == "Question 2 of at most 3"
        browser.leaves(browser.driver.back)
        assert not browser.all("#problem")
        assert browser.all("textarea") == [] or not browser.one("textarea").get_property("value")


def test_a_reload_keeps_the_choice_and_the_text_of_this_question_alone(
    tmp_path: Path, browsers: Callable[..., Browser]
):
    store_with(tmp_path, design(reason={"mode": "optional"}))
    browser = browsers()
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        browser.press("4", "r", *"half a reas")
        browser.leaves(browser.driver.refresh)
        assert browser.one('[value="neither"]').is_selected()
        assert browser.one("textarea").get_property("value") == "half a reas"
        browser.leaves(browser.one("form.question button").click)
        assert browser.heading == "Question 2 of at most 3"
        assert not browser.all("fieldset :checked")
        assert not browser.one("textarea").get_property("value")
        assert browser.driver.execute_script("return Object.keys(sessionStorage)") == []


@pytest.mark.parametrize("language", languages())
def test_axe_finds_nothing_on_the_pages_that_ask_more(tmp_path: Path, browsers: Callable[..., Browser], language: str):
    asked = {"name": "native", "text": "English?", "type": "choice", "options": ["yes", "no"], "required": True}
    study = design(
        language=language,
        ask={
            "before": [
                {"name": "age", "text": "Age?", "type": "number"},
                asked,
                {"name": "reads", "text": "What do you read?", "type": "several", "options": ["novels", "news"]},
            ],
            "after": [{"name": "remarks", "text": "Anything else?", "required": True}],
        },
        reason={"mode": "optional", "boxes": True, "highlight": True},
        skip=True,
        flag=True,
        back=True,
        answers_per_item=1,
    )
    store_with(tmp_path, study, n=1)
    browser = browsers()
    with served(tmp_path) as address:
        walk = Walk(browser, address, language)
        walk.enter("pilot")
        walk.look("before")
        browser.one("[name=reply-0]").send_keys("old")
        browser.one("label:has([name=reply-1])").click()
        walk.press("main button", "before_refused")
        browser.one("[name=reply-0]").clear()
        walk.press("main button", "asking_question")
        browser.one("label:has([name=box-emotion])").click()
        browser.one(".mark:has([name=mark-0-1])").click()
        browser.one("details.remark summary").click()
        walk.look("asking_marked")
        browser.one('label:has([value="A"])').click()
        walk.press("form.question button", "after")
        walk.press(".actions a", "back")
        walk.press("form.question button", "after_again")
        browser.one("textarea").send_keys(REASON)
        walk.press("main button", "asking_end")
    assert len(walk.seen) == 8
