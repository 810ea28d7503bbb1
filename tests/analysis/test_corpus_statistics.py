import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement.analysis import events, titles
from denouement.analysis.corpus_statistics import Words, by_position, title_lengths, vocabulary_growth
from denouement.analysis.crowd import crowd_statistics
from denouement.analysis.duplicates import duplicates
from denouement.analysis.orders import RelationCount, order_statistics, read_orderings, tlink_statistics
from denouement.analysis.sections.statistics import statistics_sections
from denouement.analysis.statistics import find_statistics
from denouement.charts.sunburst import arcs, sunburst
from denouement.cli import main
from denouement.errors import UserError
from denouement.present.cells import written
from denouement.present.markdown import render
from denouement.present.sections import Table
from denouement.schemas import TABLES, empty_table, write_table
from denouement.text import syntax
from denouement.text.wordnet import Events


def stories(*sentences: list[str], titles: list[str | None] | None = None) -> pa.Table:
    n = len(sentences)
    columns = {
        "story_id": [f"s{place}" for place in range(n)],
        "title": titles or [None] * n,
        "sentences": list(sentences),
        "source": ["rocstories"] * n,
        "split": ["train"] * n,
    }
    return pa.table(columns, schema=TABLES["stories"].schema)


@contextmanager
def refused_briefly(path: Path, message: str) -> Iterator[None]:
    """The file is refused with this message, in a line that does not repeat a cell of any length."""
    with pytest.raises(UserError, match=message) as caught:
        yield
    assert len(str(caught.value)) < len(str(path)) + 150


def test_words_by_position():
    first, second = by_position(Words.of([["Tom ran.", "He fell down."], ["It rained all day."]]))
    assert (first.n, first.mean, first.median) == (2, 4.0, 4.0)  # 3 and 5 words
    assert first.sd == pytest.approx(2**0.5)
    assert first.counts == (0, 0, 0, 1, 0, 1)
    assert (second.n, second.mean, second.sd) == (1, 4.0, None)


def test_titles_without_a_title_are_counted_apart():
    found = title_lengths(["The Lost Dog", None, "", "Rain"])
    assert (found.n, found.mean, found.median) == (2, 2.0, 2.0)
    assert title_lengths([None]).mean is None


def test_vocabulary_grows_by_words_not_met_before():
    found = vocabulary_growth(Words.of([["a b a c", "A d"]]))
    assert (found.tokens, found.types, found.once) == (6, 4, 3)
    assert found.points[-1] == (6, 4)


def test_duplicates_word_for_word_and_nearly():
    body = ["Tom went to the shop on Monday morning.", "He wanted to buy a new red kite for his son."]
    body += ["The man at the shop had sold the last one.", "Tom was sad about that all day long."]
    ending = "He made a kite of paper by himself in the end."
    table = stories(
        [*body, ending],
        [sentence.upper() for sentence in [*body, ending]],  # the same story
        [*body, "His son cried."],  # the same context
        [*body[:3], "Tom was sad about it all day long.", ending],  # one word changed
        ["It rained.", "Ann slept.", "Bob ate.", "The sun came.", "They danced."],
    )
    found = duplicates(table, Words.of(table["sentences"].to_pylist()))
    assert (found.n, found.same_story, found.same_context) == (5, 1, 2)
    assert found.near == 2  # story 2 (it lacks the ending's sequences alone) and story 3
    assert [(row.story, row.earlier) for row in found.examples] == [("s2", "s0"), ("s3", "s0")]


def test_title_paths_end_or_are_cut_off():
    paths = titles.title_paths(["The Dog", "The Cat", "one two three four five six", None])
    assert paths["the",] == 2
    assert paths["the", "dog", titles.END] == 1
    assert paths["one", "two", "three", "four", "five"] == 1
    assert max(map(len, paths)) == 5
    assert titles.first_words(paths, 1) == [titles.FirstWord("the", 2, pytest.approx(2 / 3))]


def test_the_word_end_is_no_end_of_a_title():
    paths = titles.title_paths(["The", "The End Is Near"])
    assert paths["the", titles.END] == paths["the", "end"] == 1
    assert "the (end): 1 (50.0%)" in sunburst(paths, titles.FADED, "titles")
    paths = titles.title_paths([*["The"] * 1500, "The End Is Near"])
    assert titles.faded_share(paths) == pytest.approx(1 / 1501)
    assert titles.faded_share(titles.title_paths(["The", "Rain"])) is None, "none of two can be under 0.1%"


def test_rare_titles_are_one_faded_arc():
    paths = titles.title_paths(["The Dog"] * 1998 + ["One", "Two"])
    assert titles.faded_share(paths) == pytest.approx(2 / 2000)
    drawn = arcs(paths, titles.FADED)
    assert [(arc.path, arc.count, arc.level) for arc in drawn if arc.level == 0] == [(("the",), 1998, 0), ((), 2, 0)]
    assert drawn[-1].end == pytest.approx(1)


def test_titles_are_escaped_in_the_picture():
    picture = sunburst(titles.title_paths(["<script>alert(1)</script>"]), titles.FADED, "titles")
    assert "<script" not in picture
    assert "&lt;" in picture


def test_events_are_counted_by_lemma_and_sentence_and_kept(tmp_path, monkeypatch):
    parse = syntax.Parse(("He", "ran"), ("he", "Run"), ("PRP", "VBD"), ("PRON", "VERB"), (1, 1), ("nsubj", "ROOT"))
    party = syntax.Parse(("a", "party"), ("a", "party"), ("DT", "NN"), ("DET", "NOUN"), (1, 1), ("det", "ROOT"))
    asked: list[int] = []

    def parsed(sentences, cache):
        asked.append(len(sentences))
        return {"He ran": parse, "a party": party}

    monkeypatch.setattr(syntax, "parse", parsed)
    monkeypatch.setattr(events, "find_wordnet", lambda folder: Path())
    names = frozenset({"party"}), frozenset({"run"}), frozenset({"run", "walk"})
    monkeypatch.setattr(events, "read_events", lambda folder: Events(*names))
    table = stories(["He ran", "a party"], ["He ran", "He ran"])
    for _ in range(2):
        found = events.event_counts(table, None, tmp_path)
        assert [tuple(row.values()) for row in found.events.to_pylist()] == [
            ("run", "VERB", 3, 0.75),
            ("party", "NOUN", 1, 0.25),
        ]
        assert [tuple(row.values()) for row in found.spelled.to_pylist()] == [("run", "VERB", 3, 1.0)]
    assert asked == [2]  # each sentence once, and the second time not at all
    assert events.lemma_counts(stories(["He ran", "a party"]), tmp_path) == Counter(
        {("run", "VERB"): 1, ("party", "NOUN"): 1}
    )


@pytest.mark.parametrize("source", ["rocstories", "sample"])
def test_published_values_are_shown_for_stories_by_people_only(source, monkeypatch):
    from denouement.analysis import story_findings

    run = pa.table({"lemma": ["run"], "pos": ["VERB"], "count": [3], "share": [1.0]}, TABLES["event_counts"].schema)
    monkeypatch.setattr(story_findings, "event_counts", lambda *_: events.EventCounts(run, run.slice(0, 0)))
    table = stories(["Tom ran.", "He fell."], ["Ann sang.", "It rained."], titles=["A Run", None])
    of_source = table.set_column(3, "source", pa.array([source] * 2))
    sections = statistics_sections(find_statistics(of_source))
    text = render([sections["events"], sections["titles"]])
    assert ("paper" in text) == ("Mostafazadeh" in text) == (source == "rocstories")
    tables = [block for block in sections["events"].blocks if isinstance(block, Table)]
    assert [row[1:3] for row in tables[0].rows] == [["verb", 3]]
    if source == "rocstories":
        assert [[written(cell) for cell in row[:5]] for row in tables[1].rows] == [
            ["here", "3", "1", "-", "-"],
            ["of the paper, word for word", "0", "0", "-", "-"],
        ]


def test_workers(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text(
        "WorkerId,Secs,Reward,AssignmentStatus\nA,60,$0.20,Approved\nA,180,$0.30,Approved\nB,360,$0.40,Approved\n"
        "C,600,$9.00,Rejected\n"
    )
    found = crowd_statistics(path, {"seconds": "secs"})
    assert (found.submitted, found.approved, found.workers, found.most_by_worker) == (4, 3, 2, 2)
    assert found.mean_by_worker == 1.5
    assert (found.mean_minutes, found.median_minutes) == (4.0, 4.0)  # workers' means are 2 and 6
    assert found.mean_cents == pytest.approx(30)


def test_columns_that_are_missing_and_cells_that_are_no_number_are_refused(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text("who,Reward\nA,much\n")
    with pytest.raises(UserError, match=r"worker=WorkerId.*it has who, Reward.*--column"):
        crowd_statistics(path, {})
    with pytest.raises(UserError, match="line 2: payment 'much' is no number"):
        crowd_statistics(path, {"worker": "who"})
    with pytest.raises(UserError, match="worker and payment are both the column Reward"):
        crowd_statistics(path, {"worker": "reward"})
    path.write_text("WorkerId,Reward,reward\nA,1,2\n")
    with pytest.raises(UserError, match="the column reward twice"):
        crowd_statistics(path, {})
    path.write_text("WorkerId,Reward\n")
    with pytest.raises(UserError, match="no row below the header"):
        crowd_statistics(path, {})


@pytest.mark.parametrize(
    ("cell", "dollars"),
    [
        *[("0.10", 0.1), ("0,10", 0.1), ("$1,234.50", 1234.5), ("1.234,50", 1234.5), ("1,234,567", 1234567.0)],
        *[("1.500", 1.5), ("0,500", 0.5), ("1500", 1500.0), ("$ .50", 0.5), ("1500,5", 1500.5)],
    ],
)
def test_payments_are_read_as_they_are_meant(tmp_path, cell, dollars):
    path = tmp_path / "batch.csv"
    path.write_text(f"WorkerId;Reward\nA;{cell}\n")
    assert crowd_statistics(path, {}).mean_cents == pytest.approx(100 * dollars)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("1,500", "'1,500' may be 1500 or 1[.]500"),
        *[
            (cell, "is no number from 0")
            for cell in ("1_0", "inf", "nan", "1e308", "-1", "12,34.5", "1,23,4", "\u0661", "$")
        ],
        ("9" * 5000, "is no number from 0"),
    ],
)
def test_payments_that_may_be_anything_are_refused_in_a_short_line(tmp_path, cell, message):
    path = tmp_path / "batch.csv"
    path.write_text(f"WorkerId;Reward\nA;{cell}\n")
    with refused_briefly(path, f"line 2: payment .*{message}"):
        crowd_statistics(path, {})


def test_orderings(tmp_path):
    path = tmp_path / "orders.csv"
    path.write_text("story,order\na,1 2 3 4 5\na,1 2 3 4 5\na,2 3 4 5 1\nb,2 1 4 3 5\n")
    found = order_statistics(read_orderings(path, {}))
    assert (found.stories, found.orderings) == (2, 4)
    assert (found.majority, found.perfect, found.near) == (0.5, 0.5, 0.75)
    assert found.by_place == (0.5, 0.5, 0.5, 0.5, 0.75)
    path.write_text("story,order\na,1 1 2\n")
    with pytest.raises(UserError, match="line 2: order '1 1 2'"):
        read_orderings(path, {})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        *[(f"a,{order}", "must hold each number") for order in ("-1", "0 1", "1 1", "", "1 3", "9" * 5000, "1 2 x")],
        (",1 2", "no story"),
    ],
)
def test_wrong_orderings_are_refused_with_their_line(tmp_path, row, message):
    path = tmp_path / "orders.csv"
    path.write_text(f"story,order\nb,1 2\n{row}\n")
    with refused_briefly(path, f"line 3: .*{message}"):
        read_orderings(path, {})


@pytest.mark.parametrize("place", ["-1", "0", "9" * 5000, "1.5", "\u0661", ""])
def test_links_of_no_sentence_are_refused_with_their_line(tmp_path, place):
    path = tmp_path / "links.csv"
    path.write_text(f"first_sentence,second_sentence,relation\n1,2,BEFORE\n1,{place},BEFORE\n")
    with refused_briefly(path, r"line 3: second sentence .* is no whole number from 1"):
        tlink_statistics(path, {})


def test_temporal_links(tmp_path):
    path = tmp_path / "links.csv"
    path.write_text(
        "first_sentence,second_sentence,relation\n1,2,BEFORE\n2,1,AFTER\n3,4,after\n1,5,SIMULTANEOUS\n2,2,BEFORE\n"
    )
    found = tlink_statistics(path, {})
    assert (found.links, found.between, found.ordered, found.agreeing) == (5, 4, 3, 2)
    assert found.agreeing_share == 0.5
    assert found.relations["after"] == RelationCount(2, 0.4)


def test_command_writes_sections_twice_the_same_and_says_how_to_get_wordnet(tmp_path, monkeypatch):
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    table = tmp_path / "stories.parquet"
    write_table(
        stories(["Tom ran.", "He fell."], ["Ann sang.", "It rained."], titles=["A Run", None]), table, "stories"
    )
    written = []
    for name in ("one", "two"):
        command = ["statistics", str(table), "--out", str(tmp_path / name)]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        assert "apt-get install wordnet-base" in result.output
        written.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert written[0] == written[1]
    found = json.loads(written[0]["statistics.json"])
    assert [figure["file"] for figure in found["titles"]["figures"]] == ["titles.svg"]
    assert {"titles.svg", "sentence_lengths.svg", "statistics.md"} <= set(written[0])
    asked = CliRunner().invoke(main, ["statistics", str(table), "--wordnet", str(tmp_path / "nowhere")])
    assert asked.exit_code == 2, "a folder that was named has to hold it"
    assert "nowhere: no WordNet database" in asked.output


def test_command_refuses_a_damaged_table_an_unused_column_and_nothing_to_measure(tmp_path):
    table = tmp_path / "stories.parquet"
    write_table(stories(["Tom ran.", "He fell."]), table, "stories")
    whole = table.read_bytes()
    orders = tmp_path / "orders.parquet"
    write_table(empty_table("orders"), orders, "orders")
    for content, arguments, message in (
        (b"", [table], "damaged Parquet file"),
        (whole[:-100], [table], "damaged Parquet file"),
        (whole, [table, "--column", "order=x"], "--column order=...: names a column of the file of --orders"),
        (whole, [orders], "nothing to measure: no row of"),
    ):
        table.write_bytes(content)
        result = CliRunner().invoke(main, ["statistics", *map(str, arguments)])
        assert result.exit_code == 2
        assert message in result.output
        assert result.output.count("\n") == 1


def test_controls_in_titles_reach_no_file(tmp_path):
    table = tmp_path / "stories.parquet"
    given = stories(["Tom $x$ ran.", "He \x1b[31m fell."], titles=["A \x1b\x00 $y$ Run\x9f"])
    write_table(given, table, "stories")
    command = ["statistics", str(table), "--out", str(tmp_path / "out"), "--no-events"]
    assert CliRunner().invoke(main, command, catch_exceptions=False).exit_code == 0
    for path in (tmp_path / "out").glob("*.svg"):
        ET.parse(path)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", (tmp_path / "out" / "statistics.md").read_text())


def test_heaps_exponent_of_known_growth():
    new = Words.of([[" ".join(f"w{place}" for place in range(2000))]])
    assert vocabulary_growth(new).heaps_exponent == pytest.approx(1)  # a new word each time
    same = Words.of([["a " * 2000]])
    assert vocabulary_growth(same).heaps_exponent == pytest.approx(0, abs=1e-9)
    words = [f"w{int(place**0.5)}" for place in range(20000)]  # after n words, about the root of n different ones
    assert vocabulary_growth(Words.of([[" ".join(words)]])).heaps_exponent == pytest.approx(0.5, abs=0.01)


def test_command_without_a_table_is_one_line():
    result = CliRunner().invoke(main, ["statistics"])
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
