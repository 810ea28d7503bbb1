"""The results of a study as sections to show, each statistic with a sentence that says what it is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from denouement.present.cells import Cell, CountAndShare, CountOf, Interval, Number, PValue, Share
from denouement.present.sections import Block, Paragraph, Section, Table
from denouement.study.results.clustered import Preference, ShareOfAnswers
from denouement.study.results.crossed import CASES, CASES_AND_ANNOTATORS
from denouement.study.results.pairs import ExactShare, PairResult, SignTest
from denouement.study.results.people import WhoTookPart
from denouement.study.results.preferences import QuestionAgreement, QuestionResults, StudyResults
from denouement.study.results.rankings import RankedKind, RankingResults
from denouement.study.results.scales import OrderResults, RatingResults, ScaleResults

_ANNOTATORS_SHOWN = 20

_BOTH = {True: " (both are good)", False: ""}
_NEITHER = {True: " (neither is)", False: ""}
"""What these answers mean, by whether the question is which ending is better."""

_SAME_ANNOTATORS = "what other cases would give, answered by the same annotators"
_OVER = {
    CASES_AND_ANNOTATORS: "what other cases and other annotators would give",
    CASES: f"{_SAME_ANNOTATORS}, since the answers name no annotators, or only one",
}
_CLUSTERED = "Intervals allow for answers about one case, and answers of one annotator, being alike"
_MEANS = f"Means are of the items' means. {_CLUSTERED}; they never leave the range of the values."


class WithInterval(Protocol):
    """A value with an interval, or with the reason why it has none."""

    @property
    def over(self) -> str | None:
        """What the interval allows for; None without one."""

    @property
    def why_not(self) -> str | None:
        """Why there is no interval."""


def study_sections(results: StudyResults) -> list[Section]:
    """The results of a study of pairs, in the order in which they are read."""
    if not results.answers:
        return [Section("Answers", "", [_statuses(results)])]
    several = bool(results.further)
    return [
        _answers(results),
        *([people_section(results.people)] if results.people else []),
        *_each_note_once(section for each in results.questions for section in _question(each, several)),
        *([_between(results.between)] if several else []),
        _annotators(results),
    ]


def _each_note_once(sections: Iterable[Section]) -> Iterator[Section]:
    """The sections, without paragraphs that stand in an earlier one."""
    there: set[Block] = set()
    for section in sections:
        blocks = [block for block in section.blocks if not (isinstance(block, Paragraph) and block in there)]
        there.update(block for block in blocks if isinstance(block, Paragraph))
        yield replace(section, blocks=blocks)


def _question(found: QuestionResults, several: bool) -> list[Section]:
    """The results of one question; with its name in the titles where there are several."""
    pairs = found.pairs
    graded = [_graded(pairs)] if any(row.graded for row in pairs) else []
    shown = [_pair(row, found) for row in pairs]
    shown += [*graded, _tests(found), _reliability(pairs)]
    if len({system for row in pairs for system in (row.first, row.second)}) != 2:  # of two it says what the share says
        shown.append(_strengths(found))
    return [replace(each, title=f"{each.title} ({found.question})") for each in shown] if several else shown


def scale_section(results: ScaleResults) -> Section:
    """The results of a study of ratings, orders or rankings."""
    if isinstance(results, RankingResults):
        return _rankings(results)
    return _orders(results) if isinstance(results, OrderResults) else _ratings(results)


def scale_sections(results: ScaleResults) -> list[Section]:
    """The results of a study of ratings, orders or rankings, and who took part where that is known."""
    return [scale_section(results), *([people_section(results.people)] if results.people else [])]


def reason_sections(results: ScaleResults) -> list[Section]:
    """The reasons for ratings or rankings: a section, or none where nobody gave one."""
    if isinstance(results, OrderResults) or not results.reasons:
        return []
    return [_ranking_reasons(results)] if isinstance(results, RankingResults) else [_rating_reasons(results)]


def _ranking_reasons(results: RankingResults) -> Section:
    rows: list[list[Cell]] = [
        [row.case_id, ordered_text(row.ranks), " ".join(row.reason.split())] for row in results.reasons
    ]
    what = "The answers that have a reason, in the order of the items; the endings of the first systems are the better."
    return Section("Rankings and reasons", what, [Table(["case", "order", "reason"], rows)])


def ordered_text(ranks: Mapping[str, int]) -> str:
    """Systems from the best to the worst.

    >>> ordered_text({"a": 2, "b": 1, "c": 2})
    'b > a = c'
    """
    by_rank: dict[int, list[str]] = {}
    for system in sorted(ranks):
        by_rank.setdefault(ranks[system], []).append(system)
    return " > ".join(" = ".join(by_rank[rank]) for rank in sorted(by_rank))


def _rating_reasons(results: RatingResults) -> Section:
    with_endings = any(row.ending for row in results.reasons)
    rows = [
        [
            row.case_id,
            row.system,
            *([row.ending or ""] if with_endings else []),
            ", ".join(f"{question} {value}" for question, value in row.values.items()),
            " ".join(row.reason.split()),
        ]
        for row in results.reasons
    ]
    columns = ["case", "system", *(["ending"] if with_endings else []), "ratings", "reason"]
    what = "The answers that have a reason, in the order of the items."
    return Section("Ratings and reasons", what, [Table(columns, rows)])


def people_section(who: WhoTookPart) -> Section:
    """Who took part."""
    what = f"What the people whose answers count replied to the study's own questions: {who.people:,} people"
    if who.without_replies:
        what += f", {who.without_replies:,} of whom replied to nothing"
    what += "."
    if who.left_out:
        what += f" Left out: {who.left_out:,} who replied and have no answer that counts."
    rows: list[list[Cell]] = []
    for each in who.questions:
        if each.type == "number":
            said = f"median {_plain(each.median)}, from {_plain(each.least)} to {_plain(each.greatest)}"
            rows.append([each.question, said, each.people])
        elif each.type == "text":
            rows.append([each.question, "a text (replies.parquet has them)", each.people])
        else:
            rows += [[each.question, row.option, CountAndShare(row.n, row.share)] for row in each.options]
    note = (
        "Shares are of those who replied to the question. Where several options may be chosen, they add up to more "
        "than 100%."
    )
    blocks: list[Block] = [Table(["question", "reply", "people"], rows, note=note)] if rows else []
    return Section("Who took part", what, blocks or [Paragraph("There is no reply.")])


def scope(named: Iterable[tuple[str, WithInterval]]) -> str:
    """What intervals allow for, or why there is none; where values differ in that, by their names."""
    names: dict[tuple[bool, str], list[str]] = {}
    for name, value in named:
        has_interval = value.over is not None
        what = _OVER[value.over] if value.over is not None else value.why_not or ""
        names.setdefault((has_interval, what), []).append(name)
    sentences = []
    for (has_interval, what), its in names.items():
        of = f" of {', '.join(its)}" if len(names) > 1 else ""
        sentences.append(
            f"The 95% interval{of} shows {what}." if has_interval else f"There is no 95% interval{of}, since {what}."
        )
    return " ".join(sentences)


def _ratings(results: RatingResults) -> Section:
    rows: list[list[Cell]] = [
        [
            row.question,
            row.system,
            row.items,
            row.answers,
            Number(row.mean, 2),
            Interval(row.low, row.high, 2),
            ", ".join(f"{value}: {n:,}" for value, n in row.values.items()),
        ]
        for row in results.means
    ]
    columns = ["scale", "system", "items", "answers", "mean", "95% interval", "how often each value"]
    alphas = ", ".join(f"{row.question} {Number(row.alpha, 3)}" for row in results.alphas)
    notes = [
        f"{_MEANS} {scope((f'{row.question} {row.system}', row) for row in results.means)}",
        "Krippendorff's alpha for ordinal data says how far people agree with each other, 1 being always and 0 no more "
        f"than by chance: {alphas}.",
    ]
    what = "How people rated the endings of each system: the mean by scale, and how often each value was given."
    return _scale("Ratings", what, Table(columns, rows), notes, results)


def _orders(results: OrderResults) -> Section:
    rows: list[list[Cell]] = [
        [
            row.system,
            row.items,
            row.answers,
            CountAndShare(row.right, row.share),
            Number(row.mean, 3),
            Interval(row.low, row.high, 2),
            _counted(row.last),
            _interval(row.last),
        ]
        for row in results.systems
    ]
    columns = ["ending of", "items", "answers", "all in order", "Kendall's tau", "95% interval"]
    columns += ["ending last, on items", "95% interval"]
    notes = [
        "Kendall's tau compares the order of every two sentences with the story's: 1 is the story's own order, -1 its "
        f"reverse. {_MEANS} {scope((row.system, row) for row in results.systems)}",
        "Ending last: on how many items more than half of the answers put the ending in the last place. The exact 95% "
        f"interval of their share shows {_SAME_ANNOTATORS}.",
    ]
    what = "How well people put the shuffled sentences of stories into order, by the system that wrote the ending."
    return _scale("Orders", what, Table(columns, rows), notes, results)


_KIND_TITLES = {"best_worst": "Best and worst of several", "ranking": "Ranks of several"}
_KIND_MODELS = {
    "best_worst": (
        "Strengths are of the model of best-worst scaling (Louviere, Flynn and Marley 2015): the best is chosen of all "
        "endings shown, then the worst of the rest with inverse weights; how those between them compare is not used."
    ),
    "ranking": (
        "Strengths are of the model of Plackett and Luce: the best is chosen of all endings shown, then the best of "
        "the rest, and so on; endings that share a place are chosen together (Firth, Kosmidis and Turner 2019)."
    ),
}


def _rankings(results: RankingResults) -> Section:
    title = f"Several endings at once: {', '.join(results.studies)}"
    counts = [_statuses(results), *_checks(results)]
    what = "Which of several endings of one story people find the best and the worst, by the system that wrote them."
    return Section(title, what if results.answers else "", [*counts, *map(_ranked_kind, results.kinds)])


def _ranked_kind(found: RankedKind) -> Section:
    strength_of = {row.system: row for row in found.strengths.systems}
    rows: list[list[Cell]] = []
    for row in found.systems:
        strength = strength_of.get(row.system)
        of_strength: list[Cell] = ["-", "-", "-"]
        if strength:
            interval = Interval(strength.low, strength.high, 2)
            of_strength = [Number(strength.strength, 2), interval, Share(strength.share)]
        counted = [CountAndShare(row.best, row.best / row.answers), CountAndShare(row.worst, row.worst / row.answers)]
        mean: list[Cell] = [Number(row.mean, 2), Interval(row.low, row.high, 2)]
        rows.append([row.system, row.items, row.answers, *counted, *mean, *of_strength])
    columns = ["system", "items", "answers", "best", "worst", "best-worst score", "95% interval"]
    columns += ["strength", "95% interval", "share"]
    strengths = found.strengths
    sure = scope([("", strengths)]) if strengths.systems else f"They are not estimated: {strengths.why_not}."
    notes = [
        "The best-worst score is the mean of 1 for the best, -1 for the worst and 0 for the others. "
        f"{_MEANS} {scope((row.system, row) for row in found.systems)}",
        f"{_KIND_MODELS[found.kind]} They are logarithms with mean 0; an ending is chosen as the best of several as "
        f"often as its share is of the sum of theirs. {sure}",
        "Krippendorff's alpha for ordinal data says how far people agree on the ranks of a story's endings, 1 being "
        f"always and 0 no more than by chance: {Number(found.alpha.alpha, 3)}, of the endings of "
        f"{_n(found.alpha.items, 'item')} with two answers or more.",
    ]
    what = f"{_n(found.answers, 'answer')}; a row for each system, the best first."
    return Section(_KIND_TITLES[found.kind], what, [Table(columns, rows), *map(Paragraph, notes)])


def _graded(pairs: Sequence[PairResult]) -> Section:
    """How much better people find one of two systems."""
    graded = [(row, row.graded) for row in pairs if row.graded]
    rows: list[list[Cell]] = [
        [_name(row), found.answers, *found.values.values(), Number(found.mean, 2), Interval(found.low, found.high, 2)]
        for row, found in graded
    ]
    columns = ["first / second", "answers", "first much better", "first slightly", "second slightly"]
    columns += ["second much better", "mean", "95% interval"]
    note = (
        "The mean is of 2 where the first is much better, 1 where it is slightly better, and -1 and -2 where the "
        f"second is. {_CLUSTERED}. {scope((_name(row), found) for row, found in graded)}"
    )
    what = "How much better people find the one than the other."
    return Section("How much better", what, [Table(columns, rows), Paragraph(note)])


def _between(rows: Sequence[QuestionAgreement]) -> Section:
    """How far the questions about one pair agree."""
    lines: list[list[Cell]] = [
        [
            f"{row.first} / {row.second}",
            row.answers,
            CountAndShare(row.same.n, row.same.share) if row.same else "-",
            _interval(row.same) if row.same else "-",
            Number(row.kappa, 3),
        ]
        for row in rows
    ]
    columns = ["questions", "answers", "same choice", "95% interval", "kappa"]
    note = (
        "An answer is one person's about one item. Cohen's kappa says how far the two questions get the same choice "
        "beyond chance: 1 is always, 0 no more than by chance; a dash where all choices are the same. "
        + scope((f"{row.first} / {row.second}", row.same) for row in rows if row.same)
    )
    what = "How far the questions about the same two endings get the same answer."
    return Section("How the questions agree", what, [Table(columns, lines), Paragraph(note)])


def _scale(title: str, what: str, table: Table, notes: Sequence[str], results: ScaleResults) -> Section:
    title = f"{title}: {', '.join(results.studies)}"
    counts = [_statuses(results), *_checks(results)]
    if not results.answers:
        return Section(title, "", counts)
    return Section(title, what, [table, *counts, *map(Paragraph, notes)])


def _answers(results: StudyResults) -> Section:
    notes = [
        f"An answer is for one of the two endings, or it is both{_BOTH[results.is_better]} or neither"
        f"{_NEITHER[results.is_better]}. What people agree on about an item, a story with its two endings, is the "
        "answer that most of them gave. Where two answers were given equally often, the rule of Mori et al. 2019 "
        "(appendix A.2) decides: the two endings together are both; both and neither are both; an ending wins over "
        "both and over neither. Any other tie is no agreement.",
    ]
    if results.further or results.words:
        notes.append(_questions(results))
    sides = results.sides
    if sides.share is not None:
        more = f"{CountAndShare(sides.n, sides.share)} {'has' if sides.n == 1 else 'have'} more for A"
        notes.append(
            f"Answers for one ending: {sides.answers.A:,} for A, {sides.answers.B:,} for B. Of "
            f"{_n(sides.of, 'item')} with more answers for one side, {more} (95% interval "
            f"{Interval(sides.low, sides.high, 1, of_share=True)}; test that neither side is favoured: p = "
            f"{PValue(sides.p)}; both are exact, and show {_SAME_ANNOTATORS})."
        )
    if results.seconds is not None:
        notes.append(f"Median time of an answer: {results.seconds:.0f} s.")
    shown = [_statuses(results), *map(Paragraph, notes), *_checks(results)]
    return Section(f"Answers: {', '.join(results.studies)}", "", shown)


def _questions(results: StudyResults) -> str:
    """What people were asked."""
    if not results.further:
        return f"The question: “{results.words}”"
    asked = "; ".join(f"{each.question}{f' (“{each.words}”)' if each.words else ''}" for each in results.questions)
    first = f"What follows here and the table of annotators are about the first question, {results.question}."
    return f"The questions: {asked}. {first}"


def _statuses(results: StudyResults | ScaleResults) -> Paragraph:
    by_status = ", ".join(f"{n:,} {status}" for status, n in results.statuses.items())
    n_checks = results.checks.answers
    are = "is" if n_checks == 1 else "are"
    checks = f" Apart from these, {n_checks:,} {are} to attention checks." if n_checks else ""
    answers = f"{_n(results.answers, 'answer')} {'counts' if results.answers == 1 else 'count'}"
    return Paragraph(f"{answers}. By status: {by_status or 'there are none'}.{checks}")


def _checks(results: StudyResults | ScaleResults) -> list[Block]:
    """How attention checks were answered, where there were any."""
    checks = results.checks
    if checks.known:
        by = _n(checks.annotators_failing or 0, "annotator")
        return [Paragraph(f"Attention checks: {checks.failed:,} of {checks.known:,} failed, by {by}.")]
    if checks.answers:
        return [Paragraph("The right answers to attention checks are in the table of items (--items).")]
    return []


def _pair(row: PairResult, asked: QuestionResults) -> Section:
    """A row of Mori et al. 2019, Table 2, with the paper's own where it belongs beside it."""
    agreed: list[ExactShare] = list(vars(row.agreement).values())
    single: list[ShareOfAnswers] = list(vars(row.single_answers).values())
    lines: list[list[Cell]] = [
        ["items", row.items, *map(_counted, agreed)],
        ["95% interval", "", *map(_interval, agreed)],
        ["single answers", row.answers, *map(_counted, single), ""],
        ["95% interval", "", *map(_interval, single), ""],
    ]
    what = "better" if asked.is_better else "chosen"
    which = asked.named if asked.words and not asked.is_better else f"Which ending is {what}"
    names = (f"{row.first} {what}", f"{row.second} {what}", "both", "neither")
    notes = [
        f"The interval of items is exact and shows {_SAME_ANNOTATORS}. That of single answers allows for answers about "
        f"one case, and answers of one annotator, being alike. {scope(zip(names, single, strict=True))}"
    ]
    if row.cases < row.items:
        notes.append(
            f"The {row.items:,} items are about {_n(row.cases, 'case')}; the exact interval takes items as "
            "independent, so it is too narrow."
        )
    if row.paper:
        published: list[int] = list(vars(row.paper).values())
        n = sum(published)
        lines.append(["Mori et al. 2019", n, *(CountAndShare(each, each / n) for each in published), ""])
        notes.append(
            f"Mori et al. 2019 compared systems of these names on {n} items, with five answers each: their Table 2, "
            "with the authors' correction."
        )
    return Section(
        f"{which}: {row.first} or {row.second}?",
        "How many items people agree on in each way, and how many single answers there were, with intervals of the "
        "shares.",
        [Table(["of", "n", *names, "no agreement"], lines), *map(Paragraph, notes)],
    )


def _tests(asked: QuestionResults) -> Section:
    pairs, prefers = asked.pairs, asked.is_better
    several = len(pairs) > 1
    lines: list[list[Cell]] = []
    for row in pairs:
        tests: tuple[tuple[str, SignTest | Preference], ...] = (("items", row.sign_test), ("answers", row.preference))
        for of, test in tests:
            ps = [PValue(test.p), *([PValue(test.p_holm)] if several else [])]
            lines.append([_name(row), of, *_preferred(row, test), *ps])
    notes = [
        f"Of items: of those on which people agree {'that one ending is better' if prefers else 'on one ending'}, how "
        f"many {'prefer' if prefers else 'are for'} the system named, with the exact interval of their share; p, of "
        "the exact two-sided sign test, says how often chance alone would be as far from a half. Both show "
        f"{_SAME_ANNOTATORS}.",
        "Of answers: of the single answers for one of the two, how many are for the system named. The interval and the "
        "test (Student's t) allow for answers about one case, and answers of one annotator, being alike. "
        + scope((_name(row), row.preference) for row in pairs),
    ]
    if several:
        notes.append(
            f"{len(pairs)} pairs are {len(pairs)} chances of a false alarm: compare the corrected p (Holm 1979) with "
            "the level, such as 0.05. Intervals are not corrected."
        )
    chosen = "preferred" if prefers else "chosen"
    columns = ["systems", "of", chosen, "n", "95% interval", "p", *(["p, Holm"] if several else [])]
    what = f"Which of two systems people {'prefer' if prefers else 'choose'}, and whether that could be chance."
    return Section("How sure it is", what, [Table(columns, lines), *map(Paragraph, notes)])


def _preferred(row: PairResult, test: SignTest | Preference) -> tuple[str, CountOf, Interval]:
    """The system that is preferred, by how many, and the interval of their share."""
    if test.of <= 2 * test.n:
        return row.first if test.of < 2 * test.n else "-", CountOf(test.n, test.of), _interval(test)
    low, high = (None if end is None else 1 - end for end in (test.high, test.low))
    return row.second, CountOf(test.of - test.n, test.of), Interval(low, high, 1, of_share=True)


def _reliability(pairs: Sequence[PairResult]) -> Section:
    lines: list[list[Cell]] = []
    for row in pairs:
        least, most = row.answers_per_item
        per_item = least if least == most else f"{least} to {most}"
        lines.append([_name(row), row.items, per_item, Number(row.kappa.kappa, 3), Number(row.alpha.alpha, 3)])
    notes = [
        "Fleiss' kappa and Krippendorff's alpha (nominal) say how far people agree beyond chance: 1 is always, 0 is no "
        "more than by chance; a dash where all answers are the same or no item has two.",
        *(
            f"{_name(row)}: kappa is of the {_n(row.kappa.items, 'item')} with "
            f"{_n(row.kappa.answers_per_item, 'answer')}, without {row.kappa.items_left_out:,} more."
            for row in pairs
            if row.kappa.items_left_out
        ),
    ]
    columns = ["systems", "items", "answers an item", "kappa", "alpha"]
    what = "How far people agree with each other about the same two endings."
    return Section("How far people agree", what, [Table(columns, lines), *map(Paragraph, notes)])


def _strengths(asked: QuestionResults) -> Section:
    title, strengths = "Strengths of the systems", asked.strengths
    if not strengths.systems:
        return Section(title, "", [Paragraph(f"Not estimated (Bradley and Terry): {strengths.why_not}.")])
    rows: list[list[Cell]] = [
        [row.system, Number(row.strength, 2), Interval(row.low, row.high, 2), Share(row.share)]
        for row in strengths.systems
    ]
    of = [_n(strengths.cases, "case"), *([_n(strengths.annotators, "annotator")] if strengths.annotators else [])]
    ties = "" if strengths.tie is None else f", with Davidson's ties ({strengths.tie:.2f}): both and neither alike"
    note = (
        f"The model of Bradley and Terry on single answers{ties}. Strengths are logarithms with mean 0; of two "
        "systems, shares in the ratio 3 to 1 mean that the first is "
        f"{'preferred' if asked.is_better else 'chosen'} three times as often as the second. {_CLUSTERED} "
        f"({', '.join(of)}). {scope([('', strengths)])}"
    )
    choose = "prefer" if asked.is_better else "choose"
    what = f"All systems on one scale: the stronger one is, the more often people {choose} its endings."
    return Section(title, what, [Table(["system", "strength", "95% interval", "share"], rows), Paragraph(note)])


def _annotators(results: StudyResults) -> Section:
    rows, unnamed = results.annotators, results.unnamed_answers
    notes = []
    if unnamed:
        notes.append(f"{_n(unnamed, 'answer')} {'comes' if unnamed == 1 else 'come'} from a file without annotators.")
    if not rows:
        return Section("Annotators", "", [*map(Paragraph, notes)])
    several = len({row.study for row in rows}) > 1
    lines: list[list[Cell]] = [
        [
            f"{row.study}: {row.annotator_id}" if several else row.annotator_id,
            row.answers,
            CountOf(row.agreeing, row.compared),
            Share(row.share),
            Share(row.pairwise),
            Number(row.seconds, 0),
            CountOf(row.checks_failed, row.checks) if row.checks else "-",
        ]
        for row in rows[:_ANNOTATORS_SHOWN]
    ]
    notes.append(
        "With the rest: of the items on which the other annotators agree, those to which this one gives the same "
        "answer. Pairwise: the mean share of the others' answers that are the same. Seconds: median time of an answer."
    )
    if len(rows) > len(lines):
        notes.append(f"The {len(lines)} that agree least of {len(rows):,}; all of them are in annotators.parquet.")
    columns = ["annotator", "answers", "with the rest", "share", "pairwise", "seconds", "checks failed"]
    what = "How far each person agrees with the others; who agrees least comes first."
    return Section("Annotators", what, [Table(columns, lines), *map(Paragraph, notes)])


def _counted(found: ExactShare | ShareOfAnswers) -> Cell:
    return CountAndShare(found.n, found.share)


def _interval(found: ExactShare | ShareOfAnswers | SignTest | Preference) -> Interval:
    return Interval(found.low, found.high, 1, of_share=True)


def _n(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _name(row: PairResult) -> str:
    return f"{row.first} / {row.second}"


def _plain(value: float | None) -> str:
    return str(Number(value, 0 if value is None or value == int(value) else 1))
