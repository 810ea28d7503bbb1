"""A judge held against people, as sections."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from denouement.charts.intervals import Estimate, compared_shares
from denouement.judging.comparing import (
    ALL,
    FIRST_SHOWN,
    HAPPIER,
    LISTED,
    LONGER,
    ONE_PERSON,
    STEADY,
    SWAPPED,
    AgreementWithPeople,
    JudgeReport,
)
from denouement.judging.judging import Judged
from denouement.present.cells import NO_VALUE, Cell, CountAndShare, CountOf, Interval, Number, PValue, Share
from denouement.present.sections import Block, Chart, Paragraph, Section, Table
from denouement.study.results.clustered import Preference
from denouement.study.results.sections import WithInterval, scope

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

CHART = "judged.svg"

_ROWS = {
    ALL: "judge",
    LISTED: "judge (endings as listed)",
    SWAPPED: "judge (endings swapped)",
    STEADY: "judge (same answer in both orders)",
    ONE_PERSON: "one person (with the others)",
}
_LEANINGS = {
    FIRST_SHOWN: "the ending shown first",
    LONGER: "the longer ending",
    HAPPIER: "the happier ending",
}


def judged_blocks(found: Judged, out: str, people: str) -> list[Block]:
    """What a judge answered, in a few lines; `people` is what `study judged` takes beside `out`."""
    record = found.record
    said = [
        f"{record.model} judged {found.pairs:,} pairs of study {record.study} in both orders: {found.answers:,} "
        f"answers ({record.judge}), in {out}.",
        f"{found.told}.",
    ]
    if found.asked_again:
        said.append(f"{found.asked_again:,} answers could not be read at first and were asked for once more.")
    if record.unreadable:
        said.append(
            f"{record.unreadable:,} answers could not be read and are left out; of {found.half:,} pairs the answer in "
            "one order alone is there."
        )
    said.append(f"How far it agrees with people: denouement study judged {out} {people}")
    return [Paragraph("\n".join(said))]


def judge_sections(found: JudgeReport) -> list[Section]:
    """Whose answers these are, flips, agreement with people, and what answers lean towards."""
    return [_about(found), _flips(found), _agreement(found), _leanings(found)]


def judge_chart(found: JudgeReport) -> "Figure | None":
    """What a judge and people lean towards; None where there is no interval."""
    sets = {
        whose: [
            Estimate(_LEANINGS[row.what], of.share, of.low, of.high)
            for row in found.leanings
            if (of := getattr(row, who)).share is not None and of.low is not None and of.high is not None
        ]
        for who, whose in (("judge", "judge"), ("people", "people"))
    }
    return compared_shares(sets, "share of the answers for one of two endings, 95%")


def _about(found: JudgeReport) -> Section:
    record = found.record
    people = "people, who are not named" if found.people is None else f"{found.people:,} people"
    said = [
        f"{record.model}{f' at {record.address}' if record.address else ''}, temperature {record.temperature:g}, was "
        f"asked “{found.words or found.question}” about each pair in both orders.",
        f"{found.pairs:,} pairs of study {record.study} have its answers and {found.people_answers:,} of {people}.",
    ]
    if found.no_agreement:
        said.append(f"People agree on no answer to {found.no_agreement:,} of these pairs.")
    if found.only_judge:
        said.append(f"{found.only_judge:,} further pairs have no answer of people that counts.")
    if found.only_people:
        said.append(f"{found.only_people:,} further pairs have no answer of the judge.")
    if record.unreadable:
        said.append(f"{record.unreadable:,} answers of the judge could not be read and are left out.")
    if found.checks:
        said.append(f"Attention checks: {found.checks_failed:,} of {found.checks:,} answers of the judge are wrong.")
    said.append(
        f"What so many pairs can show: a share near one half is known to about {found.uncertainty * 100:.0f} "
        "percentage points to either side. Judges, or prompts, that differ by less cannot be told apart by these pairs."
    )
    rows: list[list[Cell]] = [
        ["judge", record.judge],
        ["model and settings", record.identity[:12]],
        ["prompt", record.prompt[:12]],
        ["texts", record.items[:12]],
    ]
    return Section("The judge", "", [*map(Paragraph, said), Table(["digest of", "value"], rows)])


def _flips(found: JudgeReport) -> Section:
    title, flips = "How often the order decides", found.flips
    if flips is None:
        return Section(title, "", [Paragraph("No pair was answered in both orders.")])
    share = flips.flipped
    cells: list[Cell] = [
        flips.pairs,
        CountAndShare(share.n, share.share),
        Interval(share.low, share.high, 1, of_share=True),
        flips.first,
        flips.second,
        flips.tie,
    ]
    columns = ["pairs", "other answer", "95% interval", "first shown both times", "second both times", "one tie"]
    note = (
        "The exact 95% interval shows what other pairs would give. An answer that changes when the endings change "
        "places says where they stand, not how good they are."
    )
    return Section(
        title, "Pairs to which the judge gave another answer in the other order.", [Table(columns, [cells], "", note)]
    )


def _agreement(found: JudgeReport) -> Section:
    rows = [_agreement_row(each) for each in found.agreement]
    columns = ["answers of", "answers", "as people agree", "95% interval", "kappa", "alpha"]
    columns += ["as single people", "95% interval"]
    of_people = [("", each.same) for each in found.agreement if each.who == ONE_PERSON and each.same]
    notes = [
        "As people agree: of the pairs on which people agree, those with the same answer; Cohen's kappa and "
        "Krippendorff's alpha say the same beyond chance. As single people: the mean share of people's single answers "
        "that are the same.",
        _intervals(of_people),
        "One person is held against the others, who are one fewer than those whom the judge is held against. Pairs "
        "with the same answer in both orders are those that the judge finds easy: their agreement is not that of all.",
    ]
    what = "How far the judge gives the answers of people, beside how far one person gives those of the others."
    return Section("Agreement with people", what, [Table(columns, rows), *map(Paragraph, notes)])


def _agreement_row(row: AgreementWithPeople) -> list[Cell]:
    same, single = row.same, row.same_as_person
    return [
        _ROWS[row.who],
        row.answers,
        CountAndShare(same.n, same.share) if same else NO_VALUE,
        Interval(same.low, same.high, 1, of_share=True) if same else NO_VALUE,
        Number(row.kappa, 3),
        Number(row.alpha, 3),
        Share(single.mean) if single else NO_VALUE,
        Interval(single.low, single.high, 1, of_share=True) if single else NO_VALUE,
    ]


def _leanings(found: JudgeReport) -> Section:
    rows = [
        [_LEANINGS[row.what], whose, *_preferred(of)]
        for row in found.leanings
        for whose, of in (("judge", row.judge), ("people", row.people))
    ]
    columns = ["for", "answers of", "n", "share", "95% interval", "p"]
    of_people = [(_LEANINGS[row.what], row.people) for row in found.leanings]
    notes = [
        "Of the answers for one of two endings that differ in it. Longer: in words; happier: by VADER's compound. p is "
        f"of one half, by Student's t. {_intervals(of_people)}",
        "People may have good reasons to prefer what is longer or happier here, so compare the judge with them. Nobody "
        "has one to prefer what is shown first. The judge saw each pair in both orders; where all people saw a pair in "
        "the same one, their answers for the first also say which ending that was.",
    ]
    if not any(row.what == HAPPIER for row in found.leanings):
        notes.append("The endings do not look English, so it is not known which is happier.")
    caption = "What answers lean towards, of the judge and of people, with 95% intervals."
    chart = Chart(CHART, judge_chart(found), caption)
    what = "Whether answers lean towards what stands first, is longer or happier."
    return Section("What answers lean towards", what, [Table(columns, rows), chart, *map(Paragraph, notes)])


def _intervals(of_people: Sequence[tuple[str, WithInterval]]) -> str:
    """What the intervals of the judge allow for, and what those of people do, or why there is none."""
    said = (
        "Intervals of the judge show what other pairs would give, answered by this same judge; there is none where all "
        "its answers are the same, or about one story."
    )
    scoped = scope(of_people)
    return f"{said} For people, {scoped[0].lower()}{scoped[1:]}" if scoped else said


def _preferred(of: Preference) -> list[Cell]:
    return [CountOf(of.n, of.of), Share(of.share), Interval(of.low, of.high, 1, of_share=True), PValue(of.p)]
