"""What a run found, in a few plain sentences that claim no more than their intervals and tests allow."""

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
from denouement.report.stale import Stale, joined_repetition, joined_sentiment
from denouement.report.systems import shown_elsewhere
from denouement.schemas import BETTER
from denouement.study.design.names import HUMAN_RIGHT, HUMAN_WRONG
from denouement.study.results.pairs import PairResult
from denouement.study.results.preferences import QuestionResults, StudyResults
from denouement.study.results.rankings import RankedKind, RankedSystem, RankingResults
from denouement.study.results.scales import MeanRating, RatingResults

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
    """What people preferred, how endings differ from human ones, which Story Cloze system is best.

    What has not been run is left out.

    Args:
        run: the folder of a run.
        stale: what `stale.find_stale` returned of it.
    """
    found: list[KeyFinding | None] = []
    if run.has_votes:
        found.append(of_people(run.study, shown_elsewhere(run)))
    else:
        for results in run.scale_results:
            if isinstance(results, RatingResults):
                found.append(of_ratings(results))
            elif isinstance(results, RankingResults):
                found += map(of_ranks, results.kinds)
    if run.layout.sentiment.exists():
        contrasts = against_right(joined_sentiment(run.sentiment, stale))
        found.append(of_endings(contrasts, joined_repetition(run, stale)))
    if run.layout.evaluation.exists():
        found.append(of_story_cloze(run.evaluation))
    are_stale = {"sentiment" if each.anchor == "endings" else each.anchor for each in stale}
    return [replace(each, is_stale=each.anchor in are_stale) for each in found if each]


def of_people(results: StudyResults, elsewhere: Collection[str] = ()) -> KeyFinding | None:
    """Which system people prefer to human endings, or which comes nearest; of a study without human endings, which of
    two systems they prefer.

    Only answers to the question `better` are called a preference. Without such answers, it is what people choose for
    the first question.

    Args:
        results: of the study.
        elsewhere: systems whose endings in the study are not known to be those of this run.

    Returns:
        None where no pair was answered.
    """
    asked = results.chief
    pairs = [row for row in asked.pairs if HUMAN_WRONG not in (row.first, row.second)]
    human = [row for row in pairs if row.second == HUMAN_RIGHT]
    rows = human or pairs or asked.pairs
    if not rows:
        return None
    decided = [row for row in rows if row.preference.of]
    if not decided:
        n = sum(row.answers for row in rows)
        claim = f"People {'prefer' if asked.question == BETTER else 'choose'} no ending."
        return KeyFinding(_of_question(results, claim), f"In all {n:,} answers both are good, or neither is.", _PEOPLE)
    best = max(decided, key=lambda row: row.preference.share or 0.0) if human else _strongest(asked, decided)
    grounds = [_counted(best, len(asked.pairs))]
    if len(decided) > 1:
        grounds.append(_among(best, decided) if human else f"The study compared {len(decided)} pairs of systems.")
    if about := [name for name in (best.first, best.second) if name in elsewhere]:
        grounds.append(
            f"The endings in the study are not known to be those that {' and '.join(about)} wrote in this run."
        )
    return KeyFinding(_preferred(best, results), " ".join(grounds), _PEOPLE)


def of_ranks(found: RankedKind) -> KeyFinding | None:
    """Whose endings people find the best of several; None where one system alone was shown."""
    first, *others = found.systems
    if not others:
        return None
    scores = ", ".join(f"{row.system} {row.mean:.2f} ({Interval(row.low, row.high, 2)})" for row in found.systems)
    grounds = f"Best-worst scores, from -1 to 1, with 95% intervals, of {found.answers:,} answers: {scores}."
    if not _is_above(first, others):
        return KeyFinding("It is open whose endings people find the best of several.", grounds, _PEOPLE)
    return KeyFinding(f"People find {_whose(first.system)} the best of several.", grounds, _PEOPLE)


def of_ratings(results: RatingResults) -> KeyFinding | None:
    """Whose endings people rate highest, by scale; None where no scale was used for two systems."""
    highest: dict[str, list[str]] = {}  # by whose endings it is, or nobody's, the scales
    values = []
    for scale in dict.fromkeys(row.question for row in results.means):
        first, *others = sorted((row for row in results.means if row.question == scale), key=lambda row: -row.mean)
        if not others:
            continue
        highest.setdefault(first.system if _is_above(first, others) else "", []).append(scale)
        means = (f"{row.system} {row.mean:.2f} ({Interval(row.low, row.high, 2)})" for row in (first, *others))
        values.append(f"{scale}: {', '.join(means)}.")
    if not values:
        return None
    claims = [
        f"People rate {_whose(system)} highest on {_listed(scales)}."
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
        verdicts.setdefault(_direction(row.low, row.high, 0.0, row.p_holm), []).append(row.system)
        means.append(
            f"{row.system} {row.mean:.2f}, human {row.right_mean:.2f} (difference {row.difference:+.2f}, 95% interval "
            f"{Interval(row.low, row.high, 2)}{_corrected(row.p_holm, len(contrasts))}, {row.n:,} cases)"
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
    several = len(equals) > 1
    names = _listed([_name(row) for row in equals])
    claim = f"{names} {'have' if several else 'has'} the highest share of right choices"
    grounds = f"{'They are' if several else 'It is'} right in {_share(best)} of the {best.n:,} cases of {best.cases}."
    if best.low is None or best.low <= best.chance:
        guessing = f"guessing, which is right in {Share(best.chance, 0)}"
        return KeyFinding(f"{claim}, but that may be {guessing}.", grounds, _CLOZE)
    if blind is None:
        more = "No system was run that never sees the story, so what endings alone give away is not known."
        return KeyFinding(f"{claim}.", f"{grounds} {more}", _CLOZE)
    if without := [_name(row) for row in equals if row.system in WITHOUT_CONTEXT]:
        who = ("they" if several else "it") if len(without) == len(equals) else _listed(without)
        never = "sees" if len(without) == 1 else "see"
        return KeyFinding(f"{claim}, and {who} never {never} the story.", grounds, _CLOZE)
    pairs = result.comparisons.get(largest, [])
    found = [
        _compared(row, next((pair for pair in pairs if {pair.one, pair.other} == {row.name, blind.name}), None))
        for row in equals
    ]
    if all(is_more for is_more, _ in found):
        verdict = f"and choose{'' if several else 's'} right more often than any system"
    else:
        verdict = f"but {'are' if several else 'is'} not shown to be better than every system"
    grounds += f" {_name(blind)}, the best that never sees the story, is right in {_share(blind)}."
    compared = " ".join(text for _, text in found)
    return KeyFinding(f"{claim}, {verdict} that never sees the story.", f"{grounds} {compared}", _CLOZE)


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


def _preferred(row: PairResult, results: StudyResults) -> str:
    """Which of two systems' endings people prefer; for another question than `better`, which ones they choose."""
    one, other = _whose(row.first), _whose(row.second)
    those = other if row.second == HUMAN_RIGHT else f"those of {row.second}"
    asked, found = results.chief, row.preference
    is_better = asked.question == BETTER
    direction = _direction(found.low, found.high, _HALF, found.p_holm)
    if direction in ("above", "below"):
        more, less = (one, those) if direction == "above" else (other, f"those of {row.first}")
        claim = f"People prefer {more} to {less}." if is_better else f"People choose {more} more often than {less}."
        return _of_question(results, claim)
    whether = f"prefer {one} or {those}" if is_better else f"choose {one} or {those} more often"
    if direction == "unknown":
        return _of_question(results, f"It cannot be said whether people {whether}: there is no interval.")
    includes = _direction(found.low, found.high, _HALF) == "open"
    why = "the interval includes 50%" if includes else f"p, corrected for {len(asked.pairs)} pairs, is not below 0.05"
    return _of_question(results, f"It is open whether people {whether}: {why}.")


def _of_question(results: StudyResults, claim: str) -> str:
    """A claim, after the name of the question where it is not `better` alone."""
    question = results.chief.question
    if question == BETTER and not results.further:
        return claim
    return f"For the question {question}, {claim[0].lower()}{claim[1:]}"


def _whose(system: str) -> str:
    return "human endings" if system == HUMAN_RIGHT else f"the endings of {system}"


def _is_above(first: RankedSystem | MeanRating, others: Sequence[RankedSystem | MeanRating]) -> bool:
    """Whether no interval of the others reaches that of the first."""
    return all(first.low is not None and row.high is not None and first.low > row.high for row in others)


def _corrected(p_holm: float | None, n_tests: int) -> str:
    """The corrected p of one of several tests."""
    return f", corrected p = {PValue(p_holm)}" if p_holm is not None and n_tests > 1 else ""


def _counted(row: PairResult, n_pairs: int) -> str:
    found = row.preference
    interval = f", {_interval(found.low, found.high)}" if found.low is not None else ""
    interval += _corrected(found.p_holm, n_pairs)
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


def _strongest(results: QuestionResults, rows: Sequence[PairResult]) -> PairResult:
    """The pair of the two strongest systems; the first pair where these were not compared."""
    two = {row.system for row in results.strengths.systems[:2]}
    return next((row for row in rows if {row.first, row.second} == two), rows[0])


def _direction(low: float | None, high: float | None, none: float, p_holm: float | None = None) -> str:
    """Where an interval is: `above` or `below` the value that means no difference, `open` if it includes it, `unknown`.

    With the corrected p of several tests it is `open`, too, where that is not below 0.05.
    """
    if low is None or high is None:
        return "unknown"
    if p_holm is not None and p_holm >= _LEVEL:
        return "open"
    return "above" if low > none else "below" if high < none else "open"


def _name(row: SystemRow) -> str:
    return f"{row.system} ({row.variant})" if row.variant else row.system


def _share(row: SystemRow) -> str:
    return f"{Share(row.accuracy)} ({_interval(row.low, row.high)})"


def _interval(low: float | None, high: float | None) -> str:
    return f"95% interval {Interval(low, high, 1, of_share=True)}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
