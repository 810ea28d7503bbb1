import re
from contextlib import closing
from pathlib import Path

import pytest
from hosted import CONTEXT, ORIGIN, Person, design, items_of, statuses, store_with

from denouement.study.design.items import Item
from denouement.study.store import StoreUnavailableError, open_store
from denouement.study.web import visits
from denouement.study.web.security import HEADERS, Limiter


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(store_with(tmp_path, design()))


def store_of(person: Person):
    return person.client.app.state.store


def test_an_invisible_reason_is_none_and_what_was_typed_stays(tmp_path: Path):
    person = Person(store_with(tmp_path, design(reason={"mode": "required"}))).go()
    person.send(answer="A", reason="\u200b" * 20)
    assert person.page.history[0].status_code == 303
    assert "at least 10 characters; 0 can be seen so far" in person.problem
    assert "\u200b" * 20 in person.text
    assert re.search(r'value="A"[^>]* checked', person.text)
    assert person.send(answer="A", reason="it \u200bfits it well").page.status_code == 200


def test_fewer_questions_than_announced_are_explained(tmp_path: Path):
    store = store_with(tmp_path, design(answers_per_item=1), n=3)
    other = Person(store).go().send(answer="A")
    person = Person(store).go()
    assert "Question 1 of at most 3" in person.text
    person.send(answer="A")
    assert person.at == "/s/pilot/end"
    assert "You have answered 1 question, and all that you answered is saved" in person.text
    assert "fewer than the 3 announced, since others have answered some questions" in person.text
    assert "Look for more questions" in person.text, "the other one holds a question, and may stop"
    other.send(answer="A")
    assert "Look for more" not in person.open("/s/pilot/end").text
    assert "Look for more" not in other.text


def test_a_check_that_did_not_come_is_not_put_down_to_others(tmp_path: Path):
    store = store_with(tmp_path, design(checks={"rate": 0.2}), n=3)
    announced = store.most_items("pilot")
    ends = []
    for number in range(40):  # the check comes or does not, as is drawn for the person
        key = store.consent(store.enter("pilot", f"p{number}").key).key
        while assignment := store.next(key):
            store.submit(key, assignment.id, "A")
        person = Person(store)
        person.client.cookies.set("session", key, path="/s/pilot/")
        ends.append((store.annotator(key).answered, person.open("/s/pilot/end").text))
        store.exclude("pilot", store.annotator(key).id)
    few = [text for answered, text in ends if answered == 3]
    assert announced == 4
    assert 0 < len(few) < 40
    for answered, text in ends:
        assert "others have answered" not in text
        assert ("the 4 announced were the most that there might be" in text) == (answered == 3)


def test_who_comes_when_all_is_answered_reads_so_before_they_agree_to_anything(tmp_path: Path):
    store = store_with(tmp_path, design(answers_per_item=1, training={"attempts": 1}), n=1)
    reader, trainee = (Person(store).open("/s/pilot/") for _ in range(2))
    trainee.send(consent="yes")
    key = store.consent(store.enter("pilot", "someone").key).key
    store.passed_training(key)
    store.submit(key, store.next(key).id, "A")
    person = Person(store).open("/s/pilot/")
    for each in (person, reader.send(consent="yes"), trainee.open("/s/pilot/training")):
        assert "There is no question for you" in each.text
        assert "DONE1" not in each.text, "the code means paid work"
        assert "someone@example.org" in each.text
        assert "You have answered" not in each.text
        assert "Withdraw" not in each.text
    assert len(store.progress("pilot").people) == 2, "of who came later nothing is kept"


def test_nobody_is_screened_out_of_a_full_study(tmp_path: Path):
    store = store_with(tmp_path, design(answers_per_item=1, training={"attempts": 1}), n=1)
    trainee = Person(store).go()
    key = store.consent(store.enter("pilot", "someone").key).key
    store.passed_training(key)
    store.submit(key, store.next(key).id, "A")
    trainee.send(answer="neither")
    assert "There is no question for you" in trainee.text
    store.exclude("pilot", store.annotator(key).id)
    assert trainee.open("/s/pilot/").at == "/s/pilot/training", "the item is open again"


@pytest.mark.parametrize("code", ["", "N7FUL"])
def test_who_comes_from_prolific_in_vain_reads_so_before_consent_and_never_gets_the_code_for_work(
    tmp_path: Path, code: str
):
    entry = {"kind": "prolific", "completion_code": "C1ABC", "no_place_code": code}
    store = store_with(tmp_path, design(answers_per_item=1, entry=entry, lease_minutes=7), n=1)
    link = "/s/pilot/?PROLIFIC_PID=p{}&STUDY_ID=st1&SESSION_ID=se1"
    first, waiting = (Person(store).open(link.format(number)) for number in (1, 2))
    first.send(consent="yes")
    late = Person(store).open(link.format(3))
    assert late.at == "/s/pilot/end"
    assert "A place may get free within 7 minutes" in late.text
    assert '<meta http-equiv="refresh" content="20; url=/s/pilot/question">' in late.text
    waiting.send(consent="yes")
    assert "A place may get free within 7 minutes" in waiting.text, "after consent, too"
    store.release("pilot", annotator_id=store.annotator_id("pilot", "p1"))
    assert late.open("/s/pilot/question").at == "/s/pilot/consent", "where the page leads by itself"
    assert waiting.open("/s/pilot/question").at == "/s/pilot/question"
    waiting.send(answer="A")
    assert "cc=C1ABC" in waiting.text
    for each in (late.send(consent="yes"), Person(store).open(link.format(4)), first.open(link.format(1))):
        assert each.at == "/s/pilot/end"
        assert "C1ABC" not in each.text
        assert ("cc=N7FUL" in each.text) == bool(code)
        assert ("return your submission" in each.text) == (not code)


def test_who_comes_to_an_open_study_in_vain_waits_without_being_stored(tmp_path: Path):
    store = store_with(tmp_path, design(answers_per_item=1), n=1)
    holder = Person(store).go()
    waiting = Person(store).open("/s/pilot/")
    assert "All questions are being answered" in waiting.text
    assert '<meta http-equiv="refresh" content="20; url=/s/pilot/">' in waiting.text
    assert len(store.progress("pilot").people) == 1
    holder.open("/s/pilot/withdraw").send(withdraw="yes")
    assert "I agree, begin" in waiting.open("/s/pilot/").text


def test_a_page_that_is_left_gives_its_item_free_and_a_reload_takes_it_back(tmp_path: Path):
    store = store_with(tmp_path, design(answers_per_item=1, lease_minutes=20), n=1)
    person = Person(store).go()
    form = person.hidden

    def minutes_left() -> int | None:
        return store.outlook("pilot").minutes

    assert person.client.post("/s/pilot/leave", data=form | {"form": "forged"}).status_code == 403
    assert (
        person.client.post("/s/pilot/leave", data=form, headers={"origin": "https://evil.example"}).status_code == 403
    )
    assert Person(store).client.post("/s/pilot/leave", data=form).status_code == 403
    assert minutes_left() == 20
    assert person.client.post("/s/pilot/leave", data=form).status_code == 204
    assert minutes_left() == 1
    assert person.client.post("/s/pilot/stay", data=form).status_code == 204
    assert minutes_left() == 20, "another tab has it open"
    person.client.post("/s/pilot/leave", data=form)
    assert person.open("/s/pilot/question").hidden == form
    assert minutes_left() == 20
    person.client.post("/s/pilot/leave", data=form | {"assignment": "another"})
    assert minutes_left() == 20
    assert person.send(answer="A").at == "/s/pilot/end"
    assert person.client.post("/s/pilot/leave", data=form).status_code == 204
    assert statuses(store) == {"accepted": 1}


PROLIFIC = "/s/pilot/?PROLIFIC_PID=p1&STUDY_ID=st1&SESSION_ID=se1"


@pytest.mark.parametrize("entry", [{"kind": "prolific", "completion_code": "C1ABC"}, {"kind": "links", "links": 1}])
def test_who_looks_at_a_link_without_opening_it_is_no_person(tmp_path: Path, entry: dict):
    store = store_with(tmp_path, design(entry=entry))
    link = PROLIFIC if entry["kind"] == "prolific" else f"/s/pilot/link/{store.links('pilot')[0]}"
    looking = Person(store)
    assert looking.client.head(link).status_code == 200
    for header, value in (("sec-purpose", "prefetch;prerender"), ("purpose", "preview")):
        looking.client.get(link, headers={header: value})
    looking.client.cookies.clear()
    looking.client.get(link, follow_redirects=False)  # such as a program that shows a preview, and keeps no cookies
    assert store.progress("pilot").people == ()
    assert Person(store).open(link).at == "/s/pilot/consent"
    assert Person(store).open(link).at == "/s/pilot/consent"
    assert len(store.progress("pilot").people) == 1


def test_a_link_that_is_opened_after_another_one_is_that_of_its_own_person(tmp_path: Path):
    store = store_with(tmp_path, design(entry={"kind": "links", "links": 2}))
    first, second = store.links("pilot")
    person = Person(store)
    for link in (first, second, first):
        assert person.open(f"/s/pilot/link/{link}").at == "/s/pilot/consent"
        key = person.client.cookies.get("session", path="/s/pilot/")
        assert store.annotator(key).id == store.annotator_id("pilot", link)
    assert "arrival" not in person.client.cookies
    assert person.open("/s/pilot/arrive").at == "/s/pilot/consent"
    assert Person(store).open("/s/pilot/arrive").page.status_code == 403


@pytest.mark.parametrize(
    "cookie",
    ["id=<b>&STUDY_ID=s&SESSION_ID=s", "id=p&STUDY_ID=s", "id=p&STUDY_ID=s&SESSION_ID=a%20b", "id=%00&STUDY_ID=s"],
)
def test_a_written_cookie_brings_nobody_in_whom_the_link_would_refuse(tmp_path: Path, cookie: str):
    keys = {"kind": "prolific", "completion_code": "C1ABC"}
    store = store_with(tmp_path, design(entry=keys, hash_ids=False))
    person = Person(store)
    person.client.cookies.set("arrival", cookie, path="/s/pilot/")
    assert person.open("/s/pilot/arrive").page.status_code == 400
    assert store.progress("pilot").people == ()


def test_of_a_written_cookie_only_the_names_of_prolific_are_kept(tmp_path: Path):
    keys = {"kind": "prolific", "completion_code": "C1ABC"}
    store = store_with(tmp_path, design(entry=keys, hash_ids=False))
    person = Person(store)
    person.client.cookies.set("arrival", "id=p1&STUDY_ID=s1&SESSION_ID=e1&paid=yes&PROLIFIC_PID=p2", path="/s/pilot/")
    assert person.open("/s/pilot/arrive").at == "/s/pilot/consent"
    assert store.person("pilot", "p1").entry == {"STUDY_ID": "s1", "SESSION_ID": "e1"}


def test_who_declined_does_not_become_withdrawn_and_a_second_withdrawal_is_not_logged(tmp_path: Path):
    store = store_with(tmp_path, design(entry={"kind": "links", "links": 2}))
    first, second = store.links("pilot")
    person = Person(store).open(f"/s/pilot/link/{first}").open("/s/pilot/withdraw")
    form = person.hidden
    person.open("/s/pilot/decline").send(decline="yes")
    assert person.client.post("/s/pilot/withdraw", data=form).url.path == "/s/pilot/declined"
    assert store.person("pilot", store.annotator_id("pilot", first)).state == "declined"
    other = person.other().open(f"/s/pilot/link/{second}").open("/s/pilot/withdraw")
    form = other.hidden
    for _ in range(3):
        assert other.client.post("/s/pilot/withdraw", data=form).url.path == "/s/pilot/end"
    assert [entry.what for entry in store.log("pilot").entries].count("withdrew") == 1


def test_nobody_arrives_in_an_open_study_without_consent(person: Person):
    person.client.cookies.set("arrival", "id=someone", path="/s/pilot/")
    person.open("/s/pilot/arrive")
    assert store_of(person).progress("pilot").people == ()


def test_no_redirect_leads_to_the_name_that_a_request_gives(person: Person):
    for address in ("/s/pilot", "/organiser"):
        led = person.client.get(address, headers={"host": "evil.example"}, follow_redirects=False)
        assert led.headers["location"] == f"{address}/"
    led = person.client.get("/s/pilot?a=//evil.example", follow_redirects=False)
    assert led.headers["location"] == "/s/pilot/?a=//evil.example"


def test_addresses_without_their_last_slash_lead_on(tmp_path: Path):
    entry = {"kind": "prolific", "completion_code": "C1ABC"}
    person = Person(store_with(tmp_path, design(entry=entry)))
    person.open("/s/pilot?PROLIFIC_PID=p1&STUDY_ID=st1&SESSION_ID=se1")
    assert person.at == "/s/pilot/consent", "with all that came behind the question mark"
    assert person.open("/s/pilot/consent/").at == "/s/pilot/consent"
    assert person.open("/organiser").at == "/organiser/"
    assert person.open("/").page.status_code == 200
    assert "Open the link you were given" in person.text
    assert "pilot" not in person.text


@pytest.mark.parametrize("address", ["/", "/s/pilot/", "/s/pilot", "/nowhere", "/organiser/", "/robots.txt"])
def test_head_is_get_without_its_body(person: Person, address: str):
    asked = {"follow_redirects": False}
    got, head = person.other().client.get(address, **asked), person.other().client.head(address, **asked)
    assert head.status_code == got.status_code
    assert head.content == b""
    assert head.headers["content-length"] == got.headers["content-length"]
    assert head.headers["content-type" if got.content else "location"]
    for name, value in HEADERS.items():
        assert head.headers[name] == value


@pytest.mark.parametrize("address", ["/s/a%00b/", "/s/pilot%00/question", "/s/a%00b", "/s/pilot/link/a%00b", "/%00"])
def test_a_nul_in_an_address_is_a_page_that_is_not_there(store_url: str, address: str):
    with closing(open_store(store_url)) as store:
        study = design(entry={"kind": "links", "links": 1})
        store.create(study, items_of(study, 1))
        assert Person(store).open(address).page.status_code == 404


def test_from_consent_to_completion(person: Person):
    person.open("/s/pilot/")
    assert "Taking part is voluntary" in person.text
    assert "someone@example.org" in person.text
    person.send(consent="yes")
    for number in (1, 2, 3):
        assert person.at == "/s/pilot/question"
        assert f"Question {number} of at most 3" in person.text
        assert all(sentence in person.text for sentence in CONTEXT)
        person.send(answer="A")
    assert person.at == "/s/pilot/end"
    assert "You have answered 3 questions, and all that you answered is saved" in person.text
    assert "DONE1" in person.text
    assert statuses(store_of(person)) == {"accepted": 3}


def test_a_visit_without_consent_leaves_no_one_in_the_store(person: Person):
    person.open("/s/pilot/").open("/s/pilot/")
    assert not store_of(person).progress("pilot").people
    person.send(consent="yes").open("/s/pilot/")
    assert person.at == "/s/pilot/question"
    assert len(store_of(person).progress("pilot").people) == 1


def test_consent_sent_twice_is_one_person(person: Person):
    person.open("/s/pilot/")
    action, fields = person.action, person.hidden | {"consent": "yes"}
    for _ in range(2):
        person.client.cookies.delete("session") if "session" in person.client.cookies else None
        person.client.post(action, data=fields)
    assert len(store_of(person).progress("pilot").people) == 1


def test_who_does_not_agree_may_go_back_until_it_is_confirmed(person: Person):
    person.open("/s/pilot/")
    assert 'href="/s/pilot/decline">I do not agree</a>' in person.text
    person.open("/s/pilot/decline")
    assert "it is fine not to" in person.text
    assert 'href="/s/pilot/">Go back</a>' in person.text
    assert person.open("/s/pilot/").hidden, "nothing is decided yet"
    person.open("/s/pilot/decline").send(decline="yes")
    assert person.at == "/s/pilot/declined"
    assert "DONE1" not in person.text
    assert "cannot take part" not in person.text
    assert not store_of(person).progress("pilot").people, "an open study keeps nothing of who does not agree"
    assert person.open("/s/pilot/").send(consent="yes").at == "/s/pilot/question"
    assert person.open("/s/pilot/decline").at == "/s/pilot/question"
    assert person.open("/s/pilot/declined").at == "/s/pilot/question"


def test_a_form_that_does_not_consent_decides_nothing(person: Person):
    assert person.open("/s/pilot/").send().at == "/s/pilot/decline"
    assert not store_of(person).progress("pilot").people


def test_declining_by_a_private_link_ends_that_link_alone(tmp_path: Path):
    store = store_with(tmp_path, design(entry={"kind": "links", "links": 2, "screen_out_code": "S9XYZ"}))
    first, second = store.links("pilot")
    person = Person(store).open(f"/s/pilot/link/{first}").open("/s/pilot/decline")
    assert person.open("/s/pilot/").at == "/s/pilot/consent"
    person.open("/s/pilot/decline")
    action, fields = person.action, person.hidden
    assert person.client.post(action, data={**fields, "form": "forged"}).status_code == 403
    person.send(decline="yes")
    assert person.at == "/s/pilot/declined"
    assert "S9XYZ" not in person.text
    assert "someone@example.org" in person.text
    for address in (f"link/{first}", "consent", "question", "end", "withdraw", "decline"):
        assert person.open(f"/s/pilot/{address}").at == "/s/pilot/declined"
    assert Person(store).open(f"/s/pilot/link/{second}").at == "/s/pilot/consent"
    assert [each.state for each in store.progress("pilot").people] == ["declined", "consenting"]


def test_the_question_stays_until_it_is_answered(person: Person):
    person.go()
    token = person.hidden["assignment"]
    assert person.open("/s/pilot/question").hidden["assignment"] == token
    assert person.open("/s/pilot/").hidden["assignment"] == token
    assert person.send(answer="neither").hidden["assignment"] != token


def test_an_answer_sent_twice_counts_once_and_the_first_one_stands(person: Person):
    person.go()
    action, fields = person.action, person.hidden
    person.send(answer="A")
    person.page = person.client.post(action, data=fields | {"answer": "B"})
    assert person.at == "/s/pilot/question"
    assert "first answer counts" in person.note
    [answer] = store_of(person).answers("pilot")
    assert answer.answer == "A"


def test_an_answer_without_a_choice_says_what_is_missing(tmp_path: Path):
    reason = {"mode": "required", "min_length": 10}
    person = Person(store_with(tmp_path, design(reason=reason))).go()
    token = person.hidden["assignment"]
    person.send(reason='It fits "well" <b>& all</b>')
    assert person.page.history[0].status_code == 303
    assert "Please answer the question" in person.problem
    assert "It fits &#34;well&#34; &lt;b&gt;&amp; all&lt;/b&gt;</textarea>" in person.text
    assert person.hidden["assignment"] == token
    person.send(answer="B", reason="too short")
    assert "at least 10 characters" in person.problem
    assert re.search(r'value="B"[^>]* checked', person.text)
    person.send(answer="B", reason="long enough")
    assert not person.problem
    [answer] = store_of(person).answers("pilot")
    assert (answer.answer, answer.reason) == ("B", "long enough")


def test_a_refused_form_leads_to_its_page_which_any_process_fills_in(tmp_path: Path):
    store = store_with(tmp_path, design(reason={"mode": "required"}))
    person, other = Person(store).go(), Person(store)
    person.client.follow_redirects = False
    assert person.send(answer="B", reason="short").page.status_code == 303
    other.client.cookies = person.client.cookies
    for _ in range(2):  # the page may be loaded again
        assert "at least 10 characters" in other.open("/s/pilot/question").problem
        assert re.search(r'value="B"[^>]* checked', other.text)
        assert "short</textarea>" in other.text
    other.send(answer="B", reason="long enough")
    assert not other.problem
    assert "typed" not in other.client.cookies


def test_a_form_that_the_script_sends_is_refused_in_its_own_way(tmp_path: Path):
    person = Person(store_with(tmp_path, design(reason={"mode": "required"}))).go()
    fields = person.hidden | {"answer": "B", "reason": "".join(map(chr, range(0x4E00, 0x5600)))}
    sent = person.client.post(person.action, data=fields, headers={"accept": "application/json"})
    assert sent.json() == {"next": "/s/pilot/question", "refused": True}
    assert "it has 2,048" in person.open("/s/pilot/question").problem, "the script has the text itself"


def test_what_was_typed_is_shown_with_its_own_question_and_person_alone(tmp_path: Path):
    store = store_with(tmp_path, design(reason={"mode": "required"}))
    person, other = Person(store).go(), Person(store).go()
    person.send(answer="A", reason="too few")
    cookie = person.client.cookies["typed"]
    for value in (cookie, cookie[:-1], "x", ""):
        other.client.cookies.set("typed", value, path="/s/pilot/")
        assert not other.open("/s/pilot/question").problem
    token = person.hidden["assignment"]
    key = person.client.cookies["session"]
    store.submit(key, token, "A", "in another tab it was long enough")
    assert "too few" not in person.open("/s/pilot/question").text


def test_an_answer_to_a_question_that_one_does_not_have_is_refused(tmp_path: Path):
    person = Person(store_with(tmp_path, design())).go()
    person.page = person.client.post(person.action, data=person.hidden | {"assignment": "unknown", "answer": "A"})
    assert (person.at, person.page.status_code) == ("/s/pilot/question", 200)
    assert "was not kept" in person.note


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("הסוף מתאים\u200f! (C++\u200e)", "הסוף מתאים\u200f! (C++\u200e)"),
        ("می\u200cخواهم بدانم چرا", "می\u200cخواهم بدانم چرا"),
        ("\u2067הסוף מתאים\u2069 \u202egnihton\u202c", "הסוף מתאים gnihton"),
        ("C++\u200e is not \u200bit", "C++ is not it"),
    ],
)
def test_a_reason_keeps_what_belongs_to_its_language_and_turns_nothing(tmp_path: Path, written: str, kept: str):
    person = Person(store_with(tmp_path, design(reason={"mode": "required"}))).go()
    assert not person.send(answer="A", reason=written).problem
    [answer] = store_of(person).answers("pilot")
    assert answer.reason == kept


def test_a_reason_keeps_its_lines_and_loses_blanks_around(tmp_path: Path):
    person = Person(store_with(tmp_path, design(reason={"mode": "optional"}))).go()
    person.send(answer="A", reason="  First line.\r\nSecond line. ").send(answer="B", reason="  ")
    assert {answer.reason for answer in store_of(person).answers("pilot")} == {"First line.\nSecond line.", None}


@pytest.mark.parametrize(
    ("reason", "status", "told"),
    [
        ("x" * 1_000_000, 413, "too long"),
        ("x" * 2_001, 200, "it has 2,001"),
        ("".join(map(chr, range(0x4E00, 0x5600))), 422, "it has 2,048"),  # more than a cookie holds
        ("looks fine\0 but is not", 200, "cannot be shown"),
        ("looks fine\x1b[31m but is not", 200, "cannot be shown"),
    ],
)
def test_odd_text_is_refused_politely_and_the_question_stays(tmp_path: Path, reason: str, status: int, told: str):
    person = Person(store_with(tmp_path, design(reason={"mode": "required"}))).go()
    token = person.hidden["assignment"]
    person.send(answer="A", reason=reason)
    assert person.page.status_code == status
    assert told in person.text
    assert len(person.text) < 20_000
    assert person.open("/s/pilot/question").hidden["assignment"] == token
    assert not store_of(person).answers("pilot")


def test_text_is_escaped_everywhere(tmp_path: Path):
    evil = "<script>alert('1')</script>"
    study = design(consent=evil, instructions=evil, question=evil, title=evil, contact=evil)
    item = Item("1" * 16, "case", "pair", (evil, "He & she."), study.systems, (f"{evil} A", f"{evil} B"))
    person = Person(store_with(tmp_path, study, items=[item]))
    shown = [person.open("/s/pilot/").text, person.send(consent="yes").text, person.send().text]
    assert person.problem
    assert "&lt;script&gt;alert(&#39;1&#39;)" in shown[0]
    for text in shown:
        assert "<script>" not in text


def test_no_page_shows_which_system_wrote_what(tmp_path: Path):
    pages_by_writer = []
    for number, systems in enumerate((("plain_system", "human_right"), ("human_right", "plain_system"))):
        study = design()
        texts = dict(zip(("plain_system", "human_right"), ("Tom passed.", "Tom failed."), strict=True))
        endings = tuple(texts[system] for system in ("plain_system", "human_right"))
        item = Item(f"{number}abc" * 4, f"case-{number}", "pair", CONTEXT, systems, endings)
        (tmp_path / str(number)).mkdir()
        person = Person(store_with(tmp_path / str(number), study, items=[item])).go()
        for word in ("system", "human", item.id, item.case_id):
            assert word not in person.text.lower()
            assert word not in str(person.page.headers).lower()
        text = re.sub(r'value="[\w-]{20,}"', "", person.text)
        first, second = sorted(endings, key=text.index)
        pages_by_writer.append(text.replace(first, "FIRST").replace(second, "SECOND"))
    assert pages_by_writer[0] == pages_by_writer[1]


def test_sides_change_between_people(tmp_path: Path):
    store = store_with(tmp_path, design(answers_per_item=40), n=1)
    first = set()
    for _ in range(40):
        person = Person(store).go()
        first.add(person.text.index("Tom passed") < person.text.index("Tom was late"))
    assert first == {True, False}


def test_a_check_looks_like_any_other_question(tmp_path: Path):
    study = design(checks={"rate": 0.5})
    person = Person(store_with(tmp_path, study, n=4)).go()
    seen = []
    while person.at.endswith("question"):
        frame = re.sub(r'value="[\w-]{20,}"|<p>.*?</p>|</strong>.*?</span>', "", person.text)
        seen.append(re.sub(r"[0-9]+|(?<=instructions\") open", "#", frame).replace('instructions">', 'instructions"#>'))
        person.send(answer="A")
    assert any(answer.item.is_check for answer in store_of(person).answers("pilot"))
    assert len(set(seen)) == 1


def test_training_gives_feedback_until_the_answer_is_right(tmp_path: Path):
    person = Person(store_with(tmp_path, design(training=True))).go()
    assert person.at == "/s/pilot/training"
    assert person.open("/s/pilot/question").at == "/s/pilot/training"
    right = person.side_of("Her father loved the cake.")
    person.send(answer="BA"[right == "B"])
    assert "Not quite. The better ending goes on" in person.problem
    assert person.problem.endswith("Please choose again.")
    assert "attempt" not in person.text
    person.send(answer=right)
    assert person.at == "/s/pilot/passed"
    assert "The better ending goes on" in person.text
    assert "Question 1 of at most 3" in person.open("/s/pilot/question").text
    assert not store_of(person).answers("pilot")


def test_training_screens_out_after_so_many_attempts_but_not_for_a_double_click(tmp_path: Path):
    person = Person(store_with(tmp_path, design(training={"attempts": 2}))).go()
    assert person.note == "You have 2 attempts at this example."
    action, fields = person.action, person.hidden | {"answer": "both"}
    for _ in range(3):
        person.page = person.client.post(action, data=fields)
        assert person.at == "/s/pilot/training"
        assert person.problem.endswith("You have 1 attempt left.")
        assert re.search(r'value="both"[^>]* checked', person.text)
    person.send(answer="neither")
    assert person.at == "/s/pilot/end"
    assert "You cannot take part in this study, since your 2 answers to the example did not fit." in person.text
    assert "someone@example.org" in person.text


def test_training_on_scales_says_which_was_wrong_and_keeps_the_others(tmp_path: Path):
    right = {"grammar": [2], "logicality": [0, 1]}
    keys = {
        "kind": "rating",
        "systems": ["plain_system"],
        "scales": "grammar_logicality",
        "training": {"values": right},
    }
    person = Person(store_with(tmp_path, design(**keys))).go()
    person.send(**{"scale-grammar": "2", "scale-logicality": "2"})
    assert person.problem.endswith("Please rate it again: Does the last sentence follow from the story?")
    assert "natural" not in person.problem
    chosen = re.findall(r'name="([\w-]+)" value="(\d)"[^>]* checked', person.text)
    assert chosen == [("scale-grammar", "2"), ("scale-logicality", "2")]
    assert person.send(**{"scale-grammar": "2", "scale-logicality": "1"}).at == "/s/pilot/passed"


def test_training_to_order_may_be_put_right(tmp_path: Path):
    study = design(kind="order", systems=["human_right"], training=True)
    person = Person(store_with(tmp_path, study)).go()
    person.send(**{f"place-{number}": str(number) for number in range(1, 6)})
    assert person.problem.endswith("Please put them into order again.")
    assert person.text.count("<option selected>") == 5


@pytest.mark.parametrize("kind", ["pair", "order"])
def test_the_training_item_stands_otherwise_for_other_people(tmp_path: Path, kind: str):
    study = design(kind=kind, systems=["plain_system", "human_right"][: 2 if kind == "pair" else 1], training=True)
    store = store_with(tmp_path, study)
    places = set()
    for _ in range(40):
        person = Person(store).go()
        text = person.text
        assert person.open("/s/pilot/training").text == text
        places.add(
            text.partition("Her father loved the cake.")[0].count('class="choice"' if kind == "pair" else "<select")
        )
    assert places == ({1, 2} if kind == "pair" else {1, 2, 3, 4, 5})


def test_one_s_own_feedback_is_shown_after_a_wrong_answer_alone(tmp_path: Path):
    known = {"context": ["One.", "Two."], "endings": ["Three.", "Nine."]}
    texts = {"feedback": "Think about numbers.", "feedback_right": "Three comes after two."}
    for name, told in (("own", {**known, **texts}), ("hint", {**known, "feedback": texts["feedback"]})):
        (tmp_path / name).mkdir()
        person = Person(store_with(tmp_path / name, design(training=told))).go()
        right = person.side_of("Three.")
        assert "Not quite. Think about numbers. Please choose again." in person.send(answer="both").problem
        person.send(answer=right)
        assert person.at == "/s/pilot/passed"
        assert "Think about" not in person.text
        assert ("Three comes after two." in person.text) == (name == "own")


def test_whom_to_write_to_stands_where_a_part_ends(person: Person):
    store = store_of(person)
    withdrawn = person.other().go().open("/s/pilot/withdraw").send(withdraw="yes")
    excluded = person.other().go()
    store.exclude("pilot", store.progress("pilot").people[-1].annotator_id)
    excluded.open("/s/pilot/end")
    person.go().send(answer="A").send(answer="A").send(answer="A")
    for each in (withdrawn, excluded, person):
        assert each.at == "/s/pilot/end"
        assert "Questions? Write to someone@example.org." in each.text


def test_withdrawal_deletes_and_is_asked_twice(person: Person):
    person.go().send(answer="A")
    person.open("/s/pilot/withdraw")
    assert statuses(store_of(person)) == {"accepted": 1}
    person.send(withdraw="yes")
    assert "Your answers are deleted" in person.text
    assert not store_of(person).answers("pilot")
    assert person.open("/s/pilot/question").at == "/s/pilot/end"


def test_prolific_enters_returns_and_is_sent_back(tmp_path: Path):
    entry = {"kind": "prolific", "completion_code": "C1ABC", "screen_out_code": "S9XYZ"}
    store = store_with(tmp_path, design(entry=entry), n=1)
    link = "/s/pilot/?PROLIFIC_PID=5f0000000000000000000001&STUDY_ID=st1&SESSION_ID=se1"
    person = Person(store).open(link)
    assert person.at == "/s/pilot/consent"
    assert "5f00000" not in person.text
    person.send(consent="yes")
    returning = Person(store).open(link)
    assert returning.at == "/s/pilot/question"
    returning.send(answer="A")
    assert 'href="https://app.prolific.com/submissions/complete?cc=C1ABC"' in returning.text
    other = returning.open(link.replace("0001", "0002"))
    assert other.at == "/s/pilot/consent"
    other.open("/s/pilot/decline").send(decline="yes")
    assert "return your submission" in other.text
    assert "S9XYZ" not in other.text
    assert "cc=" not in other.text
    assert 'http-equiv="refresh"' not in other.text
    assert len(store.progress("pilot").people) == 2
    for bad in ("", "?PROLIFIC_PID=", "?PROLIFIC_PID=a%20b", f"?PROLIFIC_PID={'x' * 65}"):
        assert Person(store).open(f"/s/pilot/{bad}").page.status_code in (400, 403)


def test_private_links_are_one_person_each(tmp_path: Path):
    store = store_with(tmp_path, design(entry={"kind": "links", "links": 2}))
    first, second = store.links("pilot")
    assert Person(store).open(f"/s/pilot/link/{first}").send(consent="yes").at == "/s/pilot/question"
    assert Person(store).open(f"/s/pilot/link/{first}").at == "/s/pilot/question"
    assert Person(store).open(f"/s/pilot/link/{second}").at == "/s/pilot/consent"
    assert Person(store).open("/s/pilot/link/nonsense").page.status_code == 404
    assert Person(store).open("/s/pilot/").page.status_code == 403
    assert len(store.progress("pilot").people) == 2


def test_a_rating_is_asked_on_every_scale(tmp_path: Path):
    study = design(kind="rating", systems=["plain_system"], scales="grammar_logicality")
    person = Person(store_with(tmp_path, study, n=1)).go()
    assert "Is the last sentence natural" in person.text
    assert "Please rate the last sentence of this story." in person.text, "whatever the scales ask"
    assert "How good" not in person.text
    person.send(**{"scale-grammar": "2"})
    assert "on each scale" in person.problem
    assert "a digit rates" in person.text
    person.send(**{"scale-grammar": "2", "scale-logicality": "3"})
    assert person.problem
    person.send(**{"scale-grammar": "2", "scale-logicality": "0"})
    [answer] = store_of(person).answers("pilot")
    assert dict(answer.values) == {"grammar": 2, "logicality": 0}


SCALES = {
    "named": (["Bad", "Relevant", "Good", "Perfect"], ["0 Bad", "1 Relevant", "2 Good", "3 Perfect"]),
    "only its ends": (["never", "", "", "always"], ["0 never", "1", "2", "3 always"]),
    "nameless": ([], ["0 lowest", "1", "2", "3 highest"]),
}


@pytest.mark.parametrize(("labels", "shown"), SCALES.values(), ids=SCALES)
def test_a_scale_says_what_its_ends_mean(tmp_path: Path, labels: list[str], shown: list[str]):
    scale = {"name": "quality", "text": "How good?", "low": 0, "high": 3, "labels": labels}
    study = design(kind="rating", systems=["plain_system"], scales=[scale])
    text = Person(store_with(tmp_path, study, n=1)).go().text
    found = re.findall(r'<strong>(.*?)</strong> <span class="word">(.*?)</span>', text)
    assert [" ".join(each).strip() for each in found] == shown


def test_the_scales_from_0_to_5_say_what_their_ends_mean(tmp_path: Path):
    study = design(kind="rating", systems=["plain_system"], scales="consistency_readability")
    text = Person(store_with(tmp_path, study, n=1)).go().text
    assert text.count(">not at all</span>") == text.count(">fully</span>") == 2


def test_sentences_are_put_into_order(tmp_path: Path):
    study = design(kind="order", systems=["human_right"], checks={"rate": 0}, training=True)
    items = items_of(study, 1)
    person = Person(store_with(tmp_path, study, items=items)).go()
    person.send(**in_order(person, items[-1].sentences))
    assert person.at == "/s/pilot/passed"
    person.open("/s/pilot/question").send(**{f"place-{number}": "1" for number in range(1, 6)})
    assert "a place of its own" in person.problem
    assert "a digit gives a sentence its place" in person.text
    person.send(**in_order(person, items[0].sentences))
    [answer] = store_of(person).answers("pilot")
    assert answer.arranged == (0, 1, 2, 3, 4)


def in_order(person: Person, story: tuple[str, ...]) -> dict[str, str]:
    shown = re.findall(r'<label for="(place-\d)">(.*?)</label>', person.text)
    assert sorted(text for _, text in shown) == sorted(story)
    assert [text for _, text in shown] != list(story)
    return {name: str(story.index(text) + 1) for name, text in shown}


def test_forms_of_other_sites_and_other_people_are_refused(person: Person):
    person.go()
    other = person.other().go()
    action, fields = person.action, person.hidden | {"answer": "A"}
    refused = [
        person.client.post(action, data=fields, headers={"origin": "https://evil.example"}),
        person.client.post(action, data=fields, headers={"sec-fetch-site": "cross-site"}),
        person.client.post(action, data=fields | {"form": other.hidden["form"]}),
        person.client.post(action, data={**fields, "form": ""}),
        person.other().client.post(action, data=fields),
    ]
    assert [response.status_code for response in refused] == [403] * 5
    other.client.post(action, data=other.hidden | {"assignment": fields["assignment"], "answer": "A"})
    assert not store_of(person).answers("pilot")


def test_every_response_carries_the_headers_and_cookies_are_out_of_reach(person: Person):
    person.open("/s/pilot/")
    fresh = person.client.post(person.action, data=person.hidden | {"consent": "yes"}, follow_redirects=False)
    for cookie in fresh.headers.get_list("set-cookie"):
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Path=/s/pilot/" in cookie
        assert "Secure" not in cookie
    assert fresh.headers.get_list("set-cookie")
    style = re.search(r'href="(/static/[^"]+css)"', person.text)[1]
    for response in (fresh, *map(person.client.get, ("/s/pilot/question", "/nowhere", "/s/none/", style))):
        for name, value in HEADERS.items():
            assert response.headers[name] == value
        kept = "public, max-age=31536000, immutable" if response.url.path == style else "no-store"
        assert response.headers["cache-control"] == kept
        assert "server" not in response.headers


def test_over_https_cookies_are_for_https_alone(tmp_path: Path):
    person = Person(store_with(tmp_path, design()), "https://study.example")
    assert "Secure" in person.open("/s/pilot/").page.headers["set-cookie"]


@pytest.mark.parametrize(
    "address", ["/nowhere", "/s/none/", "/s/pilot/nowhere", "/docs", "/openapi.json", "/static/x/app.py"]
)
def test_what_is_not_there_is_a_page_that_says_so(person: Person, address: str):
    person.open(address)
    assert person.page.status_code == 404
    assert "There is no such" in person.text


def test_a_defect_shows_no_traceback(person: Person, monkeypatch: pytest.MonkeyPatch):
    person.go()
    monkeypatch.setattr(type(store_of(person)), "next", lambda *_: 1 / 0)
    person.open("/s/pilot/question")
    assert person.page.status_code == 500
    assert "Something went wrong" in person.text
    assert "Traceback" not in person.text
    assert "ZeroDivision" not in person.text
    assert person.page.headers["content-security-policy"]


def test_a_database_that_does_not_answer_has_a_page_that_says_so(person: Person, monkeypatch: pytest.MonkeyPatch):
    person.go()

    def fail(*_: object, **__: object) -> None:
        raise StoreUnavailableError("postgresql://secret-host: the database does not answer")

    for method, act in (("submit", lambda: person.send(answer="A")), ("design", lambda: person.open("/s/pilot/"))):
        with monkeypatch.context() as patch:
            patch.setattr(type(store_of(person)), method, fail)
            act()
        assert person.page.status_code == 503
        assert "send it again" in person.text
        assert "secret-host" not in person.text
        person.open("/s/pilot/question")


def test_whoever_asks_too_fast_waits(person: Person):
    limits: visits.Visits = person.client.app.state.visits
    stopped = {"clock": lambda: 0.0}
    limits.of_annotators, limits.of_strangers = Limiter(0.5, 3, **stopped), Limiter(0.5, 3, **stopped)
    person.go()
    answers = [person.open("/s/pilot/question").page for _ in range(4)]
    assert answers[-1].status_code == 429
    assert answers[-1].headers["retry-after"] == "2"
    assert "Your answers so far are saved" in person.text
    assert person.other().open("/s/pilot/").page.status_code == 429, "strangers share what their address has"


def test_made_up_keys_are_stopped_before_they_are_looked_up(person: Person, monkeypatch: pytest.MonkeyPatch):
    limits: visits.Visits = person.client.app.state.visits
    limits.of_strangers = Limiter(0.5, 2, clock=lambda: 0.0)
    looked_up = []
    monkeypatch.setattr(type(store_of(person)), "annotator", lambda _, key: looked_up.append(key))
    statuses_of = []
    for number in range(5):
        person.client.cookies.set("session", f"made-up-{number}")
        statuses_of.append(person.client.get("/s/pilot/end", follow_redirects=False).status_code)
    assert statuses_of == [303, 303, 429, 429, 429]
    assert looked_up == ["made-up-0", "made-up-1"]


@pytest.mark.parametrize("forged", ["a/b?c=d", "x", "unnamed-0123456789abcdef"])
def test_a_browser_is_known_by_an_id_of_our_own_making_alone(tmp_path: Path, forged: str):
    person = Person(store_with(tmp_path, design(hash_ids=False)))
    person.client.cookies.set("browser", forged, path="/s/pilot/")
    person.go()
    assert person.at == "/s/pilot/question"
    [who] = store_of(person).progress("pilot").people
    assert re.fullmatch(r"[\w-]{22}", who.annotator_id)


def test_a_rating_asks_the_question_of_the_design(tmp_path: Path):
    study = design(kind="rating", systems=["plain_system"], scales="bad_to_perfect", question="Well <told>?")
    assert "Well &lt;told&gt;?" in Person(store_with(tmp_path, study, n=1)).go().text


def test_the_script_knows_where_to_go(person: Person):
    person.go()
    told = person.client.post(
        person.action, data=person.hidden | {"answer": "A"}, headers={"accept": "application/json"}
    )
    assert told.json() == {"next": "/s/pilot/question"}
    assert ORIGIN not in told.text
