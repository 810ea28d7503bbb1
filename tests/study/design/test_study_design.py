"""The study's file: what it may say, and that all of its mistakes are named at once."""

import json
from pathlib import Path

import pytest

from denouement.errors import UserError
from denouement.study.design.ask import OwnQuestion, UnfitReply
from denouement.study.design.description import Design
from denouement.study.design.entry import Entry
from denouement.study.design.marking import runs, words_of
from denouement.study.design.reading import design_from, from_json, read_design, to_json
from denouement.study.design.scales import named_scales
from denouement.study.languages import texts
from denouement.study.reasons import ELEMENTS

KNOWN = {"context": ["One."], "endings": ["Two.", "Three."]}
ONE = {"context": ["One."], "endings": ["Two."]}
ORDER = {"kind": "order", "systems": ["human_right"]}
RATING = {"kind": "rating", "systems": ["h_seq2seq"], "scales": "bad_to_perfect"}
AGE = {"name": "age", "text": "How old are you?", "type": "number"}
RIGHT = {"quality": [3], "fun": [1]}
LEAST = {"name": "pilot", "systems": ["h_seq2seq", "human_right"]}


def mistakes(**keys) -> list[str]:
    with pytest.raises(UserError) as raised:
        design_from({**LEAST, **keys}, "STUDY.yaml")
    message = str(raised.value)
    assert "\n" not in message
    return message.split("; ")


def test_the_least_a_file_must_say():
    design = design_from(LEAST, "STUDY.yaml")
    assert (design.kind, design.answers_per_item, design.cases.n, design.hash_ids) == ("pair", 5, 200, True)
    assert design.pairs == (("h_seq2seq", "human_right"),)
    assert "fifth" in design.instructions
    assert "better" in design.question
    assert "withdraw" in design.consent


def test_without_pairs_every_two_systems_are_compared():
    design = design_from({"name": "pilot", "systems": ["a", "b", "c"]}, "STUDY.yaml")
    assert design.pairs == (("a", "b"), ("a", "c"), ("b", "c"))


def test_every_mistake_is_named_at_once():
    found = mistakes(
        name="No Good",
        color="red",
        answers_per_item=0,
        lease_minutes="long",
        cases={"n": 0, "split": "dev", "sed": 3},
        reason={"mode": "maybe", "min_length": 5, "max_length": 2},
        entry={"kind": "prolific", "completion_url": "http://example.org"},
        checks={"rate": 0.9, "items": [{"context": [], "endings": ["One."]}]},
        pairs=[["h_seq2seq", "nobody"], ["human_right", "h_seq2seq"], ["h_seq2seq", "human_right"]],
        training={"context": ["One."], "endings": ["Two."], "attempts": 0},
    )
    for key in (
        "name: must be 1 to 40",
        "unknown key color",
        "answers_per_item: must be between 1",
        "lease_minutes: must be a number",
        "cases.n: must be at least 1",
        "cases.split: must be one of",
        "cases: unknown key sed",
        "reason.mode: must be one of",
        "reason.max_length: must be between",
        "entry.completion_url: must begin with https://",
        "checks.rate: must be between 0 and 0.5",
        "checks.items.1.context: must be a list of sentences",
        "pairs: nobody is not among the systems",
        "pairs: h_seq2seq and human_right is listed twice",
        "training.1.attempts: must be at least 1",
    ):
        assert sum(key in each for each in found) == 1, (key, found)
    assert len(found) == 15
    assert all(each.startswith("STUDY.yaml") for each in found)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"systems": ["one"]}, "systems: must be at least 2"),
        ({"systems": ["one", "one"]}, "systems: one is listed twice"),
        ({"systems": ["one", "both"]}, "systems: 'both' cannot be"),
        ({"kind": "rating"}, "scales: are missing"),
        ({"scales": "grammar_logicality"}, "scales: a study of kind pair has none"),
        ({"kind": "rating", "scales": "bad_to_perfect", "checks": {"rate": 0.1}}, "checks.items: are missing"),
        ({"kind": "order", "reason": {"mode": "required"}}, "reason.mode: must be off"),
        ({"kind": "order", "pairs": [["h_seq2seq", "human_right"]]}, "pairs: a study of kind order has none"),
        ({"kind": "write"}, "kind: must be one of pair, rating, order"),
        ({"entry": {"kind": "prolific"}}, "entry.completion_code: is missing"),
        ({"entry": {"links": 0}}, "entry.links: must be"),
        ({"entry": {"kind": "open", "links": 0}}, "entry.links: entry of kind open has none"),
        ({"seed": 1}, "unknown key seed"),
        ({"reason": {"mode": "off", "min_length": 20}}, "reason.min_length: no reason is asked"),
        ({"reason": {"question": "Why?"}}, "reason.question: no reason is asked"),
        ({"checks": {"items": [KNOWN]}}, "checks.items: are never shown"),
        ({"checks": {"rate": 0.1, "items": [{**KNOWN, "values": {"fun": [1]}}]}}, "checks.items.1.values: a study of"),
        ({**ORDER, "training": {**ONE, "expected": "first"}}, "training.1.expected: a study of kind order has none"),
        ({**ORDER, "training": {**ONE, "values": {"fun": [1]}}}, "training.1.values: a study of kind order has none"),
        (
            {**ORDER, "kind": "rating", "scales": "bad_to_perfect", "training": {**ONE, "values": RIGHT}},
            "training.1.values: fun is not among the scales",
        ),
        ({"systems": ["a", "b", "c"], "pairs": [["a", "b"]]}, "pairs: c is in none"),
        ({"entry": {"completion_code": "a b"}}, "entry.completion_code: must be letters"),
        ({"question": " "}, "question: is empty"),
        ({"lease_minutes": 0}, "lease_minutes: must be between 1"),
        ({"consent": "a bell \x07"}, "consent: holds characters that cannot be shown"),
        ({"training": {"context": ["One."], "endings": ["Two."]}}, "training.1.endings: must be 2"),
        ({"name": None}, "name: must be text"),
        ({"lease_minutes": 0.5}, "lease_minutes: must be between 1 and 10,080"),
        ({"lease_minutes": 10_081}, "lease_minutes: must be between 1 and 10,080"),
        ({"title": "\u200b\xad "}, "title: is empty"),
        ({"consent": "a \u202e turned one"}, "consent: holds characters that cannot be shown"),
        ({"instructions": "half \ud800"}, "instructions: holds characters that cannot be shown"),
        ({"contact": "\x1b[2J"}, "contact: holds characters that cannot be shown"),
        ({"reason": {"mode": "optional", "question": "Why\x07?"}}, "reason.question: holds characters"),
        ({"reason": {"mode": "optional", "question": "\u2060"}}, "reason.question: is empty"),
        ({"systems": ["a", "b\x1b"]}, "'b\\x1b' cannot be a system's name"),
        ({"systems": ["a", "\u200b"]}, "cannot be a system's name"),
        (
            {"checks": {"rate": 0.1, "items": [{**KNOWN, "context": ["\u200b"]}]}},
            "checks.items.1.context: must be a list",
        ),
        (
            {"checks": {"rate": 0.1, "items": [{**KNOWN, "context": ["a\x07"]}]}},
            "checks.items.1.context: holds characters",
        ),
        (
            {"checks": {"rate": 0.1, "items": [{**KNOWN, "endings": ["Two.", "two.\u200b"]}]}},
            "checks.items.1.endings: two",
        ),
        ({"training": {**KNOWN, "endings": ["a", "b\x9b"]}}, "training.1.endings: holds characters"),
        ({"training": {**KNOWN, "feedback": "\x07"}}, "training.1.feedback: holds characters"),
        (
            {**ORDER, "training": {"context": ["One.", "Two."], "endings": ["one. "]}},
            "training.1.endings: two sentences",
        ),
        ({**RATING, "scales": [{"name": "fun", "text": "Fun\x07?"}]}, "scales.1.text, labels: holds characters"),
        (
            {**RATING, "scales": ["bad_to_perfect", "fun"]},
            "scales.2.text: is missing: write what annotators read, or name",
        ),
        ({**RATING, "scales": "fun"}, "scales.1.text: is missing: write what annotators read, or name one of consis"),
        ({**RATING, "training": True}, "right for quality, such as {quality: [3]}"),
        ({"training": [KNOWN, {**KNOWN, "endings": ["a", "b\x9b"]}]}, "training.2.endings: holds characters"),
        ({"training": [True, True]}, "training: 1 and 2 are the same"),
        ({"training": "yes"}, "training: must be a list"),
        ({"reason": {"mode": "optional", "boxes": ["logic", "style"]}}, "reason.boxes: must be true or some of logic,"),
        ({"reason": {"mode": "optional", "boxes": ["logic", "logic"]}}, "reason.boxes: logic is listed twice"),
        ({"reason": {"boxes": True}}, "reason.boxes: no reason is asked"),
        ({"reason": {"highlight": True}}, "reason.highlight: no reason is asked"),
        ({"skip": {"most": 0}}, "skip.most: must be between 1"),
        ({"skip": {"limit": 1}}, "skip: unknown key limit"),
        ({"flag": "yes"}, "flag: must be true or false"),
        ({"back": {"most": 1}}, "back: must be true or false"),
        ({"ask": {"before": [{"name": "Age", "text": "?"}]}}, "ask.before.1.name: must be 1 to 40"),
        ({"ask": {"before": [{"name": "age"}]}}, "ask.before.1.text: is missing"),
        ({"ask": {"after": [{**AGE, "type": "date"}]}}, "ask.after.1.type: must be one of text, number,"),
        ({"ask": {"after": [{**AGE, "type": "choice", "options": ["a"]}]}}, "ask.after.1.options: must be 2 to 50"),
        (
            {"ask": {"after": [{**AGE, "type": "choice", "options": ["a", "A "]}]}},
            "ask.after.1.options: must be differ",
        ),
        ({"ask": {"after": [{**AGE, "options": ["a", "b"]}]}}, "ask.after.1.options: a question of type number has"),
        ({"ask": {"before": [AGE], "after": [AGE]}}, "ask.before, after: age is listed twice"),
        ({"ask": {"during": []}}, "ask: unknown key during"),
    ],
)
def test_a_mistake(keys, message):
    [found] = mistakes(**keys)
    assert message in found


def test_named_scales_and_own_ones():
    rating = {"name": "pilot", "kind": "rating", "systems": ["one"]}
    named = design_from({**rating, "scales": "consistency_readability"}, "STUDY.yaml")
    assert [(scale.name, scale.low, scale.high) for scale in named.scales] == [
        ("consistency", 0, 5),
        ("readability", 0, 5),
    ]
    assert named_scales("bad_to_perfect", texts("en"))[0].labels == ("Bad", "Relevant", "Good", "Perfect")
    own = design_from({**rating, "scales": [{"name": "fun", "text": "Is it fun?", "low": 1, "high": 3}]}, "STUDY.yaml")
    assert own.scales[0].high == 3


def test_named_scales_may_stand_in_a_list():
    own = {"name": "fun", "text": "Is it fun?"}
    made = design_from({**LEAST, "kind": "rating", "scales": ["grammar_logicality", own]}, "STUDY.yaml")
    assert [scale.name for scale in made.scales] == ["grammar", "logicality", "fun"]


def test_the_training_item_of_the_package_needs_right_values_in_a_study_of_ratings():
    made = design_from({**LEAST, **RATING, "training": {"values": {"quality": [2, 3]}}}, "STUDY.yaml")
    assert made.training[0].endings == ("Her father loved the cake.",)
    assert "other one" not in made.training[0].feedback


def test_feedback_on_a_training_item_of_ones_own_says_nothing_of_ours():
    assert "cake" not in design_from({**LEAST, "training": KNOWN}, "STUDY.yaml").training[0].feedback
    assert "cake" not in design_from({**LEAST, "training": KNOWN}, "STUDY.yaml").training[0].feedback_right
    ours = design_from({**LEAST, "training": True}, "STUDY.yaml").training[0]
    assert "cake" in ours.feedback
    assert "cake" in ours.feedback_right


def test_the_reason_for_a_rating_is_asked_as_one():
    asked = {"mode": "optional"}
    assert "rate it so" in design_from({**LEAST, **RATING, "reason": asked}, "x").reason.question
    assert "choose this answer" in design_from({**LEAST, "reason": asked}, "x").reason.question
    assert design_from({**LEAST, **RATING, "reason": {**asked, "question": "Why?"}}, "x").reason.question == "Why?"
    assert design_from({**LEAST, **RATING, "reason": {"mode": "off"}}, "x").reason.mode == "off"


def test_a_system_without_endings_is_named_with_all_other_mistakes(tmp_path: Path):
    path = tmp_path / "STUDY.yaml"
    path.write_text("name: No\nsystems: [h_seqseq, human_right]\nanswers_per_item: 0\n")
    with pytest.raises(UserError) as raised:
        read_design(path, {"h_seq2seq"})
    found = str(raised.value).split("; ")
    assert [part for part in ("name: ", "answers_per_item: ", "no ending of h_seqseq") if part in str(raised.value)]
    assert len([each for each in found if each.startswith(str(path))]) == 3
    path.write_text("name: pilot\nsystems: [h_seq2seq, human_right, human_wrong]\n")
    assert read_design(path, {"h_seq2seq", "other"}).systems[0] == "h_seq2seq"


def test_a_mistake_prints_no_more_than_a_part_of_a_long_value():
    assert len(mistakes(name="a" * 100_000)[0]) < 400


def test_the_training_item_of_the_package():
    assert design_from({**LEAST, "training": True}, "x").training[0].endings[0] == "Her father loved the cake."
    assert design_from({**LEAST, "training": {"attempts": 3}}, "x").training[0].attempts == 3
    assert design_from({**LEAST, "training": False}, "x").training == ()
    assert len(design_from({**LEAST, "kind": "order", "training": True}, "x").training[0].endings) == 1


def test_prolific_addresses_come_from_the_codes():
    entry = Entry("prolific", completion_code="C1", screen_out_code="S1")
    assert entry.completion_url == "https://app.prolific.com/submissions/complete?cc=C1"
    assert entry.screen_out_url.endswith("cc=S1")
    assert Entry("open", completion_code="C1").completion_url == ""


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"training": True, "checks": {"rate": 0.1}},
        {"kind": "rating", "scales": "bad_to_perfect"},
        {"entry": {"kind": "prolific", "completion_code": "C1"}, "question": "Étrange – 🙂?"},
    ],
)
def test_a_design_survives_json(keys):
    design = design_from({**LEAST, **keys}, "STUDY.yaml")
    assert from_json(to_json(design)) == design


def changed(text: str, **keys) -> str:
    return json.dumps(json.loads(text) | keys)


def test_a_stored_design_is_read_whatever_the_rules_are_now():
    design = design_from({**LEAST, "training": True, "checks": {"rate": 0.1}}, "STUDY.yaml")
    forbidden = {
        "lease_minutes": 0.01,
        "title": "\u202e",
        "answers_per_item": 0,
        "systems": ["both"],
        "name": "No Good",
    }
    stored = from_json(changed(to_json(design), **forbidden))
    assert (stored.lease_minutes, stored.title, stored.systems) == (0.01, "\u202e", ("both",))
    assert stored.training == design.training
    assert from_json(to_json(stored)) == stored


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"colour": "red"}, "unknown key colour"),
        ({"kind": "write"}, "kind: must be one of pair, rating, order, best_worst, ranking, not 'write'"),
        ({"entry": {"kind": "links", "sms": True}}, "entry: unknown key sms"),
    ],
)
def test_a_stored_design_of_a_newer_version_is_refused(keys, message):
    text = changed(to_json(design_from(LEAST, "STUDY.yaml")), **keys)
    with pytest.raises(UserError, match=f"study pilot.*{message}.*of another version of this package") as raised:
        from_json(text, "study pilot")
    assert "\n" not in str(raised.value)


def test_reading_a_file(tmp_path: Path):
    path = tmp_path / "STUDY.yaml"
    path.write_text("name: pilot\nsystems: [a, b]\nreason: {mode: required, min_length: 20}\nlease_minutes: 5\n")
    design = read_design(path)
    assert isinstance(design, Design)
    assert (design.reason.min_length, design.lease_minutes) == (20, 5.0)
    path.write_text("name: pilot\nsystems: [a, b]\nreason: {mode: off}\ntraining: true\n")  # off is no word for false
    assert read_design(path).reason.mode == "off"
    assert read_design(path).training


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: pilot\nname: other\n", 'found duplicate key "name"'),
        ("name: [pilot\n", "line 2, column 1: not readable YAML"),
        ("- a list\n", "must be a section"),
        ("", "name: must be"),
        ("name: !!python/object:os.system x\n", "not readable YAML"),
        ("a: &a [x, x]\nname: [*a, *a]\n", "line 2, column 8: not readable YAML (*a is an alias"),
        (f"name: {'[' * 800}{']' * 800}\n", "nested too deeply to be read"),
        (f"answers_per_item: {'9' * 5000}\n", "not readable YAML (Exceeds the limit"),
        (f"answers_per_item: {'9' * 4000}\n", "answers_per_item: must be below 2^63"),
        ("name: 2026-13-45\n", "not readable YAML (month must be"),
        ('name: pilot\nsystems: ["\\ud800", b]\n', "cannot be a system's name"),
        ("name: a\x07\n", "line 1: not readable YAML (special characters are not allowed)"),
        ("[1, 2]: 3\n", "unknown key (1, 2)"),
        (f"name: {'a' * (1 << 20)}\n", "larger than 1,048,576 bytes"),
    ],
)
def test_files_that_are_no_design(tmp_path: Path, text: str, message: str):
    path = tmp_path / "STUDY.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as raised:
        read_design(path)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_text(tmp_path: Path):
    path = tmp_path / "STUDY.yaml"
    path.write_bytes(b"name: \xff")
    with pytest.raises(UserError, match="not text in UTF-8"):
        read_design(path)


@pytest.mark.parametrize(
    ("kind", "given", "kept"),
    [
        ("text", [" a\u200b\r\nb "], ["a\nb"]),
        ("text", ["  "], []),
        ("number", ["034"], ["34"]),
        ("number", ["-2.50"], ["-2.5"]),
        ("number", ["２５"], ["25"]),
        ("choice", ["b"], ["b"]),
        ("several", ["b", "a", "b"], ["a", "b"]),
    ],
)
def test_replies_as_they_are_kept(kind, given, kept):
    options = ("a", "b") if kind in ("choice", "several") else ()
    assert OwnQuestion("q", "Which?", kind, options).replied(given, texts("en")) == kept


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("text", ["x" * 2001]),
        ("text", ["\x07"]),
        ("number", ["many"]),
        ("number", ["inf"]),
        ("number", ["1_000"]),
        ("number", ["1e999"]),
        ("choice", ["c"]),
        ("choice", ["a", "b"]),
        ("several", ["a", "c"]),
    ],
)
def test_replies_that_do_not_fit(kind, given):
    options = ("a", "b") if kind in ("choice", "several") else ()
    with pytest.raises(UnfitReply):
        OwnQuestion("q", "Which?", kind, options).replied(given, texts("en"))


def test_what_true_means():
    design = design_from({**LEAST, "skip": True, "reason": {"mode": "optional", "boxes": True}}, "x")
    assert design.reason.boxes == ELEMENTS
    assert design.skip is not None
    assert design.skip.most is None
    assert design_from({**LEAST, "skip": False, "reason": {"mode": "optional", "boxes": False}}, "x").skip is None
    several = design_from({**LEAST, "training": [True, KNOWN]}, "x").training
    assert [item.context[0] for item in several] == [
        "Nora wanted to bake a cake for her father.",
        *KNOWN["context"][:1],
    ]
    assert from_json(to_json(design)) == design


def test_words_of_a_sentence():
    assert words_of("He  said: “don't!” 3 times.") == ["He", "said:", "“don't!”", "3", "times."]
    assert words_of("猫がA列車。") == ["猫", "が", "A", "列", "車", "。"]
    assert runs([5, 3, 4, 9, 3]) == [(3, 6), (9, 10)]
