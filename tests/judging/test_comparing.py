"""A judge held against people, by hand; and tables that do not belong together."""

import json
import re
from dataclasses import replace

import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement.answers import JUDGE_KEY, QuestionAsked, as_metadata
from denouement.cli import main
from denouement.errors import UserError
from denouement.judging.comparing import judge_report
from denouement.judging.sections import judge_chart
from denouement.schemas import read_table, write_table
from tests.judging.studies import MINE, PEOPLE, check, items, judge_table, votes

# In order 2 the endings have changed places, so that A then is the other one.
JUDGE = [("A", "B"), ("A", "A"), ("B", "B"), ("B", "both")]
ANSWERS = [[MINE] * 3, [PEOPLE] * 3, [PEOPLE, PEOPLE, MINE], [MINE, PEOPLE, "both"]]


def report(judge=JUDGE, people=ANSWERS, shown=None, **options):
    shown = items(len(judge)) if shown is None else shown
    return judge_report(*judge_table(judge, shown), votes(people), shown, **options)


def test_flips_by_hand():
    flips = report().flips
    assert (flips.pairs, flips.flipped.n, flips.first, flips.second, flips.tie) == (4, 3, 1, 1, 1)
    assert (flips.flipped.low, flips.flipped.high) == pytest.approx((0.1941, 0.9937), abs=1e-4)  # Clopper and Pearson
    assert report([("A", ""), ("", "B")], ANSWERS[:2]).flips is None


def test_agreement_by_hand():
    found = report()
    assert (found.pairs, found.people, found.people_answers, found.no_agreement) == (4, 3, 12, 1)
    rows = {row.who: row for row in found.agreement}
    assert [(who, row.answers, row.same.n) for who, row in rows.items()] == [
        ("all", 8, 4),
        ("listed", 4, 2),
        ("swapped", 4, 2),
        ("steady", 1, 1),
        ("person", 12, 7),
    ]
    assert rows["all"].same.share == 4 / 6
    # mine, mine, people against mine, people, people: 2/3 observed, 4/9 by chance
    assert rows["listed"].kappa == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))
    assert rows["listed"].alpha == pytest.approx(1 - (1 / 3) / (18 / 30))
    assert rows["listed"].same_as_person.mean == pytest.approx((1 + 0 + 2 / 3 + 1 / 3) / 4)
    # of the others two, the mean share with the same answer: all of i0 and i1, a half for each that chose people in i2
    assert rows["person"].same_as_person.mean == pytest.approx((6 + 0.5 + 0.5) / 12)
    assert rows["all"].same.over == "cases"  # one judge is no sample of judges
    assert rows["person"].same.over == "cases and annotators"


def test_leanings_by_hand():
    leanings = {row.what: row for row in report().leanings}
    counts = {what: (row.judge.n, row.judge.of, row.people.n, row.people.of) for what, row in leanings.items()}
    assert counts == {"first shown": (3, 7, 7, 11), "longer": (4, 7, 5, 11), "happier": (3, 7, 6, 11)}


def test_endings_that_differ_in_nothing_are_left_out():
    same = items(4, endings=["He was glad there.", "He was glad here."])
    leanings = {row.what: row for row in report(shown=same).leanings}
    assert (leanings["longer"].judge.of, leanings["happier"].people.of) == (0, 0)
    assert (leanings["first shown"].judge.of, leanings["longer"].judge.why_not) == (7, "there are no such answers")


def test_of_endings_that_are_not_english_it_is_not_known_which_is_happier():
    assert [row.what for row in report(shown=items(4, endings=["彼は家に帰った。", "犬は幸せだった。"])).leanings] == [
        "first shown",
        "longer",
    ]


def test_the_order_of_rows_does_not_matter_and_pairs_of_one_side_are_counted():
    shown = items(6)
    record, judged = judge_table([*JUDGE, ("A", "B")], shown)
    people = votes([*ANSWERS, [], [MINE, MINE]])
    found = judge_report(record, judged, people, shown)
    assert (found.pairs, found.only_judge, found.only_people) == (4, 1, 1)
    turned = [table.take(list(range(table.num_rows))[::-1]) for table in (judged, people, shown)]
    assert judge_report(record, *turned) == found
    assert found.agreement == report().agreement


def test_attention_checks_are_counted_apart():
    shown = pa.concat_tables([items(4), check()])
    record, judged = judge_table(JUDGE, shown)
    rows = [
        {
            **judged.to_pylist()[0],
            "item_id": "check",
            "case_id": "c0",
            "is_check": True,
            "annotator_id": f"model-0123-{n}",
        }
        | {"position_a": "check_first", "position_b": "check_second", "choice": choice, "answer": "AB"[n - 1]}
        for n, choice in ((1, "check_first"), (2, "check_second"))
    ]
    with_checks = pa.concat_tables([judged, pa.Table.from_pylist(rows, judged.schema)])
    from denouement.judging.questions import items_digest

    record = replace(record, items=items_digest(shown, {("s", f"i{n}") for n in range(4)} | {("s", "check")}))
    found = judge_report(record, with_checks, votes(ANSWERS), shown)
    assert (found.checks, found.checks_failed) == (2, 1)
    assert found.agreement == report().agreement


def test_what_so_many_pairs_can_show():
    assert report([("A", "B")] * 20, [[MINE]] * 20).uncertainty == pytest.approx((0.7280 - 0.2720) / 2, abs=1e-4)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda a: a | {"items": items(4, endings=["One.", "Two."])}, "the judge read other texts than this table has"),
        (lambda a: a | {"items": items(2)}, "2 of 4 that the judge answered are missing"),
        (lambda a: a | {"people": votes(ANSWERS, study="t")}, "no answer of people to it"),
        (lambda a: a | {"question": "fluent"}, "question fluent: the judge was asked better"),
        (lambda a: a | {"people": asked(votes(ANSWERS), "Which is funnier?")}, "people were asked 'Which is funnier?'"),
        (lambda a: a | {"record": replace(a["record"], options=("A", "B"))}, "judge with --choices ties"),
        (lambda a: a | {"people": a["people"].filter(pa.array([False] * 12))}, "no answer of people to it"),
        (lambda a: a | {"people": other_systems(votes(ANSWERS))}, "they are of two studies of one name"),
        (
            lambda a: a | {"people": pa.concat_tables([a["people"], a["judged"]])},
            "of people and of models in one table",
        ),
    ],
)
def test_tables_that_do_not_belong_together_are_refused(change, problem):
    shown = items(4)
    record, judged = judge_table(JUDGE, shown)
    given = {"record": record, "judged": judged, "people": votes(ANSWERS), "items": shown}
    judge_report(**given)
    with pytest.raises(UserError, match=re.escape(problem)):
        judge_report(**change(given))


def asked(table, words):
    return table.replace_schema_metadata(as_metadata({"s": {"better": QuestionAsked(words, True)}}))


def other_systems(table):
    rows = [{name: "x" if value == PEOPLE else value for name, value in row.items()} for row in table.to_pylist()]
    return pa.Table.from_pylist(rows, table.schema)


def test_pairs_that_only_one_of_them_answered_are_no_comparison():
    shown = items(2)
    record, judged = judge_table([("A", "B"), ("", "")], shown)
    with pytest.raises(UserError, match="no pair of study s was answered by people and by the judge"):
        judge_report(record, judged, votes([[], [MINE]]), shown)


@pytest.fixture
def files(tmp_path):
    shown = items(12)
    _, judged = judge_table([("A", "B"), ("A", "A"), ("B", "both")] * 4, shown)
    kept = {key.decode(): value.decode() for key, value in judged.schema.metadata.items()}
    write_table(judged, tmp_path / "judge.parquet", "votes", kept)
    write_table(votes([[MINE, PEOPLE, PEOPLE]] * 12), tmp_path / "votes.parquet", "votes")
    write_table(shown, tmp_path / "items.parquet", "items")
    return tmp_path


def judged_by(folder, *words, judge="judge.parquet", people="votes.parquet"):
    command = ["study", "judged", str(folder / judge), str(folder / people), "--items", str(folder / "items.parquet")]
    return CliRunner().invoke(main, [*command, *words])


def test_the_command_prints_writes_a_page_and_says_what_so_many_can_show(files):
    done = judged_by(files, "--out", str(files / "out"))
    assert done.exit_code == 0, done.output
    assert "a share near one half is known to about 29 percentage points to either side" in done.stdout
    assert {path.name for path in (files / "out").iterdir()} == {"judged.html", "judged.json", "judged.svg"}
    page = (files / "out" / "judged.html").read_text()
    assert "<svg" in page
    assert "How often the order decides" in page
    document = json.loads(judged_by(files, "--json").stdout)
    assert document == json.loads((files / "out" / "judged.json").read_text())
    assert document["flips"]["flipped"]["n"] == 8
    before = {path.name: path.read_bytes() for path in (files / "out").iterdir()}
    judged_by(files, "--out", str(files / "out"))
    assert {path.name: path.read_bytes() for path in (files / "out").iterdir()} == before


def test_the_chart_shows_shares_with_their_intervals_and_is_left_out_without_one():
    [panel] = judge_chart(report()).axes
    labels = [label.get_text() for label in panel.get_yticklabels()]
    assert labels == ["the ending shown first", "the longer ending", "the happier ending"]
    points = [container.lines[0].get_xdata().tolist() for container in panel.containers]
    assert points[0] == pytest.approx([3 / 7, 4 / 7, 3 / 7])
    assert points[1] == pytest.approx([7 / 11, 5 / 11, 6 / 11])
    assert judge_chart(report([("A", "A")], [["both"]])) is None


def test_a_damaged_record_is_one_line(files):
    table = read_table(files / "judge.parquet", "votes")
    write_table(table, files / "judge.parquet", "votes", {JUDGE_KEY: '{"study": "s"}'})
    done = judged_by(files)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "what it says of its judge is damaged; run the judge again" in done.stderr


def test_files_of_the_wrong_kind_are_one_line(files):
    for words, problem in [
        ({"judge": "votes.parquet"}, "was not written by `denouement study judge`"),
        ({"people": "judge.parquet"}, "all answers in it are of models"),
        ({"people": "items.parquet"}, "is a table 'items', not 'votes'"),
    ]:
        done = judged_by(files, **words)
        assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1), done.output
        assert problem in done.stderr
