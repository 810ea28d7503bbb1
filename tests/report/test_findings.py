"""The sentences that a report begins with, from results whose right sentence is known."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from test_summary import EVALUATION, fresh, run, write  # noqa: F401 -- `run` is a fixture

from denouement.analysis.endings import SystemEndings, repetition
from denouement.analysis.sentiment_contrast import SentimentContrast
from denouement.cloze.evaluation.results import ClozeResult, SystemComparison, SystemRow
from denouement.documents import write_document
from denouement.report.findings import (
    KeyFinding,
    key_findings,
    of_endings,
    of_questions,
    of_ranks,
    of_ratings,
    of_story_cloze,
)
from denouement.report.stale import Stale, find_stale
from denouement.report.systems import system_values, systems_table
from denouement.schemas import TABLES, write_table
from denouement.study.results.choice_model import Strengths
from denouement.study.results.clustered import Preference
from denouement.study.results.preferences import StudyResults, study_results
from denouement.study.results.rankings import RankedKind, RankedSystem
from denouement.study.results.reliability import Alpha, ChecksAnswered
from denouement.study.results.scales import MeanRating, RatingResults

CONTEXT = ["One.", "Two.", "Three.", "Four."]


def votes(choices: dict[tuple[str, str], str]) -> pa.Table:
    """One answer an item: by pair of systems a letter for each case: `f`irst, `s`econd, `b`oth."""
    rows = [
        {
            **{"study": "pilot", "item_id": f"{first}-{second}-{place}", "case_id": f"case-{place + 1:02}"},
            **{"annotator_id": f"p{place}", "position_a": first, "position_b": second, "question": "better"},
            **{"reason": None, "is_check": False, "status": "accepted", "started_at": None, "submitted_at": None},
            "kind": "person",
            "answer": {"f": "A", "s": "B", "b": "both"}[letter],
            "choice": {"f": first, "s": second, "b": "both"}[letter],
        }
        for (first, second), letters in choices.items()
        for place, letter in enumerate(letters)
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["votes"].schema)


def of_people(results: StudyResults) -> KeyFinding | None:
    """The first finding of a study."""
    return next(iter(of_questions(results)), None)


def preferring(**shares: tuple[float, float | None, float | None]) -> StudyResults:
    """By system the share of 100 answers that prefer it to human endings, and the ends of its interval."""
    results = study_results(votes({(name, "human_right"): "fsb" for name in shares}))
    pairs = []
    for row in results.pairs:
        share, low, high = shares[row.first]
        why = None if low is not None else "all answers are of one case"
        found = Preference(round(100 * share), 100, share, low, high, None, None, why)
        pairs.append(replace(row, preference=found))
    return replace(results, pairs=pairs)


@pytest.mark.parametrize(
    ("share", "claim"),
    [
        ((0.2, 0.1, 0.4), "People prefer human endings to those of mine."),
        ((0.8, 0.6, 0.9), "People prefer the endings of mine to human endings."),
        ((0.45, 0.3, 0.6), "It is open whether people prefer the endings of mine or human endings: the interval "
         "includes 50%."),
        ((0.45, 0.3, 0.5), "It is open whether people prefer the endings of mine or human endings: the interval "
         "includes 50%."),
        ((0.9, None, None), "It cannot be said whether people prefer the endings of mine or human endings: there is "
         "no interval."),
    ],
)  # fmt: skip
def test_what_people_prefer_is_claimed_only_where_the_interval_says_so(share, claim):
    assert of_people(preferring(mine=share)).claim == claim


def test_the_grounds_have_count_share_and_interval_or_why_there_is_none():
    found = of_people(preferring(mine=(0.2, 0.1, 0.4)))
    assert found.grounds == "Of 100 answers for one of the two, 20 are for mine (20.0%, 95% interval 10.0% to 40.0%)."
    assert found.anchor == "human-evaluation"
    found = of_people(preferring(mine=(0.01, None, None)))
    assert found.grounds == (
        "Of 100 answers for one of the two, 1 is for mine (1.0%). There is no interval, since all answers are of one "
        "case."
    )


def test_of_several_systems_the_nearest_is_named_and_whether_it_really_is():
    apart = of_people(preferring(far=(0.1, 0.05, 0.2), near=(0.4, 0.3, 0.48)))
    assert apart.claim == "People prefer human endings to those of near."
    assert apart.grounds.endswith("That is the highest share among 2 systems, and no other interval reaches its own.")
    close = of_people(preferring(far=(0.1, 0.05, 0.2), one=(0.4, 0.3, 0.48), two=(0.4, 0.29, 0.49)))
    assert close.grounds.endswith(
        "That is the highest share among 3 systems; the intervals of one and two overlap, so which is nearest is open."
    )


def test_without_human_endings_two_systems_are_compared_and_nobody_s_preference_is_none():
    found = of_people(study_results(votes({("one", "two"): "ffffffffffffffffffffs"})))
    assert found.claim == "People prefer the endings of one to those of two."
    found = of_people(study_results(votes({("one", "two"): "fsfsfsfsfs"})))
    assert found.claim.startswith("It is open whether people prefer the endings of one or those of two")
    assert of_people(study_results(votes({("one", "two"): "bbb"}))).claim == "People prefer no ending."
    assert of_people(study_results(votes({}))) is None


def test_right_against_wrong_endings_are_no_system_s():
    results = study_results(votes({("human_wrong", "human_right"): "sssss", ("mine", "human_right"): "fsfsf"}))
    assert "mine" in of_people(results).claim
    assert "human_wrong" not in of_people(results).grounds


def test_whose_endings_people_rate_highest_is_said_where_no_interval_reaches_the_first():
    def mean(scale: str, system: str, of: float, low: float | None, high: float | None) -> MeanRating:
        return MeanRating(scale, system, 10, 50, of, low, high, None, None, {})

    means = [
        mean("logic", "mine", 2.0, 1.5, 2.5),
        mean("logic", "human_right", 3.5, 3.0, 4.0),
        mean("grammar", "human_right", 3.0, 2.5, 3.5),
        mean("grammar", "mine", 2.9, 2.0, 3.8),  # the interval of the second reaches the first
        mean("pace", "mine", 3.0, None, None),
        mean("pace", "human_right", 1.0, 0.5, 1.5),
        mean("tone", "mine", 3.0, 2.5, 3.5),  # of one system alone
    ]
    found = of_ratings(RatingResults(["s"], {}, 50, ChecksAnswered(0, 0, 0, 0), means, [], []))
    assert found.claim == (
        "People rate human endings highest on logic. It is open whose endings people rate highest on grammar and pace."
    )
    assert "of 50 answers. logic: human_right 3.50 (3.00 to 4.00), mine 2.00 (1.50 to 2.50). grammar:" in found.grounds
    assert of_ratings(RatingResults(["s"], {}, 50, ChecksAnswered(0, 0, 0, 0), means[-1:], [], [])) is None


def test_a_preference_needs_p_corrected_for_all_pairs():
    results = preferring(far=(0.1, 0.05, 0.2), near=(0.62, 0.51, 0.7))
    corrected = {"far": 0.001, "near": 0.06}
    pairs = [
        replace(row, preference=replace(row.preference, p=0.03, p_holm=corrected[row.first])) for row in results.pairs
    ]
    found = of_people(replace(results, pairs=pairs))
    assert found.claim == (
        "It is open whether people prefer the endings of near or human endings: p, corrected for 2 pairs, is not below "
        "0.05."
    )
    assert "(62.0%, 95% interval 51.0% to 70.0%, corrected p = 0.060)." in found.grounds


def asked(*questions: tuple[str, str]) -> StudyResults:
    """By question a letter for each case, as of `votes`, of `one` against human endings."""
    tables = []
    for question, letters in questions:
        rows = votes({("seq2seq", "human_right"): letters}).to_pylist()
        tables.append(pa.Table.from_pylist([row | {"question": question} for row in rows], TABLES["votes"].schema))
    return study_results(pa.concat_tables(tables))


def test_only_the_question_better_is_about_what_people_prefer():
    most, few = "f" * 20 + "s", "s" * 20 + "f"
    assert of_people(asked(("duller", most))).claim == (
        "For the question duller, people choose the endings of seq2seq more often than human endings."
    )
    assert of_people(asked(("duller", few))).claim == (
        "For the question duller, people choose human endings more often than those of seq2seq."
    )
    assert of_people(asked(("duller", "fsfs"))).claim.startswith(
        "For the question duller, it is open whether people choose the endings of seq2seq or human endings more often: "
    )
    assert of_people(asked(("duller", "bb"))).claim == "For the question duller, people choose no ending."
    for both in ([("duller", most), ("better", few)], [("better", few), ("duller", most)]):
        assert of_people(asked(*both)).claim == (
            "For the question better, people prefer human endings to those of seq2seq."
        )
        assert of_questions(asked(*both))[1].claim == (
            "For the question duller, people choose the endings of seq2seq more often than human endings."
        )


def ranked(**means: tuple[float, float | None, float | None]) -> RankedKind:
    systems = [RankedSystem(name, 9, 9, 1, 1, *of, None, None) for name, of in means.items()]
    return RankedKind("ranking", 27, systems, Strengths([], None, 27, 9, 3, None, "no answers"), Alpha(None, 0, 0))


def test_whose_endings_are_the_best_of_several_is_said_where_no_interval_reaches_the_first():
    found = of_ranks(ranked(human_right=(0.5, 0.3, 0.7), mine=(-0.1, -0.3, 0.2)))
    assert found.claim == "People find human endings the best of several."
    assert found.grounds == (
        "Best-worst scores, from -1 to 1, with 95% intervals, of 27 answers: human_right 0.50 (0.30 to 0.70), "
        "mine -0.10 (-0.30 to 0.20)."
    )
    open_ = "It is open whose endings people find the best of several."
    assert of_ranks(ranked(human_right=(0.5, 0.1, 0.7), mine=(-0.1, -0.3, 0.2))).claim == open_
    assert of_ranks(ranked(mine=(0.5, None, None), human_right=(-0.1, -0.3, 0.2))).claim == open_
    assert of_ranks(ranked(mine=(0.5, 0.3, 0.7))) is None


def contrast(system: str, low: float | None, high: float | None) -> SentimentContrast:
    return SentimentContrast(system, 40, 0.25, 0.15, 0.1, low, high)


def test_sentiment_is_said_to_differ_only_where_the_interval_is_beyond_zero():
    happy, sad, open_, zero = (
        contrast("happy", 0.02, 0.2),
        contrast("sad", -0.3, -0.1),
        contrast("other", -0.1, 0.3),
        contrast("edge", 0.0, 0.2),
    )
    assert of_endings([happy], []).claim == (
        "The endings of happy are more positive than the human endings of the same cases."
    )
    claim = of_endings([open_, happy, sad, zero, contrast("lone", None, None)], []).claim
    assert claim == (
        "The endings of happy are more positive than the human endings of the same cases. "
        "The endings of sad are more negative than the human endings of the same cases. "
        "It is open whether the sentiment of the endings of other and edge differs from that of human endings. "
        "Nothing is said about the sentiment of the endings of lone: there is no interval."
    )
    assert of_endings([], []) is None


def test_sentiment_is_open_where_the_corrected_p_is_not_below_the_level():
    rows = [replace(contrast(name, 0.01, 0.2), p=0.04, p_holm=p) for name, p in (("sure", 0.01), ("one", 0.08))]
    found = of_endings(rows, [])
    assert found.claim == (
        "The endings of sure are more positive than the human endings of the same cases. "
        "It is open whether the sentiment of the endings of one differs from that of human endings."
    )
    assert "one 0.25, human 0.15 (difference +0.10, 95% interval 0.01 to 0.20, corrected p = 0.080, 40" in found.grounds


def test_diversity_stands_beside_that_of_human_endings():
    def of(system: str, endings: list[str]) -> SystemEndings:
        return SystemEndings(**vars(repetition(endings)), system=system, log_prob_per_token=None, decoding=None)

    found = of_endings([contrast("mine", 0.02, 0.2)], [of("right", ["A.", "B."]), of("mine", ["A.", "A."])])
    assert found.grounds == (
        "Mean sentiment: mine 0.25, human 0.15 (difference +0.10, 95% interval 0.02 to 0.20, 40 cases). Distinct: mine "
        "50.0% of 2, human 100.0% of 2."
    )


def system(name: str, accuracy: float, **other: object) -> SystemRow:
    half = 0.05
    measured = {"accuracy": accuracy, "low": accuracy - half, "high": accuracy + half, "n": 400, **other}
    return SystemRow(name, "", "v1.0", "validation", blind=False, **measured)


def claim_of(*rows: SystemRow, pair: SystemComparison | None = None) -> str:
    return of_story_cloze(ClozeResult(rows, {"v1.0 validation": [pair] if pair else []})).claim


def test_the_best_story_cloze_system_is_more_than_the_best_that_never_sees_the_story_only_by_a_test():
    rows = system("ending_reg", 0.7), system("cogcomp", 0.8), system("constant_first", 0.5)
    most = "cogcomp has the highest share of right choices"
    sure = SystemComparison("ending_reg", "cogcomp", 20, 60, 1e-5, 1e-4)
    assert claim_of(*rows, pair=sure) == (
        f"{most}, and chooses right more often than any system that never sees the story."
    )
    not_shown = f"{most}, but is not shown to be better than every system that never sees the story."
    assert claim_of(*rows, pair=SystemComparison("ending_reg", "cogcomp", 35, 45, 0.3, 0.6)) == not_shown
    assert claim_of(*rows, pair=SystemComparison("cogcomp", "ending_reg", 60, 40, 0.04, 0.4)) == not_shown
    assert claim_of(*rows) == not_shown  # without a test
    found = of_story_cloze(ClozeResult(rows, {"v1.0 validation": [sure]}))
    assert "Of the 80 cases that only one of the two gets right, cogcomp gets 60 (75.0%, 95% interval" in found.grounds
    assert "ending_reg, the best that never sees the story, is right in 70.0%" in found.grounds


def test_one_system_ties_guessing_and_blind_cases():
    assert claim_of(system("dssm", 0.52)) == (
        "dssm has the highest share of right choices, but that may be guessing, which is right in 50%."
    )
    assert claim_of(system("dssm", 0.8)) == "dssm has the highest share of right choices."
    assert claim_of(system("dssm", 0.7), system("ending_reg", 0.8)) == (
        "ending_reg has the highest share of right choices, and it never sees the story."
    )
    assert (
        claim_of(system("dssm", 0.8), system("cogcomp", 0.8))
        == "dssm and cogcomp have the highest share of right choices."
    )
    assert claim_of(system("dssm", 0.8), system("ending_reg", 0.8), system("constant_first", 0.5)) == (
        "dssm and ending_reg have the highest share of right choices, and ending_reg never sees the story."
    )
    assert claim_of(system("ending_reg", 0.8), system("constant_first", 0.8)) == (
        "ending_reg and constant_first have the highest share of right choices, and they never see the story."
    )
    blind = SystemRow("dssm", "", "v1.5", "test", blind=True, n=1571)
    assert of_story_cloze(ClozeResult([blind])) is None


def test_each_of_several_equally_good_systems_has_to_be_better_than_the_best_that_never_sees_the_story():
    rows = system("dssm", 0.8), system("cogcomp", 0.8), system("ending_reg", 0.7)
    sure = [SystemComparison(name, "ending_reg", 60, 20, 1e-5, 1e-4) for name in ("dssm", "cogcomp")]
    found = of_story_cloze(ClozeResult(rows, {"v1.0 validation": sure}))
    assert found.claim == (
        "dssm and cogcomp have the highest share of right choices, and choose right more often than any system that "
        "never sees the story."
    )
    found = of_story_cloze(ClozeResult(rows, {"v1.0 validation": sure[:1]}))
    assert found.claim.endswith("choices, but are not shown to be better than every system that never sees the story.")
    assert "dssm gets 60 (75.0%, 95% interval" in found.grounds
    assert found.grounds.endswith("No test compares the two.")


def test_the_largest_set_of_cases_counts():
    small = replace(system("cogcomp", 0.9), split="test", n=100)
    assert "dssm" in claim_of(small, system("dssm", 0.8))


def anchors(run) -> list[str]:  # noqa: F811
    run = fresh(run)
    return [each.anchor for each in key_findings(run, find_stale(run))]


def test_only_what_was_run_is_found(run):  # noqa: F811
    assert anchors(run) == ["sentiment", "story-cloze"]  # nobody answered
    run.layout.evaluation.write_text(json.dumps({**EVALUATION, "systems": []}))
    assert anchors(run) == ["sentiment"]
    for path in run.endings:
        path.unlink()
    write(
        run.layout.sentiment, "sentiment", [("v1.0/validation/a", group, 0.5, 0, 0, 0) for group in ("right", "wrong")]
    )
    assert anchors(run) == []


def test_a_finding_of_a_stale_result_is_marked(run):  # noqa: F811
    def stale() -> list[str]:
        now = fresh(run)
        return [each.anchor for each in key_findings(now, find_stale(now)) if each.is_stale]

    assert stale() == []
    (run.layout.story_cloze / "made_from.json").unlink()
    assert stale() == ["story-cloze"]
    write(run.endings[0], "endings", [("case-01", "h_seq2seq", "Another.", -3.0, 1)])
    assert stale() == ["sentiment", "story-cloze"]
    now = fresh(run)
    found = find_stale(now)
    note = systems_table(system_values(now, found), found).note
    assert "Stale: data/endings/h_seq2seq.parquet does not say what it was made from; data/sentiment.parquet" in note
    assert "data/cloze" not in note, "nothing of it is in the table"


def test_endings_of_other_cases_are_in_no_finding(run):  # noqa: F811
    def grounds(*stale: Stale) -> str:
        return next(each.grounds for each in key_findings(fresh(run), stale) if each.anchor == "sentiment")

    assert "h_seq2seq 100.0% of 11" in grounds()
    without = grounds(Stale("endings", "it was written for other contexts", "", ["h_seq2seq"]))
    assert "Distinct: seq2seq 100.0% of 11, human" in without


def judged(run, ending: str) -> None:  # noqa: F811
    """A study in which people preferred an ending of seq2seq for case-01 to the human one."""
    answers = votes({("seq2seq", "human_right"): "f"})
    write_document(study_results(answers), run.layout.study / "results.json")
    judged_items(run, [("seq2seq", ending, "human_right", "Right 1.")])


def judged_items(run, pairs: list[tuple[str, str, str, str]]) -> None:  # noqa: F811
    """What people read of case-01: each (first system, its ending, second system, its ending)."""
    rows = [
        {
            **{"study": "pilot", "item_id": f"i{n}", "case_id": "case-01", "question": "better"},
            **{"first": first, "second": second},
            **{"n_first": 1, "n_second": 0, "n_both": 0, "n_neither": 0, "agreement": first, "context": CONTEXT},
            **{"ending_first": of_first, "ending_second": of_second, "choices": [first], "reasons": [""]},
        }
        for n, (first, of_first, second, of_second) in enumerate(pairs)
    ]
    table = pa.Table.from_pylist(rows, schema=TABLES["table_3"].schema)
    write_table(table, run.layout.study / "table_3.parquet", "table_3")


def rows_of(run) -> dict[str, list[str]]:  # noqa: F811
    run = fresh(run)
    table = systems_table(system_values(run, find_stale(run)))
    return {str(row[0]): [str(cell) for cell in row[1:]] for row in table.rows}


def test_one_row_a_system_sorted_by_what_people_prefer(run):  # noqa: F811
    assert list(rows_of(run)) == ["human, right", "human, wrong", "seq2seq", "h_seq2seq"]  # by perplexity
    judged(run, "Seq2seq wrote 1.")  # as a study shows it: with a capital
    assert rows_of(run) == {
        "human, right": ["", "10", "100.0%", "2.0", "0.000", "0.0%", ""],
        "human, wrong": ["", "11", "", "", "-0.477", "0.0%", ""],
        "seq2seq": ["100.0% (-)", "11", "100.0%", "3.0", "0.000", "0.0%", "81.5"],
        "h_seq2seq": ["", "11", "100.0%", "3.0", "0.000", "0.0%", ""],
    }


def test_systems_have_what_people_chose_also_without_human_endings(run):  # noqa: F811
    # Of four stories h_seq2seq is chosen in three and seq2seq in one: strengths of 3 to 1.
    rows = votes({("h_seq2seq", "seq2seq"): "fffs"})
    write_document(study_results(rows), run.layout.study / "results.json")
    judged_items(run, [("h_seq2seq", "H_seq2seq wrote 1.", "seq2seq", "Seq2seq wrote 1.")])
    found = rows_of(run)
    assert (found["h_seq2seq"][0], found["seq2seq"][0], found["human, right"][0]) == ("75.0%", "25.0%", "")
    assert list(found)[2:] == ["h_seq2seq", "seq2seq"], "sorted by it, though h_seq2seq has no perplexity"


def test_what_people_choose_for_another_question_is_no_preference(run):  # noqa: F811
    judged(run, "Seq2seq wrote 1.")
    write_document(asked(("duller", "f")), run.layout.study / "results.json")
    assert rows_of(run)["seq2seq"] == ["11", "100.0%", "3.0", "0.000", "0.0%", "81.5"]


def test_a_study_of_other_endings_has_a_row_of_its_own(run):  # noqa: F811
    judged(run, "She was glad.")
    found = rows_of(run)
    assert found["seq2seq, as shown in pilot"] == ["100.0% (-)", "", "", "", "", "", ""]
    assert found["seq2seq"][0] == ""
    now = fresh(run)
    grounds = key_findings(now, [])[0].grounds
    assert "The endings in the study are not known to be those that seq2seq wrote in this run." in grounds
    Path(run.layout.study / "table_3.parquet").unlink()  # what was shown is not known
    assert "seq2seq, as shown in pilot" in rows_of(run)
