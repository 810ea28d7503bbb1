"""Best-worst choices and rankings: values by hand, and strengths against likelihoods maximised another way."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import minimize

from denouement.errors import UserError
from denouement.schemas import TABLES
from denouement.study.results.rankings import ranking_results
from denouement.study.results.scales import scale_tables


def rankings(kind: str, *answers: tuple[str, Sequence[int]], per_item: int = 1, **columns: object) -> pa.Table:
    """The table `rankings`: each answer is the systems as shown, a letter each, and their ranks; items in turn."""
    rows = [
        {
            "study": "s",
            "item_id": f"i{number // per_item}",
            "case_id": f"c{number // per_item}",
            "annotator_id": f"p{number % per_item}",
            "kind": kind,
            "systems": list(systems),
            "ranks": list(ranks),
            "reason": None,
            "is_check": False,
            "status": "accepted",
        }
        | columns
        for number, (systems, ranks) in enumerate(answers)
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["rankings"].schema)


def strengths_of(table: pa.Table) -> dict[str, float]:
    (kind,) = ranking_results(table).kinds
    assert kind.strengths.why_not is None
    return {row.system: row.strength for row in kind.strengths.systems}


def fitted(loss, n: int, n_further: int = 0) -> list[float]:
    """The logarithms, with mean 0, at which a loss of the weights (and further logarithms) is least."""

    def of_free(free: np.ndarray) -> float:
        return loss(np.exp(np.append(0, free[: n - 1])), np.exp(free[n - 1 :]))

    free = minimize(of_free, np.zeros(n - 1 + n_further), tol=1e-12).x
    logs = np.append(0, free[: n - 1])
    return list(logs - logs.mean())


def test_counts_and_scores_by_hand():
    # a is best twice and worst once of four, c worst twice and best once; d shares the last place once.
    table = rankings("ranking", ("abc", (1, 2, 3)), ("cab", (3, 1, 2)), ("abc", (3, 2, 1)), ("bad", (1, 2, 2)))
    (found,) = ranking_results(table).kinds
    rows = {row.system: (row.answers, row.best, row.worst, row.mean) for row in found.systems}
    assert rows == {"a": (4, 2, 2, 0.0), "b": (4, 1, 0, 0.25), "c": (3, 1, 2, -1 / 3), "d": (1, 0, 1, -1.0)}
    assert [row.system for row in found.systems] == ["b", "a", "c", "d"]
    assert (found.kind, found.answers) == ("ranking", 4)


def test_endings_that_all_share_a_place_are_neither_best_nor_worst():
    (found,) = ranking_results(rankings("ranking", ("abc", (1, 1, 1)))).kinds
    assert {(row.best, row.worst, row.mean) for row in found.systems} == {(0, 0, 0.0)}


def test_the_score_is_the_mean_of_the_means_of_items():
    # Item 0: a is best for both annotators; item 1: the only answer says that a is the worst.
    answers = [("abc", (1, 2, 3)), ("abc", (1, 2, 3)), ("abc", (3, 2, 1))]
    (found,) = ranking_results(rankings("best_worst", *answers, per_item=2)).kinds
    (a,) = (row for row in found.systems if row.system == "a")
    assert (a.items, a.answers, a.best, a.worst, a.mean) == (2, 3, 2, 1, 0.0)


def drawn(n: int, systems: str, size: int, seed: int = 0) -> list[tuple[str, tuple[int, ...]]]:
    """Answers about `size` of the systems each, from better to worse in this order, more or less."""
    generator = np.random.default_rng(seed)
    answers = []
    for _ in range(n):
        shown = generator.choice(list(systems), size, replace=False)
        noisy = [systems.index(name) + generator.normal(0, 2) for name in shown]
        answers.append(("".join(shown), tuple(1 + sum(other < value for other in noisy) for value in noisy)))
    return answers


def test_rankings_against_the_likelihood_of_plackett_and_luce():
    answers = drawn(40, "abcde", 3)

    def loss(w: np.ndarray, _: np.ndarray) -> float:
        total = 0.0
        for systems, ranks in answers:
            order = ["abcde".index(name) for _, name in sorted(zip(ranks, systems, strict=True))]
            total -= sum(np.log(w[order[place]] / w[order[place:]].sum()) for place in range(len(order)))
        return total

    found = strengths_of(rankings("ranking", *answers))
    assert [found[name] for name in "abcde"] == pytest.approx(fitted(loss, 5), abs=1e-4)


def test_shared_places_against_the_likelihood_of_davidson_and_luce():
    answers = drawn(25, "abcd", 4)
    answers = [
        (systems, (1, 1, 3, 4)) if number % 5 == 0 else each
        for number, each in enumerate(answers)
        for systems in [each[0]]
    ]
    answers += [("dbca", (1, 2, 2, 2))]

    def loss(w: np.ndarray, factors: np.ndarray) -> float:
        factor = {1: 1.0, 2: factors[0], 3: factors[1]}

        def weight(group: Sequence[int]) -> float:
            return factor[len(group)] * np.prod(w[list(group)]) ** (1 / len(group))

        total = 0.0
        for systems, ranks in answers:
            rank_of = {"abcd".index(name): rank for name, rank in zip(systems, ranks, strict=True)}
            rest = sorted(rank_of)
            while len(rest) > 1:
                best = min(rank_of[system] for system in rest)
                chosen = [system for system in rest if rank_of[system] == best]
                groups = [group for size in (1, 2, 3) for group in combinations(rest, size)]
                total -= np.log(weight(chosen) / sum(map(weight, groups)))
                rest = [system for system in rest if system not in chosen]
        return total

    table = rankings("ranking", *answers)
    found = strengths_of(table)
    assert [found[name] for name in "abcd"] == pytest.approx(fitted(loss, 4, 2), abs=1e-3)
    assert ranking_results(table).kinds[0].strengths.tie is not None


def test_choices_that_always_are_ties_of_all_say_nothing_of_strengths():
    ordered = drawn(20, "abc", 3)
    one = ranking_results(rankings("ranking", *ordered)).kinds[0].strengths
    assert one.why_not is None
    alike = [("abcd", (1, 1, 1, 1))] * 3  # another study, whose endings nobody can tell apart
    found = ranking_results(rankings("ranking", *ordered, *alike)).kinds[0].strengths
    assert found.why_not == "no chain of comparisons connects [a, b, c] and [d]"
    of_three = [("abd", (1, 2, 3)), ("dba", (1, 2, 3)), ("dac", (1, 2, 3)), ("cbd", (1, 2, 3))]
    without = ranking_results(rankings("ranking", *ordered, *of_three)).kinds[0].strengths
    found = ranking_results(rankings("ranking", *ordered, *of_three, *alike)).kinds[0].strengths
    assert without.why_not is None
    assert (found.systems, found.answers, found.cases) == (without.systems, 27, without.cases)


def test_a_tie_wherever_so_many_can_share_a_place_has_no_factor():
    first_three = [("abcd", (1, 1, 1, 4)), ("bcda", (1, 1, 1, 4)), ("cdab", (1, 1, 1, 4)), ("dabc", (1, 1, 1, 4))]
    pairs = [(one + other, (1, 2)) for one in "abcd" for other in "abcd" if one != other]
    (found,) = ranking_results(rankings("ranking", *first_three, *pairs)).kinds
    assert found.strengths.systems == []
    assert found.strengths.why_not == (
        "endings share a place in every choice in which so many can, so the factor of ties would be infinite"
    )


def test_best_and_worst_against_the_likelihood_of_both_choices():
    answers = [
        (systems, tuple({1: 1, len(ranks): 3}.get(rank, 2) for rank in ranks))
        for systems, ranks in drawn(40, "abcde", 4)
    ]

    def loss(w: np.ndarray, _: np.ndarray) -> float:
        total = 0.0
        for systems, ranks in answers:
            shown = ["abcde".index(name) for name in systems]
            best, worst = (shown[ranks.index(rank)] for rank in (1, 3))
            rest = [system for system in shown if system != best]
            total -= np.log(w[best] / w[shown].sum()) + np.log((1 / w[worst]) / (1 / w[rest]).sum())
        return total

    found = strengths_of(rankings("best_worst", *answers))
    assert [found[name] for name in "abcde"] == pytest.approx(fitted(loss, 5), abs=1e-4)


def test_the_order_on_the_page_and_of_the_rows_changes_nothing():
    table = rankings("ranking", *drawn(20, "abc", 3))
    turned = [
        row | {"systems": row["systems"][::-1], "ranks": row["ranks"][::-1]} for row in reversed(table.to_pylist())
    ]
    one, other = ranking_results(table), ranking_results(pa.Table.from_pylist(turned, schema=table.schema))
    assert one.kinds[0].systems == other.kinds[0].systems
    for first, second in zip(one.kinds[0].strengths.systems, other.kinds[0].strengths.systems, strict=True):
        assert vars(first) == pytest.approx(vars(second))


def test_agreement_on_ranks():
    agreeing = [("abc", (1, 2, 3))] * 6
    (found,) = ranking_results(rankings("ranking", *agreeing, per_item=3)).kinds
    assert (found.alpha.alpha, found.alpha.items) == (1.0, 2)  # of three endings each
    assert found.strengths.why_not.endswith("whose strength would be infinite")
    apart = [("abc", (1, 2, 3)), ("abc", (3, 2, 1))] * 3
    (found,) = ranking_results(rankings("ranking", *apart, per_item=2)).kinds
    assert found.alpha.alpha < 0


def test_only_accepted_answers_count_and_checks_are_apart():
    good, bad = ("abc", (1, 2, 3)), ("abc", (2, 1, 3))
    table = pa.concat_tables(
        [
            rankings("ranking", good, bad, per_item=2),
            rankings("ranking", good, study="s", status="excluded", item_id="i7"),
            rankings("ranking", ("bca", (2, 3, 1)), bad, per_item=2, is_check=True, item_id="check"),
        ]
    )
    item = {
        "study": "s",
        "item_id": "check",
        "case_id": "c",
        "kind": "ranking",
        "context": ["One."],
        "systems": ["a", "b", "c"],
        "endings": ["A.", "B.", "C."],
        "is_check": True,
        "is_training": False,
        "expected": "[1, null, null]",
    }
    found = ranking_results(table, pa.Table.from_pylist([item], schema=TABLES["items"].schema))
    assert (found.answers, found.statuses) == (2, {"accepted": 2, "excluded": 1})
    assert (found.checks.answers, found.checks.failed) == (2, 1)  # the second puts b before a


def test_the_table_to_write():
    rows = scale_tables(ranking_results(rankings("best_worst", *drawn(30, "abc", 3))))["ranking_means"].to_pylist()
    assert len(rows) == 3
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert all(row["strength_low"] < row["strength"] < row["strength_high"] for row in rows)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("ranking", ("abc", (1, 2))),
        ("ranking", ("aab", (1, 2, 3))),
        ("ranking", ("abc", (0, 1, 2))),
        ("ranking", ("a", (1,))),
        ("ranking", ("abc", (5, 5, 9))),
        ("ranking", ("abc", (1, 1, 2))),
        ("ranking", ("abc", (2, 3, 3))),
        ("best_worst", ("abcd", (1, 1, 2, 3))),
        ("best_worst", ("abcd", (1, 2, 3, 4))),
    ],
)
def test_ranks_that_do_not_fit_the_systems_are_refused(kind: str, answer: tuple[str, tuple[int, ...]]):
    table = rankings(kind, ("abcd", (1, 2, 2, 3 if kind == "best_worst" else 4)), answer)
    with pytest.raises(UserError, match="rankings: in 1 rows the ranks are not one for each of the systems"):
        ranking_results(table)


@pytest.mark.slow
def test_intervals_hold_the_strengths_as_often_as_they_say():
    """Four systems of which three are shown, in rankings drawn by the model itself."""
    generator = np.random.default_rng(3)
    w = np.array([0.6, 0.2, -0.2, -0.6])

    def strengths(n_cases: int, n_annotators: int):
        answers = []
        for _ in range(n_cases):
            shown = generator.choice(4, 3, replace=False)
            for _ in range(n_annotators):
                noisy = w[shown] + generator.gumbel(size=3)  # the greatest is each as often as its weight says
                ranks = tuple(int(1 + (noisy > value).sum()) for value in noisy)
                answers.append(("".join("abcd"[place] for place in shown), ranks))
        return ranking_results(rankings("ranking", *answers, per_item=n_annotators)).kinds[0].strengths.systems

    many = {row.system: row.strength for row in strengths(3000, 12)}
    assert [many[name] for name in "abcd"] == pytest.approx(list(w), abs=0.05)
    found = [row for _ in range(60) for row in strengths(30, 6)]
    assert np.mean([row.low <= w["abcd".index(row.system)] <= row.high for row in found]) > 0.93
