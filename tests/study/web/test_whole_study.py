"""A study from its file to the report: people at wide and narrow browsers, two who leave, and the organiser.

People answer their first questions in the browser, with mouse, keys or finger, and the rest over HTTP with the cookies
of that browser.
"""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from browsing import Browser, served
from click.testing import CliRunner
from hosted import TOKEN, Person
from scipy.stats import binomtest
from selenium.webdriver.common.keys import Keys

from denouement.cli import main
from denouement.schemas import read_table
from denouement.stages.study import StudyPaths, StudySettings
from denouement.stages.study import run as run_stage
from denouement.study.design.known_items import clear_cases
from denouement.study.importing import find_answers
from denouement.study.languages import texts

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(600)]

STUDY = """
name: whole
systems: [h_seq2seq, human_right]
cases: {n: 40, seed: 1}
answers_per_item: 3
reason: {mode: required, min_length: 20, boxes: [logic, emotion, grammar], highlight: true}
checks: {rate: 0.1}
training: true
skip: {most: 2}
back: true
ask:
  before:
    - {name: age, text: How old are you?, type: number, required: true}
    - {name: native, text: Is English your first language?, type: choice, options: ["yes", "no"], required: true}
    - {name: reads, text: What do you like to read?, type: several, options: [novels, short stories, news]}
  after:
    - {name: remarks, text: Is there anything that you would like to tell us?}
entry: {kind: links, links: 5, completion_code: WHOLE40}
contact: someone@example.org
"""
CODE = "WHOLE40"
RIGHT = {story.right for story in clear_cases(texts("en"))}  # of the training item and the checks
BOX = {"model": "logic", "human": "emotion", "both": None}


@dataclass(frozen=True)
class Opinion:
    """What a person says about a pair.

    All people have the same opinions of stories: of the 40, 10 ends of the model are better, 4 times both are good, and
    26 ends of people are better.
    """

    choice: str
    reason: str
    box: str | None = None
    is_check: bool = False


def opinion(endings: Mapping[str, str], is_attentive: bool = True) -> Opinion:
    """About the endings on the sides A and B. Who is not attentive gives wrong answers to checks."""
    numbers = {side: int(text.split()[1]) for side, text in endings.items() if text.startswith("Number ")}
    if not numbers:
        right = next(side for side, text in endings.items() if text in RIGHT)
        return Opinion(right if is_attentive else "AB".replace(right, ""), "That is plain for all to see.", None, True)
    [(model, n)] = numbers.items()
    who = "model" if n % 4 == 0 else "both" if n % 10 == 5 else "human"
    choice = {"model": model, "human": "AB".replace(model, ""), "both": "both"}[who]
    return Opinion(choice, f"This makes sense after all that happened to number {n}.", BOX[who])


@dataclass
class Voter:
    """Somebody who takes part, at a browser."""

    browser: Browser
    link: str
    age: int
    name: str
    native: str = "0"
    is_attentive: bool = True
    seen: list[str] = field(default_factory=list)  # what each page said
    last: Opinion | None = None  # that was answered

    def come_in(self) -> "Voter":
        """Agree, answer the study's own questions, and pass the training."""
        browser = self.browser.open(self.link)
        self.look("1_consent")
        browser.leaves(browser.one("button").click)
        browser.one("[name=reply-0]").send_keys(str(self.age))
        browser.one(f'label:has([name=reply-1][value="{self.native}"])').click()
        browser.one("label:has([name=reply-2-0])").click()
        self.look("2_before")
        browser.leaves(browser.one("main button").click)
        self.look("3_training")
        right = next(side for side, text in browser.endings.items() if text in RIGHT)
        browser.answer(right)
        self.look("4_passed")
        browser.leaves(browser.one("main .button").click)
        return self

    def answer(self, times: int, with_keys: bool = False) -> "Voter":
        """Answer so many questions in the browser."""
        for time in range(times):
            assert self.browser.heading.startswith("Question")
            mine = opinion(self.browser.endings, self.is_attentive)
            (self.type if with_keys else self.click)(mine)
            if time == 0:
                self.look("5_question")
            self.browser.leaves(self.send_by_key if with_keys else self.browser.one("form.question button").click)
            self.last = mine
        return self

    def click(self, mine: Opinion) -> None:
        """With the mouse or a finger."""
        self.browser.one(f'label:has([value="{mine.choice}"])').click()
        if mine.box:
            self.browser.one(f"label:has([name=box-{mine.box}])").click()
        self.browser.one("#reason").send_keys(mine.reason)
        if mine.box == "logic":
            self.browser.one(".mark:has([name=mark-0-0])").click()

    def type(self, mine: Opinion) -> None:
        """With the keyboard alone: a digit chooses, the space bar ticks and marks, R leads to the reason."""
        self.browser.press(str(["A", "B", "both"].index(mine.choice) + 1))
        if mine.box:
            self.browser.press(Keys.TAB, *([Keys.TAB] if mine.box == "emotion" else []), Keys.SPACE)
        if mine.box == "logic":
            self.browser.press("r", Keys.TAB, Keys.SPACE)
            assert self.browser.focused().get_attribute("name") == "mark-0-0"
        self.browser.press("r", mine.reason)

    def send_by_key(self) -> None:
        self.browser.focused().send_keys(Keys.CONTROL + Keys.ENTER)

    def look(self, page: str) -> None:
        """Look at the page: nothing is pale, cut off or too small."""
        self.browser.keep(f"whole_{self.name}_{page}")
        self.browser.check_looks()
        self.seen.append(self.browser.text)

    @contextmanager
    def without_browser(self, address: str) -> Iterator[Person]:
        """The same person over HTTP."""
        with httpx.Client() as client:
            for cookie in self.browser.driver.get_cookies():
                client.cookies.set(cookie["name"], cookie["value"], path=cookie["path"])
            yield Person.at_server(client, address).open("/s/whole/question")

    def go_on_to_the_end(self, address: str) -> "Voter":
        """Answer all that is left over HTTP, and the questions after it, and look at the end in the browser."""
        with self.without_browser(address) as person:
            while person.at.endswith("/question"):
                mine = opinion(person.endings, self.is_attentive)
                extra = {f"box-{mine.box}": "on"} if mine.box else {}
                extra |= {"mark-0-0": "on"} if mine.box == "logic" else {}
                person.send(answer=mine.choice, reason=mine.reason, **extra)
                assert not person.problem
        self.browser.open(f"{address}/s/whole/after")
        self.browser.one("textarea").send_keys(f"Thank you, says {self.name}.")
        self.look("6_after")
        self.browser.leaves(self.browser.one("main button").click)
        self.look("7_end")
        return self


@dataclass(frozen=True)
class Organiser:
    """The organiser at a browser."""

    browser: Browser
    address: str
    name: str

    def log_in(self) -> "Organiser":
        self.browser.open(f"{self.address}/organiser/").one("input").send_keys(TOKEN)
        self.browser.leaves(self.browser.one("button").click)
        return self

    def open(self, page: str = "") -> "Organiser":
        self.browser.open(f"{self.address}/organiser/whole{page}")
        for fold in self.browser.all("summary"):
            fold.click()
        self.browser.keep(f"whole_organiser_{self.name}{page.partition('?')[0].replace('/', '_')}")
        self.browser.check_looks()
        return self

    def number(self, what: str) -> str:
        """A number at the top of the study's page."""
        return next(each.text.split("\n")[1] for each in self.browser.all(".numbers div") if what in each.text)

    def release(self) -> "Organiser":
        """Release what a person holds, if only one does."""
        [link] = [each for each in self.browser.all("td.did a") if each.text.startswith("Release")]
        self.browser.leaves(link.click)
        self.browser.leaves(self.browser.one("main button").click)
        return self

    def add_links(self, n: int) -> list[str]:
        """The addresses of further links."""
        before = self.open().links()
        self.browser.open(f"{self.address}/organiser/whole/links").one("[name=n]").clear()
        self.browser.one("[name=n]").send_keys(str(n))
        self.browser.leaves(self.browser.one("main button").click)
        return [link for link in self.open().links() if link not in before]

    def links(self) -> list[str]:
        """All private links on the page."""
        return [each.text for each in self.browser.all("th") if "/link/" in each.text]


def test_five_people_of_whom_two_leave_and_are_replaced(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch, browsers: Callable[..., Browser]
):
    monkeypatch.chdir(run_folder)
    (run_folder / "study.yaml").write_text(STUDY)
    inputs = ["--cases", "data/corpus/cloze.parquet", "--endings", "data/endings/h_seq2seq.parquet"]
    created = found("study", "create", "study.yaml", *inputs)
    assert created["answers_wanted"] == 40 * 3
    assert created["share"]["each"] == 24 + 3 + 3  # 120 answers of 5 people, 3 spare ones, 3 checks
    with served(run_folder) as address:
        stayed, left = take_part(
            address, [link.replace("http://127.0.0.1:8000", address) for link in created["addresses"]], browsers
        )
    for person in stayed:
        assert CODE in person.seen[-1]
    for person in left:
        assert not any(CODE in text for text in person.seen)
    check_export()
    check_results()
    check_report()


def take_part(address: str, links: list[str], browsers: Callable[..., Browser]) -> tuple[list[Voter], list[Voter]]:
    """Those who stayed and those who left.

    Who comes last has answered nothing before: any item that still lacks an answer is new to them, so the study fills.
    """
    at_desk = Voter(browsers(), links[0], 20, "desk").come_in().answer(8, with_keys=True)
    on_phone = Voter(browsers(phone=True), links[1], 30, "phone", native="1").come_in()
    skip(on_phone)
    on_phone.answer(8)
    while at_desk.last and at_desk.last.is_check:  # the organiser counts corrected answers to items alone
        at_desk.answer(1, with_keys=True)
    change_last_answer(at_desk)

    for person in (at_desk, on_phone):
        person.go_on_to_the_end(address)

    narrow, organiser = (
        Organiser(browsers(phone=phone), address, "phone" if phone else "desk").log_in() for phone in (True, False)
    )
    in_between = Voter(browsers(phone=True), links[2], 70, "leaver").come_in().answer(3)
    while opinion(in_between.browser.endings).is_check:  # the organiser sees who holds an item, not who holds a check
        in_between.answer(1)
    in_between.click(opinion(in_between.browser.endings))
    in_between.look("half")
    in_between.browser.driver.quit()
    assert organiser.open().number("Being answered") == "1"  # others would get the question in a minute
    organiser.release()
    assert organiser.open().number("Being answered") == "0"
    assert narrow.open().number("People") == "3"

    regretting = Voter(browsers(), links[3], 99, "withdrawn").come_in().answer(3)
    regretting.browser.leaves(regretting.browser.one('[href$="/withdraw"]').click)
    regretting.look("6_withdraw")
    regretting.browser.leaves(regretting.browser.one("button.danger").click)
    regretting.look("7_withdrawn")
    regretting.browser.open(f"{address}/s/whole/end")
    regretting.look("8_again")
    regretting.browser.driver.quit()

    replacing = organiser.add_links(2)
    assert len(replacing) == 2
    careless, third, fourth = (
        Voter(browsers(phone=phone), link, age, name, is_attentive=name != "careless")
        .come_in()
        .answer(2)
        .go_on_to_the_end(address)
        for phone, link, age, name in (
            (False, links[4], 40, "careless"),
            (True, replacing[0], 50, "third"),
            (False, replacing[1], 60, "fourth"),
        )
    )
    for page in ("", "/review", "/log", "/preview"):
        organiser.open(page)
    organiser.open()
    assert organiser.number("Answers") == "120 of 120"
    assert organiser.number("People") == "7"
    assert organiser.number("Items complete") == "40 of 40"
    assert organiser.number("Excluded answers") == "0"
    assert organiser.number("Skipped") == "1"
    assert organiser.number("Answers corrected") == "1"
    return [at_desk, on_phone, careless, third, fourth], [in_between, regretting]


def skip(person: Voter) -> None:
    """Skip a question, and say why."""
    while opinion(person.browser.endings).is_check:  # skipped checks are not counted
        person.answer(1)
    person.browser.one("details.remark summary").click()
    person.browser.one("#remark").send_keys("I know this story.")
    person.look("skip")
    person.browser.leaves(person.browser.one("[name=skip]").click)


def change_last_answer(person: Voter) -> None:
    """Write another reason for it."""
    person.browser.leaves(person.browser.one('a[href$="/back"]').click)
    person.look("back")
    person.browser.one("#reason").send_keys(" I have thought about it.")
    person.browser.leaves(person.browser.one("form.question button").click)
    assert "Your last answer is changed." in person.browser.text


def check_export() -> None:
    told = output("study", "export", "whole", "--out", "data/raw/whole", "--csv", "--pay-per-answer", "0.25")
    assert "120 accepted" in told
    votes = read_table(Path("data/raw/whole/votes.parquet"), "votes").to_pylist()
    judged = [row for row in votes if not row["is_check"]]
    assert {row["status"] for row in votes} == {"accepted"}
    assert set(Counter(row["item_id"] for row in judged).values()) == {3}
    assert Counter(row["choice"] for row in judged) == {"h_seq2seq": 30, "human_right": 78, "both": 12}
    assert Counter(tuple(row["elements"]) for row in judged) == {("logic",): 30, ("emotion",): 78, (): 12}
    assert sum("I have thought about it." in row["reason"] for row in votes) == 1
    of_each = Counter(row["annotator_id"] for row in votes)
    assert len(of_each) == 6  # five who finished, and one who left after three answers or a few more
    assert 3 <= min(of_each.values()) <= 5
    assert max(of_each.values()) == 30
    assert read_table(Path("data/raw/whole/highlights.parquet"), "highlights").num_rows == 30
    replies = read_table(Path("data/raw/whole/replies.parquet"), "replies").to_pylist()
    assert sorted(row["value"] for row in replies if row["question"] == "age") == ["20", "30", "40", "50", "60", "70"]
    assert Counter(row["question"] for row in replies) == {"age": 6, "native": 6, "reads": 6, "remarks": 5}
    assert read_table(Path("data/raw/whole/flags.parquet"), "flags")["text"].to_pylist() == ["I know this story."]
    with Path("data/raw/whole/payments.csv").open(encoding="utf-8") as file:
        paid = {row["annotator_id"]: row for row in csv.DictReader(file)}
    assert Counter(row["state"] for row in paid.values()) == {"done": 5, "answering": 1, "withdrawn": 1}
    assert sum(float(row["amount"] or 0) for row in paid.values()) == 0.25 * len(votes)


VOTES = ["data/raw/whole/votes.parquet", "--items", "data/raw/whole/items.parquet"]


def check_results() -> None:
    results = found("study", "results", *VOTES, "--replies", "data/raw/whole/replies.parquet")
    [pair] = results["pairs"]
    assert (pair["items"], pair["answers"], pair["kappa"]["kappa"]) == (40, 120, 1.0)
    by_choice = {name: pair["agreement"][name]["n"] for name in ("first", "second", "both", "neither", "no_agreement")}
    assert by_choice == {"first": 10, "second": 26, "both": 4, "neither": 0, "no_agreement": 0}
    assert pair["sign_test"]["p"] == pytest.approx(binomtest(10, 36).pvalue)
    assert (pair["preference"]["n"], pair["preference"]["of"]) == (30, 108)
    people = results["people"]
    assert (people["people"], people["without_replies"], people["left_out"]) == (6, 0, 0)
    assert people["questions"][0]["median"] == 45  # of 20, 30, 40, 50, 60 and 70; not of who withdrew, 99
    ticked = {row["element"]: row["n"] for row in found("reasons", "elements", VOTES[0])["boxes"]["elements"]}
    assert ticked == {"logic": 30, "emotion": 78}
    flagged = found("study", "review", *VOTES, "--flag", "failed_checks>0")["people"]
    careless = [row["conduct"] for row in flagged if "failed_checks>0" in row["flags"]]
    assert [(row["answers"], row["failed_checks"]) for row in careless] == [(27, 3)]


def check_report() -> None:
    run_stage(StudySettings(), StudyPaths(find_answers(Path("data/raw")), Path("data/study")))
    told = output("report", "--out", "reports")
    # who answered which item is drawn anew each time, and with it the width of the interval
    claims = ("People prefer human endings to those of h_seq2seq.", "It is open whether people prefer the endings of h")
    assert sum(claim in told for claim in claims) == 1
    assert "30 are for h_seq2seq (27.8%" in told
    page = Path("reports/report.html").read_text(encoding="utf-8")
    assert "Who took part" in page
    assert "median 45, from 20 to 70" in page
    assert "Elements that people ticked themselves" in page
    assert "This makes sense after all that happened to number" in page


def found(*arguments: str) -> dict:
    """What a command prints as a document."""
    return json.loads(output(*arguments, "--json"))


def output(*arguments: str) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout
