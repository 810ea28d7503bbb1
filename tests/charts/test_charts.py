import math
import re
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from matplotlib import font_manager
from matplotlib.text import Text

from denouement.charts import fonts as fonts_module
from denouement.charts.bars import Bar, opposed_bars, share_bars, word_bars
from denouement.charts.intervals import Calibration, Estimate, accuracies, effects, reliability_curve
from denouement.charts.lines import (
    Distribution,
    TrainingCourse,
    sentence_lengths,
    sizes_and_goal,
    training_curves,
    vocabulary_growth,
    watched,
)
from denouement.charts.output import save
from denouement.charts.sentiment import sentiment_by_context, sentiment_distributions
from denouement.charts.shares import (
    BestAndWorst,
    Outcomes,
    Sentiments,
    best_and_worst,
    sentiment_shares,
    study_outcomes,
)
from denouement.charts.sunburst import sunburst

COURSE = TrainingCourse("seq2seq", [(1, 90.0), (2, 60.0)], [(1, 80.0), (2, 70.0)], used=2)


def test_training_curves_mark_the_epoch_that_is_used():
    other = TrainingCourse("h_seq2seq", [(1, 9.0)], [(1, 8.0)], used=1)
    panel, second = training_curves([COURSE, other]).axes
    assert (panel.get_title(), second.get_title()) == ("seq2seq", "h_seq2seq")
    training, validation, used = panel.lines
    assert list(training.get_ydata()) == [90, 60]
    assert list(validation.get_xdata()) == [1, 2]
    assert list(validation.get_ydata()) == [80, 70]
    assert (used.get_xdata()[0], used.get_ydata()[0]) == (2, 70)
    assert "used: epoch 2, 70.0" in [text.get_text() for text in panel.get_legend().get_texts()]


def test_without_stories_held_out_only_training_is_drawn():
    [panel] = training_curves([TrainingCourse("seq2seq", [(1, 90.0)], [], used=1)]).axes
    assert len(panel.lines) == 1


def test_sizes_are_drawn_beside_the_goal_with_round_numbers_below():
    curves = {"1 answer": [(10, 0.9), (200, 0.08)], "3 answers": [(10, 0.5), (100, 0.1)]}
    [panel] = sizes_and_goal(curves, 0.1, "width").axes
    goal, first, second = panel.lines
    assert list(goal.get_ydata()) == [0.1, 0.1]
    assert (list(first.get_xdata()), list(first.get_ydata())) == ([10, 200], [0.9, 0.08])
    assert list(second.get_ydata()) == [0.5, 0.1]
    assert panel.get_ylim() == (0, 0.4)
    assert list(panel.xaxis.get_major_locator()()) == [10, 20, 50, 100, 200]


def test_an_accuracy_that_is_watched_is_drawn_with_its_interval_and_its_limit():
    [panel] = watched([(100, 0.6, 0.5, 0.7), (150, 0.9, 0.85, 0.95)], 0.65, "right").axes
    half, limit, curve = panel.lines
    assert (list(half.get_ydata()), list(limit.get_ydata())) == ([0.5, 0.5], [0.65, 0.65])
    assert (list(curve.get_xdata()), list(curve.get_ydata())) == ([100, 150], [0.6, 0.9])
    [band] = panel.collections
    assert {(x, y) for x, y in band.get_paths()[0].vertices} == {(100, 0.5), (100, 0.7), (150, 0.85), (150, 0.95)}
    assert panel.get_ylim() == (0.4, 0.95)


def test_shares_of_a_group_fill_its_bar():
    paper = Sentiments("Mori et al. 2019", 50, 0.2, 0.4)
    [panel] = sentiment_shares([Sentiments("right", 100, 0.1, 0.6, paper), Sentiments("wrong", 100, 0.0, 1.0)]).axes
    assert [bar.get_width() for bar in panel.patches] == pytest.approx([0.1, 0.3, 0.6, 0.2, 0.4, 0.4, 0.0, 0.0, 1.0])
    labels = [label.get_text() for label in panel.get_yticklabels()]
    assert labels == ["right (n = 100)", "Mori et al. 2019 (n = 50)", "wrong (n = 100)"]
    assert [text.get_text() for text in panel.texts] == ["10%", "30%", "60%", "20%", "40%", "40%", "100%"]


def test_each_outcome_of_a_pair_has_its_part_of_the_bar():
    counts = {"first": 5, "second": 10, "both": 2, "neither": 3, "no_agreement": 0}
    figure = study_outcomes([Outcomes("net", "human_right", 20, counts)])
    panel, other_side = figure.axes
    assert [bar.get_width() for bar in panel.patches] == pytest.approx([0.25, 0.1, 0, 0.15, 0.5])
    assert [text.get_text() for text in panel.texts] == ["5", "2", "3", "10"]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["net\n(n = 20)"]
    assert [label.get_text() for label in other_side.get_yticklabels()] == ["human_right"]
    assert other_side.get_ylim() == panel.get_ylim()
    [legend] = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["first one better", "both", "neither", "second one better"]


def test_the_best_and_the_worst_of_a_system_are_at_the_ends_of_its_bar():
    [panel] = best_and_worst([BestAndWorst("net", 20, best=5, worst=12), BestAndWorst("none", 0, 0, 0)]).axes
    assert [bar.get_width() for bar in panel.patches] == pytest.approx([0.6, 0.15, 0.25])
    assert [text.get_text() for text in panel.texts] == ["12", "3", "5"]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["net (n = 20)"]


def test_an_estimate_is_drawn_with_its_interval_and_the_paper_s_value():
    figure = accuracies({"v1.0 test (n = 8)": [Estimate("dssm", 0.5, 0.25, 0.875, published=0.6)], "v1.5 (n = 0)": []})
    [panel] = figure.axes
    [interval] = panel.collections[0].get_segments()
    assert interval[:, 0].tolist() == [0.25, 0.875]
    assert [line.get_xdata()[0] for line in panel.lines][:2] == [0.5, 0.6]


def test_sets_share_the_places_of_features():
    sets = {"a": [Estimate("words", 1.0, 0.5, 1.5), Estimate("mood", 0.0, -1, 1)], "b": [Estimate("mood", 2, 1, 3)]}
    [panel] = effects(sets).axes
    assert [label.get_text() for label in panel.get_yticklabels()] == ["words", "mood"]
    first, second = (container.lines[0].get_ydata() for container in panel.containers)
    assert list(first) == pytest.approx([-0.125, 0.875])
    assert list(second) == pytest.approx([1.125])


def test_a_reference_is_drawn_in_each_panel_and_high_bars_are_cut_off_with_their_share():
    right = Distribution("right", [1, 3])
    panels = sentiment_distributions([right, Distribution("net", [0, 9])], right).axes
    assert [panel.get_title() for panel in panels[:2]] == ["right (n = 4)", "net (n = 9)"]
    assert panels[1].get_ylim()[1] == 1.0  # 1.5 times the highest bar of the reference is more than all
    low = Distribution("right", [1] * 10)
    _, cut = sentiment_distributions([low, Distribution("net", [0] * 9 + [9])], low).axes[:2]
    assert cut.get_ylim()[1] == pytest.approx(0.15)
    assert [text.get_text() for text in cut.texts] == ["100%"]


NOTHING = {
    "training_curves": lambda: training_curves([TrainingCourse("retrieval", [], [], used=0)]),
    "sentence_lengths": lambda: sentence_lengths([Distribution("sentence 1", [0])]),
    "sizes_and_goal": lambda: sizes_and_goal({"1 answer an item": []}, 0.1, "width"),
    "vocabulary_growth": lambda: vocabulary_growth([(0, 0)]),
    "watched": lambda: watched([], 0.65, "right"),
    "share_bars": lambda: share_bars([], "share of all events", ("verb", "noun")),
    "opposed_bars": lambda: opposed_bars({"v1.0 test": [], "v1.0 validation": []}, "wrong", "z", "right"),
    "word_bars": lambda: word_bars([], "Words"),
    "accuracies": lambda: accuracies({"v1.0 test": []}),
    "effects": lambda: effects({"v1.0 test": []}),
    "reliability_curve": lambda: reliability_curve({"v1.0 test": []}),
    "sentiment_shares": lambda: sentiment_shares([]),
    "best_and_worst": lambda: best_and_worst([BestAndWorst("a", 0, 0, 0)]),
    "study_outcomes": lambda: study_outcomes([Outcomes("a", "b", 0, {})]),
    "sentiment_distributions": lambda: sentiment_distributions([Distribution("right", [0, 0])], None),
    "sentiment_by_context": lambda: sentiment_by_context({}),
    "sunburst": lambda: sunburst({}, 0.001, "titles"),
}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_drawn_of_nothing(name):
    assert NOTHING[name]() is None


def height_of_a_bar(figure) -> float:
    """In inches."""
    figure.draw_without_rendering()
    panel = figure.axes[0]
    bottom, top = (panel.transData.transform((0, y))[1] for y in (0, panel.patches[0].get_height()))
    return abs(top - bottom) / figure.dpi


@pytest.mark.parametrize(
    "make",
    [
        lambda bars: share_bars(bars, "share", ("verb", "noun")),
        lambda bars: opposed_bars({"v1.0 test": bars}, "wrong", "z", "right"),
        lambda bars: sentiment_shares([Sentiments(bar.label, 9, 0.2, 0.3) for bar in bars]),
    ],
)
def test_a_single_bar_is_no_higher_than_one_of_many(make):
    one, many = ([Bar(f"bar {n}", 2.0, "verb") for n in range(n_bars)] for n_bars in (1, 30))
    assert height_of_a_bar(make(one)) < 1.5 * height_of_a_bar(make(many))


def test_a_single_word_is_no_wider_than_one_of_many():
    one, many = ([Bar(f"word {n}", 2) for n in range(n_bars)] for n_bars in (1, 20))
    widths = []
    for bars in (one, many):
        figure = word_bars(bars, "Words")
        figure.draw_without_rendering()
        bar = figure.axes[0].patches[0].get_window_extent()
        widths.append(bar.width / figure.dpi)
    assert widths[0] < 1.5 * widths[1]


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_charts_are_written_the_same_twice(tmp_path: Path, suffix):
    for name in ("one", "two"):
        save(sentiment_shares([Sentiments("right", 100, 0.25, 0.5)]), tmp_path / f"{name}.{suffix}")
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


def test_svg_holds_no_date(tmp_path: Path):
    save(training_curves([COURSE]), tmp_path / "chart.svg")
    tags = {element.tag.rpartition("}")[2] for element in ET.parse(tmp_path / "chart.svg").iter()}
    assert "path" in tags
    assert "date" not in tags


@pytest.mark.parametrize(
    "make",
    [
        lambda name: sentiment_shares([Sentiments(name, 100, 0.2, 0.5)]),
        lambda name: training_curves([TrainingCourse(name, [(1, 9.0)], [(1, 8.0)], used=1)]),
        lambda name: word_bars([Bar(name, 3), Bar("b", 1)], "Words"),
        lambda name: opposed_bars({"v1.0 test": [Bar(name, 2.0)]}, "wrong", "z", "right"),
        lambda name: sentiment_by_context({name: {"neutral": 0.5}}),
    ],
)
def test_names_in_a_chart_are_drawn_as_they_are(tmp_path: Path, capsys, make):
    save(make("$x$ $\\frac$ \x1b[31m\x00\ufffe & <b>\u202e"), tmp_path / "one.svg")
    text = (tmp_path / "one.svg").read_text()
    ET.fromstring(text)
    assert r"$x$ $\frac$ \u001b[31m\u0000" in text  # in the comment that has the text beside its outlines
    assert "Glyph" not in capsys.readouterr().err


def test_a_character_that_the_font_lacks_is_a_warning_of_one_line(tmp_path: Path, capsys):
    save(sentiment_shares([Sentiments("\u0e01", 100, 0.2, 0.5)]), tmp_path / "one.svg")
    assert capsys.readouterr().err.startswith("warning: a chart: Glyph")


@pytest.fixture
def fonts():
    """The module that chooses fonts, which keeps nothing of other tests."""
    kept = (fonts_module._installed, fonts_module._say_that_none_is_installed)
    for each in kept:
        each.cache_clear()
    yield fonts_module
    for each in kept:
        each.cache_clear()


def without(monkeypatch: pytest.MonkeyPatch, *hidden: str) -> None:
    """Hide fonts with these words in their names from Matplotlib, and from its search of the system."""
    known = [font for font in font_manager.fontManager.ttflist if not any(word in font.name for word in hidden)]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", known)
    monkeypatch.setattr(font_manager, "findSystemFonts", list)


ASIAN = ("CJK", "IPA", "WenQuanYi", "Nanum", "Noto Sans JP", "Noto Sans SC", "Source Han")


def test_japanese_is_drawn_where_a_font_is_installed(tmp_path: Path, capsys, fonts):
    if not fonts._installed():
        pytest.skip("no font with Japanese characters is installed, such as fonts-ipafont")
    figure = word_bars([Bar("\u732b", 3), Bar("cat", 2)], "\u8a00\u8449")
    save(figure, tmp_path / "one.svg")
    assert capsys.readouterr().err == ""
    assert {tuple(text.get_family()) for text in figure.findobj(Text)} == {("sans-serif", *fonts._installed())}
    outlines = re.findall('<path id="([A-Za-z-]+)-[0-9a-f]+"', (tmp_path / "one.svg").read_text())
    assert len([name for name in outlines if name != "DejaVuSans"]) == 3, "one of each character"
    assert not any(name.startswith("LastResort") for name in outlines)


def test_other_charts_keep_the_usual_font(tmp_path: Path, fonts, monkeypatch):
    monkeypatch.setattr(fonts, "_installed", lambda: pytest.fail("fonts were looked for"))
    figure = word_bars([Bar("caf\u00e9 \u201cx\u201d", 3)], "words")
    save(figure, tmp_path / "one.svg")
    assert {tuple(text.get_family()) for text in figure.findobj(Text)} == {("sans-serif",)}


def test_without_a_font_one_line_for_all_charts_names_a_package(tmp_path: Path, capsys, fonts, monkeypatch):
    without(monkeypatch, *ASIAN)
    for name in ("one.svg", "two.png"):
        save(word_bars([Bar("\u732b", 3), Bar("\uc5b8", 2)], "\u8a00\u8449"), tmp_path / name)
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "fonts-noto-cjk or fonts-ipafont" in said


def test_a_font_that_was_installed_after_matplotlib_s_list_was_written_is_found(fonts, monkeypatch):
    if not (found := fonts._installed()):
        pytest.skip("no font with Japanese characters is installed, such as fonts-ipafont")
    paths = [font.fname for font in font_manager.fontManager.ttflist if font.name == found[0]]
    without(monkeypatch, *found)
    fonts._installed.cache_clear()
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [*paths, __file__])
    assert found[0] in fonts._installed()


def test_charts_of_little_raise_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sentence_lengths([Distribution("sentence 1: mean 0.0", [2])])
        vocabulary_growth([(0, 0), (1, 1)])
        reliability_curve({"v1.0 test": [Calibration(0.5, 0.5, 0.0, 1.0)]})
        training_curves([TrainingCourse("net", [(1, math.e)], [(1, math.e)], used=1)])
