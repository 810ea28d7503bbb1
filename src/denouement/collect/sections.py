"""What is shown of a collection: progress, checked files, what endings give away, what a filter left, an export."""

from typing import TYPE_CHECKING

from denouement.analysis.bias_monitor import VARIANTS
from denouement.analysis.sections.cases import feature_name
from denouement.charts.lines import watched
from denouement.collect.checking import CheckedWork
from denouement.collect.exported import ExportSummary
from denouement.collect.filtering import OUTCOMES, FilterSummary
from denouement.collect.waiting import PIECES, flow
from denouement.collect.watching import FEWEST_OF_A_WRITER, EndingWatch
from denouement.papers import cited
from denouement.present.cells import NO_VALUE, Cell, CountAndShare, Interval, Number, Share
from denouement.present.sections import Block, Bullets, Chart, Table

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

    from denouement.collect.store.records import CollectionProgress, CollectorProgress, StepOfPerson

PICTURE = "bias.svg"

_SHOWN = 10
_WEIGHTS = 15
_INTERVAL = "95% interval"


def checked_blocks(found: CheckedWork) -> list[Block]:
    """What was found in a file."""
    n = max(1, found.texts)
    rows: list[list[Cell]] = [
        [row.code, "refused" if row.refuses else "hint", CountAndShare(row.texts, row.texts / n)]
        for row in found.counts
    ]
    blocks: list[Block] = [
        Table(
            ["remark", "kind", found.kind],
            rows,
            f"{found.texts:,} {found.kind}, {found.refused:,} of which would be refused",
            f"Not checked: {found.missing}." if found.missing else "",
        )
    ]
    refused = [text for text in found.remarks if any(each.refuses for each in text.remarks)]
    if refused:
        reasons: list[list[Cell]] = [
            [text.number, text.id, each.box or "all", each.words]
            for text in refused[:_SHOWN]
            for each in text.remarks
            if each.refuses
        ]
        more = len(refused) - _SHOWN
        note = f"And {more:,} more; --json has all." if more > 0 else ""
        blocks.append(Table(["row", "id", "box", "why"], reasons, "Refused", note))
    return [*blocks, *(watch_blocks(found.watch) if found.watch else [])]


def watch_blocks(found: EndingWatch) -> list[Block]:
    """What endings give away: the alarm, the picture, the curve, what the model goes by, and the writers."""
    if found.missing:
        return [Table((), (), "What endings give away", f"Not worked out: {found.missing}.")]
    caption = (
        "How often a model that never sees the story chooses the right ending, as pairs came in. A guess is right in "
        "half of them."
    )
    return [
        *([Bullets("Alarm:", found.alarms)] if found.alarms else []),
        Chart(PICTURE, picture_of(found), caption),
        *given_away(found),
        writers_table(found),
    ]


def writers_table(found: EndingWatch) -> Table:
    """How often the model is right about each writer's pairs."""
    rows: list[list[Cell]] = [
        [row.writer or "not known", row.n, Share(row.accuracy), Interval(row.low, row.high, 1, of_share=True)]
        for row in found.writers
    ]
    note = f"Of those with {FEWEST_OF_A_WRITER} pairs or more; {found.few:,} pairs are of others."
    return Table(["writer", "n", "accuracy", _INTERVAL], rows, "By writer", note)


def picture_of(found: EndingWatch) -> "Figure | None":
    """The curve as a picture; None where there is none."""
    points = [(point.pairs, point.accuracy, point.low, point.high) for point in found.curve]
    return watched(points, found.threshold, "right without the story")


def given_away(found: EndingWatch) -> list[Table]:
    """The curve and what the model goes by, of all writers together."""
    curve: list[list[Cell]] = [
        [f"{point.pairs:,}", point.read, Share(point.accuracy), Interval(point.low, point.high, 1, of_share=True)]
        for point in found.curve
    ]
    seen: list[list[Cell]] = [
        [VARIANTS[row.variant], row.n, Share(row.accuracy), Interval(row.low, row.high, 1, of_share=True)]
        for row in found.variants
    ]
    weights: list[list[Cell]] = [
        [feature_name(row.feature), "right" if row.weight > 0 else "wrong", Number(abs(row.weight), 3)]
        for row in found.features[:_WEIGHTS]
    ]
    return [
        Table(
            ["pairs", "read", "accuracy", _INTERVAL],
            curve,
            "How often a model that never sees the story is right",
            f"EndingReg ({cited('sharma_2018')}), cross-validated: .715 on v1.0, .644 on v1.5 there. At most "
            f"{Share(found.threshold)} is allowed.",
        ),
        Table(["it sees", "n", "accuracy", _INTERVAL], seen, "By what it sees"),
        Table(
            ["it goes by", "speaks for", "weight"],
            weights,
            "What it goes by most",
            "Weight: the log-odds for each standard deviation.",
        ),
    ]


def filter_blocks(found: FilterSummary) -> list[Block]:
    """What fell where."""
    n = max(1, found.cases)
    fell: list[list[Cell]] = [
        [OUTCOMES[outcome], CountAndShare(count, count / n)] for outcome, count in found.outcomes.items()
    ]
    splits: list[list[Cell]] = [
        [split, found.stories[split], of, first, of - first] for split, (of, first) in found.splits.items()
    ]
    notes = [found.rule]
    if found.own_work:
        notes.append(f"{found.own_work:,} answers do not count: people verified what they had written.")
    if found.unknown_writers:
        notes.append(
            f"Of {found.unknown_writers:,} cases it is not known who wrote the endings, so that own work cannot be "
            "left out."
        )
    agreement = "not defined" if found.alpha is None else str(Number(found.alpha, 3))
    notes.append(f"Agreement of the verifiers in {found.answers:,} answers: Krippendorff's alpha {agreement}.")
    return [
        Table(["what became of it", "cases"], fell, f"{found.cases:,} pairs of endings", " ".join(notes)),
        Table(
            ["split", "stories", "cases", "right ending first", "second"],
            splits,
            "How the cases are divided",
            "All cases of a story are in one split.",
        ),
    ]


def export_blocks(found: ExportSummary) -> list[Block]:
    """What was exported, and where it is."""
    others = ", ".join(f"{n:,} {status}" for status, n in found.other_stories.items())
    used = f"{found.stories_used:,} more are used in cases"
    rows: list[list[Cell]] = [["stories", found.stories, f"{used}; {others}" if others else used]]
    if found.filter:
        stories = found.filter.stories
        rows += [
            [f"{split} cases", n, f"to {stories[split]:,} stories"] for split, (n, _) in found.filter.splits.items()
        ]
    return [
        Table(["release " + found.release, "n", "and"], rows),
        *(filter_blocks(found.filter)[:1] if found.filter else []),
        *([Bullets("Alarm:", found.watch.alarms)] if found.watch and found.watch.alarms else []),
        Bullets("Written:", found.files),
    ]


def progress_blocks(found: "CollectionProgress") -> list[Block]:
    """How far a collection is: its steps, what waits where, its people."""
    return [steps_table(found), flow_table(found), people_table(found)]


def steps_table(found: "CollectionProgress") -> Table:
    """How far each step is."""
    header = ["step", "state", "people", "handed in", "wanted", "in hand", "median minutes", "not counted", "failed"]
    rows: list[list[Cell]] = [
        [
            *(step.step, step.state, step.people, step.done, NO_VALUE if step.wanted is None else step.wanted),
            *(step.open, Number(step.median_minutes, 1), step.surplus + step.excluded, step.failed),
        ]
        for step in found.steps
    ]
    note = (
        "Handed in: without rejected stories. What others wrote or said about the work of excluded people is among it, "
        "but in no table below. Not counted: of people who are excluded, or more than was wanted. Failed: people who "
        "failed the step's test."
    )
    return Table(header, rows, "Steps", note)


def flow_table(found: "CollectionProgress") -> Table:
    """What waits where."""
    rows: list[list[Cell]] = [
        [of.step, ", ".join(f"{part.n:,} {part.words}" for part in of.parts) or "nothing yet"] for of in flow(found)
    ]
    return Table(["step", "pieces of work"], rows, "What waits where")


def people_table(found: "CollectionProgress") -> Table:
    """What each person did."""
    rows: list[list[Cell]] = [
        [person.person, person.state.replace("_", " "), *_done(person), f"{person.last_seen_at:%Y-%m-%d %H:%M}"]
        for person in found.people
    ]
    return Table(["person", "state", "did", "bonuses", "last seen (UTC)"], rows, "People")


def _done(person: "CollectorProgress") -> list[Cell]:
    did = "; ".join(map(words_of, person.steps))
    return [did or NO_VALUE, sum(of.bonuses for of in person.steps)]


def words_of(done: "StepOfPerson") -> str:
    """What somebody did in a step, in words: `3 stories (2 approved, 1 returned), median 2.5 minutes`."""
    statuses = ", ".join(f"{n:,} {status}" for status, n in done.statuses.items() if n)
    minutes = "" if done.median_minutes is None else f", median {done.median_minutes:.1f} minutes"
    return f"{PIECES[done.step].count(done.done)}{f' ({statuses})' if statuses else ''}{minutes}"
