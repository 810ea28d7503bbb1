"""The monitor: endings that are given away, endings that are not, single writers, and what is kept between looks."""

import random

import pyarrow as pa
import pytest

from denouement.collect import watching
from denouement.collect.watching import WatchRules, points, watch
from denouement.collect.work import as_table
from denouement.text import syntax

NAMES = ["Ann", "Tom", "Eve", "Max", "Ida"]
VERBS = ["saw", "bought", "lost", "found", "painted"]
THINGS = ["a boat", "the old car", "two apples", "a red hat", "some bread"]


def pairs(n: int, given_away=lambda at: False, writers: int = 4) -> pa.Table:
    """Endings of drawn words; where they are given away, the wrong one is of another form, with never in it."""
    draw = random.Random(7)

    def ending() -> str:
        return f"{draw.choice(NAMES)} {draw.choice(VERBS)} {draw.choice(THINGS)} on day {draw.randrange(n)}."

    rows = []
    for at in range(n):
        right, wrong = ending(), ending()
        rows.append(
            {
                "case_id": f"c{at}",
                "context": [f"It was day {at}.", "The sun rose.", "People got up.", "They went out."],
                "right": right,
                "wrong": wrong.replace(" on day", " never on day") if given_away(at) else wrong,
                "writer": f"w{at % writers}",
            }
        )
    return as_table("collected_endings", rows)


def test_the_points_of_the_curve():
    assert [*points(100)] == []
    assert [*points(101)] == [100]
    assert [*points(1000)] == [100, 150, 200, 300, 400, 600, 800]


def test_too_few_pairs_say_why():
    found = watch(pairs(99), None)
    assert (found.pairs, found.curve, found.above) == (99, (), ())
    assert found.missing
    assert "99 pairs" in found.missing


def test_without_a_parser_it_says_so(monkeypatch):
    def missing() -> str:
        raise syntax.NoParserError("no English parser")

    monkeypatch.setattr(syntax, "parser_version", missing)
    found = watch(pairs(100), None)
    assert found.missing == "no English parser"


def test_endings_that_say_nothing_raise_no_alarm():
    found = watch(pairs(160), None, WatchRules(folds=3))
    assert [(point.pairs, point.read) for point in found.curve] == [(100, 100), (150, 150), (160, 160)]
    last = found.curve[-1]
    assert last.low <= 0.5 <= last.high
    assert found.alarms == ()


def test_a_word_in_every_wrong_ending_raises_one_and_is_named():
    found = watch(pairs(120, lambda _: True), None, WatchRules(folds=3))
    assert found.curve[-1].accuracy > 0.95
    assert found.above[0].startswith("a model that sees only the endings is right in")
    assert any("never" in each.feature for each in found.features)
    assert sum(each.n for each in found.writers) == 120
    assert sum(each.correct for each in found.writers) == found.variants[0].correct
    assert found.variants[0].accuracy == found.curve[-1].accuracy


def test_a_single_writer_is_named():
    found = watch(pairs(200, lambda at: at % 4 == 2), None, WatchRules(accuracy=0.7, folds=3))
    assert found.writers[0].writer == "w2"
    assert [sentence.partition(":")[0] for sentence in found.writers_above] == ["writer w2"]
    assert found.alarms == (*found.above, *found.writers_above)


def test_writers_of_few_pairs_are_counted_together():
    found = watch(pairs(100, writers=20), None, WatchRules(folds=3))
    assert (found.writers, found.few) == ((), 100)


def test_only_the_newest_pairs_of_a_large_collection_are_read(monkeypatch):
    monkeypatch.setattr(watching, "MOST", 110)
    found = watch(pairs(130, lambda at: at < 20), None, WatchRules(folds=3))
    assert [(point.pairs, point.read) for point in found.curve] == [(100, 100), (130, 110)]
    assert not any("never" in each.feature for each in found.features)
    assert found.curve[-1].low <= 0.5


def test_a_second_look_works_out_the_last_point_alone(tmp_path, monkeypatch):
    rules = WatchRules(folds=3)
    first = watch(pairs(140), tmp_path, rules)
    fitted = []

    def fit(kind, cases, *rest):
        fitted.append(cases.num_rows)
        raise ZeroDivisionError

    monkeypatch.setattr("denouement.analysis.bias_monitor.out_of_fold", fit)
    assert watch(pairs(140), tmp_path, rules) == first
    assert fitted == []
    grown = pa.concat_tables([pairs(140), pairs(150).slice(140)])
    with pytest.raises(ZeroDivisionError):
        watch(grown, tmp_path, rules)
    assert fitted == [150]  # the point at 100 pairs was kept


@pytest.mark.parametrize("rules", [{"accuracy": 0.4}, {"accuracy": 1.1}, {"folds": 1}])
def test_rules_out_of_range(rules):
    with pytest.raises(ValueError, match="must be"):
        WatchRules(**rules)
