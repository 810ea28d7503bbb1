import html
import io
import re
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest
from hosted import ORIGIN, TOKEN, Person, design, statuses, store_with
from starlette.testclient import TestClient

from denouement.answers import QuestionAsked, questions_asked
from denouement.schemas import read_table
from denouement.study.design.items import Item
from denouement.study.store import Store, StoreUnavailableError, database, open_store
from denouement.study.web.app import create_app


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_with(tmp_path, design(answers_per_item=2, checks={"rate": 0.5}), n=2)


@pytest.fixture
def organiser(store: Store) -> Person:
    return Person(store).open("/organiser/").send(token=TOKEN)


def answer_all(store: Store, answer: str) -> str:
    """Somebody who gives one answer to everything; their name in the tables."""
    person = Person(store).go()
    while person.at.endswith("question"):
        person.send(answer=answer)
    return store.progress("pilot").people[-1].annotator_id


def test_only_the_token_opens_the_pages_and_it_is_kept_nowhere(store: Store):
    stranger = Person(store).open("/organiser/")
    assert "pilot" not in stranger.text
    stranger.send(token="a guess")
    assert [each.status_code for each in stranger.page.history] == [303], "a reload does not send the token again"
    assert "not the token" in stranger.problem
    assert stranger.open("/organiser/").problem == ""
    stranger.client.cookies.set("organiser", TOKEN)
    for address in ("pilot", "pilot/export/votes.parquet", "pilot/exclude?annotator=someone", "nothing"):
        assert stranger.open(f"/organiser/{address}").page.status_code == 403
    organiser = Person(store).open("/organiser/").send(token=TOKEN)
    assert 'href="/organiser/pilot"' in organiser.text
    assert TOKEN not in str(organiser.client.cookies)
    key = organiser.client.cookies["organiser"]
    with store._engine.connect() as connection:
        kept = connection.exec_driver_sql("SELECT session FROM sessions").scalars().all()
    assert len(kept) == 1
    assert key not in kept[0], "what is kept opens no page"
    cookie = organiser.page.history[-1].headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/organiser/" in cookie


def test_guessing_is_slowed_down(store: Store):
    stranger = Person(store)
    given = [stranger.open("/organiser/").send(token="a guess").page.status_code for _ in range(6)]
    assert given == [200] * 5 + [429]
    assert stranger.open("/organiser/").send(token=TOKEN).page.status_code == 429


def test_the_token_comes_from_our_own_form_alone(store: Store):
    stranger = Person(store)
    sent = stranger.client.post("/organiser/login", data={"token": TOKEN}, headers={"origin": "https://evil.example"})
    assert sent.status_code == 403


def test_the_overview_counts_answers_people_and_failed_checks(store: Store, organiser: Person):
    careful, careless = answer_all(store, "A"), answer_all(store, "both")
    text = organiser.open("/organiser/pilot").text
    assert "<dd>4 of 4</dd>" in text
    assert "<dd>2 of 2</dd>" in text
    assert f'<th scope="row">{careful}</th>' in text
    row = text.partition(f'<th scope="row">{careless}</th>')[2].partition("</tr>")[0]
    checks = store.progress("pilot").people[-1].checks
    assert checks
    assert text.count('<td class="left">plain_system / human_right</td><td>2</td>') == 2, (
        "of each item the systems and answers"
    )
    assert f"<td>2</td><td>{checks} of {checks}</td>" in row, "both is never the answer to a check, nor one to an item"
    assert "plain_system / human_right" in text
    first, second, *others = map(int, re.findall(r"<td>(\d) \(\d+\.\d%\)</td>", text))
    assert first + second == 2, "one person's system and the other's both come to the system"
    assert others == [0, 0, 0]
    assert "http://study.example/s/pilot/" in text


def test_excluding_is_confirmed_and_reopens_the_items(store: Store, organiser: Person):
    who = answer_all(store, "A")
    organiser.open(f"/organiser/pilot/exclude?annotator={who}")
    assert set(statuses(store)) == {"accepted"}
    action = organiser.action
    assert organiser.client.post(action, data={"form": "forged"}).status_code == 403
    organiser.send(exclude="yes")
    assert set(statuses(store)) == {"excluded"}
    assert store.progress("pilot").accepted == 0
    assert organiser.open("/organiser/pilot/exclude?annotator=nobody").page.status_code == 404


@pytest.mark.parametrize("who", ["a/b?c=d&e", "../x", "<b>x</b>", "a b+c%20"])
def test_whoever_came_can_be_excluded_whatever_their_id(tmp_path: Path, who: str):
    store = store_with(tmp_path, design(hash_ids=False))
    key = store.consent(store.enter("pilot", who).key).key
    store.submit(key, store.next(key).id, "A")
    organiser = Person(store).open("/organiser/").send(token=TOKEN).open("/organiser/pilot")
    link = html.unescape(re.search(r'href="([^"]+/exclude[^"]+)"', organiser.text)[1])
    organiser.open(link)
    organiser.page = organiser.client.post(
        organiser.action, data={name: html.unescape(value) for name, value in organiser.hidden.items()}
    )
    assert f"{who} is excluded" in html.unescape(organiser.text)
    assert statuses(store) == {"excluded": 1}


def test_what_people_and_designs_say_is_escaped(tmp_path: Path):
    evil = "<script>alert('1')</script>"
    study = design(hash_ids=False, systems=[evil, "human_right"], answers_per_item=1)
    item = Item("1" * 16, f"{evil} case", "pair", ("One.",), study.systems, ("Two.", "Three."))
    store = store_with(tmp_path, study, items=[item])
    key = store.consent(store.enter("pilot", evil).key).key
    store.submit(key, store.next(key).id, "A")
    organiser = Person(store).open("/organiser/").send(token=TOKEN)
    for address in ("pilot", f"pilot/exclude?annotator={quote(evil)}"):
        text = organiser.open(f"/organiser/{address}").text
        assert "&lt;script&gt;alert(&#39;1&#39;)" in text
        assert "<script>alert" not in text
    assert (
        "&lt;script&gt;" in organiser.open("/organiser/pilot").text.partition("/ human_right")[0].rpartition("<th")[2]
    )


def test_agreement_is_that_of_complete_items_and_answers_are_read_once(
    store: Store, organiser: Person, monkeypatch: pytest.MonkeyPatch
):
    answer_all(store, "A")
    read = []
    monkeypatch.setattr(Store, "_answers", lambda *of, read_=Store._answers: read.append(1) or read_(*of))
    assert "Agreement" not in organiser.open("/organiser/pilot").text
    assert len(read) == 1
    person = Person(store).go()
    while store.progress("pilot").complete < 1:
        person.send(answer="A")
    text = organiser.open("/organiser/pilot").text
    assert "plain_system / human_right</th><td>1</td><td>2</td>" in text


def test_agreement_on_each_question_stands_below_its_words_and_the_export_has_them(tmp_path: Path):
    questions = [{"name": "duller", "text": "Which is duller?"}, {"name": "better", "text": "Which is better?"}]
    store = store_with(tmp_path, design(answers_per_item=1, questions=questions), n=1)
    Person(store).go().send(**{"answer-duller": "A", "answer-better": "neither"})
    organiser = Person(store).open("/organiser/").send(token=TOKEN)
    duller, better = re.split(r"<p>Which is (?:duller|better)\?</p>", organiser.open("/organiser/pilot").text)[1:]
    neither = [re.findall(r"<td>(.*?)</td>", table.split("</table>")[0])[5] for table in (duller, better)]
    assert neither == ["0 (0.0%)", "1 (100.0%)"]
    sent = organiser.open("/organiser/pilot/export/votes.parquet").page
    assert questions_asked(pq.read_table(io.BytesIO(sent.content))) == {
        "pilot": {
            "duller": QuestionAsked("Which is duller?", False),
            "better": QuestionAsked("Which is better?", True),
        }
    }


@pytest.mark.parametrize(("question", "is_better"), [({}, True), ({"question": "Which ending is funnier?"}, False)])
def test_the_one_question_is_which_ending_is_better_in_our_words_alone(question: dict[str, str], is_better: bool):
    assert [each.is_better for each in design(**question).questions_asked().values()] == [is_better]
    assert [each.is_better for each in design(language="ja", **question).questions_asked().values()] == [is_better]


def test_the_export_is_what_the_command_writes(store: Store, organiser: Person, tmp_path: Path):
    answer_all(store, "A")
    sent = organiser.open("/organiser/pilot/export/votes.parquet").page
    assert 'filename="pilot-votes.parquet"' in sent.headers["content-disposition"]
    (tmp_path / "votes.parquet").write_bytes(sent.content)
    assert read_table(tmp_path / "votes.parquet", "votes").num_rows == len(store.answers("pilot"))
    assert pq.read_table(io.BytesIO(organiser.open("/organiser/pilot/export/items.parquet").page.content)).num_rows == 8
    assert organiser.open("/organiser/pilot/export/annotators.parquet").page.status_code == 404
    assert organiser.open("/organiser/none").page.status_code == 404


def test_logging_out_ends_the_session_for_every_copy_of_its_cookie_and_every_process(store: Store, organiser: Person):
    key = organiser.client.cookies["organiser"]
    other_login = Person(store).open("/organiser/").send(token=TOKEN)
    other_process = Person(store)
    other_process.client.cookies.set("organiser", key, path="/organiser/")
    assert other_process.open("/organiser/pilot").page.status_code == 200
    organiser.send(leave="yes")
    assert "The token that" in organiser.text
    assert organiser.open("/organiser/pilot").page.status_code == 403
    organiser.client.cookies.set("organiser", key, path="/organiser/")
    assert organiser.open("/organiser/pilot").page.status_code == 403
    assert other_process.open("/organiser/pilot").page.status_code == 403
    assert other_login.open("/organiser/pilot").page.status_code == 200


def test_another_token_ends_all_sessions(store: Store, organiser: Person):
    client = TestClient(create_app(store, "another token, as long", ORIGIN), ORIGIN)
    client.cookies.set("organiser", organiser.client.cookies["organiser"], path="/organiser/")
    assert client.get("/organiser/pilot").status_code == 403
    assert organiser.open("/organiser/pilot").page.status_code == 200


def test_private_links_are_listed(tmp_path: Path):
    store = store_with(tmp_path, design(entry={"kind": "links", "links": 3}))
    text = Person(store).open("/organiser/").send(token=TOKEN).open("/organiser/pilot").text
    for token in store.links("pilot"):
        assert f"http://study.example/s/pilot/link/{token}" in text
    assert "0 of 3 were opened" in text
    assert "denouement study links pilot --add 10" in text
    assert "too few" not in text


def test_the_address_for_prolific_is_as_its_form_takes_it(tmp_path: Path):
    store = store_with(tmp_path, design(entry={"kind": "prolific", "completion_code": "C1ABC"}))
    text = html.unescape(Person(store).open("/organiser/").send(token=TOKEN).open("/organiser/pilot").text)
    parameters = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    assert f"<code>http://study.example/s/pilot/?{parameters}</code>" in text


@pytest.mark.parametrize("hash_ids", [True, False])
def test_which_links_were_opened_is_shown(tmp_path: Path, hash_ids: bool):
    store = store_with(tmp_path, design(entry={"kind": "links", "links": 3}, hash_ids=hash_ids))
    token = store.links("pilot")[1]
    Person(store).open(f"/s/pilot/link/{token}")
    [who] = store.progress("pilot").people
    text = Person(store).open("/organiser/").send(token=TOKEN).open("/organiser/pilot").text
    assert "1 of 3 were opened" in text
    opened = dict(re.findall(r'<th scope="row">\S+/link/([\w-]+)</th><td class="left">(.*?)</td>', text))
    assert opened == dict.fromkeys(store.links("pilot"), "–") | {token: who.annotator_id}


def test_who_met_no_check_failed_none_of_none(tmp_path: Path):
    store = store_with(tmp_path, design())
    answer_all(store, "A")
    text = Person(store).open("/organiser/").send(token=TOKEN).open("/organiser/pilot").text
    assert "<td>3</td><td>–</td>" in text
    assert "0 of 0" not in text


def test_every_page_of_the_organiser_s_leads_out(store: Store, organiser: Person):
    who = answer_all(store, "A")
    pages = [organiser.text] + [
        organiser.open(f"/organiser/{each}").text for each in ("pilot", f"pilot/exclude?annotator={who}")
    ]
    pages.append(organiser.send(exclude="yes").text)
    for text in pages:
        assert 'action="/organiser/logout"' in text
    assert "logout" not in Person(store).open("/organiser/").text
    assert "logout" not in Person(store).open("/s/pilot/").text


def test_too_few_links_are_a_warning(tmp_path: Path):
    store = store_with(tmp_path, design(answers_per_item=3, entry={"kind": "links", "links": 2}))
    organiser = Person(store).open("/organiser/").send(token=TOKEN).open("/organiser/pilot")
    assert "2 links are too few: each item needs answers of 3 different people" in organiser.text
    store.add_links("pilot", 1)
    assert "too few" not in organiser.open("/organiser/pilot").text


def test_a_store_that_can_only_be_read_says_so_at_the_login(tmp_path, monkeypatch):
    store_with(tmp_path, design()).close()
    monkeypatch.setattr(database, "_is_writable", lambda file: False)
    with closing(open_store(f"sqlite:///{tmp_path / 'studies.db'}")) as store:
        person = Person(store).open("/organiser/").send(token=TOKEN)
        assert person.page.status_code == 503
        assert "The store can only be read" in person.text
        with pytest.raises(StoreUnavailableError) as raised:
            store.set_state("pilot", "closed")
    assert str(raised.value) == f"sqlite:///{tmp_path / 'studies.db'}: cannot be written to, only read"
