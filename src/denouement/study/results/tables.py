"""The results of a study of pairs as the tables that are written to files."""

from typing import Any

import numpy as np
import pyarrow as pa

from denouement.schemas import TABLES
from denouement.study.design.names import TIES
from denouement.study.results.agreement import NO_AGREEMENT, agreement
from denouement.study.results.ballot import Ballot
from denouement.study.results.pairs import ExactShare, PairResult
from denouement.study.results.preferences import QuestionAgreement, StudyResults


def result_tables(results: StudyResults) -> dict[str, pa.Table]:
    """The tables `pairs`, `strengths`, `questions` and `annotators`."""
    rows: dict[str, list[dict[str, Any]]] = {
        "pairs": [{"question": each.question, **_pair_row(row)} for each in results.questions for row in each.pairs],
        "strengths": [
            {"question": each.question, **vars(row), "over": each.strengths.over}
            for each in results.questions
            for row in each.strengths.systems
        ],
        "questions": [{**vars(row), **_same(row)} for row in results.between],
        "annotators": list(map(vars, results.annotators)),
    }
    return {name: pa.Table.from_pylist(its, schema=TABLES[name].schema) for name, its in rows.items()}


def _pair_row(pair: PairResult) -> dict[str, str | int | float | None]:
    row: dict[str, str | int | float | None] = {
        "first": pair.first,
        "second": pair.second,
        "items": pair.items,
        "answers": pair.answers,
        "answers_over": pair.preference.over,
        "kappa": pair.kappa.kappa,
        "alpha": pair.alpha.alpha,
    }
    agreed: dict[str, ExactShare] = vars(pair.agreement)
    for outcome, of_items in agreed.items():
        row |= {f"n_{outcome}": of_items.n, f"share_{outcome}": of_items.share}
        row |= {f"low_{outcome}": of_items.low, f"high_{outcome}": of_items.high}
    for outcome, of_answers in vars(pair.single_answers).items():
        row |= {f"answers_{outcome}": of_answers.n, f"answers_share_{outcome}": of_answers.share}
        row |= {f"answers_low_{outcome}": of_answers.low, f"answers_high_{outcome}": of_answers.high}
    row |= {f"graded_{name}": getattr(pair.graded, name, None) for name in ("mean", "low", "high")}
    for of, test in (("items", pair.sign_test), ("answers", pair.preference)):
        row |= {f"{of}_preference_{key}": getattr(test, key) for key in ("share", "low", "high")}
        row |= {f"{of}_p": test.p, f"{of}_p_holm": test.p_holm}
    return row


def _same(row: QuestionAgreement) -> dict[str, int | float | None]:
    same = row.same
    if same is None:
        return dict.fromkeys(("same", "share", "low", "high"))
    return {"same": same.n, "share": same.share, "low": same.low, "high": same.high}


def agreements(ballot: Ballot) -> pa.Table:
    """The table `agreements`: a row an item with its counts, and the answer on which annotators agree or null."""
    counts = ballot.counts()
    pairs = [ballot.pairs[place] for place in ballot.items["pair"].to_pylist()]
    columns = {
        **{name: ballot.items[name] for name in ("study", "item_id", "case_id")},
        "question": [ballot.question] * ballot.items.num_rows,
        "first": [first for first, _ in pairs],
        "second": [second for _, second in pairs],
        **{
            f"n_{name}": counts[:, place].astype(np.int32)
            for place, name in enumerate(("first", "second", "both", "neither"))
        },
        "agreement": [
            None if code == NO_AGREEMENT else (*pair, *TIES)[code]
            for pair, code in zip(pairs, agreement(counts).tolist(), strict=True)
        ],
    }
    return pa.table(columns, schema=TABLES["agreements"].schema)


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
    return pa.Table.from_pylist(rows, schema=TABLES["table_3"].schema)
