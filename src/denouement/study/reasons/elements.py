"""Which elements of a story reasons speak of: logic, relevance, emotion, morality, common sense, grammar.

Mori et al. 2019 (section 4.4) read 250 reasons and named these elements. Here rules tag them (`elements.yaml`); a
reason may have several tags, or none. `elements_summary` counts how often each element is named, which are named
together, and what those who name it chose; `rules_quality` says how good the rules are on labelled reasons.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.resources import as_file, files
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement import schemas
from denouement.delimited import header_of, rows_of
from denouement.errors import UserError
from denouement.study.reasons import ELEMENTS
from denouement.study.reasons.rules import Rules, matches
from denouement.study.reasons.written import written_reasons
from denouement.study.results.clustered import clusters, share_of_answers
from denouement.study.results.crossed import Clusters
from denouement.text.syntax import parse

FIGURES = ("precision", "recall", "f1")

_VOTE = ("study", "item_id", "case_id", "annotator_id", "choice", "reason")


def tag_reasons(votes: pa.Table, rules: Rules, cache: Path | None = None) -> pa.Table:
    """Every rule that applies to a reason: a table `reason_elements`, in the votes' order.

    Args:
        votes: a table `votes`.
        rules: of `rules.read_rules`.
        cache: a file of parses to read and to add to (`text.syntax.parse`).

    Raises:
        UserError: no reason to tag, or no parser.
    """
    written = written_reasons(votes)
    parses = parse(written["reason"].to_pylist(), cache)
    found = {reason: matches(parsed, rules) for reason, parsed in parses.items()}
    schema = schemas.TABLES["reason_elements"].schema
    rows = [
        {name: vote[name] for name in _VOTE}
        | {"element": match.element, "rule": match.rule, "words": match.words, "denied": match.denied}
        for vote in written.to_pylist()
        for match in found[vote["reason"]]
    ]
    return pa.Table.from_pylist(rows, schema)


def elements_summary(votes: pa.Table, tags: pa.Table) -> dict[str, Any]:
    """What the tags tell: counts are integers, shares are between 0 and 1.

    Returns:
        `reasons`, how many there are; `untagged`, how many have no tag; `choices`, the row of all reasons;
        `elements`, a row an element in the order of `ELEMENTS` (see below); `together`, a row for every two elements
        with the number of reasons that name both; `rules`, how many reasons each rule tagged.

        A row of an element has the number `n` and the `share` of reasons that name it, `denied`, how many of these deny
        it wherever they name it, and `choices`: for each choice the number `n` and the `share` of those who named the
        element, with its 95% interval `low`, `high`, `over`, `why_not` (`clustered.share_of_answers`: what other cases
        and other annotators would give), and `share_without`, the share among the other reasons. All of these but `n`
        are None where no reason names the element.
    """
    written = written_reasons(votes)
    keys = [_key(vote) for vote in written.select(["study", "item_id", "annotator_id"]).to_pylist()]
    choice_of = dict(zip(keys, written["choice"].to_pylist(), strict=True))
    by = clusters(written)
    named: dict[str, set[tuple[str, ...]]] = {element: set() for element in ELEMENTS}
    affirmed: dict[str, set[tuple[str, ...]]] = {element: set() for element in ELEMENTS}
    for tag in tags.to_pylist():
        named[tag["element"]].add(_key(tag))
        if not tag["denied"]:
            affirmed[tag["element"]].add(_key(tag))
    choices = [choice for choice, _ in Counter(choice_of.values()).most_common()]
    total = len(choice_of)

    def choices_of(reasons: set[tuple[str, ...]]) -> list[dict[str, Any]]:
        return _choices(reasons, choice_of, choices, by.of(np.array([key in reasons for key in keys], dtype=bool)))

    return {
        "reasons": total,
        "untagged": total - len(set().union(*named.values())),
        "choices": choices_of(set(choice_of)),
        "elements": [
            {
                "element": element,
                "n": len(reasons),
                "share": len(reasons) / total,
                "denied": len(reasons - affirmed[element]),
                "choices": choices_of(reasons),
            }
            for element, reasons in named.items()
        ],
        "together": [
            {"elements": [one, other], "n": len(named[one] & named[other])} for one, other in combinations(ELEMENTS, 2)
        ],
        "rules": [
            {"element": element, "rule": rule, "n": n}
            for (element, rule), n in Counter(
                zip(tags["element"].to_pylist(), tags["rule"].to_pylist(), strict=True)
            ).items()
        ],
    }


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return row["study"], row["item_id"], row["annotator_id"]


def _choices(
    reasons: set[tuple[str, ...]], choice_of: Mapping[tuple[str, ...], str], choices: Iterable[str], by: Clusters
) -> list[dict[str, Any]]:
    """What was chosen by those who gave some of the reasons, whose answers are `by`, in the order of `choice_of`."""
    chosen = np.array([choice for reason, choice in choice_of.items() if reason in reasons], dtype=str)
    others = Counter(choice for reason, choice in choice_of.items() if reason not in reasons)
    nothing = dict.fromkeys(("share", "low", "high", "over", "why_not"))
    rows = []
    for choice in choices:
        share = share_of_answers(chosen == choice, by) if len(chosen) else {"n": 0, **nothing}
        without = others[choice] / others.total() if others else None
        rows.append({"choice": choice, **share, "share_without": without})
    return rows


def reason_digest(case_id: str, reason: str) -> str:
    """What a file of labels knows a reason by: 16 hex digits of SHA-256 over its case and its words."""
    return hashlib.sha256(f"{case_id}\n{' '.join(reason.split())}".encode()).hexdigest()[:16]


def read_labels(path: Path | None = None) -> dict[str, frozenset[str]]:
    """By a reason's digest the elements that a reader found in it; without a file, those of 98 published reasons.

    A file is CSV with columns `digest` and `labels`, the elements with blanks between; other columns are passed over.

    Raises:
        UserError: other columns, a row of another width, an unknown element, or the same reason twice.
    """
    if path is None:
        with as_file(files("denouement.study.reasons") / "labels.csv") as of_package:
            return read_labels(of_package)
    header = header_of(path, lambda names: {"digest", "labels"} <= set(names))
    if header is None:
        raise UserError(f"{path}: no columns digest and labels")
    labels: dict[str, frozenset[str]] = {}
    for row in rows_of(path, header):
        if problem := header.misfit(row.cells):
            raise UserError(f"{path}: line {row.line} has {problem}; correct the line")
        cells = dict(zip(header.names, map(str.strip, row.cells), strict=True))
        found = frozenset(cells["labels"].split())
        if strange := found - set(ELEMENTS):
            raise UserError(
                f"{path}: line {row.line}: unknown label {', '.join(sorted(strange))}; labels are {', '.join(ELEMENTS)}"
            )
        if cells["digest"] in labels:
            raise UserError(f"{path}: line {row.line}: the reason {cells['digest']} stands twice")
        labels[cells["digest"]] = found
    return labels


def elements_document(votes: pa.Table, tags: pa.Table, labels: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """What `elements_summary` tells, and as `quality` how well the rules agree with labels (`rules_quality`)."""
    return elements_summary(votes, tags) | {"quality": rules_quality(votes, tags, labels)}


def rules_quality(votes: pa.Table, tags: pa.Table, labels: Mapping[str, frozenset[str]]) -> dict[str, Any] | None:
    """How well the tags agree with labels, on the reasons that have them; None where none of them has.

    Returns:
        `n`, the reasons with labels; `elements`, for each element how many reasons the rules tagged (`tagged`), have
        the label (`labelled`) and have both (`both`), with `precision`, `recall` and `f1`; `micro`, the same of all
        elements' counts added up; `macro`, the plain means of the elements' three. A figure that nothing was tagged or
        labelled for is None and no part of the means. `exact`: share of reasons whose tags are exactly the labels.
    """
    tagged_by_reason: dict[tuple[str, ...], set[str]] = {}
    for tag in tags.to_pylist():
        tagged_by_reason.setdefault(_key(tag), set()).add(tag["element"])
    tagged, labelled = [], []
    for vote in written_reasons(votes).to_pylist():
        wanted = labels.get(reason_digest(vote["case_id"], vote["reason"]))
        if wanted is not None:
            labelled.append([element in wanted for element in ELEMENTS])
            tagged.append([element in tagged_by_reason.get(_key(vote), ()) for element in ELEMENTS])
    if not labelled:
        return None
    by_rule, by_hand = np.array(tagged), np.array(labelled)
    rows = [
        {"element": element, **_quality(by_rule[:, [place]], by_hand[:, [place]])}
        for place, element in enumerate(ELEMENTS)
    ]
    known = {name: [row[name] for row in rows if row[name] is not None] for name in FIGURES}
    return {
        "n": len(labelled),
        "elements": rows,
        "micro": _quality(by_rule, by_hand),
        "macro": {name: float(np.mean(values)) if values else None for name, values in known.items()},
        "exact": float((by_rule == by_hand).all(1).mean()),
    }


def _quality(tagged: npt.NDArray[np.bool_], labelled: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """The counts and the figures of `rules_quality`, of everything in bool [reasons, elements] together."""
    from sklearn.metrics import precision_recall_fscore_support

    figures = precision_recall_fscore_support(labelled.ravel(), tagged.ravel(), average="binary", zero_division=np.nan)
    return {
        "tagged": int(tagged.sum()),
        "labelled": int(labelled.sum()),
        "both": int((tagged & labelled).sum()),
        **{name: None if np.isnan(of) else float(of) for name, of in zip(FIGURES, figures[:3], strict=True)},
    }
