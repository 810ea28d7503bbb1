"""The pages of each kind of question in a real Chromium: by keys at a desk, by finger on a phone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import Browser, served
from hosted import design, store_with
from selenium.webdriver.common.keys import Keys

from denouement.study.store import open_store

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(300)]

FOUR = ["w", "x", "y", "human_right"]
QUESTIONS = [
    {"name": "better", "text": "Which sentence completes the story better?"},
    {"name": "surprising", "text": "Which sentence is more surprising?"},
    {"name": "fluent", "text": "Which sentence is better written?"},
]
# By kind: what the file says, the keys that answer a page, and what the answer is then.
KINDS = {
    "forced": ({"choices": "forced"}, ["2"], {"better": "B"}),
    "graded": ({"choices": "graded"}, ["4"], {"better": "B2"}),
    "several": ({"questions": QUESTIONS}, ["1", "4", "2"], {"better": "A", "surprising": "neither", "fluent": "B"}),
    "several_graded": (
        {"questions": QUESTIONS, "choices": "graded"},
        ["1", "3", "2"],
        {"better": "A2", "surprising": "B1", "fluent": "A1"},
    ),
    "best_worst": ({"kind": "best_worst", "systems": FOUR}, ["3", "1"], (3, 2, 1, 2)),
    "ranking": ({"kind": "ranking", "systems": FOUR}, ["2", "1", "4", "3"], (2, 1, 4, 3)),
    "ranking_ties": ({"kind": "ranking", "systems": FOUR, "choices": "ties"}, ["2", "1", "2", "4"], (2, 1, 2, 4)),
}


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_by_keys_and_on_a_phone(name: str, tmp_path: Path, browsers: Callable[..., Browser]):
    keys, pressed, expected = KINDS[name]
    store_with(tmp_path, design(answers_per_item=2, **keys), n=1).close()
    desk, phone = browsers(), browsers(phone=True)
    with served(tmp_path) as address:
        for where, browser in (("desk", desk), ("phone", phone)):
            browser.open(f"{address}/s/pilot/")
            browser.leaves(browser.one("button").click)
            browser.check_looks()
            browser.keep(f"kind_{name}_{where}")
        desk.press(*pressed)
        desk.keep(f"kind_{name}_desk_answered")
        desk.leaves(lambda: desk.press(Keys.ENTER))
        assert desk.heading == "Thank you"
        if name in ("ranking", "ranking_ties"):
            for place, select in enumerate(phone.all("select"), 1):
                select.send_keys(str(place))
        else:
            for group in {each.get_attribute("name") for each in phone.all("input[type=radio]")}:
                first = "B" if group == "worst" else phone.one(f"input[name='{group}']").get_attribute("value")
                phone.one(f"label:has([name='{group}'][value='{first}'])").click()
        phone.leaves(phone.one("form.question button").click)
        assert phone.heading == "Thank you"
    answers = open_store(f"sqlite:///{tmp_path / 'studies.db'}").answers("pilot")
    with_keys = min(answers, key=lambda each: each.submitted_at)
    if isinstance(expected, dict):
        assert with_keys.answers == expected
    else:
        assert tuple(with_keys.arranged[place] for place in with_keys.order) == expected
