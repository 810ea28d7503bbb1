import math
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from denouement.charts.corpus import marking_ngrams, sentence_lengths, sentiment_by_context
from denouement.charts.run import save, sentiment_shares, study_outcomes, training_curves
from denouement.study.reasons.words import word_chart


def history(validation: list[float | None], best: int) -> dict:
    epochs = [
        {
            "epoch": i,
            "train_loss": 5.0 - i,
            "validation_loss": loss,
            "validation_perplexity": None if loss is None else math.exp(loss),
        }
        for i, loss in enumerate(validation)
    ]
    return {"best_epoch": best, "epochs": epochs}


def shares(group: str, negative: float, positive: float, paper: dict | None = None) -> dict:
    return {"group": group, "n": 100, "negative_share": negative, "positive_share": positive, "paper": paper}


def test_training_curves_show_the_losses_as_perplexities_and_mark_the_best_epoch():
    figure = training_curves({"seq2seq": history([4.0, 3.0, 3.5], best=1), "h_seq2seq": history([4.0], best=0)})
    panel, other = figure.axes
    assert (panel.get_title(), other.get_title()) == ("seq2seq", "h_seq2seq")
    training, validation, best = panel.lines
    assert list(validation.get_xdata()) == [1, 2, 3]
    assert list(validation.get_ydata()) == pytest.approx([math.exp(4), math.exp(3), math.exp(3.5)])
    assert list(training.get_ydata()) == pytest.approx([math.exp(5), math.exp(4), math.exp(3)])
    assert (best.get_xdata()[0], best.get_ydata()[0]) == (2, pytest.approx(math.exp(3)))
    assert "used: epoch 2, 20.1" in [text.get_text() for text in panel.get_legend().get_texts()]


def test_without_stories_held_out_only_training_is_drawn():
    [panel] = training_curves({"seq2seq": history([None, None], best=1)}).axes
    assert len(panel.lines) == 1


def test_shares_of_a_group_fill_its_bar():
    paper = {"n": 50, "negative_share": 0.2, "positive_share": 0.4}
    [panel] = sentiment_shares([shares("right", 0.1, 0.6, paper), shares("wrong", 0.0, 1.0)]).axes
    assert [bar.get_width() for bar in panel.patches] == pytest.approx([0.1, 0.3, 0.6, 0.2, 0.4, 0.4, 0.0, 0.0, 1.0])
    labels = [label.get_text() for label in panel.get_yticklabels()]
    assert labels == ["right (n = 100)", "Mori et al. 2019 (n = 50)", "wrong (n = 100)"]
    assert [text.get_text() for text in panel.texts] == ["10%", "30%", "60%", "20%", "40%", "40%", "100%"]


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_figures_are_written_the_same_twice(tmp_path: Path, suffix):
    for name in ("one", "two"):
        save(sentiment_shares([shares("right", 0.25, 0.5)]), tmp_path / f"{name}.{suffix}")
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


def test_svg_holds_no_date(tmp_path: Path):
    save(training_curves({"seq2seq": history([4.0], best=0)}), tmp_path / "figure.svg")
    tags = {element.tag.rpartition("}")[2] for element in ET.parse(tmp_path / "figure.svg").iter()}
    assert "path" in tags
    assert "date" not in tags


def test_each_outcome_of_a_pair_has_its_part_of_the_bar():
    numbers = {"first": 5, "second": 10, "both": 2, "neither": 3, "no_agreement": 0}
    agreement = {outcome: {"n": n, "share": n / 20} for outcome, n in numbers.items()}
    figure = study_outcomes([{"first": "net", "second": "human_right", "items": 20, "agreement": agreement}])
    panel, other_side = figure.axes
    assert [bar.get_width() for bar in panel.patches] == pytest.approx([0.25, 0.1, 0, 0.15, 0.5])
    assert [text.get_text() for text in panel.texts] == ["5", "2", "3", "10"]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["net\n(n = 20)"]
    assert [label.get_text() for label in other_side.get_yticklabels()] == ["human_right"]
    assert other_side.get_ylim() == panel.get_ylim()
    [legend] = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["left one better", "both", "neither", "right one better"]


@pytest.mark.parametrize(
    "make",
    [
        lambda name: sentiment_shares([shares(name, 0.2, 0.5)]),
        lambda name: training_curves({name: history([1.0], best=0)}),
        lambda name: word_chart([{"word": name, "count": 3}, {"word": "b", "count": 1}], 4),
        lambda name: marking_ngrams({"v1.0 test": {"ngram": [name], "z": [2.0]}}, 5, str),
        lambda name: sentiment_by_context([{"group": name, "context": "neutral", "mean": 0.5}]),
    ],
)
def test_names_in_a_figure_mean_themselves(tmp_path: Path, capsys, make):
    save(make("$x$ $\\frac$ \x1b[31m\x00\ufffe & <b>\u202e"), tmp_path / "one.svg")
    text = (tmp_path / "one.svg").read_text()
    ET.fromstring(text)
    assert r"$x$ $\frac$ \u001b[31m\u0000" in text  # in the comment that tells what the outlines spell
    assert "Glyph" not in capsys.readouterr().err


def test_a_character_that_the_font_lacks_is_told_in_one_line(tmp_path: Path, capsys):
    save(sentiment_shares([shares("\u4e2d", 0.2, 0.5)]), tmp_path / "one.svg")
    assert capsys.readouterr().err.startswith("warning: a chart: Glyph")


def test_figures_of_little_raise_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study_outcomes([])
        sentence_lengths([{"position": 1, "n": 2, "mean": 0.0, "counts": [2]}])
