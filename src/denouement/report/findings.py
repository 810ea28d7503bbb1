"""What a run found, in up to three plain sentences that claim no more than their intervals allow."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from denouement.analysis.endings import SystemEndings
from denouement.analysis.sentiment import RIGHT
from denouement.analysis.sentiment_contrast import SentimentContrast, against_right
from denouement.cloze import WITHOUT_CONTEXT
from denouement.cloze.evaluation.results import ClozeResult, SystemComparison, SystemRow
from denouement.intervals import share_with_interval
from denouement.present.cells import Interval, PValue, Share
from denouement.report.run_folder import RunFolder
from denouement.report.stale import Stale, joined_sentiment
from denouement.report.systems import shown_elsewhere
from denouement.study.design.names import HUMAN_RIGHT, HUMAN_WRONG
from denouement.study.results.pairs import PairResult
from denouement.study.results.preferences import StudyResults
from denouement.study.results.scales import RatingResults

_HALF = 0.5
_LEVEL = 0.05
_PEOPLE, _CLOZE = "human-evaluation", "story-cloze"

_SENTIMENT = {
    "above": "The endings of {} are more positive than the human endings of the same cases.",
    "below": "The endings of {} are more negative than the human endings of the same cases.",
    "open": "It is open whether the sentiment of the endings of {} differs from that of human endings.",
    "unknown": "Nothing is said about the sentiment of the endings of {}: there is no interval.",
}
"""By where the interval of the difference is what is said of systems."""


@dataclass(frozen=True)
class KeyFinding:
    """One thing that a run found.

    Attributes:
        claim: what it says, in a plain sentence that its interval allows.
        grounds: the values and intervals that the claim rests on.
        anchor: the section that shows more.
        is_stale: whether a result that it is made from does not belong to the other files of the run.
    """

    claim: str
    grounds: str
    anchor: str
    is_stale: bool = False


def key_findings(run: RunFolder, stale: Sequence[Stale]) -> list[KeyFinding]:
    """What people preferred, how endings differ from human ones, how the Story Cloze Test stands.

    What has not been run is left out.

    Args:
        run: the folder of a run.
        stale: what `stale.find_stale` returned of it.
    """
    found: list[KeyFinding | None] = []
    if run.has_votes:
        found.append(of_people(run.study, shown_elsewhere(run)))
    else:
        found += [of_ratings(results) for results in run.scale_results if isinstance(results, RatingResults)]
    if run.layout.sentiment.exists():
        contrasts = against_right(joined_sentiment(run.sentiment, stale))
        found.append(of_endings(contrasts, run.repetition if run.endings else []))
    if run.layout.evaluation.exists():
        found.append(of_story_cloze(run.evaluation))
    are_stale = {"sentiment" if each.anchor == "endings" else each.anchor for each in stale}
    return [replace(each, is_stale=each.anchor in are_stale) for each in found if each]


def of_people(results: StudyResults, elsewhere: Collection[str] = ()) -> KeyFinding | None:
    """Which system people prefer to human endings, or which comes nearest; of a study without human endings, which of
    two systems they prefer.

    Args:
        results: of the study.
        elsewhere: systems whose endings in the study are not known to be those of this run.

    Returns:
        None where no pair was answered.
    """
    pairs = [row for row in results.pairs if HUMAN_WRONG not in (row.first, row.second)]
    human = [row for row in pairs if row.second == HUMAN_RIGHT]
    rows = human or pairs or results.pairs
    if not rows:
        return None
    decided = [row for row in rows if row.preference.of]
    if not decided:
        n = sum(row.answers for row in rows)
        return KeyFinding("People prefer no ending.", f"In all {n:,} answers both are good, or neither is.", _PEOPLE)
    best = max(decided, key=lambda row: row.preference.share or 0.0) if human else _strongest(results, decided)
    grounds = [_counted(best)]
    if len(decided) > 1:
        grounds.append(_among(best, decided) if human else f"The study compared {len(decided)} pairs of systems.")
    if about := [name for name in (best.first, best.second) if name in elsewhere]:
        grounds.append(
            f"The endings in the study are not known to be those that {' and '.join(about)} wrote in this run."
        )
    return KeyFinding(_preferred(best), " ".join(grounds), _PEOPLE)


def of_ratings(results: RatingResults) -> KeyFinding | None:
    """Whose endings people rate highest, by scale; None where no scale was used for two systems."""
    highest: dict[str, list[str]] = {}  # by whose endings it is, or nobody's, the scales
    values = []
    for scale in dict.fromkeys(row.question for row in results.means):
        first, *others = sorted((row for row in results.means if row.question == scale), key=lambda row: -row.mean)
        if not others:
            continue
        is_sure = all(first.low is not None and row.high is not None and first.low > row.high for row in others)
        highest.setdefault(first.system if is_sure else "", []).append(scale)
        means = (f"{row.system} {row.mean:.2f} ({Interval(row.low, row.high, 2)})" for row in (first, *others))
        values.append(f"{scale}: {', '.join(means)}.")
    if not values:
        return None
    claims = [
        f"People rate {'human endings' if system == HUMAN_RIGHT else f'the endings of {system}'} highest on "
        f"{_listed(scales)}."
        if system
        else f"It is open whose endings people rate highest on {_listed(scales)}."
        for system, scales in highest.items()
    ]
    grounds = f"Means with 95% intervals, of {results.answers:,} answers. {' '.join(values)}"
    return KeyFinding(" ".join(claims), grounds, _PEOPLE)


def of_endings(contrasts: Sequence[SentimentContrast], repetition: Sequence[SystemEndings]) -> KeyFinding | None:
    """Which systems write more positive or more negative endings than people, and how many of them differ.

    Args:
        contrasts: the sentiment of each system next to that of the right endings.
        repetition: of each system, and of the right endings.
    """
    verdicts: dict[str, list[str]] = {}
    means, distinct = [], []
    for row in contrasts:
        verdicts.setdefault(_direction(row.low, row.high, 0.0), []).append(row.system)
        means.append(
            f"{row.system} {row.mean:.2f}, human {row.right_mean:.2f} (difference {row.difference:+.2f}, 95% interval "
            f"{Interval(row.low, row.high, 2)}, {row.n:,} cases)"
        )
    for of in sorted(repetition, key=lambda row: row.system == RIGHT):
        name = "human" if of.system == RIGHT else of.system
        distinct.append(f"{name} {Share(of.distinct_share)} of {of.n:,}")
    claims = [claim.format(_listed(verdicts[verdict])) for verdict, claim in _SENTIMENT.items() if verdict in verdicts]
    if not claims:
        return None
    grounds = [f"Mean sentiment: {'; '.join(means)}.", *([f"Distinct: {', '.join(distinct)}."] if distinct else [])]
    return KeyFinding(" ".join(claims), " ".join(grounds), "sentiment")


def of_story_cloze(result: ClozeResult) -> KeyFinding | None:
    """The best Story Cloze system on the largest set of cases, next to the best that never sees the story."""
    rows = [row for row in result.systems if row.accuracy is not None]
    if not rows:
        return None
    largest = max(rows, key=lambda row: row.n).cases
    rows = sorted((row for row in rows if row.cases == largest), key=lambda row: (-(row.accuracy or 0), not row.best))
    best = rows[0]
    equals = [row for row in rows if row.accuracy == best.accuracy]
    blind = next((row for row in rows if row.system in WITHOUT_CONTEXT), None)
    names = _listed([_name(row) for row in equals])
    claim = f"{names} {'chooses' if len(equals) == 1 else 'choose'} the right ending most often"
    grounds = f"{'It is' if len(equals) == 1 else 'They are'} right in {_share(best)} of the {best.n:,} cases of "
    grounds += f"{best.cases}."
    if best.low is None or best.low <= _HALF:
        return KeyFinding(f"{claim}, but that may be guessing, which is right in 50%.", grounds, _CLOZE)
    if blind is None:
        more = "No system was run that never sees the story, so what endings alone give away is not known."
        return KeyFinding(f"{claim}.", f"{grounds} {more}", _CLOZE)
    if best is blind:
        return KeyFinding(f"{claim}, and it never sees the story.", grounds, _CLOZE)
    pairs = result.comparisons.get(largest, [])
    pair = next((pair for pair in pairs if {pair.one, pair.other} == {best.name, blind.name}), None)
    is_more, compared = _compared(best, pair)
    verdict = "more often than any system" if is_more else "but is not shown to be better than every system"
    without = f"{_name(blind)}, the best that never sees the story, is right in {_share(blind)}."
    return KeyFinding(f"{claim}, {verdict} that never sees the story.", f"{grounds} {without} {compared}", _CLOZE)


def _compared(best: SystemRow, pair: SystemComparison | None) -> tuple[bool, str]:
    """Whether the best system is better than another one beyond chance, and the test."""
    if pair is None:
        return False, "No test compares the two."
    only_best, only_other = (pair.only_one, pair.only_other)[:: 1 if pair.one == best.name else -1]
    n = only_best + only_other
    found = share_with_interval(only_best, n)
    is_more = _direction(found["low"], found["high"], _HALF) == "above" and pair.p_holm < _LEVEL
    return is_more, (
        f"Of the {n:,} cases that only one of the two gets right, {_name(best)} gets {only_best:,} "
        f"({Share(found['share'])}, {_interval(found['low'], found['high'])}; corrected p = {PValue(pair.p_holm)})."
    )


def _preferred(row: PairResult) -> str:
    one, other = f"the endings of {row.first}", f"the endings of {row.second}"
    those = f"those of {row.second}"
    if row.second == HUMAN_RIGHT:
        other = those = "human endings"
    match _direction(row.preference.low, row.preference.high, _HALF):
        case "above":
            return f"People prefer {one} to {those}."
        case "below":
            return f"People prefer {other} to those of {row.first}."
        case "open":
            return f"It is open whether people prefer {one} or {those}: the interval includes 50%."
        case _:
            return f"It cannot be said whether people prefer {one} or {those}: there is no interval."


def _counted(row: PairResult) -> str:
    found = row.preference
    interval = f", {_interval(found.low, found.high)}" if found.low is not None else ""
    why = f" There is no interval, since {found.why_not}." if found.low is None else ""
    return (
        f"Of {found.of:,} answers for one of the two, {found.n:,} {'is' if found.n == 1 else 'are'} for {row.first} "
        f"({Share(found.share)}{interval}).{why}"
    )


def _among(best: PairResult, rows: Sequence[PairResult]) -> str:
    """Whether the system nearest to human endings is nearer than the others."""
    low = best.preference.low
    near = [
        row.first
        for row in rows
        if row is not best and (low is None or row.preference.high is None or row.preference.high >= low)
    ]
    text = f"That is the highest share among {len(rows)} systems"
    if near:
        return f"{text}; the intervals of {best.first} and {_listed(near)} overlap, so which is nearest is open."
    return f"{text}, and no other interval reaches its own."


def _strongest(results: StudyResults, rows: Sequence[PairResult]) -> PairResult:
    """The pair of the two strongest systems; the first pair where these were not compared."""
    two = {row.system for row in results.strengths.systems[:2]}
    return next((row for row in rows if {row.first, row.second} == two), rows[0])


def _direction(low: float | None, high: float | None, none: float) -> str:
    """Where an interval is: `above` or `below` the value of no difference, `open` where it includes it, `unknown`."""
    if low is None or high is None:
        return "unknown"
    return "above" if low > none else "below" if high < none else "open"


def _name(row: SystemRow) -> str:
    return f"{row.system} ({row.variant})" if row.variant else row.system


def _share(row: SystemRow) -> str:
    return f"{Share(row.accuracy)} ({_interval(row.low, row.high)})"


def _interval(low: float | None, high: float | None) -> str:
    return f"95% interval {Interval(low, high, 1, of_share=True)}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
