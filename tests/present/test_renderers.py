"""The same blocks on a terminal, in Markdown and in a page."""

import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from denouement.present import markdown, terminal
from denouement.present.cells import CountAndShare, Interval, Number, PValue, Share
from denouement.present.html import page, render
from denouement.present.sections import (
    Bullets,
    Chart,
    Fold,
    Paragraph,
    Section,
    ShownEnding,
    ShownStory,
    Stories,
    Table,
)

TABLE = Table(
    ["system", "n", "accuracy", "95% interval", "p", "note"],
    [
        ["a|b", 1652, Share(0.441), Interval(0.157, 0.843, 3), PValue(1e-9), "13 / 3"],
        ["dssm", 3, Share(None), Interval(None, None, 3), "best", ""],
    ],
    "Accuracy",
    "As printed.",
)
STORY = ShownStory(
    "case-1",
    "A *bold* start.",
    [ShownEnding("right", "It <b>ended</b>.", "positive, 0.62"), ShownEnding("both", "")],
    [("chose right", "`why`")],
)
EMPTY_CHART = Chart("words.svg", None, "Words")
BLOCKS = [
    Section(
        "Outer", "What it is.", [TABLE, Bullets("Met:", ["one", "two"]), Section("Inner", "", [Paragraph("End.")])]
    ),
    Fold("More", [Stories([STORY])]),
    EMPTY_CHART,
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(blocks, width: int, monkeypatch) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    out = Terminal()
    terminal.show(blocks, file=out)
    return re.sub("\x1b\\[[0-9;]*m", "", out.getvalue())


def test_markdown_by_hand():
    assert (
        markdown.render(BLOCKS)
        == """## Outer

What it is.

### Accuracy

| system |     n | accuracy |   95% interval | p        | note   |
| ------ | ----: | -------: | -------------: | -------- | ------ |
| a\\|b   | 1,652 |    44.1% | 0.157 to 0.843 | 1.00e-09 | 13 / 3 |
| dssm   |     3 |        - |              - | best     |        |

As printed.

Met:
- one
- two

### Inner

End.

## More

1. `case-1` A \\*bold\\* start.
   - right (positive, 0.62): It <b>ended</b>.
   - both
   - chose right: \\`why\\`

Not drawn, since there is nothing to show: Words"""
    )


def test_what_was_measured_of_endings_is_folded_on_a_page_and_below_the_story_elsewhere(monkeypatch):
    story = replace(STORY, values=Table(["score", "right"], [["rouge_l", Number(0.25, 3)]]))
    [text, table] = markdown.render([Stories([story])]).split("\n\n")
    assert text == markdown.render([Stories([STORY])])
    assert table == "   | score   | right |\n   | ------- | ----: |\n   | rouge_l | 0.250 |"
    shown = render([Stories([story], side_by_side=True)])
    assert "0.250" in shown.split("<details><summary>Scores</summary>")[1].split("</details>")[0]
    assert "<details>" not in render([Stories([STORY])])
    assert re.search(r"rouge_l +0\.250", on_terminal([Stories([story])], 40, monkeypatch))


def test_a_pipe_gets_the_markdown_and_no_escape_codes():
    out = io.StringIO()
    terminal.show([Paragraph("A \x1b[31mred\u202e word.")], file=out)
    assert out.getvalue() == "A \\u001b[31mred\\u202e word.\n"
    out = io.StringIO()
    terminal.show(BLOCKS, file=out)
    assert out.getvalue() == markdown.render(BLOCKS) + "\n"


@pytest.mark.parametrize("width", [40, 60, 100, 200])
def test_a_table_on_a_terminal_fits_and_breaks_no_number(monkeypatch, width):
    text = on_terminal(BLOCKS, width, monkeypatch)
    assert max(map(len, text.splitlines())) <= width
    for number in ("1,652", "44.1%", "0.157 to 0.843", "1.00e-09"):
        assert number in text
    assert "\\|" not in text
    assert "Not drawn, since there is nothing" in text


def test_columns_that_do_not_fit_go_below_with_the_name_of_each_row(monkeypatch):
    table = Table(["system", *(f"value {n}" for n in range(6))], [["dssm", *[Number(1234567.5, 2)] * 6]])
    text = on_terminal([table], 40, monkeypatch)
    assert text.count("dssm") == 3
    assert text.count("1,234,567.50") == 6


def test_control_characters_of_a_cell_do_not_reach_the_terminal(monkeypatch):
    text = on_terminal([Table(["a"], [["x\x1b]0;title\x07"]])], 80, monkeypatch)
    assert "\\u001b]0;title\\u0007" in text
    assert "\x07" not in text


class Cells(HTMLParser):
    """Class and text of each cell of a table's body."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[tuple[str, str]] = []
        self.feed(text.split("<tbody>")[1].split("</tbody>")[0])

    def handle_starttag(self, tag, attributes) -> None:
        if tag in ("td", "th"):
            self.cells.append((dict(attributes)["class"], ""))

    def handle_data(self, data) -> None:
        if self.cells and data.strip():
            kind, text = self.cells[-1]
            self.cells[-1] = (kind, text + data)


def test_the_kind_of_cells_sets_a_column_and_not_their_look():
    first_row = Cells(render([TABLE])).cells[:6]
    assert first_row == [
        ("short", "a|b"),
        ("number", "1,652"),
        ("number", "44.1%"),
        ("number", "0.157 to 0.843"),
        ("short", "1.00e-09"),  # as many texts as numbers
        ("short", "13 / 3"),  # a text, whatever it looks like
    ]
    [[kind, _]] = Cells(render([Table(["a"], [[CountAndShare(3, 0.5)]])])).cells
    assert kind == "number"
    [[kind, _]] = Cells(render([Table(["a"], [["Words that are longer than others are."]])])).cells
    assert kind == "long"


def test_a_page_escapes_every_text():
    evil = "<script>alert('1')</script>"
    story = ShownStory(evil, evil, [ShownEnding(evil, evil, evil)], [(evil, evil)])
    blocks = [
        Section(evil, evil, [Paragraph(evil), Bullets(evil, [evil]), Table([evil], [[evil]], evil, evil)]),
        Fold(evil, [Stories([story]), Stories([story], compared_with="right"), Chart("a.svg", None, evil)]),
    ]
    text = page(evil, render(blocks))
    assert "<script>alert" not in text
    assert text.count("&lt;script&gt;alert(&#39;1&#39;)") > 15
    assert r"\u003cscript>alert" in text  # in the data that the search reads


def test_headings_of_inner_sections_are_a_level_below_and_charts_have_ids_of_their_own():
    svg = '<svg width="72pt" viewBox="0 0 72 72"><path id="a" d="M0 0"/></svg>'
    chart = Chart("words.svg", svg, "Words")
    text = render([Section("Outer", "", [chart, Section("Inner", "", [chart])])], 3, "part")
    assert "<h3>Outer</h3>" in text
    assert "<h4>Inner</h4>" in text
    assert re.findall(r'<svg id="([^"]+)"', text) == ["part-words", "part-words-2"]


def test_a_table_without_rows_says_so():
    empty = Table(["a"], [], "Words", "By z.")
    assert markdown.render([empty]) == "## Words\n\nNone.\n\nBy z."
    assert "<p>None.</p>" in render([empty])
    assert "None." not in markdown.render([Table((), (), "Above", "Nothing.")])


def test_the_stories_to_search_are_the_data_of_the_page_and_the_first_ten_are_shown():
    stories = [ShownStory(f"case-{n}", "", [ShownEnding("net", "x")]) for n in range(12)]
    text = render([Stories(stories, compared_with="right")])
    assert text.count('<article class="story">') == 10
    assert '"systems":["right","net"]' in text
    assert text.count('["case-') == 12
    assert len(markdown.render([Stories(stories)]).split("\n\n")) == 12


def test_styles_pass_an_output_that_shows_control_characters(monkeypatch):
    class Shown(Terminal):
        def write(self, text):
            return super().write(text.replace("\x1b", "ESC"))

        def write_styled(self, text):
            return super().write(text)

    monkeypatch.setenv("TERM", "xterm")
    out = Shown()
    terminal.show([Section("Title", "What \x1b[31mred.", [])], file=out)
    assert "\x1b[1;4mTitle" in out.getvalue()
    assert "What \\u001b[31mred." in out.getvalue()
    assert "ESC" not in out.getvalue()
