"""The pages of people who write, review and verify."""

import re
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from campaigns import NAMES, Worker, at_piece, described, draft, opened, reviewers, sentences, story, told, words
from hosted import ORIGIN, TOKEN, design, items_of

from denouement.collect.store import EndingWork, ReviewWork, StoryWork, open_store
from denouement.collect.web.knowing import Knowing
from denouement.collect.work import as_table

STORIES = as_table(
    "collected_stories",
    [{"story_id": f"s{n}", "title": f"Story {n}", "sentences": sentences(n), "status": "approved"} for n in range(3)],
)
QUALIFIED = {"stories": {"payment": {"piece": 0.26, "bonus": 0.1}}, "review": {}, "endings": None, "verification": None}


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    return Worker(opened(tmp_path, described()))


def store_of(person):
    return person.client.app.state.store


def judged(person, *, all_right: bool):
    """Answers to the five items of the test that is shown, all of them right or all wrong."""
    step = person.at.rpartition("/")[2]
    test = getattr(store_of(person).collection("kitchen"), step).qualification
    return {f"item-{at}": "yes" if item.acceptable == all_right else "no" for at, item in enumerate(test.items)}


def test_one_server_has_the_pages_of_studies_and_of_collections(worker: Worker):
    study = design()
    store_of(worker).create(study, items_of(study, 2))
    assert worker.go("pilot").at == "/s/pilot/question"
    assert "Question 1 of" in worker.text
    assert worker.open("/s/pilot/work").page.status_code == 404, "a page of collections alone"
    other = worker.come("stories")
    assert other.at.startswith("/s/kitchen/work/piece/")
    for page in ("question", "consent", "training", "before", "back"):
        assert other.open(f"/s/kitchen/{page}").page.status_code in (200, 404)
        assert "Something went wrong" not in other.text
    assert worker.other().open("/s/nothing/work").page.status_code == 404


def test_a_collection_has_no_preview(worker: Worker):
    worker.open("/organiser/").send(token=TOKEN)
    worker.open("/organiser/kitchen/preview")
    assert worker.page.status_code == 404
    assert "A collection has no preview" in worker.text


def test_a_collection_that_another_process_deletes_is_no_longer_there(worker: Worker, tmp_path: Path):
    person, organiser = worker.come("stories"), worker.other().open("/organiser/").send(token=TOKEN)
    assert organiser.open("/organiser/kitchen").page.status_code == 200
    with closing(open_store(f"sqlite:///{tmp_path / 'studies.db'}")) as another:
        another.set_state("kitchen", "closed")
        another.delete("kitchen", without_export=True)
    assert organiser.open("/organiser/kitchen").page.status_code == 404
    assert person.open("/s/kitchen/work").page.status_code == 404
    study = design(name="kitchen")
    store_of(worker).create(study, items_of(study, 2))
    assert worker.go("kitchen").at == "/s/kitchen/question"


def test_static_files_of_collections_have_addresses_of_their_content(worker: Worker):
    person = worker.come("stories")
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', person.text)
    assert {address.rpartition("/")[2] for address in addresses} == {
        "icon.svg", "study.css", "work.css", "study.js", "work.js",
    }  # fmt: skip
    assert all(person.client.get(address).status_code == 200 for address in addresses)
    assert person.client.get("/static/000000000000/work.js").status_code == 404


def test_who_comes_for_one_step_does_that_one_and_by_a_second_address_both(worker: Worker):
    person = worker.come("stories")
    store, key = store_of(worker), person.client.cookies["session"]
    assert [offer.step for offer in store.offers(key)] == ["stories"]
    person.open("/s/kitchen/?step=verification")
    assert [offer.step for offer in store.offers(key)] == ["stories", "verification"]
    person.open("/s/kitchen/?step=review")
    assert [offer.step for offer in store.offers(key)] == ["stories", "verification"], "reviewers come by links"


def test_the_address_for_all_steps_leads_to_all_but_the_review(worker: Worker):
    worker.open("/s/kitchen/?step=stories").open("/s/kitchen/").send(consent="yes")
    offers = store_of(worker).offers(worker.client.cookies["session"])
    assert [offer.step for offer in offers] == ["stories", "endings", "verification"]
    for step in ("review", "nothing", "../stories"):
        other = worker.other().open(f"/s/kitchen/?step={step}").send(consent="yes")
        assert "review" not in {offer.step for offer in store_of(worker).offers(other.client.cookies["session"])}


def test_reviewers_come_by_links_whatever_the_entry_is_and_nobody_comes_as_another_by_such_an_address(tmp_path: Path):
    entry = {"kind": "prolific", "completion_code": "C1ABC"}
    worker = Worker(opened(tmp_path, described(entry=entry)))
    store = store_of(worker)
    address = "/s/kitchen/?PROLIFIC_PID=p1&STUDY_ID=st1&SESSION_ID=se1"
    writer = worker.other().open(f"{address}&step=stories").send(consent="yes")
    assert at_piece(writer)
    assert [offer.step for offer in store.offers(writer.client.cookies["session"])] == ["stories"]
    reviewer = worker.arrive(next(reviewers(store)))
    assert [offer.step for offer in store.offers(reviewer.client.cookies["session"])] == ["review"]
    stranger = worker.other().open("/s/kitchen/link/p1")
    assert stranger.page.status_code == 404
    assert "session" not in stranger.client.cookies
    stranger.client.cookies.set("arrival", "id=p1", path="/s/kitchen/")
    stranger.open("/s/kitchen/arrive")
    assert stranger.page.status_code == 400
    assert len(store.people("kitchen")) == 2


def test_consent_says_what_is_paid_and_withdrawal_what_the_rule_is(tmp_path: Path):
    for name, keeps in (("kept", True), ("deleted", False)):
        (tmp_path / name).mkdir()
        paid = {"qualification": False, "payment": {"piece": 0.26, "bonus": 0.125}}
        worker = Worker(opened(tmp_path / name, described(stories=paid, keeps_approved=keeps)))
        worker.open("/s/kitchen/?step=stories")
        assert "0.26 USD for each story that is approved and 0.125 USD on top" in words(worker)
        assert ("What was approved stays" in words(worker)) == keeps
        worker.send(consent="yes").open("/s/kitchen/withdraw")
        assert ("What was approved stays" in words(worker)) == keeps
        assert ("All that you wrote or said is deleted." in words(worker)) != keeps
        worker.send(withdraw="yes")
        assert worker.at == "/s/kitchen/end"
        assert ("What was approved stays" in words(worker)) == keeps
        assert "DONE1" not in worker.text


def test_a_test_is_passed_once_and_says_what_was_wrong(tmp_path: Path):
    worker = Worker(opened(tmp_path, described(**{**QUALIFIED, "endings": {}, "verification": {}})))
    person = worker.come("stories")
    assert person.at == "/s/kitchen/work/test/stories"
    assert "You have 2 attempts" in words(person)
    person.send(**{"item-0": "yes"})
    assert person.problem == "Please answer all five."
    assert re.search(r'name="item-0" value="yes"[^>]* checked', person.text), "what was chosen stays"
    hidden, action = person.hidden, person.action
    person.send(**judged(person, all_right=False))
    assert person.at == "/s/kitchen/work/result/stories"
    assert "0 of your 5 answers were right, and 4 are needed. You have one attempt left." in words(person)
    assert "You were not right. Acceptable: It is realistic" in words(person)
    person.client.post(action, data=hidden | {f"item-{at}": "yes" for at in range(5)})
    assert len(store_of(worker).attempts(person.client.cookies["session"], "stories")) == 1, (
        "sent twice, it counts once"
    )
    person.open("/s/kitchen/work").send(**judged(person.open("/s/kitchen/work"), all_right=True))
    assert "You have passed the test" in words(person)
    assert at_piece(person.open("/s/kitchen/work"))
    assert at_piece(person.open("/s/kitchen/work/test/stories")), "nobody takes it again"


def test_a_test_that_was_begun_is_taken_when_others_have_the_last_piece_by_then(tmp_path: Path):
    worker = Worker(opened(tmp_path, described(stories={"wanted": 1}, endings=None, verification=None, filter=None)))
    person = worker.come("stories")
    answers, store = judged(person, all_right=True), store_of(person)
    other = store.consent(store.enter("kitchen", "other").key).key
    store.attempt(other, "stories", {at: answers[f"item-{at}"] == "yes" for at in range(5)})
    assert store.begin(other, "stories")
    person.send(**answers)
    assert "You have passed the test" in words(person)
    person.open("/s/kitchen/work/begin/stories")
    assert "Others hold all that there is. Something may get free." in words(person)
    assert "All is done here." not in words(person)


def test_who_fails_the_last_attempt_is_screened_out_with_its_own_code(tmp_path: Path):
    entry = {"kind": "open", "completion_code": "DONE1", "screen_out_code": "OUT1"}
    test = {"stories": {"qualification": {"attempts": 1, "feedback": False}}}
    person = Worker(opened(tmp_path, described(**test, entry=entry))).come("stories")
    person.send(**judged(person, all_right=False))
    assert person.at == "/s/kitchen/end"
    assert "OUT1" in person.text
    assert "DONE1" not in person.text
    assert person.open("/s/kitchen/work/test/stories").at == "/s/kitchen/end"


def test_without_feedback_nobody_reads_which_answers_were_right(tmp_path: Path):
    test = {"stories": {"qualification": {"feedback": False}}}
    person = Worker(opened(tmp_path, described(**test))).come("stories")
    person.send(**judged(person, all_right=False))
    assert "0 of your 5 answers were right" in words(person)
    assert "toaster" not in person.text


def test_a_refused_story_stays_with_what_is_said_at_its_boxes(worker: Worker):
    person = worker.come("stories")
    wrong = story(0) | {"sentence-2": 'He said "no".', "sentence-4": "Too short a mark", "sentence-5": ""}
    person.send(**wrong)
    assert at_piece(person)
    assert "not handed in yet" in person.problem
    assert told(person) == {
        "sentence-2": ["No quotation marks: say in your own words what somebody said."],
        "sentence-4": ["It does not end with a full stop or another end mark."],
        "sentence-5": ["There are no words in it."],
    }
    assert "He said &#34;no&#34;." in person.text
    assert store_of(worker).own_stories(person.client.cookies["session"]) == []
    person.send(**story(0))
    assert person.note == "Your story is handed in."
    assert not told(person)


def test_what_is_sent_twice_counts_once_and_only_from_ones_own_page(worker: Worker):
    person = worker.come("stories")
    hidden, action = person.hidden, person.action
    person.send(**story(0))
    again = person.client.post(action, data=hidden | story(1))
    assert "It counts once" in again.text
    assert [each.title for each in store_of(worker).own_stories(person.client.cookies["session"])] == ["The key 0"]
    assert person.client.post(action, data={**hidden, "form": "x"} | story(1)).status_code == 403
    assert person.client.post(action, data=hidden | story(1), headers={"origin": "http://x.example"}).status_code == 403
    stranger = worker.come("stories")
    stolen = stranger.hidden | {"assignment": person.hidden["assignment"]} | story(2)
    assert "not kept" in stranger.client.post(action, data=stolen).text
    assert at_piece(person.open("/s/kitchen/work"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A \u202edog\u202c ran.", "It holds characters that cannot be shown: type it again."),
        ("A dog\x07 ran.", "It holds characters that cannot be shown: type it again."),
        ("a" * 3000 + ".", "It has 3,001 characters: this is not one sentence."),
        ("<b>Ann</b> ran. Then she fell.", "One sentence a box: there are several in it."),
    ],
)
def test_texts_that_cannot_be_kept_are_refused_and_shown_as_they_are(worker: Worker, text: str, said: str):
    person = worker.come("stories")
    person.send(**story(0) | {"sentence-3": text})
    assert said in told(person)["sentence-3"]
    assert "<b>" not in person.text
    assert not store_of(worker).own_stories(person.client.cookies["session"])


def test_a_text_of_a_megabyte_is_refused_in_a_sentence(worker: Worker):
    person = worker.come("stories")
    person.send(**story(0) | {"sentence-3": "a" * 1_000_000})
    assert person.page.status_code == 413
    assert "Go back and say it in fewer words" in person.text


def test_a_draft_is_kept_and_told_of_as_far_as_it_is_written(worker: Worker):
    person = worker.come("stories")
    fields = {"title": "A key", "sentence-1": 'Ann said "no', "sentence-2": "Ann was sooo", "typed-sentence-2": "3"}
    everything = draft(person, fields | {"all": "yes"})["remarks"]
    assert everything["sentence-5"] == [["There are no words in it.", True]]
    answer = draft(person, fields | {"at": "sentence-2", "edited": "7"})
    assert answer["saved"]
    assert answer["remarks"] == {
        "sentence-1": [
            ["It does not end with a full stop or another end mark.", True],
            ["No quotation marks: say in your own words what somebody said.", True],
        ],
        "sentence-2": [
            ["'sooo' is how people speak or text.", False],
            ["Most of it was not typed: write a text of your own.", False],
        ],
    }, "the box in which one writes may be unfinished, and empty ones are not spoken of"
    again = person.open("/s/kitchen/work")
    assert "Ann said &#34;no</textarea>" in again.text
    assert 'name="edited" value="7"' in again.text
    assert told(again)["sentence-2"] == [
        "It does not end with a full stop or another end mark.",
        "*'sooo' is how people speak or text.",
        "*Most of it was not typed: write a text of your own.",
    ]


def test_a_draft_of_what_is_no_longer_ones_own_is_not_kept(worker: Worker):
    person, other = worker.come("stories"), worker.come("stories")
    theirs = draft(other, {"assignment": person.hidden["assignment"], "title": "Mine"})
    assert not theirs["saved"]
    assert "Your time for this one is over" in theirs["over"]
    assert 'name="title"' in person.open("/s/kitchen/work").text
    assert "Mine" not in person.text
    assert person.client.post("/s/kitchen/work/draft", data={"assignment": "x"}).status_code == 403


def test_a_story_nearly_like_another_one_is_hinted_at(worker: Worker, monkeypatch):
    monkeypatch.setattr("denouement.collect.web.knowing._EVERY", 0)
    worker.come("stories").send(**story(0))
    person = worker.come("stories")
    near = story(0) | {"title": "Another", "sentence-5": "Ann gave the dog a bone and went to bed."}
    hints = draft(person, near)["remarks"][""]
    assert "of its sequences of words in common" in hints[0][0]
    assert hints[0][1] is False
    assert person.send(**near).note == "Your story is handed in.", "a hint refuses nothing"
    assert draft(worker.come("stories"), story(1))["remarks"] == {}
    for writer in store_of(worker).people("kitchen"):
        store_of(worker).withdraw_for("kitchen", writer.annotator_id)
    assert draft(worker.come("stories"), near)["remarks"] == {}, "nothing of a deleted story stays"


def test_a_returned_story_is_improved_by_its_writer_alone(worker: Worker):
    writer = worker.come("stories").send(**story(0))
    reviewer = worker.arrive(next(reviewers(store_of(worker))))
    assert at_piece(reviewer)
    assert all(sentence in words(reviewer) for sentence in sentences(0))
    reviewer.send(remark="x")
    assert reviewer.problem == "Choose whether you approve, return or reject the story."
    reviewer.send(decision="return")
    assert reviewer.problem == "Say why, so that the writer can learn from it."
    assert re.search(r'value="return"[^>]* checked', reviewer.text)
    reviewer.send(decision="return", remark="a\x07b")
    assert reviewer.problem == "Write at most 2,000 characters of plain text."
    reviewer.send(decision="return", remark="Say <b>who</b>\r\nfound it.")
    assert reviewer.at == "/s/kitchen/work"
    assert reviewer.note == "Your review is handed in."
    assert '<meta http-equiv="refresh" content="20; url=/s/kitchen/work">' in reviewer.text, "it looks again by itself"

    writer.open("/s/kitchen/overview")
    assert "The key 0 Returned: please improve it" in words(writer)
    assert "Say &lt;b&gt;who&lt;/b&gt;\nfound it." in writer.text
    address = re.search(r'href="([^"]+)">Improve this story', writer.text)[1]
    assert worker.come("stories").open(address).at != address
    writer.open(address)
    assert "What reviewers say of your story" in writer.text
    assert f"{sentences(0)[0]}</textarea>" in writer.text
    writer.send(**story(0) | {"sentence-3": "A dog named Rex dug up something."})
    assert "The key 0 Being reviewed" in words(writer.open("/s/kitchen/overview"))
    reviewer.open("/s/kitchen/work")
    assert "A dog named Rex" in reviewer.text
    reviewer.send(decision="approve", bonus="on")
    assert "The key 0 Approved, with a bonus" in words(writer.open("/s/kitchen/overview"))


@pytest.mark.parametrize("way", ["v1.0", "method_2"])
def test_endings_are_written_in_each_way(tmp_path: Path, way: str):
    collection = described(stories=None, review=None, endings={"way": way, "qualification": False})
    person = Worker(opened(tmp_path, collection, stories=STORIES)).come("endings")
    [number] = [n for n in range(3) if sentences(n)[0] in words(person)]
    boxes = re.findall(r'<textarea id="(\w+)"', person.text)
    last = sentences(number)[4]
    name, wrong = last.split()[0], last.replace("gave the dog a bone and went home", "sold the dog and went to sea")
    if way == "method_2":
        assert boxes == ["wrong"]
        assert f">\n{last}</textarea>" in person.text, "the sentence to change is in the box"
        assert told(person) == draft(person, {"wrong": last})["remarks"] == {}, "nothing is wrong with it yet"
        person.send(wrong=last)
        assert told(person)["wrong"] == ["The wrong ending says the same as the sentence that you change."]
        person.send(wrong=last.replace("gave", "never gave"))
        assert told(person)["wrong"] == ["Only a word such as not was put in or taken out. Change more than that."]
        person.send(wrong=wrong)
    else:
        assert boxes == ["right", "wrong"]
        assert last not in words(person)
        person.send(right=last, wrong=last)
        assert told(person)["wrong"] == ["The wrong ending says the same as the right one."]
        person.send(right=last, wrong=f"{name}  sold the dog\r\nand went to sea.")
    assert person.note == "Your endings are handed in."
    endings = store_of(person).collected("kitchen").endings.to_pylist()
    assert [(row["right"], row["wrong"]) for row in endings] == [(last, wrong)]


def test_hints_on_characters_come_once_the_parser_is_there_and_nothing_waits_for_it(tmp_path: Path, monkeypatch):
    begun = []
    monkeypatch.setattr("denouement.collect.web.knowing.Parser.begin", lambda parser: begun.append(parser))
    collection = described(stories=None, review=None, endings={"qualification": False})
    person = Worker(opened(tmp_path, collection, stories=STORIES)).come("endings")
    name = next(text for text in words(person).split() if text in NAMES)
    fields = {"right": "The moon was made of cheese.", "wrong": f"{name} gave the dog a bone."}
    assert draft(person, fields)["remarks"] == {}
    assert begun, "the first page of endings has it loaded"
    knowing: Knowing = person.client.app.state.knowing
    monkeypatch.undo()
    knowing.parser._load()
    assert list(draft(person, fields)["remarks"]) == ["right"]
    with knowing.parser._lock:
        assert draft(person, fields)["remarks"] == {}, "while it parses for others there is no hint"


@pytest.mark.parametrize(("form", "answer"), [("v1.0", "-1"), ("v1.5", "until_last")])
def test_a_story_with_an_ending_is_verified(tmp_path: Path, form: str, answer: str):
    collection = described(
        stories=None, review=None, endings={"qualification": False}, verification={"form": form, "qualification": False}
    )
    worker = Worker(opened(tmp_path, collection, stories=STORIES))
    worker.come("endings").send(right="They went home with the dog.", wrong="They sold the dog and went home.")
    person = worker.come("verification")
    assert at_piece(person)
    person.send()
    assert person.problem == "Choose one of the three answers."
    person.send(answer=answer)
    assert person.note == "Your answer is handed in."
    rows = store_of(worker).collected("kitchen").verifications.to_pylist()
    assert [row["answer"] for row in rows] == [answer]


def test_a_piece_that_is_left_to_others_comes_to_them_and_not_again(tmp_path: Path):
    collection = described(stories=None, review=None, endings={"qualification": False})
    stories = STORIES.slice(0, 1)
    worker = Worker(opened(tmp_path, collection, stories=stories))
    person = worker.come("endings")
    assert "Others hold all that there is." in words(worker.come("endings"))
    person.send(give_back="yes")
    assert person.note == "You have left that one to others."
    assert not at_piece(person)
    assert at_piece(worker.come("endings"))


def test_work_that_comes_after_its_time_counts_unless_others_did_it(tmp_path: Path):
    collection = described(stories=None, review=None, endings={"qualification": False}, lease_minutes=5)
    worker = Worker(opened(tmp_path, collection, stories=STORIES.slice(0, 1)))
    late, store = worker.come("endings"), store_of(worker)
    key = late.client.cookies["session"]
    other = store.consent(store.enter("kitchen", "other").key).key
    then = datetime.now(UTC) + timedelta(minutes=30)
    piece = store.begin(other, "endings", now=then)
    pair = EndingWork("Ann went home with the dog.", "Ann sold the dog and went home.")
    assert store.hand_in(other, piece.id, pair, now=then).status == "accepted"
    late.send(right="Ann thanked the dog.", wrong="Ann scolded the dog.")
    assert "It is kept, but does not count." in words(late)
    assert store.offers(key)[0].done == 1


def test_the_code_is_for_those_who_handed_something_in(worker: Worker):
    person = worker.come("stories").open("/s/kitchen/overview")
    assert "You have begun a story" in words(person)
    person.send()
    assert person.at == "/s/kitchen/end"
    assert "You have handed in nothing." in words(person)
    assert "DONE1" not in person.text
    person.open("/s/kitchen/overview").open("/s/kitchen/work/begin/stories").send(**story(0))
    person.open("/s/kitchen/overview").send()
    assert "You have handed in 1 story. All of it is saved. One of your stories is being reviewed." in words(person)
    assert "DONE1" in person.text
    assert at_piece(person.open("/s/kitchen/work/begin/stories")), "who is done may go on"


def test_the_code_for_another_step_is_for_work_in_that_one(tmp_path: Path):
    entry = {"kind": "prolific", "completion_code": "C1ABC"}
    person = Worker(opened(tmp_path, described(entry=entry)))
    address = "/s/kitchen/?PROLIFIC_PID=p1&STUDY_ID={}&SESSION_ID=se1&step={}"
    person.open(address.format("st1", "stories")).send(consent="yes")
    person.send(**story(0))
    person.open("/s/kitchen/overview").send()
    assert "C1ABC" in person.text
    person.open(address.format("st2", "verification")).open("/s/kitchen/end")
    assert person.at == "/s/kitchen/end"
    assert "C1ABC" not in person.text


def test_who_finishes_leaves_what_they_hold_to_others(tmp_path: Path):
    collection = described(stories=None, review=None, endings={"qualification": False})
    worker = Worker(opened(tmp_path, collection, stories=STORIES.slice(0, 1)))
    person, store = worker.come("endings"), store_of(worker)
    draft(person, {"wrong": "Ann sold the dog."})
    person.open("/s/kitchen/overview").send()
    other = store.consent(store.enter("kitchen", "other", steps=["endings"]).key).key
    [offer] = store.offers(other)
    assert offer.state == "busy", "they may be back in a minute"
    soon = datetime.now(UTC) + timedelta(minutes=2)
    assert [each.state for each in store.offers(other, now=soon)] == ["free"]
    person.open("/s/kitchen/work/begin/endings")
    assert "Ann sold the dog.</textarea>" in person.text
    assert [each.state for each in store.offers(other, now=soon)] == ["busy"]


def test_a_step_that_is_paused_or_full_says_so(worker: Worker):
    store = store_of(worker)
    store.set_step_state("kitchen", "stories", "paused")
    person = worker.come("stories")
    assert "This is paused at the moment." in words(person)
    assert 'http-equiv="refresh"' in person.text
    store.set_step_state("kitchen", "stories", "open")
    assert at_piece(person.open("/s/kitchen/work"))
    store.set_state("kitchen", "closed")
    assert "The collection is closed" in words(worker.other().open("/s/kitchen/"))


@pytest.mark.parametrize("page", ["draft", "hand_in", "finish", "test/stories"])
def test_forms_are_taken_from_ones_own_pages_alone(worker: Worker, page: str):
    person, other = worker.come("stories"), worker.come("stories")
    own, address = person.hidden, f"/s/kitchen/work/{page}"
    assert person.client.post(address, data=own | {"form": other.hidden["form"]}).status_code == 403
    assert person.client.post(address, data=own, headers={"origin": "http://x.example"}).status_code == 403
    assert person.client.post(address, content="{}", headers={"content-type": "application/json"}).status_code == 415
    assert worker.other().client.post(address, data=own).status_code == 403
    assert person.client.post(address, data=own, follow_redirects=False).status_code in (200, 303)


def test_an_excluded_person_gets_no_work(worker: Worker):
    person = worker.come("stories")
    address, action, hidden, store = person.at, person.action, person.hidden, store_of(worker)
    store.exclude("kitchen", store.annotator(person.client.cookies["session"]).id)
    for page in ("work", "overview", "work/begin/stories", "work/test/stories", address.removeprefix("/s/kitchen/")):
        assert person.open(f"/s/kitchen/{page}").at == "/s/kitchen/end"
    assert "The organiser has ended your part" in words(person)
    person.page = person.client.post(action, data=hidden | story(0))
    assert person.at == "/s/kitchen/end"
    assert store.stories_since("kitchen") == []


def test_several_steps_are_offered_with_what_they_pay(tmp_path: Path):
    paid = {"qualification": False, "payment": {"piece": 0.1}}
    worker = Worker(opened(tmp_path, described(endings=paid)))
    worker.open("/s/kitchen/").send(consent="yes")
    assert worker.at == "/s/kitchen/work"
    assert "Write endings 0.10 USD for each pair of endings." in words(worker)
    assert "You have handed in 0 pairs of endings. There is nothing at the moment. More may come." in words(worker)
    assert at_piece(worker.open("/s/kitchen/work/begin/stories"))
    assert at_piece(worker.open("/s/kitchen/work")), "who holds a piece goes straight to it"
    store, key = store_of(worker), worker.client.cookies["session"]
    store.hand_in(key, store.held(key).id, StoryWork("A key", tuple(sentences(0))))
    link = next(reviewers(store)).rpartition("/")[2]
    reviewer = store.consent(store.enter("kitchen", link).key).key
    store.hand_in(reviewer, store.begin(reviewer, "review").id, ReviewWork("approve"))
    assert "There is nothing at the moment" in words(worker.open("/s/kitchen/overview")), "not for one's own story"


def test_pages_are_served_with_the_headers_of_studies(worker: Worker):
    person = worker.come("stories")
    assert "script-src 'self'" in person.page.headers["content-security-policy"]
    assert person.page.headers["cache-control"] == "no-store"
    assert "<script>" not in person.text
    assert " style=" not in person.text
    assert ORIGIN not in person.text


def test_who_came_by_the_address_for_all_stays_who_they_are_with_a_link(tmp_path: Path):
    worker = Worker(opened(tmp_path, described(review={"links": 2})))
    first, second = reviewers(store_of(worker))
    writer = worker.come("stories").send(**story(0))
    writer.open(first)
    offered = {offer.step: offer.state for offer in store_of(worker).offers(writer.client.cookies["session"])}
    assert offered == {"stories": "free", "review": "none"}, "the only story is their own"
    assert at_piece(worker.arrive(second))
    assert len(store_of(worker).people("kitchen")) == 2


def test_nobody_reviews_their_own_story_as_another_person_of_the_same_browser(tmp_path: Path):
    entry = {"kind": "links", "links": 1}
    worker = Worker(opened(tmp_path, described(entry=entry, review={"links": 2})))
    own = next(token for token, steps in store_of(worker).links_to("kitchen").items() if "stories" in steps)
    first, second = reviewers(store_of(worker))
    writer = worker.arrive(f"/s/kitchen/link/{own}").open("/s/kitchen/work/begin/stories").send(**story(0))
    writer.open(first).send(consent="yes")
    assert [offer.step for offer in store_of(worker).offers(writer.client.cookies["session"])] == ["review"]
    assert not at_piece(writer), "the only story is their own"
    assert at_piece(worker.arrive(second))
