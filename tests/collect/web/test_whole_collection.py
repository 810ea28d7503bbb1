"""Collections from their files to cases: people at wide and narrow browsers write, review, improve and verify.

Everybody does their first pieces in the browser, and the rest over HTTP with the cookies of that browser.
"""

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from browsing import Browser
from campaigns import NAMES, Person, at_piece, described, opened, reviewers, served, story, words

from denouement.collect.exporting import export
from denouement.collect.filtering import KEPT
from denouement.collect.store import CollectionStore
from denouement.corpus.ingest import ingest
from denouement.corpus.readers import find_files
from denouement.schemas import read_table

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(240)]

STORIES = {"v1.0": 10, "method_1": 3, "method_2": 3}
FEEDBACK = "Say what became of the dog."
IMPROVED = "The dog got a bone, and they both went home."


def right(name: str) -> str:
    return f"{name} was glad to have it back again."


def wrong(name: str, way: str) -> str:
    return f"{name} was sad to have lost it once more." if way != "v1.0" else f"{name} bought a second dog instead."


def name_in(text: str) -> str:
    """Who a story is about."""
    return next(word for word in text.split() if word in NAMES)


def story_on(person: Person) -> str:
    """The story on a page."""
    return re.sub("<[^>]+>", " ", person.text.partition("<ol>")[2].partition("</ol>")[0])


def answer_to(text: str, way: str) -> str:
    """What a verifier answers, who knows which sentences are wrong."""
    is_wrong = "was sad" in text or "a second dog" in text
    return {True: "0", False: "1"}[is_wrong] if way == "v1.0" else {True: "until_last", False: "sense"}[is_wrong]


def verify_all(person: Person, way: str) -> None:
    while at_piece(person):
        person.send(answer=answer_to(story_on(person), way))
        assert not person.problem


@contextmanager
def without_browser(browser: Browser, address: str, name: str) -> Iterator[Person]:
    """The same person over HTTP, at the page of work."""
    with httpx.Client() as client:
        for cookie in browser.driver.get_cookies():
            client.cookies.set(cookie["name"], cookie["value"], path=cookie["path"])
        yield Person.at_server(client, address).open(f"/s/{name}/work")


def look(browser: Browser, page: str) -> None:
    browser.keep(f"collection_{page}")
    browser.check_looks()
    assert browser.violations() == [], page


def agree(browser: Browser, address: str) -> Browser:
    browser.open(address)
    browser.leaves(browser.one("main button").click)
    return browser


def pass_test(browser: Browser, store: CollectionStore, name: str, step: str) -> None:
    """Take the test of a step, with the mouse or a finger."""
    test = getattr(store.collection(name), step).qualification
    look(browser, f"{step}_1_test")
    for at, item in enumerate(test.items):
        browser.one(f'label:has([name="item-{at}"][value="{"yes" if item.acceptable else "no"}"])').click()
    browser.leaves(browser.one("form.question button").click)
    assert browser.heading == "You have passed the test"
    look(browser, f"{step}_2_passed")
    browser.leaves(browser.one("main .button").click)


def fill(browser: Browser, boxes: dict[str, str]) -> None:
    for name, text in boxes.items():
        browser.one(f"#{name}").clear()
        browser.one(f"#{name}").send_keys(text)


def hand_in(browser: Browser, said: str) -> None:
    browser.leaves(browser.one("form.question button").click)
    assert said in browser.text


def test_ten_stories_become_cases_in_each_way(tmp_path: Path, browsers: Callable[..., Browser]):
    tests = {"stories": {"payment": {"piece": 0.26, "bonus": 0.1}}, "endings": {}, "verification": {}}
    store = opened(tmp_path, described(**tests, filter={}))
    at_desk, on_phone, reviewer = browsers(), browsers(phone=True), browsers()
    with served(tmp_path) as address:
        for number, writer in enumerate((at_desk, on_phone)):
            agree(writer, f"{address}/s/kitchen/?step=stories")
            pass_test(writer, store, "kitchen", "stories")
            look(writer, f"stories_{number}_3_empty")
            fill(writer, story(number))
            look(writer, f"stories_{number}_4_filled")
            hand_in(writer, "Your story is handed in.")
            with without_browser(writer, address, "kitchen") as person:
                for at in range(number + 2, STORIES["v1.0"], 2):
                    assert person.send(**story(at)).note == "Your story is handed in."

        agree(reviewer, address + next(reviewers(store)))
        look(reviewer, "review_1")
        reviewer.one('label:has([value="return"])').click()
        reviewer.one("#remark").send_keys(FEEDBACK)
        hand_in(reviewer, "Your review is handed in.")
        [returned] = [w for w in (at_desk, on_phone) if FEEDBACK in w.open(f"{address}/s/kitchen/overview").text]
        look(returned, "stories_5_returned")
        returned.leaves(returned.one("article .button").click)
        look(returned, "stories_6_improve")
        fill(returned, {"sentence-5": IMPROVED})
        hand_in(returned, "Your story is handed in.")
        reviewer.open(f"{address}/s/kitchen/work")
        reviewer.one('label:has([name="bonus"])').click()
        reviewer.one('label:has([value="approve"])').click()
        hand_in(reviewer, "Your review is handed in.")
        with without_browser(reviewer, address, "kitchen") as person:
            while at_piece(person):
                person.send(decision="approve")
            assert "There is nothing at the moment" in words(person)
        returned.open(f"{address}/s/kitchen/overview")
        look(returned, "stories_7_overview")
        returned.leaves(returned.one("main form button").click)
        assert "DONE1" in returned.text
        look(returned, "stories_8_end")

        approved = store.collected("kitchen").stories
        assert sum(IMPROVED in row["sentences"] for row in approved.to_pylist()) == 1
        of_way = {"v1.0": "kitchen", "method_1": "garden", "method_2": "attic"}
        for way in ("method_1", "method_2"):
            more = {"endings": {"way": way}, "verification": {"form": "v1.5"}, "stories": None, "review": None}
            store.create_collection(described(name=of_way[way], **more), stories=approved.slice(0, STORIES[way]))

        writer, verifier = browsers(phone=True), browsers()
        for way, name in of_way.items():
            agree(writer, f"{address}/s/{name}/?step=endings")
            pass_test(writer, store, name, "endings")
            look(writer, f"endings_{way}_3")
            who = name_in(writer.one(".story ol").text)
            boxes = {"wrong": wrong(who, way)} if way == "method_2" else {"right": right(who), "wrong": wrong(who, way)}
            fill(writer, boxes)
            hand_in(writer, "Your endings are handed in.")
            with without_browser(writer, address, name) as person:
                while at_piece(person):
                    who = name_in(story_on(person))
                    person.send(right=right(who), wrong=wrong(who, way))
                    assert not person.problem

            agree(verifier, f"{address}/s/{name}/?step=verification")
            pass_test(verifier, store, name, "verification")
            look(verifier, f"verification_{way}_3")
            answer = answer_to(verifier.one(".story ol").text, way)
            verifier.press(str(verifier.one(f'[value="{answer}"]').get_attribute("data-key")))
            verifier.until(lambda each: "Your draft is saved." in each.text)
            hand_in(verifier, "Your answer is handed in.")
            with without_browser(verifier, address, name) as person:
                verify_all(person, way)
            for _ in range(2):  # others, over HTTP alone
                with httpx.Client() as client:
                    person = Person.at_server(client, address)
                    person.open(f"/s/{name}/?step=verification").send(consent="yes")
                    items = store.collection(name).verification.qualification.items
                    person.send(**{f"item-{at}": "yes" if i.acceptable else "no" for at, i in enumerate(items)})
                    verify_all(person.open(f"/s/{name}/work"), way)

    for way, name in of_way.items():
        out = tmp_path / name
        summary = export(store.collected(name), store.collection(name), out)
        assert summary.filter.outcomes[KEPT] == STORIES[way]
        assert summary.verifiers == 3
        cases = [row for path in (out / "public").glob("cloze*.csv") for row in csv.DictReader(path.open())]
        assert len(cases) == STORIES[way]
        for case in cases:
            endings = (case["RandomFifthSentenceQuiz1"], case["RandomFifthSentenceQuiz2"])
            who = name_in(" ".join(case[f"InputSentence{at}"] for at in range(1, 5)))
            assert endings[2 - int(case["AnswerRightEnding"])] == wrong(who, way)
        files, _ = find_files(out / "public")
        ingest(files, tmp_path / f"{name}-corpus")
        read = read_table(tmp_path / f"{name}-corpus" / "cloze.parquet", "cloze")
        assert read.num_rows == STORIES[way]
        assert set(read["release"].to_pylist()) == {name}
