"""An export is a corpus: read again as it was written, without a person's id, with ids that stay."""

import csv
import re
import uuid
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from collect.collected import all_confirmed, endings, verifications

from denouement.collect.description import Collection, ReviewStep, StoryStep, VerificationStep, collection_from
from denouement.collect.exported import CollectedReview, CollectedWork
from denouement.collect.exporting import export
from denouement.collect.work import as_table, read_work
from denouement.corpus.ingest import ingest
from denouement.corpus.layouts import is_own_release, own_files, release_of, source_of, split_of
from denouement.corpus.readers import find_files
from denouement.errors import UserError
from denouement.files import alone_in, visible_files
from denouement.schemas import read_table
from denouement.study.importing import find_answers

KITCHEN = Collection(name="kitchen", release="kitchen-2026.1", licence="CC BY 4.0", stories=StoryStep())
FORMULA = "=1+1 was on the board."
SECRET = "person-of-whom-nobody-knows"


def stories(n: int = 6, writer: str = SECRET) -> pa.Table:
    """Stories s0, s1 ...: the first ones begin as the cases of `endings` do."""
    rows = [
        {
            "story_id": f"s{at}",
            "title": f"Story <b>{at}</b>",
            "sentences": [*context, f"Person {at} was home at last."],
            "writer": writer,
            "status": "approved",
        }
        for at, context in enumerate(endings(n)["context"].to_pylist())
    ]
    rows[-1] |= {
        "story_id": "formula",
        "sentences": [FORMULA, "-5 degrees.", "+1.", "@home it was.", "'=2 stood there."],
    }
    rows[-2] |= {"story_id": "bad", "status": "rejected", "remark": "=cmd|' /C calc'!A0"}
    return as_table("collected_stories", rows)


def work(n: int = 4, **columns) -> CollectedWork:
    pairs = endings(n, **{"writer": SECRET, "story_writer": SECRET, **columns})
    return CollectedWork(stories(n + 3), pairs, all_confirmed(pairs))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def test_what_is_written_is_read_again_as_it_was(tmp_path):
    done = export(work(), KITCHEN, tmp_path)
    assert (done.stories, done.stories_used, done.other_stories) == (2, 4, {"rejected": 1})
    names = own_files("kitchen-2026.1")
    public = tmp_path / "public"
    labelled = [path for path in visible_files(public) if path.suffix == ".csv"]
    summary = ingest([tmp_path / "blind" / names.blind, *labelled], tmp_path / "corpus")
    assert summary.cloze == {"kitchen-2026.1": {"test": 2, "validation": 2}}
    assert sum(summary.stories["kitchen-2026.1"].values()) == 2
    rejects = read_table(tmp_path / "corpus/rejects.parquet", "rejects").to_pylist()
    assert {row["file"] for row in rejects} == {names.blind}  # the labelled file has them
    assert all(row["reason"].endswith("with the same text") for row in rejects)
    texts = read_table(tmp_path / "corpus/stories.parquet", "stories")["sentences"].to_pylist()
    assert [FORMULA, "-5 degrees.", "+1.", "@home it was.", "'=2 stood there."] in texts
    cases = read_table(tmp_path / "corpus/cloze.parquet", "cloze").to_pylist()
    by_right = {case["endings"][case["right_ending"] - 1]: case for case in cases}
    for row in endings(4).to_pylist():
        case = by_right[row["right"]]
        assert (case["context"], {*case["endings"]}) == (row["context"], {row["right"], row["wrong"]})
    for name in ("cloze.parquet", "stories.parquet"):
        kind = name.partition(".")[0]
        same = [{*map(repr, read_table(where / name, kind).to_pylist())} for where in (public, tmp_path / "corpus")]
        assert same[0] == same[1]


def test_the_pairs_of_an_export_are_read_again_as_they_came_in(tmp_path):
    pairs = endings(4)
    answers = verifications({"c0": (["1"] * 3, ["0"] * 3), "c1": (["1", "0", "1"], ["0"] * 3)})
    export(CollectedWork(stories(7), pairs, answers), KITCHEN, tmp_path)
    kind, again = read_work(tmp_path / "private/filtered_cases.parquet", ["collected_endings"])
    assert (kind, again.to_pylist()) == ("collected_endings", pairs.to_pylist()), "those that were not kept, too"


def test_the_files_have_the_official_layout_and_no_formula(tmp_path):
    export(work(), KITCHEN, tmp_path)
    names = own_files("kitchen-2026.1")
    labelled, blind = rows(tmp_path / "public" / names.test), rows(tmp_path / "blind" / names.blind)
    assert [*labelled[0]] == [
        *("InputStoryid", "InputSentence1", "InputSentence2", "InputSentence3", "InputSentence4"),
        *("RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2", "AnswerRightEnding"),
    ]
    assert blind == [{name: row[name] for name in [*row][:-1]} for row in labelled]
    assert [*rows(tmp_path / "public" / names.stories)[0]] == [
        *("storyid", "storytitle", "sentence1", "sentence2", "sentence3", "sentence4", "sentence5")
    ]
    for path in visible_files(tmp_path):
        if path.suffix == ".csv":
            assert not [cell for row in rows(path) for cell in row.values() if cell[:1] in {*"=+-@\t\r"}]
    [rejected] = rows(tmp_path / "private/rejected_stories.csv")
    assert rejected["remark"].startswith("'=cmd")


def test_of_a_whole_export_the_files_of_the_corpus_are_found_and_nothing_else(tmp_path):
    """As `make run CORPUS=OUT/public` looks for them."""
    export(work(), KITCHEN, tmp_path)
    names = own_files("kitchen-2026.1")
    official, _ = find_files(tmp_path)
    assert {path.name for path in official} == {names.stories, names.validation, names.test, names.blind}
    assert {path.parent.name for path in official} == {"public", "blind"}
    assert {path.name for path in find_files(tmp_path / "public")[0]} == {names.stories, names.validation, names.test}
    assert not find_answers(tmp_path)


def test_no_public_file_has_an_id_of_the_collection_or_of_a_person(tmp_path):
    done = export(work(), KITCHEN, tmp_path)
    for path in [*visible_files(tmp_path / "public"), *visible_files(tmp_path / "blind")]:
        content = path.read_bytes()
        if path.suffix == ".parquet":
            content = repr(read_table(path, path.stem).to_pylist()).encode()
        assert SECRET.encode() not in content, path
        assert not re.search(rb"\b[cs][0-9]\b", content), path
    ids = [row["storyid"] for row in rows(tmp_path / "public" / own_files("kitchen-2026.1").stories)]
    assert all(uuid.UUID(each).version == 4 for each in ids)
    assert (done.writers, done.ending_writers, done.verifiers) == (1, 1, 3)


def test_a_later_export_keeps_ids_splits_and_sides(tmp_path):
    export(work(4), KITCHEN, tmp_path)
    before = {row["case_id"]: row for row in read_table(tmp_path / "public/cloze.parquet", "cloze").to_pylist()}
    other = export(work(4), KITCHEN, tmp_path / "other")
    assert other.filter
    assert not before.keys() & set(read_table(tmp_path / "other/public/cloze.parquet", "cloze")["case_id"].to_pylist())
    export(work(9), KITCHEN, tmp_path)
    after = {row["case_id"]: row for row in read_table(tmp_path / "public/cloze.parquet", "cloze").to_pylist()}
    assert len(after) == 9
    assert all(after[case_id] == row for case_id, row in before.items())


def test_files_of_a_split_that_is_gone_are_removed(tmp_path):
    names = own_files("kitchen-2026.1")
    export(work(), KITCHEN, tmp_path)
    assert (tmp_path / "public" / names.test).exists()
    export(CollectedWork(stories=stories()), KITCHEN, tmp_path)
    left = {path.name for path in visible_files(tmp_path / "public")}
    assert left == {names.stories, "stories.parquet", "cloze.parquet", "DATASHEET.md"}
    assert not (tmp_path / "private/verifications.parquet").exists()
    assert not [*visible_files(tmp_path / "blind")]


def test_the_datasheet_says_how_and_by_how_many_and_is_harmless(tmp_path):
    pairs = endings(4)
    given = {
        "c0": (["1"] * 3, ["0"] * 3),
        "c1": (["1", "0", "1"], ["0"] * 3),
        "c2": (["1"] * 3, ["0"] * 3),
        "c3": (["1"], ["0"]),
    }
    found = CollectedWork(stories(7, writer="<script>"), pairs, verifications(given))
    export(found, replace(KITCHEN, licence="<script>alert(1)</script>"), tmp_path)
    text = (tmp_path / "public/DATASHEET.md").read_text()
    assert "<script" not in text.replace("\\<script", "")
    assert re.search(r"both endings are confirmed +\| +2 \(50\.0%\)", text)
    assert re.search(r"the right ending is not confirmed +\| +1 \(25\.0%\)", text)
    assert re.search(r"an ending has too few answers +\| +1 \(25\.0%\)", text)
    assert re.search(r"writers +\| +1 \| +932 \| +3 \| +282 \|", text)
    assert re.search(r"handed in +\| +7 \| +49,895 \| +4 \| +13,500 \|", text)
    assert re.search(r"approved or confirmed +\| +6 \| +49,255 \| +2 \| +3,744 \|", text)
    assert "People who verified endings: 3." in text
    assert "at least 4 of them right, in at most 2 attempts." in text
    assert "2 pairs of endings; something can be said from 100 on" in text
    assert "How the endings were written is not described." in text  # no step asked for them


def test_the_datasheet_says_what_each_step_asked_for_and_nothing_of_files(tmp_path):
    sections = {"stories": {"longest": 50}, "review": {"approve_after_days": 7}}
    sections |= {"endings": {"way": "method_2", "qualification": False}, "verification": {}}
    export(work(), collection_from({"name": "kitchen", **sections}, "test"), tmp_path / "a")
    text = (tmp_path / "a/public/DATASHEET.md").read_text()
    assert "5 sentences of at most 50 characters" in text
    assert "approved by one reviewer." in text
    assert "not decided within 7 days counts as approved" in text
    assert "(method 2)" in text
    assert re.findall("Before they ([a-z ]+),", text) == ["wrote stories", "verified endings"]
    export(work(), Collection(name="kitchen"), tmp_path / "b")
    text = (tmp_path / "b/public/DATASHEET.md").read_text()
    assert "How the stories were written is not described." in text
    assert not re.search("characters|reviewer|for v1.0", text)


def test_the_datasheet_names_who_approved_and_who_verified(tmp_path):
    asked = {"review": ReviewStep(approve_after_days=7), "verification": VerificationStep(people=4)}
    pairs = endings(2)
    export(CollectedWork(stories(), pairs, all_confirmed(pairs)), replace(KITCHEN, **asked), tmp_path)
    text = (tmp_path / "public/DATASHEET.md").read_text()
    assert "A story was approved by one reviewer." in text
    assert "not decided within 7 days counts as approved" in text
    assert "Each ending was to be verified by 4 people, by the form of v1.0." in text
    assert "Before they verified endings, people judged" in text


def test_reviews_are_with_what_says_who_did_what(tmp_path):
    review = CollectedReview("s1", 2, "r1", "approve", True, "=nice")
    export(CollectedWork(stories=stories(), reviews=(review,)), KITCHEN, tmp_path)
    (row,) = rows(tmp_path / "private/reviews.csv")
    assert row == {
        "story_id": "s1", "version": "2", "reviewer": "r1", "decision": "approve", "bonus": "true", "remark": "'=nice",
    }  # fmt: skip
    assert not list((tmp_path / "public").glob("reviews*"))


def test_stories_alone_and_cases_alone(tmp_path):
    alone = export(CollectedWork(stories=stories()), KITCHEN, tmp_path / "a")
    assert (alone.stories, alone.filter) == (5, None)
    pairs = endings(3)
    cases = export(CollectedWork(endings=pairs, verifications=all_confirmed(pairs)), KITCHEN, tmp_path / "b")
    assert (cases.stories, cases.writers) == (0, 0)
    assert len(read_table(tmp_path / "b/public/cloze.parquet", "cloze")) == 3


def test_what_cannot_be_exported_leaves_nothing(tmp_path):
    pairs = endings(2)
    with pytest.raises(UserError, match="belong together"):
        CollectedWork(endings=pairs)
    with pytest.raises(UserError, match="nothing to export"):
        CollectedWork()
    nothing = CollectedWork(endings=pairs, verifications=verifications({"c0": (["0"] * 3, ["0"] * 3)}))
    with pytest.raises(UserError, match="no case is kept"):
        export(nothing, KITCHEN, tmp_path / "out")
    broken = endings(2).to_pylist()
    broken[1]["wrong"] = ""
    table = as_table("collected_endings", broken)
    with pytest.raises(UserError, match="1 rows of the export cannot be read again; the first is line"):
        export(CollectedWork(endings=table, verifications=all_confirmed(table)), KITCHEN, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(UserError, match="no published release"):
        export(work(), replace(KITCHEN, release="v1.5"), tmp_path)


def test_another_release_in_the_folder_is_refused(tmp_path):
    export(work(), KITCHEN, tmp_path)
    before = {path: path.read_bytes() for path in visible_files(tmp_path)}
    with pytest.raises(UserError, match="not of release other"):
        export(work(), replace(KITCHEN, release="other"), tmp_path)
    assert {path: path.read_bytes() for path in visible_files(tmp_path)} == before


def test_two_exports_to_one_folder_at_once_are_refused(tmp_path):
    with alone_in(tmp_path / "out"), pytest.raises(UserError, match="another process writes into it"):
        export(work(), KITCHEN, tmp_path / "out")


def test_another_collection_with_the_same_ids_is_refused(tmp_path):
    export(work(), KITCHEN, tmp_path)
    before = {path: path.read_bytes() for path in visible_files(tmp_path)}
    other = work()
    assert other.stories
    rows = other.stories.to_pylist()
    rows[0]["sentences"][4] = "It was another story."
    with pytest.raises(UserError, match="story s0 has other sentences there"):
        export(replace(other, stories=as_table("collected_stories", rows)), KITCHEN, tmp_path)
    pairs = endings(4, right="Everybody slept.")
    with pytest.raises(UserError, match="case c0 had other texts"):
        export(CollectedWork(endings=pairs, verifications=all_confirmed(pairs)), KITCHEN, tmp_path)
    assert {path: path.read_bytes() for path in visible_files(tmp_path)} == before


@pytest.mark.parametrize("release", ["kitchen", "kitchen-2026.1", "A_b", "test", "my-val-test", "v2", "x" * 64])
def test_names_of_releases_are_read_from_the_names_of_their_files(release):
    assert is_own_release(release)
    names = own_files(release)
    assert source_of(names.stories) == release
    for name, split in ((names.validation, "validation"), (names.test, "test"), (names.blind, "test")):
        assert (release_of(name), split_of(name, labelled=name != names.blind)) == (release, split)


@pytest.mark.parametrize(
    "release",
    ["", "v1.0", "v1.5", "my_v1.0", "spring2016", "winter 2018", "sample", "rocstories", "x" * 65, "a/b"],
)
def test_names_that_would_be_read_as_something_else(release):
    assert not is_own_release(release)


def test_the_official_names_mean_what_they_meant():
    official = "cloze_test_val__winter2018-cloze_test_ALL_val - 1 - 1.csv"
    assert (release_of(official), split_of(official, labelled=True)) == ("v1.5", "validation")
    assert source_of("ROCStories__spring2016 - ROCStories_spring2016.csv") == "rocstories_spring_2016"
    assert source_of("ROCStories_sample.csv") == "rocstories"
