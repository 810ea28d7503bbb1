from pathlib import Path

import pyarrow as pa
import pytest

from denouement.analysis.sections.statistics import statistics_sections
from denouement.analysis.statistics_files import read_findings
from denouement.errors import UserError
from denouement.present.sections import Chart
from denouement.schemas import TABLES, write_table
from denouement.stages.statistics import StatisticsPaths, StatisticsSettings, run


def written(folder: Path, n: int = 9) -> StatisticsPaths:
    """Paths of a few stories, of cases too few for the bias monitor, and of the folder of the results."""
    ids = [f"c{place}" for place in range(n)]
    sentences = [[f"Tom ran {place} miles.", "He was glad."] for place in range(n)]
    stories = {"story_id": ids, "title": ["A Run"] * n, "sentences": sentences, "source": ["rocstories"] * n}
    cases = {
        "case_id": ids,
        "context": sentences,
        "endings": [[f"He was {'very ' * (place % 3)}happy to rest.", "He was sad to rest."] for place in range(n)],
        "right_ending": [1] * n,
        "question": [None] * n,
        "language": ["en"] * n,
        "release": ["v1.0"] * n,
        "split": ["validation"] * n,
    }
    for name, columns in (("stories", stories | {"split": ["train"] * n}), ("cloze", cases)):
        write_table(pa.table(columns, schema=TABLES[name].schema), folder / f"{name}.parquet", name)
    return StatisticsPaths(folder / "stories.parquet", folder / "cloze.parquet", out=folder / "out")


def test_findings_are_read_back_as_they_were_written(tmp_path):
    paths = written(tmp_path)
    found = run(StatisticsSettings(events=False), paths)
    assert list(found.statistics.found) == [
        *("sentence_lengths", "vocabulary", "duplicates", "titles"),
        *("ending_features", "ngrams", "bias_monitor", "sentiment"),
    ]
    again = read_findings(tmp_path / "out")
    assert again.statistics == found.statistics
    assert again.tables["ngram_odds"].equals(found.tables["ngram_odds"])
    assert statistics_sections(again) == statistics_sections(found)


def test_a_chart_with_nothing_to_show_is_not_drawn_and_a_line_says_so(tmp_path):
    found = run(StatisticsSettings(events=False), written(tmp_path))
    drawn = {chart.file for finding in found.statistics.found.values() for chart in finding.figures if chart.file}
    assert {path.name for path in (tmp_path / "out").glob("*.svg")} == drawn
    assert "bias_monitor.svg" not in drawn, "there are too few cases for a model"
    few = run(StatisticsSettings(events=False), written(tmp_path / "few", n=1))
    assert [chart.file for chart in few.statistics.ngrams.values and few.statistics.ngrams.figures] == [None] * 4
    page = (tmp_path / "few" / "out" / "statistics.md").read_text()
    assert "The chart ngrams_words.svg is not drawn: no n-gram of this kind marks endings." in page
    assert not any(isinstance(block, Chart) for block in statistics_sections(few)["ngrams"].blocks)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"types": ', '"types": "'),
        ('"tokens"', '"other"'),
        (
            "{",
            "",
        ),
        ('"mean": ', '"mean": NaN, "x": '),
    ],
)
def test_a_damaged_document_is_one_line(tmp_path, old, new):
    run(StatisticsSettings(events=False), written(tmp_path))
    path = tmp_path / "out" / "statistics.json"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(UserError, match=r"statistics\.json: .*make it again: dvc repro statistics") as caught:
        read_findings(tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_the_table_of_sentiment_is_read_where_it_is_given(tmp_path, monkeypatch):
    from denouement.analysis import sentiment
    from denouement.stages import sentiment as stage

    paths = written(tmp_path)
    scored = run(StatisticsSettings(events=False), paths).statistics.sentiment
    stage.run(
        stage.SentimentSettings(), stage.SentimentPaths(paths.stories, paths.cloze, (), tmp_path / "scores.parquet")
    )
    monkeypatch.setattr(sentiment, "vader", lambda *_: pytest.fail("the endings were scored again"))
    tables = [paths.stories, paths.cloze, tmp_path / "scores.parquet"]
    assert run(StatisticsSettings(events=False), StatisticsPaths.of(tables)).statistics.sentiment == scored


def test_statistics_of_sentiment_need_cases(tmp_path):
    paths = written(tmp_path)
    from denouement.stages import sentiment as stage

    stage.run(stage.SentimentSettings(), stage.SentimentPaths(paths.stories, out=tmp_path / "scores.parquet"))
    with pytest.raises(UserError, match=r"scores\.parquet: endings are compared with right endings"):
        StatisticsPaths.of([paths.stories, tmp_path / "scores.parquet"])
