"""What came out of a study of pairs: Table 2 of Mori et al. 2019, how sure it is, and how far annotators agree."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement import schemas
from denouement.intervals import share_with_interval
from denouement.multiple_tests import holm
from denouement.study.results.agreement import BOTH, FIRST, NEITHER, NO_AGREEMENT, SECOND, Counts, agreement
from denouement.study.results.ballot import Ballot, count
from denouement.study.results.bradley_terry import Comparisons, strengths
from denouement.study.results.clustered import clusters, preference, share_of_answers
from denouement.study.results.counted import statuses
from denouement.study.results.crossed import Clusters
from denouement.study.results.reliability import (
    alpha,
    annotator_results,
    check_results,
    checks_in_all,
    kappa,
    median,
    seconds_taken,
)

OUTCOMES = ("first", "second", "both", "neither", "no_agreement")

# Mori et al. 2019, Table 2 with the authors' correction: first, second, both, neither; 200 items of 5 answers.
_PAPER = {
    ("h_seq2seq", "human_right"): (4, 179, 16, 1),
    ("seq2seq", "human_right"): (1, 194, 5, 0),
    ("h_seq2seq", "seq2seq"): (30, 18, 5, 147),
}


def study_results(votes: pa.Table, items: pa.Table | None = None, ballot: Ballot | None = None) -> dict[str, Any]:
    """Everything that a study's answers come to, ready for JSON: counts are integers, shares floats from 0 to 1.

    An answer is one to an item of the study; those to attention checks are told apart from them, under `checks` alone.
    Only answers with the status `accepted` count.

    Args:
        votes: the table `votes`, of one or more studies.
        items: the table `items` of the same; without it no answer to a check can be called right or wrong.
        ballot: `count(votes)`, where it is at hand.

    Returns:
        `studies`; `statuses` (answers by status) and `answers` (those accepted); `pairs`: Table 2, by pair the figures
        of `pair_results` and `answer_results`, how many `cases` the items are about, and beside every p the one that is
        corrected for the number of pairs (`p_holm`, Holm 1979);
        `strengths` (`bradley_terry.strengths`); `sides` (`side_results`); `annotators` and
        `unnamed_answers` (`annotator_results`); `checks` (accepted `answers` to them, and of those whose right
        answer is `known`, how many `failed`, by how many `annotators_failing`); `seconds` (median time of an answer,
        or None).

    Raises:
        UserError: as `ballot.count`.
    """
    ballot = ballot or count(votes)
    checks = check_results(votes, items)
    annotators, unnamed = annotator_results(ballot, checks)
    return {
        "studies": sorted(votes["study"].unique().to_pylist()),
        "statuses": statuses(votes),
        "answers": len(ballot.item),
        "pairs": _pairs(ballot),
        "strengths": _strengths(ballot),
        "sides": side_results(ballot),
        "annotators": annotators,
        "unnamed_answers": unnamed,
        "checks": checks_in_all(votes, checks, items),
        "seconds": median(seconds_taken(ballot.votes)),
    }


def _pairs(ballot: Ballot) -> list[dict[str, Any]]:
    counts, by = ballot.counts(), clusters(ballot.votes)
    pair_of_item = ballot.items["pair"].to_numpy()
    pair_of_answer = pair_of_item[ballot.item]
    rows = []
    for place, pair in enumerate(ballot.pairs):
        of_pair, answers = pair_of_item == place, pair_of_answer == place
        n_cases = len(ballot.items["case_id"].filter(pa.array(of_pair)).unique())
        of_answers = answer_results(ballot.choice[answers], by.of(answers))
        rows.append({**pair_results(pair, counts[of_pair]), "cases": n_cases, **of_answers})
    for test in ("sign_test", "preference"):
        tested = [row[test] for row in rows if row[test]["p"] is not None]
        for each, p in zip(tested, holm([each["p"] for each in tested]), strict=True):
            each["p_holm"] = p
    return rows


def _strengths(ballot: Ballot) -> dict[str, Any]:
    by = clusters(ballot.votes)
    pair_of_answer = ballot.items["pair"].to_numpy()[ballot.item]
    outcome = np.eye(3, dtype=np.int64)[np.where(ballot.choice == NEITHER, BOTH, ballot.choice)]  # both are ties
    found = []
    for place, pair in enumerate(ballot.pairs):
        answers = pair_of_answer == place
        found.append(Comparisons(*pair, outcome[answers], *by.of(answers)))
    return strengths(found)


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
        `n`, `share` of the items with its exact 95% interval `low`, `high`; `sign_test`: of the items on which one
        system is preferred, the share that prefers the first, its exact interval, and the two-sided exact p; `kappa`
        and `alpha` (`kappa`, `alpha`); `paper`: the published numbers of items by outcome, or None. Intervals and p are
        of what other items would give, answered by the same annotators.
    """
    agreed = agreement(counts)
    numbers = {name: int((agreed == code).sum()) for code, name in zip((0, 1, 2, 3, -1), OUTCOMES, strict=True)}
    per_item = counts.sum(axis=1)
    return {
        "first": pair[0],
        "second": pair[1],
        "items": len(counts),
        "answers": int(counts.sum()),
        "answers_per_item": [int(per_item.min()), int(per_item.max())],
        "agreement": {name: {"n": n, **share_with_interval(n, len(counts))} for name, n in numbers.items()},
        "sign_test": sign_test(numbers["first"], numbers["second"]),
        "kappa": kappa(counts),
        "alpha": alpha(counts),
        "paper": dict(zip(OUTCOMES[:4], _PAPER[pair], strict=True)) if pair in _PAPER else None,
    }


def answer_results(choice: npt.NDArray[np.int64], by: Clusters) -> dict[str, Any]:
    """What single answers to a pair come to, with intervals of what other cases and other annotators would give.

    Args:
        choice: int64 [answers], one or more: FIRST, SECOND, BOTH or NEITHER.
        by: whose each answer is, and about which case.

    Returns:
        `single_answers`: by outcome `intervals.share_of_answers`; `preference`: `intervals.preference` of the answers
        for one of the two systems.
    """
    prefers = choice <= SECOND
    codes = zip(OUTCOMES, (FIRST, SECOND, BOTH, NEITHER), strict=False)
    return {
        "single_answers": {name: share_of_answers(choice == code, by) for name, code in codes},
        "preference": preference(choice[prefers] == FIRST, by.of(prefers)),
    }


def sign_test(first: int, second: int) -> dict[str, Any]:
    """Are two outcomes equally likely? Exact and two-sided; `p` is 1 and the share None where neither ever came."""
    from scipy.stats import binomtest

    n = first + second
    p = float(binomtest(first, n).pvalue) if n else 1.0
    return {"n": first, **share_with_interval(first, n), "of": n, "p": p}


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
        for outcome, found in row["single_answers"].items():
            flat |= {f"answers_{outcome}": found["n"]}
            flat |= {f"answers_{key}_{outcome}": found[key] for key in ("share", "low", "high")}
        for of, test in (("items", row["sign_test"]), ("answers", row["preference"])):
            flat |= {f"{of}_preference_{key}": test[key] for key in ("share", "low", "high")}
            flat |= {f"{of}_{key}": test.get(key) for key in ("p", "p_holm")}
        flat |= {"answers_over": row["preference"]["over"]}
        pairs.append({**flat, "kappa": row["kappa"]["kappa"], "alpha": row["alpha"]["alpha"]})
    over = {"over": results["strengths"]["over"]}
    systems = [row | over for row in results["strengths"]["systems"]]
    rows = {"pairs": pairs, "strengths": systems, "annotators": results["annotators"]}
    return {name: pa.Table.from_pylist(its, schema=schemas.TABLES[name].schema) for name, its in rows.items()}


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
