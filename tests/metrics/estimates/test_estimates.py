"""Estimates of a study with a score: joins, hand-worked cases, what is refused or said."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from denouement.answers import QuestionAsked, as_metadata
from denouement.errors import UserError
from denouement.metrics.estimates.estimates import FEWEST, ITEMS, PREFERRED, WINS, Estimates, estimates
from denouement.metrics.estimates.scored_pairs import PairScores, read_answers, read_pair_scores
from denouement.metrics.estimates.sections import warnings
from denouement.schemas import TABLES, read_table, write_table
from denouement.study.results.ballot import count
from denouement.study.results.preferences import study_results
from tests.study.votes_by_hand import votes

ANSWERED, ALL = 24, 80
PAIR = ("mine", "human_right")


def answers(seed: int = 0, n: int = ANSWERED, people: int = 8, ties: bool = True) -> dict[str, list[str]]:
    """By item the choices of three of the people; the higher the number, the more often it is the first system."""
    generator = np.random.default_rng(seed)
    rows = {}
    for item in sorted(generator.permutation(ALL)[:n].tolist()):
        its = [""] * people
        for person in generator.choice(people, 3, replace=False):
            first = generator.random() < 0.1 + 0.8 * item / ALL
            its[person] = "both" if ties and generator.random() < 0.2 else PAIR[0] if first else PAIR[1]
        rows[str(item)] = its
    return rows


def table_of(rows: dict[str, list[str]], pair: tuple[str, str] = PAIR) -> pa.Table:
    return votes({item: (*pair, choices) for item, choices in rows.items()})


def scores_of(pair: tuple[str, str] = PAIR, **changed: float | None) -> PairScores:
    values = {f"case-{item}": float(item) for item in range(ALL)}
    for case, value in changed.items():
        values[case.replace("_", "-")] = value
    return PairScores("scores.csv", "bleu", {pair: {case: its for case, its in values.items() if its is not None}})


def found_of(rows: dict[str, list[str]], scores: PairScores | None = None) -> Estimates:
    return estimates(count(table_of(rows)), scores or scores_of())


def test_what_people_say_alone_is_what_the_results_of_the_study_say():
    rows = answers()
    [pair] = found_of(rows).pairs
    [row] = study_results(table_of(rows)).pairs
    by_name = {each.what: each for each in pair.values}
    alone, preferred = by_name[PREFERRED].alone, row.preference
    assert (alone.value, alone.low, alone.high, alone.over) == (
        preferred.share,
        preferred.low,
        preferred.high,
        preferred.over,
    )
    single = row.single_answers
    assert by_name[WINS].alone.value == pytest.approx(
        single.first.share + (single.both.share + single.neither.share) / 2
    )
    agreed = row.agreement
    undecided = agreed.both.n + agreed.neither.n + agreed.no_agreement.n
    assert by_name[ITEMS].alone.value == pytest.approx((agreed.first.n + undecided / 2) / row.items)
    assert by_name[ITEMS].alone.over == "cases"


def test_a_good_score_makes_each_value_more_certain():
    [pair] = found_of(answers()).pairs
    assert (pair.items, pair.answered, pair.answers, pair.without_score) == (ALL, ANSWERED, 3 * ANSWERED, 0)
    assert pair.correlation > 0.3
    for row in pair.values:
        assert row.with_score.high - row.with_score.low < row.alone.high - row.alone.low, row.what
        assert row.worth > 1.1
        assert row.with_score.low < 0.5 < row.with_score.high  # as the answers were drawn


def test_a_reversed_score_says_the_same_and_only_its_order_counts():
    rows = answers()
    straight = found_of(rows)
    for change in (lambda each: -each, lambda each: each**3 + 2):
        changed = PairScores(
            "s", "bleu", {PAIR: {case: change(each) for case, each in scores_of().values[PAIR].items()}}
        )
        other = found_of(rows, changed)
        for one, another in zip(straight.pairs[0].values, other.pairs[0].values, strict=True):
            assert another.with_score.low == pytest.approx(one.with_score.low)
            assert another.worth == pytest.approx(one.worth)


def test_without_ties_there_is_one_share_of_answers():
    [pair] = found_of(answers(ties=False)).pairs
    assert [row.what for row in pair.values] == [ITEMS, WINS]


def test_the_order_of_votes_and_of_scores_makes_no_difference():
    table = table_of(answers())
    mixed = table.take(np.random.default_rng(0).permutation(table.num_rows))
    scores = scores_of()
    backwards = replace(scores, values={PAIR: dict(reversed(scores.values[PAIR].items()))})
    one, other = estimates(count(table), scores), estimates(count(mixed), backwards)
    for a, b in zip(one.pairs[0].values, other.pairs[0].values, strict=True):
        assert (a.with_score.low, a.with_score.high) == pytest.approx((b.with_score.low, b.with_score.high))


def test_answered_items_without_a_score_are_said_and_count_alone():
    rows = answers()
    first, second, *_ = rows
    found = found_of(rows, scores_of(**{f"case_{first}": None, f"case_{second}": None}))
    [pair], [whole] = found.pairs, found_of(rows).pairs
    assert (pair.items, pair.answered, pair.without_score) == (ALL - 2, ANSWERED - 2, 2)
    assert pair.values[0].alone == whole.values[0].alone
    assert pair.values[0].with_score != whole.values[0].with_score
    assert any("2 answered items have no score" in each for each in warnings(found))


def test_items_that_were_not_drawn_at_random_are_noticed():
    rows = {str(item): ["mine", "human_right", "mine"] for item in range(ALL - 24, ALL)}
    found = found_of(rows)
    assert found.pairs[0].p_not_random < 0.001
    assert any("no random draw" in each for each in warnings(found))
    assert not any("no random draw" in each for each in warnings(found_of(answers())))


def test_where_all_items_are_answered_that_is_said():
    found = found_of(answers(n=ALL))
    assert found.pairs[0].p_not_random is None
    assert any("every scored item is answered" in each for each in warnings(found))


def test_with_few_cases_no_score_is_used():
    found = found_of(answers(n=FEWEST - 1))
    for row in found.pairs[0].values:
        assert row.with_score.value is None
        assert row.with_score.why_not == "answers about 9 scored cases, fewer than 10"
        assert row.worth is None
        assert row.alone.value is not None


def test_answers_that_are_all_the_same_have_no_interval():
    rows = {item: [PAIR[1] if each else "" for each in its] for item, its in answers().items()}
    for row in found_of(rows).pairs[0].values:
        assert row.alone.value == 0
        assert row.with_score.low is row.worth is None
        assert row.with_score.why_not == "all answers are the same"


def test_a_score_that_says_every_answer_has_no_interval():
    rows = {str(item): [PAIR[item % 2]] * 3 for item in range(20)}
    scores = PairScores("s", "oracle", {PAIR: {f"case-{item}": float(item % 2 == 0) for item in range(ALL)}})
    for row in found_of(rows, scores).pairs[0].values:
        assert (row.with_score.value, row.with_score.low, row.worth) == (0.5, None, None)
        assert "it is not known how often it errs" in row.with_score.why_not


def test_a_score_that_is_always_the_same_changes_nothing():
    scores = PairScores("s", "flat", {PAIR: {f"case-{item}": 1.0 for item in range(ALL)}})
    [pair] = found_of(answers(), scores).pairs
    assert (pair.correlation, pair.p_not_random) == (None, None)
    assert [row.worth for row in pair.values] == pytest.approx([1, 1, 1])
    assert pair.values[1].with_score.low == pytest.approx(pair.values[1].alone.low)


def three_systems(seed: int = 3) -> tuple[pa.Table, PairScores]:
    generator = np.random.default_rng(seed)
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    strong, quality = {"a": 0.8, "b": 0.0, "c": -0.8}, {name: generator.normal(size=ALL) for name in "abc"}
    items, answered = {}, generator.permutation(ALL)[:30].tolist()
    for first, second in pairs:
        for case in answered:
            logit = strong[first] - strong[second] + 1.5 * (quality[first][case] - quality[second][case])
            its = [first if generator.random() < 1 / (1 + np.exp(-logit)) else second for _ in range(6)]
            items[f"{first}{second}{case}"] = (first, second, its)
    table = votes(items)
    cases = pa.array([f"case-{each[2:]}" for each in table["item_id"].to_pylist()])
    table = table.set_column(table.schema.get_field_index("case_id"), TABLES["votes"].schema.field("case_id"), cases)
    values = {
        (first, second): {f"case-{case}": quality[first][case] - quality[second][case] for case in range(ALL)}
        for first, second in pairs
    }
    return table, PairScores("scores.csv", "oracle", values)


def test_strengths_are_those_of_the_study_and_narrower_with_a_good_score():
    table, scores = three_systems()
    found = estimates(count(table), scores)
    alone = {row.system: row for row in study_results(table).strengths.systems}
    assert [row.what for row in found.strengths] == ["a", "b", "c"]
    for row in found.strengths:
        its = alone[row.what]
        assert (row.alone.value, row.alone.low, row.alone.high) == (its.strength, its.low, its.high)
        assert row.with_score.low <= row.with_score.value <= row.with_score.high
    assert sum(row.with_score.value for row in found.strengths) == pytest.approx(0)
    assert np.mean([row.worth for row in found.strengths]) > 1.2


def test_strengths_with_all_items_answered_stay_as_they_are():
    table, scores = three_systems()
    cases = set(table["case_id"].to_pylist())
    few = {pair: {case: value for case, value in its.items() if case in cases} for pair, its in scores.values.items()}
    for row in estimates(count(table), replace(scores, values=few)).strengths:
        assert row.with_score.value == pytest.approx(row.alone.value, abs=1e-6)


def test_a_system_that_never_wins_has_no_strength_and_a_sentence_says_so():
    table = votes({str(n): (*pair, [pair[0]] * 3) for n, pair in enumerate([("a", "b"), ("b", "c")] * 12)})
    values = {pair: {f"case-{n}": float(n % 5) for n in range(24)} for pair in (("a", "b"), ("b", "c"))}
    found = estimates(count(table), PairScores("s", "bleu", values))
    assert found.strengths == []
    assert "no answer prefers" in found.why_no_strengths


def written(tmp_path, rows: dict[str, list[str]], name: str = "votes.parquet", **columns: object):
    write_table(votes({item: (*PAIR, its) for item, its in rows.items()}, **columns), tmp_path / name, "votes")
    return tmp_path / name


def csv_of(tmp_path, text: str):
    (tmp_path / "scores.csv").write_text(text)
    return tmp_path / "scores.csv"


def long_scores(lower: str = "") -> str:
    lines = [
        f"case-{item},{system},{item if system == PAIR[0] else 40},{lower}" for item in range(ALL) for system in PAIR
    ]
    return "case_id,system,bleu\n" + "".join(f"{line.rstrip(',')}\n" for line in lines)


def test_scores_of_endings_are_differences_of_pairs(tmp_path):
    people = read_answers(written(tmp_path, answers()))
    found = read_pair_scores(csv_of(tmp_path, long_scores()), people)
    assert found.name == "bleu"
    assert found.values[PAIR] == {f"case-{item}": item - 40 for item in range(ALL)}


@pytest.mark.parametrize(("kind", "beside_people"), [("person", False), ("model", False), ("model", True)])
def test_a_judge_answers_about_all_items(kind, beside_people, tmp_path):
    """Two orders of one item: the first system twice is 1, once and a tie 0.75."""
    people = read_answers(written(tmp_path, answers()))
    judge = {str(item): ["mine", "both" if item % 2 else "mine"] for item in range(ALL)}
    table = votes({item: (*PAIR, its) for item, its in judge.items()})
    ids = pa.array([f"model-{each}" for each in table["annotator_id"].to_pylist()])
    place = table.schema.get_field_index("annotator_id")
    path = tmp_path / "judge.parquet"
    table = table.set_column(place, table.schema.field(place), ids)
    place = table.schema.get_field_index("kind")
    model = table.set_column(place, table.schema.field(place), pa.array(["model"] * table.num_rows))
    if beside_people:
        model = pa.concat_tables([read_table(written(tmp_path, answers()), "votes"), model])
    write_table(model if kind == "model" else table, path, "votes")
    found = read_pair_scores(path, people)
    assert (found.name, found.values[PAIR]["case-2"], found.values[PAIR]["case-3"]) == ("judge.parquet", 1, 0.75)


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        ("case_id,bleu\n1,2\n", None, "names no systems"),
        ("case_id,system,a,b\n1,mine,2,3\n", None, "has 2 scores; choose one with --score, before"),
        ("case_id,system,a\n1,mine,2\n", "b", "no score b; there are a"),
        ("case_id,system,a\n1,mine,2\n", None, "no value for mine and human_right of one case"),
        (
            "case_id,system,a\nx,mine,2\nx,human_right,1\n",
            None,
            "has no value for any case about which people compared",
        ),
        ("case_id,system,a\n1,mine,2\n1,mine,3\n", None, "1 rows repeat another"),
    ],
)
def test_scores_that_do_not_fit_are_refused(tmp_path, text, name, problem):
    people = read_answers(written(tmp_path, answers()))
    with pytest.raises(UserError, match=problem):
        estimates(people, read_pair_scores(csv_of(tmp_path, text), people, name))


def test_people_are_not_their_own_judge(tmp_path):
    people = read_answers(written(tmp_path, answers()))
    with pytest.raises(UserError, match=r"p0, p1, .* a judge is none of the people"):
        read_pair_scores(written(tmp_path, answers(1), "other.parquet"), people)


def test_a_judge_who_was_asked_something_else_is_refused(tmp_path):
    people = read_answers(written(tmp_path, answers()))
    with pytest.raises(UserError, match="no question 'better'; there are fluent"):
        read_pair_scores(written(tmp_path, answers(1), "other.parquet", question="fluent"), people)


@pytest.mark.parametrize(("words", "refused"), [("Which is better?", False), ("Which is odder?", True)])
def test_a_judge_who_read_other_words_under_the_same_name_is_refused(words, refused, tmp_path):
    def asked(text: str) -> dict[str, str]:
        return as_metadata({"s": {"better": QuestionAsked(text, True)}})

    write_table(table_of(answers()), tmp_path / "people.parquet", "votes", asked("Which is better?"))
    judge = votes({item: (*PAIR, ["mine"]) for item in answers()}, kind="model", annotator_id="model-1-1")
    write_table(judge, tmp_path / "judge.parquet", "votes", asked(words))
    people = read_answers(tmp_path / "people.parquet")
    if refused:
        with pytest.raises(UserError, match=r"the judge was asked 'Which is odder\?', and people 'Which is better\?'"):
            read_pair_scores(tmp_path / "judge.parquet", people)
    else:
        assert read_pair_scores(tmp_path / "judge.parquet", people).values[PAIR]


def test_a_table_that_is_no_votes_is_refused(tmp_path):
    with pytest.raises(UserError, match="no table votes"):
        read_answers(csv_of(tmp_path, long_scores()))
