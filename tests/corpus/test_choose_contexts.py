"""Which contexts get endings."""

from pathlib import Path

import pyarrow as pa
import pytest

from denouement import schemas
from denouement.corpus.contexts import choose_contexts, read_contexts
from denouement.errors import UserError


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    rows = [
        {"story_id": split, "title": None, "sentences": ["A.", "B.", "C."], "source": "rocstories", "split": split}
        for split in ("train", "validation")
    ]
    path = tmp_path / "stories.parquet"
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema), path, "stories")
    return path


def write_cloze(path: Path, *groups: tuple[str, str]) -> Path:
    rows = [
        {
            "case_id": f"{release} {split}",
            "context": ["A.", "B."],
            "endings": ["C.", "D."],
            "language": "en",
            "right_ending": None,
            "release": release,
            "split": split,
        }
        for release, split in groups
    ]
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema), path, "cloze")
    return path


@pytest.mark.parametrize(
    ("groups", "asked", "chosen"),
    [
        ([("v1.5", "validation"), ("v1.0", "test"), ("v1.0", "validation")], {}, "v1.0 validation"),
        ([("v1.5", "validation"), ("v1.0", "test")], {}, "v1.0 test"),
        ([("v1.5", "validation"), ("v1.0", "test")], {"split": "validation"}, "v1.5 validation"),
        ([("v1.5", "test"), ("v1.0", "validation")], {"release": "v1.5"}, "v1.5 test"),
        ([("sample", "validation")], {}, "sample validation"),
    ],
)
def test_the_first_release_and_split_that_fit_are_chosen(groups, asked, chosen, stories, tmp_path):
    cloze = write_cloze(tmp_path / "cloze.parquet", *groups)
    assert choose_contexts(cloze, stories, **asked)["case_id"].to_pylist() == [chosen]


def test_what_is_not_there_is_named_beside_what_is(stories, tmp_path):
    cloze = write_cloze(tmp_path / "cloze.parquet", ("v1.0", "validation"))
    with pytest.raises(UserError, match=r"no cases of v1\.5 test; it holds v1\.0 validation \(1\)"):
        choose_contexts(cloze, stories, release="v1.5", split="test")
    with pytest.raises(UserError, match=r"no cases of v1\.5; it holds none"):
        choose_contexts(write_cloze(cloze), stories, release="v1.5")


def test_without_cloze_cases_held_out_stories_are_continued(stories, tmp_path):
    cloze = write_cloze(tmp_path / "cloze.parquet")
    chosen = choose_contexts(cloze, stories)
    assert chosen.to_pylist() == [{"case_id": "validation", "context": ["A.", "B."]}]
    assert choose_contexts(cloze, stories, split="train")["case_id"].to_pylist() == ["train"]


def test_the_contexts_of_one_language_are_chosen(stories, tmp_path):
    case = {"case_id": "a", "endings": ["C.", "D.", "E."], "right_ending": 2, "release": "xstorycloze", "split": "test"}
    rows = [{**case, "context": [text], "language": language} for text, language in (("Uno.", "es"), ("One.", "en"))]
    path = tmp_path / "cloze.parquet"
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema), path, "cloze")
    assert choose_contexts(path, stories)["context"].to_pylist() == [["One."]], "English where there is any"
    assert choose_contexts(path, stories, language="es")["context"].to_pylist() == [["Uno."]]
    assert read_contexts(path, language="es").to_pylist() == [{"case_id": "a", "context": ["Uno."]}], "and no ending"
    with pytest.raises(
        UserError, match=r"it holds xstorycloze test \(1\), xstorycloze test es \(1\): choose a language"
    ):
        read_contexts(path)
    with pytest.raises(UserError, match=r"no cases of eu; it holds xstorycloze test \(1\), xstorycloze test es \(1\)"):
        choose_contexts(path, stories, language="eu")
    with pytest.raises(UserError, match="has no language to choose by"):
        read_contexts(stories, language="es")
