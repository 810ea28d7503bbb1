"""Whole studies in a real Chromium, served as `denouement study serve` serves them."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from browsing import Browser, served
from click.testing import CliRunner
from hosted import TOKEN, design, statuses, store_with
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from story_tables import cases

from denouement.cli import main
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import save_generator
from denouement.schemas import read_table, write_table
from denouement.study.store import open_store
from denouement.text.vocabulary import Vocabulary

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(300)]

RIGHT = "Her father loved the cake."  # of the training item
REASON = "It goes on with what the story tells."


def test_two_people_from_consent_to_completion_one_on_a_phone(tmp_path: Path, browsers: Callable[..., Browser]):
    study = design(reason={"mode": "required"}, checks={"rate": 0.3}, training=True, answers_per_item=2)
    store_with(tmp_path, study, n=4).close()
    at_desk, on_phone = browsers(), browsers(phone=True)
    with served(tmp_path) as address:
        both = {"desk": at_desk, "phone": on_phone}
        for name, browser in both.items():
            browser.open(f"{address}/s/pilot/")
            browser.keep(f"{name}_1_consent")
            browser.check_looks()
            browser.leaves(browser.one("button").click)
            browser.keep(f"{name}_2_training")
            right = browser.side_of(RIGHT)
            browser.answer("BA"[right == "B"])
            assert "Not quite" in browser.text
            browser.keep(f"{name}_3_feedback")
            browser.check_looks()
            browser.answer(right)
            browser.keep(f"{name}_4_passed")
            browser.check_looks()
            browser.leaves(browser.one("main .button").click)
            browser.keep(f"{name}_5_question")
            browser.check_looks()
        take_turns(at_desk, on_phone)
        for name, browser in both.items():
            assert browser.heading == "Thank you"
            assert "DONE1" in browser.text
            browser.keep(f"{name}_6_end")
            browser.check_looks()
    store = open_store(f"sqlite:///{tmp_path / 'studies.db'}")
    progress = store.progress("pilot")
    assert [item.accepted for item in progress.items] == [2, 2, 2, 2]
    assert {answer.reason for answer in store.answers("pilot")} == {REASON}
    assert {person.state for person in progress.people} == {"done"}


def take_turns(at_desk: Browser, on_phone: Browser) -> None:
    """Both answer at the same time until there is nothing more, one with the keyboard alone."""

    def type_answers() -> None:
        key = 0
        while at_desk.heading.startswith("Question"):
            key = key % 4 + 1
            at_desk.press(str(key))
            assert at_desk.focused().get_property("value") == ["A", "B", "both", "neither"][key - 1]
            at_desk.press(Keys.TAB, *REASON, Keys.TAB)
            at_desk.leaves(lambda: at_desk.press(Keys.ENTER))

    def tap_answers() -> None:
        while on_phone.heading.startswith("Question"):
            on_phone.answer("A", REASON)

    typing = threading.Thread(target=type_answers)
    typing.start()
    tap_answers()
    typing.join()


def test_back_reload_double_click_and_two_tabs_keep_one_answer_each(tmp_path: Path, browsers: Callable[..., Browser]):
    store = store_with(tmp_path, design(reason={"mode": "optional"}), n=6)
    browser = browsers()
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        browser.one("textarea").send_keys("half a reas")
        browser.leaves(browser.driver.refresh)
        assert browser.heading == "Question 1 of at most 6"
        assert browser.one("textarea").get_property("value") == "half a reas", "a draft outlives a reload"
        browser.answer("A")
        assert browser.heading == "Question 2 of at most 6"
        browser.driver.back()
        browser.until(lambda each: each.heading in ("How do stories end?", "Question 2 of at most 6"))
        browser.open(f"{address}/s/pilot/question")
        assert browser.heading == "Question 2 of at most 6"
        browser.one('[value="B"]').click()
        button = browser.one("form.question button")
        browser.leaves(lambda: webdriver.ActionChains(browser.driver).double_click(button).perform())
        browser.until(lambda each: each.heading == "Question 3 of at most 6")
        assert statuses(store) == {"accepted": 2}

        first = browser.driver.current_window_handle
        browser.driver.switch_to.new_window("tab")
        browser.open(f"{address}/s/pilot/question")
        assert browser.heading == "Question 3 of at most 6"
        browser.answer("both")
        browser.driver.switch_to.window(first)
        assert browser.heading == "Question 3 of at most 6"
        browser.answer("neither")
        assert "Your first answer counts" in browser.text
        assert browser.heading == "Question 4 of at most 6"
    assert sorted(answer.answer for answer in store.answers("pilot")) == ["A", "B", "both"]


def test_a_tab_that_is_closed_gives_its_question_free_and_a_reload_or_a_second_tab_keeps_it(
    tmp_path: Path, browsers: Callable[..., Browser]
):
    store = store_with(tmp_path, design(answers_per_item=1, lease_minutes=20), n=1)
    browser = browsers()

    def minutes_left() -> int | None:
        return store.outlook("pilot").minutes

    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        browser.leaves(browser.driver.refresh)
        time.sleep(3)  # the server may hear that the page before was left only after the reload
        assert minutes_left() == 20
        first = browser.driver.current_window_handle
        browser.driver.switch_to.new_window("tab")
        browser.open(f"{address}/s/pilot/question")
        browser.driver.close()
        browser.driver.switch_to.window(first)
        browser.until(lambda _: minutes_left() == 1)
        browser.until(lambda _: minutes_left() == 20)  # the tab that is still open says so
        browser.leaves(browser.one('[href$="/withdraw"]').click)
        browser.until(lambda _: minutes_left() == 1)
        browser.driver.back()
        browser.until(lambda _: minutes_left() == 20)
        browser.answer("A")
        assert "You have answered 1 question" in browser.text
    assert statuses(store) == {"accepted": 1}


def test_who_looks_at_the_last_answer_keeps_the_next_question(tmp_path: Path, browsers: Callable[..., Browser]):
    store = store_with(tmp_path, design(answers_per_item=1, lease_minutes=20, back=True), n=2)
    browser = browsers()
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        browser.answer("A")
        browser.leaves(browser.one('[href$="/back"]').click)
        time.sleep(3)  # the server may hear late that a page was left
        assert store.outlook("pilot").minutes == 20


def test_who_waits_gets_a_question_without_a_script(tmp_path: Path, browsers: Callable[..., Browser]):
    store = store_with(tmp_path, design(answers_per_item=1), n=1)
    key = store.consent(store.enter("pilot", "holder").key).key
    held = store.next(key)
    waiting = browsers(phone=True, script=False)
    with served(tmp_path) as address:
        waiting.open(f"{address}/s/pilot/")
        assert waiting.heading == "All questions are being answered"
        waiting.keep("phone_waiting")
        waiting.check_looks()
        store.release("pilot", item_id=held.item.id)
        WebDriverWait(waiting.driver, 40).until(lambda _: waiting.heading == "How do stories end?")


def test_a_lost_connection_loses_no_answer(tmp_path: Path, browsers: Callable[..., Browser]):
    store = store_with(tmp_path, design(), n=2)
    browser = browsers()
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        browser.driver.set_network_conditions(offline=True, latency=0, throughput=0)
        browser.one('[value="A"]').click()
        browser.one("form.question button").click()
        browser.until(lambda each: each.one("#connection").is_displayed())
        browser.keep("lost_connection")
        assert browser.heading == "Question 1 of at most 2"
        assert not store.answers("pilot")
        browser.driver.delete_network_conditions()
        browser.until(lambda each: each.heading == "Question 2 of at most 2")
    assert statuses(store) == {"accepted": 1}


def test_the_server_may_be_restarted_in_the_middle(tmp_path: Path, browsers: Callable[..., Browser]):
    store = store_with(tmp_path, design(), n=2)
    browser = browsers()
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        browser.answer("A")
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        assert browser.heading == "Question 2 of at most 2"
        browser.answer("B")
        assert browser.heading == "Thank you"
    assert statuses(store) == {"accepted": 2}


def test_everything_works_without_a_script(tmp_path: Path, browsers: Callable[..., Browser]):
    study = design(reason={"mode": "required"}, training=True)
    store = store_with(tmp_path, study, n=2)
    browser = browsers(script=False)
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        assert not browser.one(".keys").is_displayed()
        browser.answer(browser.side_of(RIGHT))
        browser.leaves(browser.one("main .button").click)
        browser.one("form.question button").click()
        assert browser.heading == "Question 1 of at most 2", "the browser itself asks for an answer"
        browser.answer("A", REASON)
        browser.keep("no_script")
        browser.one('[value="B"]').click()
        browser.one("textarea").send_keys(REASON)
        button = browser.one("form.question button")
        browser.leaves(lambda: webdriver.ActionChains(browser.driver).double_click(button).perform())
        assert browser.heading == "Thank you"
        browser.leaves(browser.one('[href$="/withdraw"]').click)
        browser.keep("withdraw")
        browser.leaves(browser.one("button").click)
        assert browser.heading == "You have withdrawn"
    assert not store.answers("pilot")


def test_what_has_the_focus_is_seen(tmp_path: Path, browsers: Callable[..., Browser]):
    store_with(tmp_path, design(reason={"mode": "optional"}))
    browser = browsers()
    outlined = "const of = document.activeElement; return getComputedStyle(of.closest('.choice') ?? of).outlineStyle"
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        reached = []
        for _ in range(6):
            browser.press(Keys.TAB)
            focused = browser.focused()
            reached.append(focused.get_attribute("class") or focused.get_attribute("name") or focused.tag_name)
            assert browser.driver.execute_script(outlined) == "solid", reached
            if reached[-1] == "answer":
                browser.keep("focus")
    assert reached[:5] == ["skip", "summary", "answer", "reason", "button"]


@pytest.mark.parametrize("kind", ["rating", "order"])
def test_ratings_and_orders_on_a_phone(tmp_path: Path, browsers: Callable[..., Browser], kind: str):
    keys: dict[str, Any] = {"kind": kind, "systems": ["human_right"]}
    if kind == "rating":
        keys["scales"] = "consistency_readability"
    store = store_with(tmp_path, design(**keys), n=1)
    browser = browsers(phone=True)
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        browser.keep(kind)
        browser.check_looks()
        for cell in browser.all(".choice"):
            assert cell.get_property("scrollWidth") <= cell.get_property("clientWidth"), cell.text
        if kind == "rating":
            for scale in browser.all(".scale"):
                assert len({cell.rect["y"] for cell in scale.find_elements(By.CSS_SELECTOR, ".choice")}) == 1
            browser.press("4", "2")
        else:
            for place, select in enumerate(browser.all("select"), 1):
                select.send_keys(str(place))
        browser.leaves(browser.one("form.question button").click)
        assert browser.heading == "Thank you"
    [answer] = store.answers("pilot")
    if kind == "rating":
        assert dict(answer.values) == {"consistency": 4, "readability": 2}
    else:
        assert answer.arranged == answer.order


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
@pytest.mark.parametrize("n", [4, 7, 11])
def test_the_values_of_a_scale_stand_in_one_row_where_they_fit(
    tmp_path: Path, browsers: Callable[..., Browser], n: int, phone: bool
):
    labels = ["strongly disagree", *[""] * (n - 2), "strongly agree"]
    scale = {"name": "quality", "text": "It fits.", "low": 1, "high": n, "labels": labels}
    store_with(tmp_path, design(kind="rating", systems=["human_right"], scales=[scale]), n=1)
    browser = browsers(phone=phone)
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        browser.keep(f"scale_{n}_{phone}")
        browser.check_looks()
        cells = browser.all(".scale .choice")
        for cell in cells:
            assert cell.get_property("scrollWidth") <= cell.get_property("clientWidth"), cell.text
        rows = len({cell.rect["y"] for cell in cells})
    assert rows == ({4: 2, 7: 1, 11: 11}[n] if phone else 1)


def test_sentences_are_put_into_order_by_keys_alone(tmp_path: Path, browsers: Callable[..., Browser]):
    store = store_with(tmp_path, design(kind="order", systems=["human_right"]), n=2)
    browser = browsers()
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        assert (
            browser.one(".keys").text
            == "Keys: a digit gives a sentence its place and goes to the next one, Enter goes on. "
            "I opens and closes the instructions."
        )
        browser.press("3", "1", "5", "2", "9", "4")
        assert [each.get_property("value") for each in browser.all("select")] == ["3", "1", "5", "2", "4"]
        browser.leaves(lambda: browser.press(Keys.ENTER))
        assert browser.heading == "Question 2 of at most 2"
        browser.press("1", Keys.TAB, "2")
        assert [each.get_property("value") for each in browser.all("select")] == ["1", "", "2", "", ""]
    [answer] = store.answers("pilot")
    assert answer.arranged == tuple(answer.order[place] for place in (1, 3, 0, 4, 2))


def test_declining_is_gone_back_from_and_then_confirmed(tmp_path: Path, browsers: Callable[..., Browser]):
    entry = {"kind": "prolific", "completion_code": "C1", "screen_out_code": "S1"}
    store = store_with(tmp_path, design(entry=entry))
    browser = browsers(phone=True)
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/?PROLIFIC_PID=p&STUDY_ID=s&SESSION_ID=t")
        browser.leaves(browser.one(".actions a").click)
        browser.keep("decline")
        browser.check_looks()
        browser.leaves(browser.one(".actions a").click)
        assert browser.heading == "How do stories end?"
        browser.leaves(browser.one(".actions a").click)
        browser.leaves(browser.one("button").click)
        browser.keep("declined")
        browser.check_looks()
        assert "return your submission" in browser.text
    assert [person.state for person in store.progress("pilot").people] == ["declined"]


def test_the_organiser_sees_and_excludes(tmp_path: Path, browsers: Callable[..., Browser]):
    store = store_with(tmp_path, design(answers_per_item=1), n=3)
    person, organiser = browsers(), browsers()
    with served(tmp_path) as address:
        person.open(f"{address}/s/pilot/")
        person.leaves(person.one("button").click)
        person.answer("A")
        organiser.open(f"{address}/organiser/")
        organiser.keep("organiser_1_login")
        organiser.one("input").send_keys("a wrong token")
        organiser.leaves(organiser.one("button").click)
        assert "not the token" in organiser.text
        organiser.one("input").send_keys(TOKEN)
        organiser.leaves(organiser.one("button").click)
        organiser.leaves(organiser.one('[href="/organiser/pilot"]').click)
        organiser.keep("organiser_2_study")
        assert "1 of 3" in organiser.one(".numbers").text
        organiser.check_looks()
        organiser.leaves(organiser.one('td [href*="/exclude?"]').click)
        organiser.keep("organiser_3_exclude")
        organiser.leaves(organiser.one("button").click)
        assert "is excluded, and the items are open again" in organiser.one(".note").text
        assert "0 of 3" in organiser.one(".numbers").text
        person.leaves(person.driver.refresh)
        assert person.heading == "Your part has ended"
    assert statuses(store) == {"excluded": 1}


def test_the_organiser_s_tables_scroll_under_a_shadow_on_a_phone(tmp_path: Path, browsers: Callable[..., Browser]):
    store = store_with(tmp_path, design(entry={"kind": "links", "links": 2}), n=1)
    store.enter("pilot", store.links("pilot")[0])
    organiser = browsers(phone=True)
    with served(tmp_path) as address:
        organiser.open(f"{address}/organiser/").one("input").send_keys(TOKEN)
        organiser.leaves(organiser.one("button").click)
        organiser.leaves(organiser.one('[href="/organiser/pilot"]').click)
        for fold in organiser.all("summary"):
            fold.click()
        organiser.keep("organiser_phone")
        organiser.check_looks()
        for page in ("exclude?annotator=" + store.progress("pilot").people[0].annotator_id, "edit", "log", "preview"):
            organiser.open(f"{address}/organiser/pilot/{page}")
            organiser.keep(f"organiser_phone_{page[:7]}")
            organiser.check_looks()
        organiser.open(f"{address}/organiser/pilot")
        for fold in organiser.all("summary"):
            fold.click()
        for box in organiser.all(".scroll"):
            assert int(box.get_property("scrollWidth")) > int(box.get_property("clientWidth"))
            assert box.value_of_css_property("background-attachment").startswith("local, scroll")
            assert box.find_element(By.CSS_SELECTOR, "table").value_of_css_property("background-color").endswith(", 0)")


def test_from_a_generator_s_endings_to_printed_results(tmp_path: Path, browsers: Callable[..., Browser]):
    """Every step as the command line has it, but for an untrained generator in the place of a trained one."""
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    write_table(cases(4), tmp_path / "cloze.parquet", "cloze")
    write_untrained(tmp_path / "best.parquet")
    (tmp_path / "STUDY.yaml").write_text(
        "name: pilot\nsystems: [seq2seq, human_right]\ncases: {n: 4}\nanswers_per_item: 2\n"
        "reason: {mode: required}\nentry: {kind: links, links: 2}\ncontact: someone@example.org\n"
    )
    inputs = ["--cases", tmp_path / "cloze.parquet", "--endings", tmp_path / "endings.parquet"]
    run(
        *("generate", "--model", tmp_path / "best.parquet", "--contexts", tmp_path / "cloze.parquet"),
        *("--out", tmp_path / "endings.parquet", "--release", "v1.0", "--split", "validation"),
    )
    created = json.loads(run("study", "create", tmp_path / "STUDY.yaml", *inputs, "--store", url, "--json"))
    assert created["counts"]["items"] == 4
    two = [browsers(), browsers()]
    with served(tmp_path) as address:
        for browser, link in zip(two, created["addresses"], strict=True):
            browser.open(link.replace("http://127.0.0.1:8000", address))
            browser.leaves(browser.one("button").click)

        def prefer_people(browser: Browser) -> None:
            while browser.heading.startswith("Question"):
                is_right = [label.text.startswith("A") for label in browser.all("label") if "Right" in label.text]
                browser.answer("A" if is_right[0] else "B", REASON)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(prefer_people, two))
        assert [browser.heading for browser in two] == ["Thank you", "Thank you"]
    run("study", "export", "pilot", "--out", tmp_path, "--store", url)
    tables = [tmp_path / "votes.parquet", "--items", tmp_path / "items.parquet"]
    found = json.loads(run("study", "results", *tables, "--json"))
    [pair] = found["pairs"]
    assert (pair["first"], pair["second"], pair["items"], pair["answers"]) == ("seq2seq", "human_right", 4, 8)
    assert pair["agreement"]["second"]["n"] == 4
    printed = run("study", "results", *tables, "--reasons")
    assert "seq2seq" in printed
    assert printed.count(REASON) == 8
    shown = read_table(tmp_path / "items.parquet", "items").to_pylist()
    assert all(ending in printed for item in shown for ending in item["endings"])


def run(*arguments: object) -> str:
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def write_untrained(path: Path) -> None:
    """A checkpoint of a tiny generator."""
    kind = generator_class("seq2seq")
    with torch.random.fork_rng():
        torch.manual_seed(1)
        generator = kind(
            kind.settings_class(units=8), Vocabulary.build(["Story 1.", "It goes on.", "The car was fast."])
        )
    save_generator(generator, path)


ASKING = {
    "ask": {
        "before": [
            {"name": "age", "text": "How old are you?", "type": "number", "required": True},
            {
                "name": "native",
                "text": "Is English your first language?",
                "type": "choice",
                "options": ["yes", "no, but I speak it fluently", "no"],
                "required": True,
            },
            {
                "name": "reads",
                "text": "What do you like to read?",
                "type": "several",
                "options": ["novels", "short stories", "news"],
            },
            {"name": "work", "text": "What do you do for a living?"},
        ],
        "after": [{"name": "remarks", "text": "Is there anything that you would like to tell us?"}],
    },
    "training": [True, {"context": ["It rained.", "Ann had no umbrella."], "endings": ["She got wet.", "Mars sang."]}],
    "reason": {"mode": "required", "boxes": True, "highlight": True},
    "skip": {"most": 2},
    "flag": True,
    "back": True,
}


@pytest.mark.parametrize("how", ["desk", "phone", "without_script"])
def test_all_that_a_study_may_ask(tmp_path: Path, browsers: Callable[..., Browser], how: str):
    store_with(tmp_path, design(**ASKING, answers_per_item=1), n=3).close()
    browser = browsers(phone=how == "phone", script=how != "without_script")

    def seen(name: str) -> None:
        browser.keep(f"asking_{how}_{name}")
        browser.check_looks()

    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        seen("1_before")
        browser.one("[name=reply-0]").send_keys("34")
        browser.one("label:has([name=reply-1][value='1'])").click()
        for option in ("0", "2"):
            browser.one(f"label:has([name=reply-2-{option}])").click()
        browser.leaves(browser.one("main button").click)
        for place, right in enumerate((RIGHT, "She got wet.")):
            assert browser.heading == f"Example {place + 1} of 2"
            browser.answer(browser.side_of(right))
            browser.leaves(browser.one("main .button").click)
        seen("2_question")
        browser.one('label:has([value="A"])').click()
        browser.one("label:has([name=box-logic])").click()
        browser.one("#reason").send_keys(REASON)
        mark(browser, how)
        seen("3_marked")
        browser.leaves(browser.one("form.question button").click)
        browser.one("details.remark summary").click()
        browser.one("#remark").send_keys("The story has no end.")
        seen("4_skip")
        browser.leaves(browser.one("[name=skip]").click)
        assert "You have skipped a question." in browser.text
        browser.leaves(browser.one('a[href="/s/pilot/back"]').click)
        seen("5_back")
        assert browser.one("[name=box-logic]").is_selected()
        assert len(browser.all(".mark input:checked")) == 2
        browser.one('label:has([value="both"])').click()
        browser.leaves(browser.one("form.question button").click)
        assert "Your last answer is changed." in browser.text
        browser.one("details.remark summary").click()
        browser.one("#remark").send_keys("It says rain twice.")
        browser.one('label:has([value="neither"])').click()
        browser.one("#reason").send_keys(REASON)
        browser.leaves(browser.one("form.question button").click)
        seen("6_after")
        browser.leaves(browser.one("main button").click)
        assert "DONE1" in browser.text
        seen("7_end")
    store = open_store(f"sqlite:///{tmp_path / 'studies.db'}")
    given = {answer.answer: answer for answer in store.answers("pilot")}
    assert set(given) == {"both", "neither"}
    assert given["both"].elements == ("logic",)
    assert [each.text for each in given["both"].highlights or ()] == ["had a"]
    assert [reply.value for reply in store.replies("pilot")] == ["34", "no, but I speak it fluently", "novels", "news"]
    assert sorted((flag.kind, flag.text) for flag in store.flags("pilot")) == [
        ("flag", "It says rain twice."),
        ("skip", "The story has no end."),
    ]
    assert len(store.corrections("pilot")) == 1


def mark(browser: Browser, how: str) -> None:
    """Mark "had a": with the keyboard, with a finger, or by a click on each word."""
    if how == "desk":
        browser.one("[name=mark-0-0]").send_keys(Keys.ARROW_RIGHT)
        browser.press(Keys.SPACE, Keys.ARROW_RIGHT, Keys.SPACE)
    else:
        for word in (1, 2):
            browser.one(f".mark:has([name=mark-0-{word}])").click()


def test_words_that_are_dragged_over_are_marked(tmp_path: Path, browsers: Callable[..., Browser]):
    store_with(tmp_path, design(reason={"mode": "optional", "highlight": True}), n=1).close()
    browser = browsers()
    with served(tmp_path) as address:
        browser.open(f"{address}/s/pilot/")
        browser.leaves(browser.one("button").click)
        first, last = (browser.one(f".mark:has([name=mark-0-{word}])") for word in (1, 4))
        webdriver.ActionChains(browser.driver).click_and_hold(first).move_to_element(last).release().perform()
        names = [each.get_attribute("name") for each in browser.all(".mark input:checked")]
        assert names == [f"mark-0-{word}" for word in (1, 2, 3, 4)]
        first.click()
        assert not browser.one("[name=mark-0-1]").is_selected()
