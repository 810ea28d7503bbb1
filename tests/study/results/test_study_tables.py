"""Results as text and as a page, and the commands that print and write them."""

import json
import re
from html.parser import HTMLParser

import chromium
import pyarrow as pa
import pytest
from click.testing import CliRunner
from votes_by_hand import votes

from denouement.cli import main
from denouement.documents import document
from denouement.present.markdown import render
from denouement.schemas import TABLES, read_table, write_table
from denouement.study.results.output import write_results
from denouement.study.results.page import study_page
from denouement.study.results.preferences import StudyResults, study_results
from denouement.study.results.sections import study_sections

EVIL = "<script>alert(\"1\")</script> & 'x'"


def items(*ids: str, ending: str = "He slept.") -> pa.Table:
    rows = [
        {
            "study": "s",
            "item_id": item_id,
            "case_id": f"case-{item_id}",
            "kind": "pair",
            "context": ["Tom was tired.", "It was late."],
            "systems": ["plain", "new"],
            "endings": ["He sang.", ending],
            "is_check": False,
            "is_training": False,
            "expected": None,
        }
        for item_id in ids
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["items"].schema)


@pytest.fixture
def files(tmp_path):
    table = votes({"i1": ("new", "plain", ["new", "new", "plain"]), "i2": ("new", "plain", ["plain", "new", "both"])})
    reasons = pa.array(["Sleepy,\nvery.", None, EVIL, "d", "e", "f"])
    table = table.set_column(table.schema.get_field_index("reason"), "reason", reasons)
    write_table(table, tmp_path / "votes.parquet", "votes")
    write_table(items("i1", "i2"), tmp_path / "items.parquet", "items")
    return tmp_path


def run(*arguments: object):
    return CliRunner().invoke(main, ["study", *map(str, arguments)])


def text_of(results: StudyResults) -> str:
    return render(study_sections(results))


def cells(text: str, beginning: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(beginning))
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_results_are_printed(files):
    done = run("results", files / "votes.parquet")
    assert done.exit_code == 0, done.output
    assert "## Which ending is better: new or plain?" in done.output
    assert cells(done.output, "| of ") == ["of", "n", "new better", "plain better", "both", "neither", "no agreement"]
    # One of one each: no agreement. The exact interval of 1 of 2 is from 1 - sqrt(1 - 0.025).
    assert cells(done.output, "| items ")[1:] == ["2", "1 (50.0%)", *["0 (0.0%)"] * 3, "1 (50.0%)"]
    assert cells(done.output, "| 95% interval ")[2] == "1.3% to 98.7%"
    assert cells(done.output, "| new / plain ")[1:5] == ["items", "new", "1 of 1", "2.5% to 100.0%"]
    # Of the five answers for one of the two, three prefer the new one; of three people, as one.
    answers = done.output.split("| new / plain ")[2].split("|")
    assert [cell.strip() for cell in answers[1:4]] == ["answers", "new", "3 of 5"]
    assert "The 95% interval shows what other cases and other annotators would give." in done.output
    assert "6 answers count. By status: 6 accepted." in done.output
    assert "| p0 " in done.output
    # Sides are swapped for every second person: A, B, B and B, B, both.
    assert (
        "Answers for one ending: 1 for A, 4 for B. Of 2 items with more answers for one side, 0 (0.0%)" in done.output
    )
    assert "Strengths" not in done.output, "of two systems they are the share once more"


def test_json_is_what_the_library_returns_and_numbers_are_numbers(files):
    done = run("results", files / "votes.parquet", "--json", "--out", files / "out")
    found = json.loads(done.stdout)
    assert found == json.loads(json.dumps(document(study_results(read_table(files / "votes.parquet", "votes")))))
    assert isinstance(found["pairs"][0]["agreement"]["first"]["n"], int)
    assert isinstance(found["pairs"][0]["agreement"]["first"]["share"], float)


def test_table_3_is_printed_with_every_reason(files):
    done = run("results", files / "votes.parquet", "--items", files / "items.parquet", "--reasons")
    table = done.output.split("## Table 3")[1]
    assert "1. Tom was tired. It was late.  [case case-i1]" in table
    assert "  * new (2): He slept." in table
    assert "    - new: Sleepy, very.\n    - plain: " in table
    assert table.count("    - ") == 5


def test_what_is_agreed_on_is_marked_alike_in_text_and_on_the_page(tmp_path):
    table = votes({"i1": ("new", "plain", ["both", "both"]), "i2": ("new", "plain", ["new", "plain"])})
    write_results(tmp_path, table, items("i1", "i2"), {"votes": "ab"})
    told, page = (tmp_path / "table_3.txt").read_text(), (tmp_path / "results.html").read_text()
    assert "    new (0): He slept." in told
    assert "  * both (2)\n" in told
    assert "  * both (0)" in told, "two systems that are preferred alike"
    assert "neither" not in told
    assert re.findall(r"(\d) answers, agreed", page) == ["2", "0"]


def test_one_is_no_plural():
    table = votes({"i1": ("new", "plain", ["new", "new", "plain"])})
    text = text_of(study_results(table))
    assert not re.search(r"\b1 (items|answers|annotators|cases|are|have)\b", text)
    assert "1 answer counts." in text_of(study_results(votes({"i1": ("new", "plain", ["new"])})))


def test_everything_is_written_and_the_same_twice(files):
    for out in ("one", "two"):
        done = run("results", files / "votes.parquet", "--items", files / "items.parquet", "--out", files / out)
        assert done.exit_code == 0, done.output
    names = {path.name for path in (files / "one").iterdir()}
    tables = {"pairs", "agreements", "strengths", "questions", "annotators", "table_3"}
    others = {"results.json", "results.html", "table_3.txt", "made_from.json"}
    assert names == {f"{name}.parquet" for name in tables} | others
    for name in names:
        assert (files / "one" / name).read_bytes() == (files / "two" / name).read_bytes()
    for name in tables:
        assert read_table(files / "one" / f"{name}.parquet", name).num_rows or name == "questions"
    (first, _) = read_table(files / "one/table_3.parquet", "table_3").to_pylist()
    assert (first["ending_first"], first["ending_second"]) == ("He slept.", "He sang.")
    assert first["reasons"] == ["Sleepy,\nvery.", "", EVIL]


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_whatever_people_or_systems_wrote_is_text_on_the_page(tmp_path):
    table = votes({"i1": (EVIL, "human_right", [EVIL, "human_right"])}, reason=EVIL, study=EVIL, case_id=EVIL)
    shown = items("i1").to_pylist()[0] | {
        **{"study": EVIL, "context": [EVIL], "systems": [EVIL, "human_right"], "endings": [EVIL, EVIL]}
    }
    write_results(tmp_path, table, pa.Table.from_pylist([shown], schema=TABLES["items"].schema), {"votes": "ab"})
    page = _Page()
    page.feed((tmp_path / "results.html").read_text())
    assert "script" not in page.tags
    assert page.text.count(EVIL) >= 8
    assert "article" in page.tags


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_wide_tables_scroll_in_their_boxes_and_the_page_does_not(files, width):
    run("results", files / "votes.parquet", "--items", files / "items.parquet", "--out", files / "out")
    browser = chromium.start(chromium.options(files / "profile", 1280))
    try:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get((files / "out/results.html").as_uri())
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        boxes = browser.execute_script(
            "return [...document.querySelectorAll('.wide')].map(box => "
            "[getComputedStyle(box).overflowX, box.scrollWidth > box.clientWidth])"
        )
        assert all(overflow == "auto" for overflow, _ in boxes)
        assert any(scrolls for _, scrolls in boxes) == (width < 500)
    finally:
        browser.quit()


def test_a_page_and_a_text_without_answers():
    nothing = study_results(TABLES["votes"].schema.empty_table())
    assert "0 answers count" in text_of(nothing)
    assert "0 answers count" in study_page(nothing, None)


def test_a_page_of_many_stories_folds_all_but_the_first_hundred(tmp_path):
    names = [f"i{number:03}" for number in range(205)]
    answers = votes({name: ("new", "plain", ["new"]) for name in names}, reason="why")
    write_results(tmp_path, answers, items(*names), {})
    page = (tmp_path / "results.html").read_text()
    shown, *folded = page.split("<details>")
    of_stories = [part for part in folded if part.startswith("<summary>Stories ")]
    assert [part[: part.index("</summary>")] for part in of_stories] == [
        "<summary>Stories 101 to 200 of 205",
        "<summary>Stories 201 to 205 of 205",
    ]
    assert [part.count('<article class="story">') for part in (shown, *of_stories)] == [100, 100, 5]
    assert re.findall("case-(i[0-9]{3})", page) == names, "each once, in the order of the answers"


def test_whichever_system_is_preferred_is_named_with_its_own_share():
    table = votes({f"i{place}": ("new", "plain", [choice]) for place, choice in enumerate(["plain"] * 4 + ["new"])})
    text = text_of(study_results(table))
    # The exact interval of 4 of 5 is that of 1 of 5, turned round.
    assert cells(text, "| new / plain ")[1:5] == ["items", "plain", "4 of 5", "28.4% to 99.5%"]
    # One annotator alone: the interval holds for other cases only, and the text says so.
    assert "answered by the same annotators, since the answers name no annotators, or only one." in text
    even = text_of(study_results(votes({"i": ("new", "plain", ["new"]), "j": ("new", "plain", ["plain"])})))
    assert cells(even, "| new / plain ")[1:4] == ["items", "-", "1 of 2"]


def test_several_pairs_show_corrected_p_values_and_one_does_not():
    one = {f"i{place}": ("new", "plain", [choice]) for place, choice in enumerate(["plain"] * 6)}
    assert "Holm" not in text_of(study_results(votes(one)))
    two = one | {f"j{place}": ("new", "third", [choice]) for place, choice in enumerate(["third"] * 5 + ["new"])}
    text = text_of(study_results(votes(two)))
    assert cells(text, "| new / plain ")[-2:] == ["0.031", "0.062"], "6 of 6: 2 / 2^6, twice"
    assert "2 pairs are 2 chances of a false alarm: compare the corrected p (Holm 1979)" in text
    assert "There is no 95% interval of new / plain, since all answers are the same." in text


def test_strengths_without_intervals_say_why():
    table = pa.concat_tables(
        [
            votes({f"i{n}": ("a", "b", ["a" if n % 2 else "b"] * 2) for n in range(6)}),
            votes({f"i{n}": ("b", "c", ["b" if n % 2 else "c"]) for n in range(6)}, annotator_id="q", study="t"),
        ]
    )
    text = text_of(study_results(table))
    assert cells(text.split("## Strengths of the systems")[1], "| b ")[2] == "-"
    assert (
        "There is no 95% interval, since one case or one annotator alone connects some systems to the others." in text
    )


def test_the_paper_s_row_says_where_it_comes_from():
    theirs = votes({"i": ("h_seq2seq", "human_right", ["human_right"])}, study="mori_2019")
    (_, pair, *_) = study_sections(study_results(theirs))
    text = render([pair])
    assert cells(text, "| Mori et al. 2019 ")[1:4] == ["200", "4 (2.0%)", "179 (89.5%)"]
    assert "their Table 2" in text.split("| Mori et al. 2019")[1]
    for elsewhere in (
        votes({"i": ("new", "plain", ["new"])}, study="mori_2019"),
        votes({"i": ("h_seq2seq", "human_right", ["human_right"])}),  # a study of one's own
        votes({"i": ("h_seq2seq", "human_right", ["human_right"])}, study="mori_2019", question="duller"),
    ):
        found = study_results(elsewhere)
        assert found.pairs[0].paper is None
        assert "Mori et al. 2019 " not in render([study_sections(found)[1]])


def test_why_there_are_no_strengths_is_said():
    text = text_of(study_results(votes({"i": ("a", "b", ["a"]), "j": ("c", "d", ["c"])})))
    assert "Not estimated (Bradley and Terry): no chain of comparisons connects [a, b] and [c, d]." in text


def test_import_writes_the_tables(files):
    names = "InputStoryid,context,optionA,optionB,answer,reason,RightEnding,model1,answer_correspondence"
    row = "c,One. Two.,He sang.,He slept.,{},Tired.,He slept.,A,{}"
    source = files / "renamed"
    source.write_text("\n".join([names, row.format("A", "Generated"), row.format("X", "")]))
    out = ("--out", files / "v.parquet", "--items", files / "i.parquet", "--rejects", files / "r.parquet")
    done = run("import", source, *out, "--systems", "net", "people", "--study", "mine")
    assert done.exit_code == 0, done.output
    assert "rows: 2; answers accepted: 1; not usable: 1" in done.output
    assert read_table(files / "v.parquet", "votes").select(["study", "choice"]).to_pylist() == [
        {"study": "mine", "choice": "net"}
    ]
    assert read_table(files / "i.parquet", "items").num_rows == read_table(files / "r.parquet", "rejects").num_rows == 1
    found = json.loads(run("import", source, *out, "--json").stdout)
    assert found["counts"]["unusable"] == 1
    assert found["files"] == {"renamed": "published"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("results", "none.parquet"), "none.parquet: no such file"),
        (("results", "{files}/items.parquet"), "is a table 'items', not 'votes'"),
        (("results", "{files}/votes.parquet", "--reasons"), "--items"),
        (("import", "{files}/none.csv", "--out", "{files}/v.parquet"), "no such file"),
        (("import", "{files}/items.parquet", "--out", "{files}/v.parquet"), "items and no answers"),
        (("import", "{files}/votes.parquet", "--out", "{files}/votes.parquet"), "is read too"),
        (("import", "{files}/votes.parquet", "--out", "{files}/v.parquet", "--items", "{files}/i.parquet"), "--items"),
        (("import", "{files}/votes.parquet", "--out", "{files}/v.parquet", "--column", "x"), "--column x"),
        (("import", "{files}/votes.parquet", "--out", "{files}/v.parquet", "--column", "x=y"), "no role x"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(files, arguments, message):
    done = run(*(word.format(files=files) for word in arguments))
    assert done.exit_code == 2
    assert re.fullmatch(r"error: [^\n]*\n", done.stderr)
    assert message in done.stderr
    assert not (files / "v.parquet").exists()
