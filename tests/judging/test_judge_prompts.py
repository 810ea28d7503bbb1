"""What a judge reads, and what is read of its answer."""

from dataclasses import replace

import pytest

from denouement.answers import QuestionAsked
from denouement.judging.prompts import messages, once_more, prompt_digest, read_reply
from denouement.judging.questions import Questionnaire, pairs_asked
from tests.judging.studies import check, items

TIES = ("A", "B", "both", "neither")
ASKS = Questionnaire("s", "Read the story.", {"better": QuestionAsked("Which is better?", True)}, TIES)


@pytest.mark.parametrize(
    ("said", "answer", "reason"),
    [
        ("Answer: A\nReason: It fits.", "A", "It fits."),
        ("answer: b\nreason: It fits.", "B", "It fits."),
        ("**Answer:** neither\n\n**Reason:** Both are *odd*.\nVery odd.", "neither", "Both are *odd*. Very odd."),
        ("Reason: B ends it.\nAnswer: B.", "B", "B ends it. Answer: B."),
        ("Answer: (B)", "B", None),
        ("Answer: Ending A, because it fits.", "A", None),
        ("Answer: A - a better end", "A", None),
        ("<think>Answer: B? No.\nAnswer: B</think>Answer: A\nReason: x", "A", "x"),
        ("Answer: Both", "both", None),
        # no answer
        ("", None, None),
        ("A is better", None, None),
        ("Answer: A, B, both or neither", None, None),
        ("Answer: A and B", None, None),
        ("Answer: A\nAnswer: B", None, None),
        ("Answer: C", None, None),
        ("Answer:", None, None),
        ("<think>Answer: A", None, None),
    ],
)
def test_an_answer_is_read_where_it_is_one(said, answer, reason):
    found = read_reply(said, TIES)
    assert (found and (found.answer, found.reason)) == (answer and (answer, reason))


def test_what_people_could_not_choose_is_no_answer():
    assert read_reply("Answer: both", ("A", "B")) is None


def test_the_prompt_has_what_people_read_in_both_orders():
    listed, swapped = pairs_asked(items(1), ASKS)
    [system, user] = messages(listed, ASKS)
    assert system == {"role": "system", "content": "Read the story."}
    assert user["content"].splitlines()[:6] == [
        "Story: Tom had 0 dogs. He walked in the park.",
        "",
        "A: Then he went back to house number 0.",
        "B: He was happy with dog 0.",
        "",
        "Which is better?",
    ]
    assert "A, B, both or neither" in user["content"]
    assert not {"mine", "human"} & set(user["content"].replace(".", " ").split())  # nothing says whose they are
    assert messages(swapped, ASKS)[1]["content"].splitlines()[2:4] == [
        "A: He was happy with dog 0.",
        "B: Then he went back to house number 0.",
    ]
    assert (listed.systems, swapped.systems) == (("mine", "human_right"), ("human_right", "mine"))
    assert once_more("")[0]["content"] == "(nothing)"  # servers refuse an empty message


def test_checks_are_asked_practice_is_not_and_a_limit_counts_pairs():
    import pyarrow as pa

    shown = pa.concat_tables([items(3), check(), items(1, item_id="practice", is_training=True), items(1, study="t")])
    assert [pair.item_id for pair in pairs_asked(shown, ASKS)] == ["i0", "i0", "i1", "i1", "i2", "i2", *["check"] * 2]
    assert [pair.item_id for pair in pairs_asked(shown, ASKS, limit=2)] == ["i0", "i0", "i1", "i1"]
    two = replace(ASKS, questions={**ASKS.questions, "fluent": QuestionAsked("Which is better written?", False)})
    asked = [(pair.item_id, pair.question) for pair in pairs_asked(pa.concat_tables([items(1), check()]), two)]
    assert asked == [("i0", "better"), ("i0", "fluent")] * 2 + [("check", "better")] * 2


def test_other_words_or_options_have_another_digest():
    other = [
        replace(ASKS, instructions="Read."),
        replace(ASKS, options=("A", "B")),
        replace(ASKS, questions={"better": QuestionAsked("Which?", True)}),
        replace(ASKS, questions={"best": QuestionAsked("Which is better?", True)}),
    ]
    assert len({prompt_digest(each) for each in [ASKS, *other]}) == 5
