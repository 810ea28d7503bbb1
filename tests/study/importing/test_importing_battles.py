"""Battles between two models, as LMArena publishes them."""

import json
from pathlib import Path

import pytest
from answer_files import csv_text, write

from denouement.errors import UserError
from denouement.study.importing import import_answers


def turns(*texts):
    return [{"role": role, "content": text} for role, text in zip(("user", "assistant") * 2, texts, strict=False)]


def battle(winner, judge="j1", prompt="Tom lost his key. End the story.", **other):
    return {
        "question_id": f"q-{winner}-{judge}",
        "model_a": "gpt",
        "model_b": "claude",
        "winner": winner,
        "judge": judge,
        "conversation_a": turns(prompt, "He found it."),
        "conversation_b": turns(prompt, "He cried."),
        "turn": 1,
        "language": "English",
        "tstamp": 1700000000.5,
    } | other


WINNERS = {"model_a": "gpt", "model_b": "claude", "tie": "both", "tie (bothbad)": "neither"}


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_all_forms_and_winners(tmp_path: Path, form):
    battles = [battle(winner, f"j{n}") for n, winner in enumerate(WINNERS)]
    if form == "csv":
        cells = [
            {name: each if isinstance(each, str) else json.dumps(each) for name, each in one.items()} for one in battles
        ]
        text = csv_text(cells)
    else:
        text = json.dumps(battles) if form == "json" else "\n".join(map(json.dumps, battles))
    found = import_answers([write(tmp_path / "battles", text)], keep_ids=True)
    votes = found.tables["votes"].to_pylist()
    assert {vote["annotator_id"]: vote["choice"] for vote in votes} == {
        f"j{n}": choice for n, choice in enumerate(WINNERS.values())
    }
    assert len({vote["item_id"] for vote in votes}) == 1, "one prompt with the same replies is one item"
    assert votes[0]["submitted_at"].isoformat() == "2023-11-14T22:13:20.500000+00:00"
    (item,) = found.tables["items"].to_pylist()
    assert item["context"] == ["Tom lost his key.", "End the story."]
    assert dict(zip(item["systems"], item["endings"], strict=True)) == {"claude": "He cried.", "gpt": "He found it."}
    assert found.counts["rows"] == 4


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"winner": "me"}, "winner is 'me'"),
        ({"conversation_a": turns("Another prompt.", "He found it.")}, "different prompts"),
        ({"conversation_a": turns("Hi.", "Hello.", "Go on.", "Why?")}, "not one prompt and one reply"),
        ({"conversation_a": "{"}, "not JSON"),
        ({"conversation_b": [1]}, "no list of messages"),
        ({"conversation_b": []}, "not one prompt and one reply"),
        ({"judge": ""}, "no annotator's id"),
        ({"model_a": "claude"}, "both of claude"),
    ],
)
def test_what_is_no_battle_is_counted_with_its_reason(tmp_path: Path, other, why):
    file = write(tmp_path / "battles.json", json.dumps([battle("model_a"), battle("model_b", "j2") | other]))
    found = import_answers([file])
    assert found.tables["votes"].num_rows == 1
    (reject,) = found.rejects.to_pylist()
    assert (reject["line"], why in reject["reason"]) == (2, True), reject["reason"]


def test_the_same_file_twice_is_one(tmp_path: Path):
    text = json.dumps([battle("tie")])
    found = import_answers([write(tmp_path / "a.json", text), write(tmp_path / "b.json", text + "\n")])
    assert found.tables["votes"].num_rows == 1
    assert found.counts["duplicate_rows"] == 1


def test_nothing_usable_is_an_error(tmp_path: Path):
    file = write(tmp_path / "battles.json", json.dumps([battle("nobody")]))
    with pytest.raises(UserError, match="no usable answer in 1 rows"):
        import_answers([file])
