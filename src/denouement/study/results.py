"""What came out of a study of pairs: Table 2 of Mori et al. 2019, how sure it is, and how far annotators agree."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement import schemas
from denouement.analysis.intervals import share_with_interval
from denouement.errors import UserError
from denouement.study.agreement import (
    BOTH,
    FIRST,
    NEITHER,
    NO_AGREEMENT,
    SECOND,
    Codes,
    Counts,
    agreement,
    like_an_answer,
)
from denouement.study.bradley_terry import Comparisons, strengths
from denouement.study.counted import counted

OUTCOMES = ("first", "second", "both", "neither", "no_agreement")

# Mori et al. 2019, Table 2 with the authors' correction: first, second, both, neither; 200 items of 5 answers.
_PAPER = {
    ("h_seq2seq", "human_right"): (4, 179, 16, 1),
    ("seq2seq", "human_right"): (1, 194, 5, 0),
    ("h_seq2seq", "seq2seq"): (30, 18, 5, 147),
}

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ballot:
    """The answers that count, as numbers.

    Attributes:
        pairs: the pairs of systems; a human one is the second.
        items: the columns `study`, `item_id`, `case_id` and `pair` (place in `pairs`), a row an item: by pair, then in
            the order of their first answers.
        item: int64 [answers], each answer's row in `items`.
        choice: int64 [answers]: FIRST, SECOND, BOTH or NEITHER.
        votes: the rows of the table `votes`, in the same order.
    """

    pairs: list[tuple[str, str]]
    items: pa.Table
    item: Numbers
    choice: Codes
    votes: pa.Table

    def counts(self) -> Counts:
        """int64 [items, 4]: how many annotators gave each answer."""
        flat = np.bincount(self.item * 4 + self.choice, minlength=4 * self.items.num_rows)
        return flat.reshape(-1, 4).astype(np.int64)


def study_results(votes: pa.Table, items: pa.Table | None = None, ballot: Ballot | None = None) -> dict[str, Any]:
    """Everything that a study's answers come to, ready for JSON: counts are integers, shares floats from 0 to 1.

    Only answers with the status `accepted` count, attention checks apart.

    Args:
        votes: the table `votes`, of one or more studies.
        items: the table `items` of the same; without it no answer to a check can be called right or wrong.
        ballot: `count(votes)`, where it is at hand.

    Returns:
        `studies`; `statuses` (answers by status) and `answers` (those that count); `pairs` (Table 2, `pair_results`);
        `strengths` (`bradley_terry.strengths`); `sides` (`side_results`); `annotators` and
        `unnamed_answers` (`annotator_results`); `checks` (`answers` to them, and of those whose right answer is
        `known`, how many `failed`, by how many `annotators_failing`); `seconds` (median time of an answer, or None).

    Raises:
        UserError: as `count`.
    """
    ballot = ballot or count(votes)
    counts = ballot.counts()
    pair_of_item = ballot.items["pair"].to_numpy()
    (cases,), _ = _numbered(ballot.items["case_id"])
    by_pair = [counts[pair_of_item == place] for place in range(len(ballot.pairs))]
    checks = _checks(votes, items)
    annotators, unnamed = annotator_results(ballot, checks)
    return {
        "studies": sorted(votes["study"].unique().to_pylist()),
        "statuses": _frequencies(votes["status"]),
        "answers": len(ballot.item),
        "pairs": [pair_results(pair, of_pair) for pair, of_pair in zip(ballot.pairs, by_pair, strict=True)],
        "strengths": strengths(
            [
                Comparisons(
                    *pair,
                    np.column_stack([c[:, FIRST], c[:, SECOND], c[:, BOTH] + c[:, NEITHER]]),
                    cases[pair_of_item == place],
                )
                for place, (pair, c) in enumerate(zip(ballot.pairs, by_pair, strict=True))
            ]
        ),
        "sides": side_results(ballot),
        "annotators": annotators,
        "unnamed_answers": unnamed,
        "checks": _checks_in_all(votes, checks, items),
        "seconds": _median(_seconds(ballot.votes)),
    }


def count(votes: pa.Table) -> Ballot:
    """The answers of `votes` that count, sorted into items and pairs.

    Raises:
        UserError: rows whose choice is not what their answer and sides say, whose sides are the same system, or where
            a system is called as an answer is (`both`, `neither`).
    """
    _check_choices(votes)
    accepted = counted(votes)
    if not accepted.num_rows:
        items = schemas.empty_table("votes").select(["study", "item_id", "case_id"])
        none = np.zeros(0, np.int64)
        return Ballot([], items.append_column("pair", pa.array(none)), none, none, accepted)
    sides, names = _numbered(accepted["position_a"], accepted["position_b"], accepted["choice"])
    place = {
        name: order for order, name in enumerate(sorted(names, key=lambda name: (name.startswith("human_"), name)))
    }
    order = np.array([place[name] for name in names])
    first, second = np.minimum(order[sides[0]], order[sides[1]]), np.maximum(order[sides[0]], order[sides[1]])
    chosen = order[sides[2]]
    choice = np.select([chosen == first, chosen == second, chosen == place.get("both")], [FIRST, SECOND, BOTH], NEITHER)
    pair_codes, pair = np.unique(first * len(names) + second, return_inverse=True)
    by_place = sorted(place, key=lambda name: place[name])
    pairs = [(by_place[code // len(names)], by_place[code % len(names)]) for code in pair_codes.tolist()]
    keys = accepted.select(["study", "item_id", "case_id"]).append_column("pair", pa.array(pair))
    numbered = keys.append_column("row", pa.array(np.arange(keys.num_rows)))
    items = numbered.group_by(["study", "item_id", "pair"]).aggregate([("case_id", "min"), ("row", "min")])
    items = items.sort_by([("pair", "ascending"), ("row_min", "ascending")])
    items = items.rename_columns({"case_id_min": "case_id"}).select(keys.column_names)
    places = items.drop_columns("case_id").append_column("item", pa.array(np.arange(items.num_rows)))
    joined = numbered.join(places, ["study", "item_id", "pair"]).sort_by("row")
    return Ballot(pairs, items, joined["item"].to_numpy(), choice.astype(np.int64), accepted)


def agreements(ballot: Ballot) -> pa.Table:
    """The table `agreements`: a row an item with its counts and what its annotators agree on (null: nothing)."""
    counts = ballot.counts()
    agreed = agreement(counts)
    pairs = [ballot.pairs[place] for place in ballot.items["pair"].to_pylist()]
    columns = {
        **{name: ballot.items[name] for name in ("study", "item_id", "case_id")},
        "first": [first for first, _ in pairs],
        "second": [second for _, second in pairs],
        **{f"n_{name}": counts[:, place].astype(np.int32) for place, name in enumerate(OUTCOMES[:4])},
        "agreement": [
            None if code == NO_AGREEMENT else (*pair, "both", "neither")[code]
            for pair, code in zip(pairs, agreed.tolist(), strict=True)
        ],
    }
    return pa.table(columns, schema=schemas.TABLES["agreements"].schema)


def pair_results(pair: tuple[str, str], counts: Counts) -> dict[str, Any]:
    """A row of Table 2.

    Args:
        pair: the first and the second system.
        counts: int64 [items, 4] of that pair.

    Returns:
        `first`, `second`; `items`, `answers`, `answers_per_item` (least and most); `agreement`: by outcome (`OUTCOMES`)
        `n`, `share` of the items with its exact 95% interval `low`, `high`; `single_answers`: the same of the answers,
        without intervals, since answers to one item are not independent; `sign_test`: of the items on which one system
        is preferred, the share that prefers the first, its exact interval, and the two-sided exact p; `kappa` and
        `alpha` (`kappa`, `alpha`); `paper`: the published numbers of items by outcome, or None.
    """
    agreed = agreement(counts)
    numbers = {name: int((agreed == code).sum()) for code, name in zip((0, 1, 2, 3, -1), OUTCOMES, strict=True)}
    answers = counts.sum(axis=0)
    per_item = counts.sum(axis=1)
    return {
        "first": pair[0],
        "second": pair[1],
        "items": len(counts),
        "answers": int(answers.sum()),
        "answers_per_item": [int(per_item.min()), int(per_item.max())],
        "agreement": {name: {"n": n, **share_with_interval(n, len(counts))} for name, n in numbers.items()},
        "single_answers": {
            name: {"n": int(n), "share": float(n / answers.sum())}
            for name, n in zip(OUTCOMES[:4], answers, strict=True)
        },
        "sign_test": sign_test(numbers["first"], numbers["second"]),
        "kappa": kappa(counts),
        "alpha": alpha(counts),
        "paper": dict(zip(OUTCOMES[:4], _PAPER[pair], strict=True)) if pair in _PAPER else None,
    }


def sign_test(first: int, second: int) -> dict[str, Any]:
    """Are two outcomes equally likely? Exact and two-sided; `p` is 1 and the share None where neither ever came."""
    from scipy.stats import binomtest

    n = first + second
    p = float(binomtest(first, n).pvalue) if n else 1.0
    return {"n": first, **share_with_interval(first, n), "of": n, "p": p}


def kappa(counts: Counts) -> dict[str, Any]:
    """Fleiss' kappa (1971), which asks for the same number of answers to each item, two or more.

    It is taken over the items with the number of answers that most of them have (of two such numbers, the larger).

    Returns:
        `kappa` (None where there is no such item, or all answers are the same), `items`, `answers_per_item` and
        `items_left_out`.
    """
    from statsmodels.stats.inter_rater import fleiss_kappa

    per_item = counts.sum(axis=1)
    frequencies = np.bincount(per_item)
    frequencies[:2] = 0
    number = int(len(frequencies) - 1 - frequencies[::-1].argmax()) if frequencies.any() else 0
    chosen = counts[per_item == number] if number else counts[:0]
    varied = np.count_nonzero(chosen.sum(axis=0)) > 1
    return {
        "kappa": float(fleiss_kappa(chosen)) if varied else None,
        "items": len(chosen),
        "answers_per_item": number,
        "items_left_out": len(counts) - len(chosen),
    }


def alpha(counts: Counts) -> dict[str, Any]:
    """Krippendorff's alpha (2011) for nominal data, over all items with two answers or more, however many.

    Returns:
        `alpha` (None where no item has two answers, or all of them are the same), `items` and `items_left_out`.
    """
    import krippendorff

    pairable = counts[counts.sum(axis=1) > 1]
    varied = np.count_nonzero(pairable.sum(axis=0)) > 1
    value = krippendorff.alpha(value_counts=pairable, level_of_measurement="nominal") if varied else None
    return {
        "alpha": None if value is None else float(value),
        "items": len(pairable),
        "items_left_out": len(counts) - len(pairable),
    }


def annotator_results(
    ballot: Ballot, checks: Mapping[tuple[str, str], tuple[int, int]]
) -> tuple[list[dict[str, Any]], int]:
    """How each annotator agrees with the rest, and how many answers tell no annotator.

    Args:
        ballot: the answers that count.
        checks: by study and annotator, attention checks answered and those of them that are wrong.

    Returns:
        Rows `study`, `annotator_id`, `answers`; `compared`: answers to items on which the others agree (by the same
        rules), `agreeing`: those of them that give that answer, and `share`; `pairwise`: the mean share of the others'
        answers to an item that equal the annotator's, None where nobody else answered; `seconds`: median time of an
        answer; `checks`, `checks_failed`. The least agreeing come first.
    """
    counts = ballot.counts()
    own = np.eye(4, dtype=np.int64)[ballot.choice]
    rest = counts[ballot.item] - own
    of_rest = agreement(rest)
    compared = of_rest != NO_AGREEMENT
    agreeing = of_rest == ballot.choice
    n_rest = rest.sum(axis=1)
    same = np.divide((rest * own).sum(axis=1), n_rest, out=np.zeros(len(n_rest)), where=n_rest > 0)
    seconds = _seconds(ballot.votes)
    (codes,), names = _numbered(_joined_ids(ballot.votes))
    order = np.argsort(codes, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else []
    rows, unnamed, seen = [], 0, set()
    for group in groups:
        study, annotator = _study_and_id(names[codes[group[0]]])
        if annotator.startswith(schemas.UNNAMED_ANNOTATOR):
            unnamed += len(group)
            continue
        seen.add((study, annotator))
        done, failed = checks.get((study, annotator), (0, 0))
        n_compared, n_agreeing = int(compared[group].sum()), int(agreeing[group].sum())
        with_others = group[n_rest[group] > 0]
        rows.append(
            {
                "study": study,
                "annotator_id": annotator,
                "answers": len(group),
                "compared": n_compared,
                "agreeing": n_agreeing,
                "share": n_agreeing / n_compared if n_compared else None,
                "pairwise": float(same[with_others].mean()) if len(with_others) else None,
                "seconds": _median(seconds[group]),
                "checks": done,
                "checks_failed": failed,
            }
        )
    rows.sort(key=lambda row: (row["share"] is None, row["share"] or 0, row["study"], row["annotator_id"]))
    return rows, unnamed


def table_3(ballot: Ballot, items: pa.Table) -> pa.Table:
    """The table `table_3`: a row an item with context, both endings, counts, and every answer's choice and reason.

    Items that have no answers, and answers whose item is not in `items`, are left out; items are in the order of
    `agreements`.
    """
    known = {}
    columns = [items[name].to_pylist() for name in ("study", "item_id", "context", "systems", "endings")]
    for study, item_id, context, systems, endings in zip(*columns, strict=True):
        known[study, item_id] = context, dict(zip(systems, endings, strict=True))
    answers: list[list[tuple[str, str | None]]] = [[] for _ in range(ballot.items.num_rows)]
    chosen, reasons = ballot.votes["choice"].to_pylist(), ballot.votes["reason"].to_pylist()
    for item, choice, reason in zip(ballot.item.tolist(), chosen, reasons, strict=True):
        answers[item].append((choice, reason))
    rows = []
    for row, of_item in zip(agreements(ballot).to_pylist(), answers, strict=True):
        context, endings = known.get((row["study"], row["item_id"]), (None, {}))
        if row["first"] in endings and row["second"] in endings:
            row |= {
                "context": context,
                "ending_first": endings[row["first"]],
                "ending_second": endings[row["second"]],
                "choices": [choice for choice, _ in of_item],
                "reasons": [reason or "" for _, reason in of_item],
            }
            rows.append(row)
    return pa.Table.from_pylist(rows, schema=schemas.TABLES["table_3"].schema)


def result_tables(results: Mapping[str, Any]) -> dict[str, pa.Table]:
    """The tables `pairs`, `strengths` and `annotators` of what `study_results` returns."""
    pairs = []
    for row in results["pairs"]:
        flat = {name: row[name] for name in ("first", "second", "items", "answers")}
        for outcome, found in row["agreement"].items():
            flat |= {f"n_{outcome}": found["n"]} | {f"{key}_{outcome}": found[key] for key in ("share", "low", "high")}
        flat |= {f"answers_{outcome}": found["n"] for outcome, found in row["single_answers"].items()}
        sign = {f"preference_{key}": row["sign_test"][key] for key in ("share", "low", "high")}
        pairs.append(
            {**flat, **sign, "p": row["sign_test"]["p"], "kappa": row["kappa"]["kappa"], "alpha": row["alpha"]["alpha"]}
        )
    rows = {"pairs": pairs, "strengths": results["strengths"]["systems"], "annotators": results["annotators"]}
    return {name: pa.Table.from_pylist(its, schema=schemas.TABLES[name].schema) for name, its in rows.items()}


def _check_choices(votes: pa.Table) -> None:
    """Refuse votes whose choice is not what the answer and the sides say, or does not tell which system it is."""
    answer, a, b = votes["answer"], votes["position_a"], votes["position_b"]
    if problem := like_an_answer([*a.unique().to_pylist(), *b.unique().to_pylist()]):
        raise UserError(f"votes: {problem}; give it another name")
    said = pc.if_else(pc.equal(answer, "A"), a, pc.if_else(pc.equal(answer, "B"), b, answer))
    wrong = pc.sum(pc.not_equal(said, votes["choice"])).as_py() or 0
    if wrong:
        raise UserError(
            f"votes: in {wrong:,} rows the choice is not what answer and sides say; export or import them again"
        )
    alike = pc.sum(pc.equal(a, b)).as_py() or 0
    if alike:
        raise UserError(f"votes: in {alike:,} rows both sides are the same system; name the two systems apart")


def _checks(votes: pa.Table, items: pa.Table | None) -> dict[tuple[str, str], tuple[int, int]]:
    """By study and annotator, attention checks answered and those of them answered wrong."""
    if items is None:
        return {}
    expected = {
        (study, item_id): answer
        for study, item_id, answer in zip(
            *(items[name].to_pylist() for name in ("study", "item_id", "expected")), strict=True
        )
        if answer is not None
    }
    checked = votes.filter(pc.and_(votes["is_check"], pc.equal(votes["status"], "accepted")))
    found: dict[tuple[str, str], tuple[int, int]] = {}
    columns = (checked[name].to_pylist() for name in ("study", "item_id", "annotator_id", "choice"))
    for study, item_id, annotator, choice in zip(*columns, strict=True):
        if (study, item_id) in expected:
            done, failed = found.get((study, annotator), (0, 0))
            found[study, annotator] = done + 1, failed + (choice != expected[study, item_id])
    return found


def _checks_in_all(
    votes: pa.Table, checks: Mapping[tuple[str, str], tuple[int, int]], items: pa.Table | None
) -> dict[str, Any]:
    known = items is not None
    accepted = pc.and_(votes["is_check"], pc.equal(votes["status"], "accepted"))
    return {
        "answers": int(pc.sum(accepted).as_py() or 0),
        "known": sum(done for done, _ in checks.values()) if known else None,
        "failed": sum(failed for _, failed in checks.values()) if known else None,
        "annotators_failing": sum(failed > 0 for _, failed in checks.values()) if known else None,
    }


def side_results(ballot: Ballot) -> dict[str, Any]:
    """Is one side favoured, whatever stands on it?

    The test is of items, not of answers: where an item's sides are the same for all its annotators, as in the published
    answers, these say A or B together because they agree on the ending. Of items it holds whether sides are drawn for
    each annotator or once for all.

    Returns:
        `answers`: how many are for `A` and for `B`; and of the items with more answers for one side than for the other
        the `sign_test` of those that have more for A.
    """
    frequencies = _frequencies(ballot.votes["answer"])
    answer = ballot.votes["answer"].to_numpy()
    surplus = np.bincount(
        ballot.item, (answer == "A").astype(np.float64) - (answer == "B"), minlength=ballot.items.num_rows
    )
    return {
        "answers": {side: frequencies.get(side, 0) for side in ("A", "B")},
        **sign_test(int((surplus > 0).sum()), int((surplus < 0).sum())),
    }


def _frequencies(column: pa.ChunkedArray) -> dict[str, int]:
    counted = column.value_counts()
    return dict(sorted(zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True)))


def _numbered(*columns: pa.ChunkedArray) -> tuple[list[Numbers], list[str]]:
    """Text columns as numbers, places in one list of their distinct values."""
    together = pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string())
    encoded = together.combine_chunks().dictionary_encode()
    codes = np.asarray(encoded.indices, dtype=np.int64)
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return list(np.split(codes, ends)), encoded.dictionary.to_pylist()


_BETWEEN = "\x1f"  # between a study's name and an annotator's id; in neither


def _joined_ids(votes: pa.Table) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(votes["study"], votes["annotator_id"], _BETWEEN)


def _study_and_id(joined: str) -> tuple[str, str]:
    study, _, annotator = joined.partition(_BETWEEN)
    return study, annotator


def _seconds(votes: pa.Table) -> npt.NDArray[np.float64]:
    """float [votes]: from start to submission; NaN where either is not known."""
    taken = pc.subtract(votes["submitted_at"].cast(pa.int64()), votes["started_at"].cast(pa.int64()))
    return np.asarray(taken.cast(pa.float64()).to_numpy(), dtype=np.float64) / 1e6


def _median(values: npt.NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None
