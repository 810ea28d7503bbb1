"""Small files in the layouts of UNION, OpenMEVA and StoryER, written by hand."""

import json
from pathlib import Path

import pytest

from denouement.errors import UserError
from denouement.metrics.agreement.levels import GLOBAL, all_once, correlations
from denouement.metrics.agreement.people import read_people
from denouement.metrics.agreement.published import LAYOUTS, published_file
from denouement.metrics.agreement.reading import read_scores
from denouement.metrics.agreement.values import matched

UNION = """151 ||| the dog ran . the end . ||| 0 0 1 0 0 0 1
152///153 ||| [FEMALE] sat . she slept . ||| 1 1 1 1 1 1 1
3 ||| it rained . it rained . ||| 0 0 0 0 0 0 0
"""
MAGS = {
    "7": {
        "prompt": "p",
        "gold_response": "r",
        "gen": {"s2s": {"text": "t", "score": [1, 2, "3", 1, 1]}, "gpt": {"text": "u", "score": [5, 4, 5, 5, 5]}},
    },
    "8": {"prompt": "p", "gold_response": "r", "gen": {"s2s": {"text": "t"}}},
}
METRIC = [
    {"id": "7", "model_name": "s2s", "context": "p", "metric_score": {"bleu": 0.25}, "score": [1, 2, 3, 1, 1]},
    {"id": "7", "model_name": "gpt", "context": "p", "metric_score": {"bleu": 0.5}, "score": [5, 4, 5, 5, 5]},
]
STORYER = """[{"story": "a", "prompt": "[WP] p", "score": 33.0,
  "comments": [[3, 4, "why"], [3, 2, "why"], [1, 5, "why"], [-1, -1, NaN]]},
 {"story": "b", "prompt": "[WP] p", "score": 1.0, "comments": [[3, 1, "why"], [10, 2, "why"]]}]"""


@pytest.fixture
def file(tmp_path):
    def write(name: str, content: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write


def test_union_ratings_and_a_folder_of_scores(file):
    people = read_people(file("ant_data.txt", UNION))
    assert people.ratings.endings == [("1", ""), ("2", ""), ("3", "")]
    assert len(people.ratings.raters) == 7
    assert people.ratings.means().tolist() == pytest.approx([2 / 7, 1, 0])
    folder = file("metric_output/union.txt", "0.5\n0.75\n1e-05\n").parent
    file("metric_output/ppl.txt", "3.5\n2.25\n4\n")
    scores = read_scores(folder)
    assert sorted(scores.names) == ["ppl", "union"]
    grid, _, _ = matched(scores, people.ratings)
    taus = dict(zip(grid.scores, correlations(GLOBAL, grid, all_once(grid))["kendall"][:, 0], strict=True))
    assert taus == {"union": pytest.approx(1), "ppl": pytest.approx(-1)}


def test_union_lines_of_another_form_and_lists_of_other_stories_are_refused(file):
    with pytest.raises(UserError, match=r"line 2 is not `ids \|\|\| story \|\|\| ratings`"):
        read_people(file("ant_data.txt", UNION.replace("152///153 |||", "152")))
    folder = file("metric_output/union.txt", "0.5\n0.75\n").parent
    file("metric_output/bleu.txt", "0.5\n")
    with pytest.raises(UserError, match=r"bleu.txt has 1 lines and .*union.txt 2; name a folder"):
        read_scores(folder)


def test_openmeva_stories_and_scores(file):
    people, scores = read_people(file("mags_roc.json", MAGS)), read_scores(file("roc_metric.json", METRIC))
    assert people.ratings.endings == scores.endings == [("7", "gpt"), ("7", "s2s")]
    assert people.ratings.means().tolist() == [4.8, 1.6]
    assert (scores.names, scores.values.tolist()) == (["bleu"], [[0.5, 0.25]])
    assert read_people(file("roc_metric.json", METRIC)).ratings.means().tolist() == [4.8, 1.6]


def test_storyer_ratings_by_aspect_and_votes(file):
    path = file("rate.json", STORYER)
    people = read_people(path, "ending")
    assert people.ratings.endings == [("1", ""), ("2", "")]
    assert people.ratings.means().tolist() == [3, 1]
    assert people.other_questions == ["opening", "novel"]
    assert read_scores(path).values.tolist() == [[33, 1]]


def test_pickles_are_refused(file):
    with pytest.raises(UserError, match="a pickle, which can run code"):
        read_scores(file("train_rank_data.pkl", "x"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("roc_metric.json", [{"id": "7", "metric_score": {"bleu": "much"}, "model_name": "gpt"}]),
        ("roc_metric.json", [{"id": "7", "metric_score": {"bleu": 1}}]),
        ("mags_roc.json", {"7": {"gen": {"s2s": []}, "gold_response": "r"}}),
        ("rate.json", STORYER.replace("[3, 4,", "[30, 4,")),
        ("rate.json", STORYER[:-1]),
    ],
)
def test_a_damaged_file_is_one_line(file, name, content):
    with pytest.raises(UserError, match=name) as raised:
        published_file(file(name, content))
    assert "\n" not in str(raised.value)


def test_scores_where_ratings_belong_and_the_reverse_are_named(file):
    with pytest.raises(UserError, match="has people's ratings and no scores"):
        read_scores(file("mags_roc.json", MAGS))
    numbers = file("union.txt", "0.5\n1\n")
    with pytest.raises(UserError, match="has scores and no ratings"):
        read_people(numbers)


def test_each_layout_is_recognised_by_itself_alone(file, capsys):
    examples = {
        "union": file("ant_data.txt", UNION),
        "openmeva": file("mags_roc.json", MAGS),
        "storyer": file("rate.json", STORYER),
        "hanna": file("h.csv", "Model,Relevance,Coherence,Empathy,Surprise,Engagement,Complexity,BLEU\n"),
    }
    assert set(examples) == set(LAYOUTS)
    for name, path in examples.items():
        assert [each for each, layout in LAYOUTS.items() if layout.is_of(path)] == [name]
    assert published_file(file("plain.csv", "item_id,bleu\n1,2\n")) is None
    with capsys.disabled():
        print(f"\n{len(examples)} layouts visited")
