"""What people prefer, from tables of a study and files of chosen and rejected texts."""

import json

import numpy as np
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.errors import UserError
from denouement.metrics.preference.pairs import StoryEnding, read_judged

ANSWER = {
    "study": "s", "is_check": False, "status": "accepted", "reason": None, "elements": None,
    "started_at": None, "submitted_at": None,
}  # fmt: skip


def write(folder, name, *rows):
    path = folder / f"{name}.parquet"
    schemas.write_table(pa.Table.from_pylist(list(rows), schemas.TABLES[name].schema), path, name)
    return path


def vote(item, who, answer, **changes):
    sides = {"position_a": "gen", "position_b": "human_right"}
    choice = {"A": "gen", "B": "human_right"}.get(answer, answer)
    row = {"item_id": item, "case_id": f"case {item}", "annotator_id": who, "question": "better", "answer": answer}
    return {**ANSWER, **row, **sides, "kind": "person", "choice": choice, "strength": None, **changes}


def item(number, case, systems=("gen", "human_right"), endings=("It rained.", "Rex came home."), study="s"):
    context = [f"Story of {case}.", "Rex ran."]
    row = {"study": study, "item_id": number, "case_id": case, "kind": "pair", "context": context}
    return {**row, "systems": list(systems), "endings": list(endings), "is_check": False, "is_training": False}


@pytest.fixture
def votes(tmp_path):
    answers = [("1", "a", "A"), ("1", "b", "B"), ("1", "c", "B"), ("1", "d", "both"), ("2", "a", "neither")]
    check = vote("3", "a", "A", is_check=True)
    return write(tmp_path, "votes", *(vote(*each) for each in answers), check)


def test_votes_of_an_item_are_one_pair_and_who_chooses_neither_is_half_for_each(votes, tmp_path):
    items = write(tmp_path, "items", item("1", "case 1"), item("2", "case 2"), item("3", "case 3"))
    found = read_judged([votes], items)
    assert found.pairs.first == [("case 1", "gen"), ("case 2", "gen")]
    assert found.share.tolist() == [(1 + 0 + 0 + 0.5) / 4, 0.5]
    assert found.pairs.prefers.tolist() == [-1, 0]
    assert found.texts["case 1", "gen"] == StoryEnding(("Story of case 1.", "Rex ran."), "It rained.")
    assert len(found.texts) == 4
    assert len(set(found.stories())) == 2
    assert read_judged([votes]).stories() == ["case 1", "case 2"]


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([item("1", "case 1")], "lacks 2 of the 4 endings that people compared, such as case 2 of gen"),
        ([item("1", "case 1"), item("9", "case 1", endings=("Ice.", "Sun."))], "two texts for case 1 of gen"),
    ],
)
def test_items_of_other_studies_are_refused(items, problem, votes, tmp_path):
    with pytest.raises(UserError, match=problem):
        read_judged([votes], write(tmp_path, "items", *items))


def ranking(who, kind, ranks, **changes):
    row = {"item_id": "1", "case_id": "c", "annotator_id": who, "kind": kind}
    return {**ANSWER, **row, "systems": [*"xyz"], "ranks": ranks, **changes}


def test_rankings_are_pairs_of_each_two_and_the_middle_of_best_worst_is_unknown(tmp_path):
    path = write(tmp_path, "rankings", ranking("a", "ranking", [1, 2, 2]), ranking("b", "ranking", [2, 1, 3]))
    found = read_judged([path])
    shares = {
        (a[1], b[1]): share for a, b, share in zip(found.pairs.first, found.pairs.second, found.share, strict=True)
    }
    assert shares == {("x", "y"): 0.5, ("x", "z"): 1.0, ("y", "z"): 0.75}
    assert found.pairs.prefers.tolist() == [0, 1, 1]
    best_worst = [ranking("a", "best_worst", [2, 1, 2, 3], systems=[*"wxyz"])]
    found = read_judged([write(tmp_path, "rankings", *best_worst)])
    assert len(found.pairs) == 5  # not w and y
    assert set(found.share.tolist()) == {0.0, 1.0}


def test_of_ratings_the_higher_mean_is_preferred(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("case_id,system,ann,bob\n1,x,5,4\n1,y,1,2\n1,z,2,1\n2,x,3,3\n")
    found = read_judged([path])
    assert [(a[1], b[1]) for a, b in zip(found.pairs.first, found.pairs.second, strict=True)] == [
        ("x", "y"), ("x", "z"), ("y", "z")
    ]  # fmt: skip
    assert found.share.tolist() == [1, 1, 0.5]
    path.write_text("case_id,system,rater,rating,question\n1,x,a,1,logic\n1,y,a,2,logic\n1,x,a,2,joy\n1,y,a,1,joy\n")
    found = read_judged([path], question="joy")
    assert (found.share.tolist(), found.question, found.other_questions) == ([1.0], "joy", ["logic"])
    path.write_text("case_id,ann\n1,5\n2,1\n")
    with pytest.raises(UserError, match="no two endings of one story"):
        read_judged([path])


def test_pairs_of_a_system_are_left_out(tmp_path):
    path = write(tmp_path, "rankings", ranking("a", "ranking", [1, 2, 3]))
    found = read_judged([path]).without(["y"])
    assert (found.pairs.first, found.pairs.second, found.share.tolist()) == ([("c", "x")], [("c", "z")], [1.0])
    with pytest.raises(UserError, match="no system w to leave out; there are x, y, z"):
        read_judged([path]).without(["w"])
    with pytest.raises(UserError, match="every pair has an ending of x, y"):
        read_judged([path]).without(["x", "y"])


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def chosen(context, one, other):
    return {"context": context, "chosen": one, "rejected": other}


def test_chosen_and_rejected_texts_are_put_together_by_story_over_files(tmp_path):
    first = lines(
        tmp_path / "a.jsonl",
        chosen("Rex ran. It rained.", "He came.", "He left."),
        chosen(["Rex ran.", "It  rained."], "He left.", "He came."),
        chosen("Rex ran. It rained.", "He slept.", "He left."),
        chosen("Ann sang.", "", "She left."),
        chosen("Ann sang.", "She left.", "She left."),
    )
    second = tmp_path / "b.csv"
    second.write_text('prompt,chosen_story,rejected_story\n"Rex ran. It rained.",He came.,He left.\n')
    found = read_judged([first, second])
    shown = [
        {found.texts[a].ending: share, found.texts[b].ending: 1 - share}
        for a, b, share in zip(found.pairs.first, found.pairs.second, found.share, strict=True)
    ]
    assert shown == [{"He came.": 2 / 3, "He left.": pytest.approx(1 / 3)}, {"He slept.": 1, "He left.": 0}]
    assert {text.context for text in found.texts.values()} == {("Rex ran.", "It rained.")}
    assert found.left_out == [
        "1 rows lack the context or an ending and are left out",
        "1 rows with twice the same ending are left out",
        "2 rows are about two endings that an earlier row has too, and are put together with it",
    ]
    assert np.isfinite(found.share).all()
    assert found.rows().endings == ["He came.", "He left.", "He slept."]


def test_files_that_cannot_be_read_together(votes, tmp_path):
    texts = lines(tmp_path / "a.jsonl", chosen("A.", "B.", "C."))
    with pytest.raises(UserError, match="learn from one kind at a time"):
        read_judged([texts, votes])
    with pytest.raises(UserError, match="a second table of answers"):
        read_judged([votes, votes])
    with pytest.raises(UserError, match="--items, --question and --rater are for answers"):
        read_judged([texts], question="better")
    with pytest.raises(UserError, match="no column context or prompt"):
        read_judged([lines(tmp_path / "b.jsonl", {"chosen": "B.", "rejected": "C."})])
    with pytest.raises(UserError, match="line 1: chosen must be a text"):
        read_judged([lines(tmp_path / "c.jsonl", chosen("A.", [{"role": "user"}], "C."))])
