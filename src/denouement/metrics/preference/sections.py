"""What a preference model learned, as blocks."""

from math import log

from denouement.metrics.agreement.sections import element_blocks, pick_table
from denouement.metrics.preference.learning import BEST, LONGER, MODEL, LearnedPreference
from denouement.present.cells import Cell, Interval, Number, Share
from denouement.present.sections import Block, Bullets, Paragraph, Section, Table


def preference_blocks(found: LearnedPreference) -> list[Block]:
    """How often the model is right beside simple rules, whether its probabilities come true, and its weights."""
    sections = [
        Section(
            "What people prefer, foretold",
            "Each story is judged by a model that learned from other stories.",
            [Paragraph(_about(found)), pick_table(found.picked), *_rules(found), _differences(found)],
        ),
        Section(
            "Whether probabilities come true",
            "Of the endings that the model finds likelier to be preferred, how much of what people say is for them.",
            [_calibration(found)],
        ),
    ]
    if found.weights:
        sections.append(
            Section("What the scores add", "The weights of the model that learned from all pairs.", [_weights(found)])
        )
    if found.by_element:
        sections.append(
            Section(
                "By what reasons name",
                "Whether the model is right more often where those who chose the winner name an element.",
                [*element_blocks(found.by_element), *_element_weights(found)],
            )
        )
    if found.test:
        what = f"{found.test_stories:,} stories of which none was learned from."
        sections.append(Section("Test pairs", what, [pick_table(found.test)]))
    left_out: list[Block] = [Bullets("Left out:", found.left_out)] if found.left_out else []
    return [*sections, *left_out]


def _element_weights(found: LearnedPreference) -> list[Block]:
    """A row an element and score, or a line why there is none."""
    rows: list[list[Cell]] = [
        [of.element, of.pairs, row.score, Number(row.weight, 3), Interval(row.low, row.high, 2)]
        for of in found.element_weights
        for row in of.weights
    ]
    note = "The model learned from the pairs that name the element alone, and from the scores without vectors."
    columns = ["element", "pairs", "score", "adds to the log-odds", "95%"]
    refused = [f"{of.element}: {of.why_not}" for of in found.element_weights if of.why_not]
    return [
        *([Table(columns, rows, "What scores add where an element is named", note)] if rows else []),
        *([Bullets("Elements without weights of scores:", refused)] if refused else []),
    ]


def _about(found: LearnedPreference) -> str:
    n = len(found.scores)
    reads = [f"{n:,} scores" if n > 1 else "one score"] if n else []
    reads += [f"sentence vectors of {found.encoder}"] if found.encoder else []
    asked = f" People were asked: {found.question}." if found.question else ""
    if found.other_questions:
        asked += f" The same file has {', '.join(found.other_questions)}: choose with --question."
    tied = (
        f" In {found.people_tied:,} of them people prefer neither: each ending of such a pair counts half when the "
        "model learns, and the pair is not in its accuracy."
        if found.people_tied
        else ""
    )
    return (
        f"{found.pairs:,} pairs of endings of {found.stories:,} stories; the model reads {' and '.join(reads)}.{tied}"
        f"{asked} {found.settings.folds} folds; all pairs of a story are in one fold (seed {found.settings.seed})."
    )


def _rules(found: LearnedPreference) -> list[Block]:
    if not found.chosen:
        return []
    chosen = ", ".join(f"{name} in {n} of {found.settings.folds} folds" for name, n in found.chosen.items())
    return [Paragraph(f"The {BEST} is chosen in each fold by the pairs that are learned from: {chosen}.")]


def _differences(found: LearnedPreference) -> Table:
    rows = [
        [
            f"{MODEL} less {row.rule}",
            row.pairs,
            Share(row.difference),
            Interval(row.low, row.high, 1, of_share=True) if row.why_not is None else f"none: {row.why_not}",
        ]
        for row in found.better_than
    ]
    note = "Shares of all pairs in which people prefer an ending; a rule that says neither is half right. Student's t."
    if LONGER not in {row.rule for row in found.better_than}:
        note += " The lengths of the endings are not known: give their texts with --items."
    return Table(["difference", "pairs", "right more often", "95%"], rows, "", note)


def _calibration(found: LearnedPreference) -> Table:
    return Table(
        ["probability", "pairs", "said", "95%"],
        [
            [f"{row.predicted:.1%}", row.pairs, Share(row.observed), Interval(row.low, row.high, 1, of_share=True)]
            for row in found.calibration
        ],
        "",
        f"Mean probability of the likelier ending, in steps of 10%; who prefers neither is half for each. Mean loss "
        f"{found.loss:.3f} nats a pair; where every probability is a half, {log(2):.3f}. Intervals are over stories.",
    )


def _weights(found: LearnedPreference) -> Table:
    rows = sorted(found.weights, key=lambda row: (-abs(row.weight), row.score))
    return Table(
        ["score", "typical difference", "adds to the log-odds", "95%"],
        [[row.score, Number(row.typical, 3), Number(row.weight, 3), Interval(row.low, row.high, 2)] for row in rows],
        "",
        f"Beside all other scores{' and the vectors' if found.encoder else ''}: of scores that go together, "
        f"one may have the weight of both. Weights are shrunk (penalty {found.penalty:g}). The interval is "
        "over other stories, of weights that are shrunk alike.",
    )
