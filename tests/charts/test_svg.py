"""Charts within a page: no ids shared, nothing that runs or fetches."""

import pytest

from denouement.charts.lines import TrainingCourse, training_curves
from denouement.charts.output import as_svg
from denouement.charts.sunburst import sunburst
from denouement.charts.svg import inline
from denouement.errors import UserError

SVG = '<svg width="72pt" viewBox="0 0 72 72"><style>*{stroke: red}</style><path id="a"/><use xlink:href="#a"/></svg>'


def test_figures_in_one_page_share_no_ids_and_no_styles():
    made = inline(SVG, "one", "What <it> shows")
    assert 'id="one-a"' in made
    assert 'href="#one-a"' in made
    assert "#one *{stroke: red}" in made.replace("* {", "*{")
    assert 'aria-label="What &lt;it&gt; shows"' in made
    assert "width: 96px" in made


@pytest.mark.parametrize(
    "harm",
    [
        "<script>1</script>",
        '<a href="http://x.org"/>',
        '<path onload="x()"/>',
        "<image/>",
        "<foreignObject/>",
        '<path d=">" onclick="x()"/>',
        '<path fill="url(//x.org)"/>',
        '<path style="fill: u\\72l(//x.org)"/>',
        '<use xlink:href="//x.org#a"/>',
        "<style>body{display: none}</style>",
        "<style>*{fill: url(//x.org)}</style>",
        '<animate attributeName="d"/>',
        "<svg:script/>",
    ],
)
def test_a_figure_that_runs_or_fetches_something_is_refused(harm):
    with pytest.raises(UserError, match="chart one: holds"):
        inline(SVG.replace("<path", f"{harm}<path"), "one", "")


def test_a_figure_with_a_tag_that_does_not_end_is_refused():
    with pytest.raises(UserError, match="is no SVG"):
        inline(SVG.replace("<path", "<path onclick=f('1)><path"), "one", "")


def test_a_figure_with_entities_of_its_own_is_refused():
    with pytest.raises(UserError, match="holds the entity x"):
        inline(f"<!DOCTYPE svg [<!ENTITY x 'y'>]>{SVG}", "one", "")


@pytest.mark.parametrize(
    ("old", "new"), [("72pt", "7.2.2pt"), ("72pt", "wide"), ("0 0 72 72", "0 0 1"), ("<svg", "<g")]
)
def test_a_figure_with_an_odd_size_or_root_is_one_line(old, new):
    with pytest.raises(UserError, match="chart one: ") as caught:
        inline(SVG.replace(old, new, 1).replace("</svg>", "</g>" if new == "<g" else "</svg>"), "one", "")
    assert "\n" not in str(caught.value)


def test_what_stands_around_a_figure_is_no_markup():
    with pytest.raises(UserError, match="a name of other than"):
        inline(SVG, 'a"><b', "")
    assert 'aria-label="&quot;&lt;b&gt;\\u001b"' in inline(SVG, "one", '"<b>\x1b')
    root = SVG.replace("<svg", "<svg onload='x()' font-family='&quot;&gt;&lt;b'")
    assert "onload" not in inline(root, "one", "")
    assert 'font-family="&quot;&gt;&lt;b"' in inline(root, "one", "")


def test_every_figure_of_ours_is_accepted():
    made = inline(sunburst({("a",): 1, ("a", "\x1b $x$ <b>"): 1}, 0.001, "titles"), "titles", "")
    assert "#titles *{" not in made
    assert "\x1b" not in made
    assert "stroke-linejoin" in inline(
        as_svg(training_curves([TrainingCourse("seq2seq", [(1, 9.0)], [(1, 8.0)], used=1)])), "training", ""
    )


def test_words_of_a_story_in_a_figure_are_no_harm():
    told = "<title>javascript: the word onload= and @import &lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</title>"
    assert told in inline(SVG.replace("<use", f"{told}<!-- onclick=1 --><use"), "one", "A figure")
