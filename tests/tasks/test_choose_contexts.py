"""Which contexts get endings."""

import pyarrow as pa
import pytest

from denouement import schemas
from denouement.errors import UserError
from tasks import paths
from tasks.generate import GenerateSettings, choose_contexts


def write_cloze(*groups: tuple[str, str]) -> None:
    rows = [
        {
            "case_id": f"{release} {split}",
            "context": ["A.", "B."],
            "ending_1": "C.",
            "ending_2": "D.",
            "right_ending": None,
            "release": release,
            "split": split,
        }
        for release, split in groups
    ]
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema), paths.CLOZE, "cloze")


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("groups", "settings", "chosen"),
    [
        ([("v1.5", "validation"), ("v1.0", "test"), ("v1.0", "validation")], {}, "v1.0 validation"),
        ([("v1.5", "validation"), ("v1.0", "test")], {}, "v1.0 test"),
        ([("v1.5", "validation"), ("v1.0", "test")], {"split": "validation"}, "v1.5 validation"),
        ([("v1.5", "test"), ("v1.0", "validation")], {"release": "v1.5"}, "v1.5 test"),
        ([("sample", "validation")], {}, "sample validation"),
    ],
)
def test_the_first_release_and_split_that_fit_are_chosen(groups, settings, chosen):
    write_cloze(*groups)
    assert choose_contexts(GenerateSettings(**settings))["case_id"].to_pylist() == [chosen]


def test_what_is_not_there_is_named_beside_what_is():
    write_cloze(("v1.0", "validation"))
    with pytest.raises(UserError, match=r"asks for cases of v1\.5 test, but there is v1\.0 validation"):
        choose_contexts(GenerateSettings(release="v1.5", split="test"))


def test_without_cloze_cases_held_out_stories_are_continued():
    write_cloze()
    rows = [
        {"story_id": split, "title": None, "sentences": ["A.", "B.", "C."], "source": "rocstories", "split": split}
        for split in ("train", "validation")
    ]
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema), paths.STORIES, "stories")
    chosen = choose_contexts(GenerateSettings())
    assert chosen.to_pylist() == [{"case_id": "validation", "context": ["A.", "B."]}]
