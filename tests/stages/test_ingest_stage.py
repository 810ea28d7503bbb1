"""Which files the stage ingest reads."""

from pathlib import Path

import pytest

from denouement.corpus.ingest import IngestSettings
from denouement.corpus.sample import write_sample
from denouement.errors import UserError
from denouement.stages.ingest import IngestPaths, official_files, run

HEADER = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\n"
ANSWERS = "InputStoryid,context,optionA,optionB,answer,reason,RightEnding,model1,answer_correspondence\n"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """A folder of the user's without an official file, beside that of the sample corpus."""
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/README.md").write_text("# Your files\n")
    write_sample(tmp_path / "sample", stories=20, cases=4, seed=1)
    return tmp_path / "raw"


def test_the_sample_corpus_is_read_where_there_is_no_official_file(raw: Path, capfd) -> None:
    files = official_files(raw, raw.parent / "sample")
    assert [path.name for path in files] == ["sample_cloze_val.csv", "sample_stories.csv"]
    assert capfd.readouterr().err == ""
    summary = run(IngestSettings(), IngestPaths(files, raw.parent / "corpus"))
    assert summary.corpus == "sample"
    assert (raw.parent / "corpus/ingest.json").is_file()


def test_official_files_are_read_alone_and_others_are_warned_of_but_answers(raw: Path, capfd) -> None:
    (raw / "roc.csv").write_text(HEADER + "1,t,A.,B.,C.,D.,E.\n")
    (raw / "answers.csv").write_text(ANSWERS)
    (raw / "notes.csv").write_text("a,b\n1,2\n")
    assert official_files(raw, raw.parent / "sample") == (raw / "roc.csv",)
    warnings = capfd.readouterr().err.splitlines()
    assert len(warnings) == 1
    assert "notes.csv is left out" in warnings[0]


def test_without_any_file_it_says_so(raw: Path) -> None:
    (raw.parent / "empty").mkdir()
    with pytest.raises(UserError, match="no file to read"):
        run(IngestSettings(), IngestPaths(official_files(raw, raw.parent / "empty"), raw.parent / "corpus"))
    assert not (raw.parent / "corpus").exists()
