"""What was imported, as text."""

from denouement.errors import printable
from denouement.study.importing.answers import Imported

_LABELS = {
    "accepted": "answers accepted",
    "rejected": "rejected by the requester (kept apart)",
    "excluded": "of excluded annotators (kept apart)",
    "surplus": "too late (kept apart)",
    "duplicate_rows": "written twice (once kept)",
    "conflicts": "answers whose copies differ",
    "answered_twice": "second answers of a person to an item (left out)",
    "unknown_times": "times in an unknown form (left empty)",
    "truths": "right answers that are given (nobody's vote)",
    "checks": "accepted answers to attention checks",
    "unusable": "not usable",
}
_WHAT = {
    "mturk": "Mechanical Turk batch",
    "published": "published answers of Mori et al. 2019",
    "label_studio": "Label Studio",
    "argilla": "Argilla",
    "potato": "Potato",
    "potato_data": "Potato's data file",
    "prolific": "Prolific's demographic export",
}
_SHOWN = 20  # at most so many unusable rows, and conflicts


def imported_text(found: Imported) -> str:
    """What was read and what became of it, a line each: files, counts, conflicts and rows that were not used."""
    lines = []
    for name, kind in found.kinds.items():
        lines.append(f"{name}: {_WHAT.get(kind, 'our own export')}")
        lines += [f"  taken: {fields}" for fields in found.taken.get(name, [])]
        passed = found.passed_over.get(name, {})
        lines += [f"  passed over: {column}, such as '{example}'" for column, example in passed.items()]
        if passed:
            lines.append("  (name one that is needed with --column ROLE=COLUMN)")
    counts = [f"rows: {found.counts['rows']:,}"]
    counts += [f"{label}: {n:,}" for key, label in _LABELS.items() if (n := found.counts.get(key, 0))]
    lines.append("; ".join(counts))
    for each in found.conflicts[:_SHOWN]:
        places = ", ".join(each.places)
        lines.append(f"  {each.answer}: {', '.join(each.differs)} differ in {places}; {each.kept} counts ({each.why})")
    if (more := len(found.conflicts) - _SHOWN) > 0:
        lines.append(f"  and {more:,} more answers whose copies differ (--json prints all of them)")
    rejects = found.rejects.slice(0, _SHOWN).to_pylist()
    lines += [f"  {each['file']} line {each['line']}: {each['reason']}" for each in rejects]
    if (more := found.rejects.num_rows - len(rejects)) > 0:
        lines.append(f"  and {more:,} more rows that are not usable (--rejects writes all of them)")
    return "\n".join(map(printable, [*lines, *found.notes]))
