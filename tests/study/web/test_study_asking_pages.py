"""The pages of own questions, boxes and marked words, several practice items, skips, flags and corrections."""

import html
import re

import pytest
from hosted import TOKEN, Person, design, items_of, store_with

from denouement.study.store.export import study_tables

ASK = {
    "before": [
        {"name": "age", "text": "How old are <you>?", "type": "number", "required": True},
        {"name": "native", "text": "First language?", "type": "choice", "options": ["English ", "日本語"]},
        {"name": "speaks", "text": "Which others?", "type": "several", "options": ["Thai", "Welsh", "Zulu"]},
    ],
    "after": [{"name": "remarks", "text": "Anything else?", "required": True}],
}

FOUR = ["w", "x", "y", "human_right"]
CHOSEN = r"<input[^>]* name=[^>]* checked>|<option selected>"


def rows(person_or_store, name):
    store = getattr(person_or_store, "store", person_or_store)
    return study_tables(store, "pilot")[name].to_pylist()


class TestOwnQuestions:
    def test_a_page_before_and_one_after(self, tmp_path):
        store = store_with(tmp_path, design(ask=ASK, answers_per_item=1), 1)
        person = Person(store).go()
        assert person.at.endswith("/before")
        assert "How old are &lt;you&gt;? (required)" in person.text
        assert person.other().open("/s/pilot/question").at == "/s/pilot/"
        assert person.open("/s/pilot/question").at.endswith("/before")  # it cannot be passed by
        person.send(**{"reply-0": "young", "reply-1": "1", "reply-2-0": "on", "reply-2-2": "on"})
        assert person.page.status_code == 200
        assert "Please write a number" in person.problem
        assert person.text.count("checked") == 3  # what was entered is there again
        assert 'value="young"' in person.text
        person.send(**{"reply-0": "34", "reply-1": "0", "reply-2-0": "on", "reply-2-2": "on", "reply-9": "x"})
        assert person.at.endswith("/question")
        assert [(row["question"], row["value"]) for row in rows(store, "replies")] == [
            ("age", "34"),
            ("native", "English "),
            ("speaks", "Thai"),
            ("speaks", "Zulu"),
        ]
        person.send(answer="A")
        assert person.at.endswith("/after")
        assert "DONE1" not in person.text
        assert person.open("/s/pilot/end").at.endswith("/after")
        assert "Please answer this question too" in person.send().problem
        assert "DONE1" in person.send(**{"reply-0": "no"}).text
        assert rows(store, "replies")[-1]["value"] == "no"

    def test_a_full_study_asks_nothing_more(self, tmp_path):
        store = store_with(tmp_path, design(ask=ASK, answers_per_item=1), 1)
        slow, fast = Person(store).go(), Person(store).go()
        fast.send(**{"reply-0": "34"}).send(answer="A")
        assert slow.open("/s/pilot/before").at.endswith("/end")

    def test_who_answered_nothing_is_not_asked_after(self, tmp_path):
        store = store_with(tmp_path, design(ask={"after": ASK["after"]}, answers_per_item=1), 1)
        first = Person(store).open("/s/pilot/")
        second = first.other().open("/s/pilot/")
        assert first.send(consent="yes").at.endswith("/question")
        second.send(consent="yes")
        assert "Others are answering all the questions" in second.text
        assert not second.open("/s/pilot/after").at.endswith("/after")

    def test_a_pause_is_not_the_end(self, tmp_path):
        store = store_with(tmp_path, design(ask={"after": ASK["after"]}), 2)
        person = Person(store).go().send(answer="A")
        store.release("pilot", annotator_id=store.progress("pilot").people[0].annotator_id)
        store.set_state("pilot", "paused")
        assert "paused" in person.open("/s/pilot/question").text
        assert person.at.endswith("/end")
        store.set_state("pilot", "open")
        assert person.open("/s/pilot/question").send(answer="A").at.endswith("/after")

    def test_the_form_of_another_person_is_refused(self, tmp_path):
        store = store_with(tmp_path, design(ask=ASK))
        person, other = Person(store).go(), Person(store).go()
        form = person.hidden
        sent = other.client.post("/s/pilot/before", data=form | {"reply-0": "34"})
        assert sent.status_code == 403
        assert rows(store, "replies") == []


class TestPractice:
    LIST = ({"attempts": 2}, {"context": ["One."], "endings": ["Right.", "Wrong."], "attempts": 1})

    def test_one_after_the_other(self, tmp_path):
        store = store_with(tmp_path, design(training=list(self.LIST)))
        person = Person(store).go()
        assert "Example 1 of 2" in person.text
        right = person.side_of("Her father loved the cake.")
        person.send(answer="AB".replace(right, ""))
        assert "Not quite" in person.problem
        assert "1 attempt left" in person.problem
        twice = person.hidden
        person.send(answer=right)
        assert person.at.endswith("/passed")
        assert "Nora baked a cake" in person.text
        assert "Next example" in person.text
        person.open("/s/pilot/training")
        assert "Example 2 of 2" in person.text
        again = person.client.post("/s/pilot/training", data=twice | {"answer": "AB".replace(right, "")})
        assert again.url.path.endswith("/training")  # the form of the first item, sent again, fails no other
        right = person.side_of("Right.")
        assert person.open("/s/pilot/training").send(answer=right).at.endswith("/passed")
        assert "Begin" in person.text

    @pytest.mark.parametrize(
        ("keys", "right"),
        [
            ({"kind": "best_worst", "systems": FOUR}, {"best": "{}", "worst": "{}"}),
            ({"choices": "graded"}, {"answer": "{}2"}),
            ({"questions": [{"name": "better", "text": "?"}, {"name": "odd", "text": "!"}]}, {"answer-better": "{}"}),
        ],
    )
    def test_of_each_kind_of_question(self, tmp_path, keys, right):
        n = 4 if "systems" in keys else 2
        own = {"context": ["One."], "endings": ["Right.", *(f"Wrong {k}." for k in range(n - 1))]}
        person = Person(store_with(tmp_path, design(training=[True, own], **keys))).go()
        for ending in ("Her father loved the cake.", "Right."):
            shown = re.findall(r"<strong>([A-D])</strong> (?:<span class=\"word\">)?([^<]*?) ?<", person.text)
            letter = next(letter for letter, text in shown if text == ending)
            other = "B" if letter == "A" else "A"
            fields = {name: form.format(other if name == "worst" else letter) for name, form in right.items()}
            fields |= {"answer-odd": "A"} if "questions" in keys else {}
            assert person.send(**fields).at.endswith("/passed")
            person.open("/s/pilot/")
        assert person.at.endswith("/question")

    def test_failing_any_of_them_screens_out(self, tmp_path):
        store = store_with(tmp_path, design(training=list(self.LIST)))
        person = Person(store).go()
        person.send(answer=person.side_of("Her father loved the cake.")).open("/s/pilot/training")
        person.send(answer=person.side_of("Wrong."))
        assert "your answer to the example did not fit" in person.text


class TestSkipAndFlag:
    def test_a_question_is_skipped_and_not_shown_again(self, tmp_path):
        store = store_with(tmp_path, design(skip={"most": 1}), 2)
        person = Person(store).go()
        story = person.hidden["assignment"]
        person.send(skip="yes", remark="  it is too sad ")
        assert "You have skipped a question" in person.note
        assert person.hidden["assignment"] != story
        assert 'name="skip"' not in person.text  # no more of them
        assert "the most that you may" in person.send(skip="yes").problem
        person.send(answer="A")
        assert person.at.endswith("/end")
        [flag] = rows(store, "flags")
        assert (flag["kind"], flag["text"]) == ("skip", "it is too sad")
        assert len(store.answers("pilot")) == 1

    def test_who_skipped_all_reads_so(self, tmp_path):
        store = store_with(tmp_path, design(skip=True), 1)
        person = Person(store).go().send(skip="yes")
        assert "You have skipped all questions that there were for you." in person.text
        assert "Look for more" not in person.text
        assert "DONE1" not in person.text  # the code is for those who answered

    def test_a_problem_comes_with_the_answer(self, tmp_path):
        store = store_with(tmp_path, design(flag=True), 1)
        person = Person(store).go()
        assert 'name="skip"' not in person.text
        assert person.send(remark="<b>no</b> verb").problem == "Please answer the question."
        assert "&lt;b&gt;no&lt;/b&gt; verb" in person.text  # it is kept while the answer is missing
        person.send(answer="A", remark="<b>no</b> verb")
        assert [(row["kind"], row["text"]) for row in rows(store, "flags")] == [("flag", "<b>no</b> verb")]

    def test_neither_without_the_options(self, tmp_path):
        store = store_with(tmp_path, design(), 1)
        person = Person(store).go()
        assert 'name="remark"' not in person.text
        assert "not yours to answer" in person.send(skip="yes").problem
        person.open("/s/pilot/question").send(answer="A", remark="x")
        assert "flags" not in study_tables(store, "pilot")


MORE = {"reason": {"mode": "optional", "boxes": True, "highlight": True}, "back": True}


class TestReasons:
    def test_boxes_and_marks_are_kept_and_shown_again_when_refused(self, tmp_path):
        store = store_with(tmp_path, design(**MORE), 1)
        person = Person(store).go()
        fields = {"box-logic": "on", "mark-0-0": "on", "mark-0-1": "on", "mark-5-0": "on"}
        person.send(**fields)  # no answer yet
        assert person.page.status_code == 200
        assert len(re.findall(CHOSEN, person.text)) == 4
        person.send(answer="A", **fields)
        [vote] = rows(store, "votes")
        assert vote["elements"] == ["logic"]
        first, second = rows(store, "highlights")
        assert (first["system"], first["text"]) == (None, "Tom had")
        assert (second["system"], second["text"]) == (vote["position_b"], "Tom")

    def test_all_words_of_the_page_can_be_marked(self, tmp_path):
        person = Person(store_with(tmp_path, design(**MORE), 1)).go()
        words = re.findall(r'name="mark-(\d+)-\d+" value="on"><span>(.*?)</span></label>( ?)', person.text)
        texts: dict[str, str] = {}
        for text, word, gap in words:
            texts[text] = texts.get(text, "") + word + gap
        item = items_of(design(**MORE), 1)[0]
        assert [html.unescape(text).strip() for text in texts.values()][:4] == list(item.context)
        assert {html.unescape(text).strip() for text in texts.values()} >= set(item.endings)

    def test_a_word_that_is_not_there_is_refused(self, tmp_path):
        store = store_with(tmp_path, design(**MORE), 1)
        person = Person(store).go().send(answer="A", **{"mark-7-0": "on"})
        assert "only words of this page" in person.problem
        assert store.answers("pilot") == []


@pytest.mark.parametrize(
    ("keys", "first", "second"),
    [
        ({}, {"answer": "A"}, {"answer": "neither"}),
        ({"kind": "rating", "scales": "bad_to_perfect"}, {"scale-quality": "1"}, {"scale-quality": "3"}),
        (
            {"kind": "order", "reason": {"mode": "off"}},
            {f"place-{n}": str(n) for n in range(1, 6)},
            {f"place-{n}": str(6 - n) for n in range(1, 6)},
        ),
        ({"choices": "graded"}, {"answer": "A2"}, {"answer": "B1"}),
        (
            {"questions": [{"name": "better", "text": "Better?"}, {"name": "odd", "text": "Odder?"}]},
            {"answer-better": "A", "answer-odd": "both"},
            {"answer-better": "A", "answer-odd": "B"},
        ),
        ({"kind": "best_worst", "systems": FOUR}, {"best": "C", "worst": "A"}, {"best": "C", "worst": "B"}),
        (
            {"kind": "ranking", "systems": FOUR},
            {f"place-{n}": str(place) for n, place in enumerate((3, 1, 4, 2), 1)},
            {f"place-{n}": str(place) for n, place in enumerate((3, 1, 2, 4), 1)},
        ),
    ],
)
class TestBack:
    def test_the_last_answer_is_shown_and_changed(self, tmp_path, keys, first, second):
        store = store_with(tmp_path, design(**MORE | keys), 2)
        person = Person(store).go()
        assert "Change my last answer" not in person.text
        marks = {} if "order" in keys.values() else {"mark-4-1": "on", "box-emotion": "on"}
        person.send(**first, **marks)
        following = person.hidden["assignment"]
        assert "Change my last answer" in person.text
        person.open("/s/pilot/back")
        assert person.page.status_code == 200
        shown = len(re.findall(CHOSEN, person.text))
        assert shown == len(first) + len(marks)
        assert person.send(**first, **marks).note == ""
        assert store.corrections("pilot") == []
        person.open("/s/pilot/back").send(**second)
        assert person.note == "Your last answer is changed."
        assert person.hidden["assignment"] == following
        assert len(store.corrections("pilot")) == 1
        assert len(store.answers("pilot")) == 1

    def test_in_two_tabs_the_next_answer_ends_it(self, tmp_path, keys, first, second):
        store = store_with(tmp_path, design(**MORE | keys), 2)
        person = Person(store).go().send(**first)
        following = person.hidden
        person.open("/s/pilot/back")
        in_tab = person.hidden
        person.client.post("/s/pilot/answer", data=following | first)
        late = person.client.post("/s/pilot/back", data=in_tab | second)
        assert late.url.path.endswith("/back")  # to the answer that is the last one now
        assert "You have answered a later question since" in late.text
        assert store.corrections("pilot") == []
        assert "Change my last answer" in person.open("/s/pilot/end").text  # that is the second one now


def test_nobody_goes_back_without_the_option(tmp_path):
    person = Person(store_with(tmp_path, design(), 2)).go().send(answer="A")
    assert "Change my last answer" not in person.text
    assert person.open("/s/pilot/back").at.endswith("/question")
    assert person.other().open("/s/pilot/back").at == "/s/pilot/"


def test_the_organiser_sees_what_was_skipped_and_reported(tmp_path):
    store = store_with(tmp_path, design(skip=True, flag=True, back=True), 2)
    person = Person(store).go().send(skip="yes", remark="<i>sad</i>").send(answer="A", remark="no verb")
    person.open("/s/pilot/back").send(answer="B")
    organiser = person.other()
    organiser.client.post("/organiser/login", data={"token": TOKEN})
    page = organiser.open("/organiser/pilot").text
    assert "&lt;i&gt;sad&lt;/i&gt;" in page
    assert "no verb" in page
    for name, n in (("Skipped", 1), ("Problems reported", 1), ("Answers corrected", 1)):
        assert f"<dt>{name}</dt><dd>{n}</dd>" in page
    assert "flags.parquet" in page
    assert "corrections.parquet" in page
    assert organiser.open("/organiser/pilot/export/flags.parquet").page.content[:4] == b"PAR1"
