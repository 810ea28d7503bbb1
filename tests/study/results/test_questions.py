"""Several questions about the same endings, and how much better one is: values by hand."""

import math

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy.stats import t
from votes_by_hand import votes

from denouement.answers import QuestionAsked, as_metadata, question_asked, questions_asked
from denouement.errors import UserError
from denouement.present.markdown import render
from denouement.present.sections import Paragraph
from denouement.report.charts import outcome_charts
from denouement.schemas import TABLES, read_table, stamp, write_table
from denouement.stages.study import StudyStage, chief_values, logged_values
from denouement.study.results.ballot import count
from denouement.study.results.preferences import study_results
from denouement.study.results.sections import study_sections
from denouement.study.results.tables import agreements, result_tables

N, P = "net", "people"


def asked(**choices: list[str]) -> pa.Table:
    """A table in which each person answers each of these questions about item i, then about item j."""
    rows = [
        row
        for question, given in choices.items()
        for row in votes({"i": (N, P, given[:4]), "j": (N, P, given[4:])}, question=question).to_pylist()
    ]
    rows.sort(key=lambda row: (row["item_id"], row["annotator_id"]))
    return pa.Table.from_pylist(rows, schema=TABLES["votes"].schema)


TWO = asked(better=[N, N, P, P, N, "both"], fluent=[N, P, P, P, N, "neither"])


def test_each_question_has_results_of_its_own():
    found = study_results(TWO)
    assert (found.question, found.answers, found.statuses) == ("better", 6, {"accepted": 6})
    (fluent,) = found.further
    assert (fluent.question, fluent.answers) == ("fluent", 6)
    (better_row,), (fluent_row,) = found.pairs, fluent.pairs
    assert (better_row.preference.n, better_row.preference.of) == (3, 5)
    assert (fluent_row.preference.n, fluent_row.preference.of) == (2, 5)
    assert found.pairs == study_results(TWO.filter(pc.equal(TWO["question"], "better"))).pairs


def test_how_far_questions_agree_by_hand():
    # 4 of 6 are the same. By chance: net 3/6 * 2/6, people 2/6 * 3/6, both and neither 0, so 1/3.
    (row,) = study_results(TWO).between
    assert (row.first, row.second, row.answers, row.same.n) == ("better", "fluent", 6, 4)
    assert row.same.share == pytest.approx(2 / 3)
    assert row.kappa == pytest.approx(0.5)


def test_an_answer_to_one_question_alone_is_not_compared():
    part = TWO.slice(1)  # without the first answer to `better`
    assert study_results(part).between[0].answers == 5


def test_questions_that_nobody_answered_both_of():
    apart = pa.concat_tables([asked(better=[N, N]), votes({"k": (N, P, [N])}, question="fluent")])
    (row,) = study_results(apart).between
    assert (row.answers, row.same, row.kappa) == (0, None, None)


def test_runs_are_compared_by_the_question_better_and_other_questions_are_named():
    def compared(table: pa.Table) -> dict[str, object]:
        values = chief_values(StudyStage(None, {}, study_results(table), {}, None))
        return {name: value for name, value in values.items() if name != "answers"}

    assert compared(TWO)["net_people"]["first_preferred"] == 3 / 5
    turned = pa.concat_tables([TWO.filter(pc.equal(TWO["question"], name)) for name in ("fluent", "better")])
    assert compared(turned) == compared(TWO)
    alone = compared(TWO.filter(pc.equal(TWO["question"], "fluent")))
    assert list(alone) == ["fluent_net_people"]
    assert alone["fluent_net_people"]["first_chosen"] == 2 / 5


def test_tables_and_sections_have_a_row_for_each_question():
    found = study_results(TWO)
    tables = result_tables(found)
    assert tables["pairs"]["question"].to_pylist() == ["better", "fluent"]
    assert tables["questions"].to_pylist()[0]["same"] == 4
    assert set(agreements(count(TWO, "fluent"))["question"].to_pylist()) == {"fluent"}
    titles = [section.title for section in study_sections(found)]
    assert "Which ending is chosen: net or people? (fluent)" in titles
    notes = [
        block.text for section in study_sections(found) for block in section.blocks if isinstance(block, Paragraph)
    ]
    assert len(notes) == len(set(notes)), "a note stands once, not once a question"
    assert "How the questions agree" in titles
    assert len(set(titles)) == len(titles)


def worded(table: pa.Table, **questions: QuestionAsked) -> pa.Table:
    """The table with what people read of each question."""
    return table.replace_schema_metadata(as_metadata({"s": questions}))


def test_a_question_of_one_s_own_is_named_by_its_words_and_is_no_preference():
    funnier = QuestionAsked("Which ending is funnier?", False)
    for question in ("better", "funnier"):  # the one question of a study is stored as `better`, whatever it asks
        table = worded(asked(**{question: [N, N, P, P, N, "both"]}), **{question: funnier})
        found = study_results(table)
        assert (found.words, found.is_better) == (funnier.words, False)
        text = render(study_sections(found))
        assert "“Which ending is funnier?”: net or people?" in text
        assert "net chosen" in text
        assert "prefer" not in text
        assert "better" not in text
        assert "both are good" not in text


def test_words_that_differ_between_studies_are_not_shown():
    one, other = (votes({"i": (N, P, [N, P])}, study=study) for study in ("s", "t"))
    both = pa.concat_tables([one, other])
    words = {"s": {"better": QuestionAsked("Which?", True)}, "t": {"better": QuestionAsked("Which one?", True)}}
    assert question_asked(both.replace_schema_metadata(as_metadata(words)), "better") == QuestionAsked(None, True)
    assert question_asked(both, "better") == QuestionAsked(None, True)
    assert question_asked(both, "duller") == QuestionAsked(None, False)
    with pytest.raises(UserError, match="damaged; export them again"):
        questions_asked(both.replace_schema_metadata({"denouement.questions": '{"s": {"better": "Which?"}}'}))


def test_all_questions_are_logged_and_have_charts():
    found = study_results(worded(TWO, fluent=QuestionAsked("Which is better written?", False)))
    values = logged_values(StudyStage(None, {}, found, {}, None))
    assert (values["net_people"]["second"], values["questions"]["fluent"]["net_people"]["second"]) == (0, 1)
    first, second = outcome_charts(found.questions)
    assert (first.file, second.file) == ("study.svg", "study_2.svg")
    assert "the question “Which is better written?”" in second.caption
    shown = [text.get_text() for text in second.picture.legends[0].get_texts()]
    assert "first one chosen" in shown


def graded(*answers: tuple[str, int | None]) -> pa.Table:
    rows = votes({"i": (N, P, [choice for choice, _ in answers])}).to_pylist()
    given = [row | {"strength": strength} for row, (_, strength) in zip(rows, answers, strict=True)]
    return pa.Table.from_pylist(given, schema=TABLES["votes"].schema)


def test_how_much_better_by_hand():
    (row,) = study_results(graded((N, 2), (N, 1), (P, 2), (P, 1), (N, 2))).pairs
    assert row.graded.values == {"2": 2, "1": 1, "-1": 1, "-2": 1}
    assert (row.graded.answers, row.graded.mean) == (5, pytest.approx(2 / 5))
    assert (row.preference.n, row.preference.of) == (3, 5)  # the direction is as without strengths


def test_the_interval_of_how_much_better_by_hand():
    # Four people about four stories; two people answer one step higher than the others, so nothing else varies.
    rows = votes({case: (N, P, [N] * 4 if case != "l" else [P] * 4) for case in "ijkl"}).to_pylist()
    for place, row in enumerate(rows):
        row |= {"annotator_id": f"p{place % 4}", "strength": [1, 1, 2, 2][place % 4]}
        if row["choice"] == P:
            row["strength"] = 3 - row["strength"]  # -2, -2, -1, -1
    found = study_results(pa.Table.from_pylist(rows, schema=TABLES["votes"].schema))
    graded = found.pairs[0].graded
    # Means of stories 1.5, 1.5, 1.5, -1.5, of people 0.25, 0.25, 1.25, 1.25: variances of their means 2.25/4 and 1/12.
    assert graded.mean == 0.75
    place = 2.75 / 4  # on the scale from -2 to 2
    half = t.ppf(0.975, 3) * math.sqrt(2.25 / 4 + 1 / 12) / 4 / (place * (1 - place))
    ends = [-2 + 4 / (1 + math.exp(-(math.log(place / (1 - place)) + side * half))) for side in (-1, 1)]
    assert (graded.low, graded.high) == pytest.approx(ends)
    assert ends == pytest.approx([-1.596, 1.909], abs=0.001)
    (written,) = result_tables(found)["pairs"].to_pylist()
    assert (written["graded_low"], written["graded_high"]) == (graded.low, graded.high)


def test_without_strengths_there_is_no_mean():
    (row,) = study_results(graded((N, None), (P, None))).pairs
    assert row.graded is None


@pytest.mark.parametrize("wrong", [("both", 1), (N, 3)])
def test_a_strength_that_cannot_be_is_refused(wrong):
    with pytest.raises(UserError, match="in 1 rows a strength is not 1 or 2, or belongs to no side"):
        study_results(graded((N, 1), wrong))


def test_votes_of_the_version_before_have_the_question_better(tmp_path):
    kind = TABLES["votes"]
    before = votes({"i": (N, P, [N, P])}).select(kind.earlier[1].names)
    path = tmp_path / "votes.parquet"
    write_table(votes({"i": (N, P, [N, P])}), path, "votes")
    now = read_table(path, "votes")
    import pyarrow.parquet as pq

    pq.write_table(before.cast(stamp(kind.earlier[1], "votes", 1)), path)
    assert read_table(path, "votes").equals(now)
