"""Files of other data sets of cases, in hand-made examples of the layouts that are published."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from denouement.corpus.ingest import IngestSettings, ingest
from denouement.corpus.readers import find_files, read_file
from denouement.errors import UserError
from denouement.schemas import read_table

PASSAGE = {
    "roc_passage_id": "7adc",
    "question_id": "7adc_assignment#01_0",
    "question": "What is the worst that may happen?",
    "document": "Mia has 3 dogs. They sleep in her bed. Mr. Tom has none.",
    "options": ["They slept.", "They tore it. ", "She left.", "He came."],
    "gold_label": 1,
    "writer_id": "writer#07",
}
SHINGLES = {
    "ind": 24,
    "activity_label": "Roof shingle removal",
    "ctx_a": "A man is sitting on a roof.",
    "ctx_b": "he",
    "ctx": "A man is sitting on a roof. he",
    "split": "val",
    "split_type": "indomain",
    "label": 3,
    "endings": ["is using wrap.", "is ripping tiles off.", "holds a cube.", "starts pulling up roofing."],
    "source_id": "activitynet~v_-JhWjGDPHMY",
}
SHADOW = {
    "premise": "My body cast a shadow over the grass.",
    "choice1": "The sun was rising.",
    "choice2": "The grass was cut.",
    "question": "cause",
    "label": 0,
    "idx": 7,
}
CHAD = {
    "story_id": "5bae-1",
    "obs1": "Chad went to get his car measured.",
    "obs2": "The mechanic gave him a new body.",
    "hyp1": "The car had other problems.",
    "hyp2": "The car had other benefits.",
}
SWAG_HEADER = ",video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label"
SWAG_ROW = '0,lsmdc1052-94857,18313,They look. She,They look.,She,gold,"pats her, then goes.",turns.,walks.,wakes.,2'


def jsonl(path: Path, *rows: Mapping[str, Any], end: str = "\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + end for row in rows), encoding="utf-8", newline="")
    return path


def lines(path: Path, *rows: str, end: str = "\n", mark: str = "") -> Path:
    path.write_text(mark + "".join(row + end for row in rows), encoding="utf-8", newline="")
    return path


def only(path: Path, **given: str) -> dict[str, Any]:
    """The one case of a file, of which no row is rejected."""
    read = read_file(path, **given)
    assert (read.kind, read.read, read.rejects.num_rows) == ("cloze", 1, 0)
    [row] = read.table.to_pylist()
    return row


def reasons(path: Path, **given: str) -> list[tuple[int, str]]:
    """The line and the reason of each rejected row."""
    return [(row["line"], row["reason"]) for row in read_file(path, **given).rejects.to_pylist()]


def test_possible_stories_has_four_endings_and_a_question(tmp_path):
    assert only(jsonl(tmp_path / "dev.jsonl", PASSAGE)) == {
        "case_id": "7adc_assignment#01_0",
        "context": ["Mia has 3 dogs.", "They sleep in her bed.", "Mr. Tom has none."],
        "endings": ["They slept.", "They tore it.", "She left.", "He came."],
        "right_ending": 2,
        "question": "What is the worst that may happen?",
        "language": "en",
        "release": "possible_stories",
        "split": "validation",
    }


def test_hellaswag_completes_the_sentence_that_its_context_begins(tmp_path):
    row = only(jsonl(tmp_path / "hellaswag_val.jsonl", SHINGLES))
    assert (row["case_id"], row["release"], row["split"]) == (
        "hellaswag-validation-24",
        *("hellaswag", "validation"),
    )
    assert (row["context"], row["endings"][3], row["right_ending"]) == (
        ["A man is sitting on a roof."],
        *("he starts pulling up roofing.", 4),
    )
    as_text = {**SHINGLES, "label": "3", "ctx_b": ""}
    row = only(jsonl(tmp_path / "hellaswag_train.jsonl", as_text))
    assert (row["split"], row["endings"][0], row["right_ending"]) == ("train", "is using wrap.", 4)


@pytest.mark.parametrize(
    ("rights", "said"),
    [
        (("0", "1"), "mine_val.csv: right seems to count the endings from 0, since only so does it fit in 1 row"),
        (("0", "2", "0"), "in 2 rows; let it count from 1"),
        (("0", "3", "1"), None),  # there is no fourth ending
    ],
)
def test_right_endings_that_are_counted_from_0_are_refused_and_not_shifted(tmp_path, rights, said):
    rows = [f"{number},Context {number}.,We ran.,We sang.,We ate.,{right}" for number, right in enumerate(rights)]
    path = lines(tmp_path / "mine_val.csv", HEADER, *rows)
    if said is None:
        assert reasons(path)[0] == (2, "right is '0', neither a number from 1 to 3 nor one of the endings")
    else:
        with pytest.raises(UserError) as refused:
            read_file(path)
        assert said in str(refused.value)


def test_labels_that_are_counted_from_1_are_refused_where_a_layout_counts_from_0(tmp_path):
    def rows(*labels):
        return [{**SHINGLES, "ind": number, "label": label} for number, label in enumerate(labels)]

    with pytest.raises(UserError, match=r"label seems to count the endings from 1, .* let it count from 0"):
        read_file(jsonl(tmp_path / "hellaswag_val.jsonl", *rows(4, 1, 3)))
    assert reasons(jsonl(tmp_path / "hellaswag_val.jsonl", *rows(4, 0, 3))) == [
        (1, "label is '4', not a whole number from 0 to 3")
    ]


def test_copies_of_a_test_file_have_minus_1_in_the_place_of_labels(tmp_path):
    read = read_file(jsonl(tmp_path / "copa_test.jsonl", {**SHADOW, "label": -1}))
    assert (read.labelled, read.table["right_ending"].to_pylist()) == (False, [None])


def test_a_test_file_without_labels_is_blind(tmp_path):
    blind = {name: value for name, value in SHINGLES.items() if name != "label"}
    read = read_file(jsonl(tmp_path / "hellaswag_test.jsonl", blind))
    assert (read.labelled, read.constants["split"], read.table["right_ending"].null_count) == (False, "test", 1)
    assert not read_file(jsonl(tmp_path / "test.jsonl", {**SHADOW, "label": None})).labelled


@pytest.mark.parametrize(("end", "mark"), [("\n", ""), ("\r\n", "\ufeff")])
def test_swag(tmp_path, end, mark):
    row = only(lines(tmp_path / "train.csv", SWAG_HEADER, SWAG_ROW, end=end, mark=mark))
    assert (row["case_id"], row["release"], row["split"]) == ("lsmdc1052-94857-18313", "swag", "train")
    assert row["context"] == ["They look."]
    assert row["endings"] == ["She pats her, then goes.", "She turns.", "She walks.", "She wakes."]
    assert row["right_ending"] == 3
    blind = lines(tmp_path / "test.csv", SWAG_HEADER.removesuffix(",label"), SWAG_ROW.removesuffix(",2"))
    assert only(blind)["right_ending"] is None


@pytest.mark.parametrize("names_id", ["idx", "id"])
def test_copa_asks_for_cause_or_effect(tmp_path, names_id):
    row = {name: value for name, value in SHADOW.items() if name != "idx"} | {names_id: 7}
    found = only(jsonl(tmp_path / "val.jsonl", row))
    assert (found["case_id"], found["right_ending"]) == ("copa-validation-7", 1)
    assert found["question"] == "What was the cause of this?"
    found = only(jsonl(tmp_path / "val.jsonl", {**row, "question": "effect", "label": 1}))
    assert (found["question"], found["right_ending"]) == ("What happened as a result?", 2)
    path = jsonl(tmp_path / "val.jsonl", {**row, "question": "why"}, row)
    assert reasons(path) == [(1, "question is 'why', not cause or effect")]


def test_art_has_its_labels_in_a_file_beside_it(tmp_path):
    path = jsonl(tmp_path / "dev.jsonl", CHAD, {**CHAD, "hyp2": "He had no car."})
    assert (read_file(path).labelled, read_file(path).constants["split"]) == (False, "validation")
    lines(tmp_path / "dev-labels.lst", "1", "2")
    table = read_file(path).table
    assert table["case_id"].to_pylist() == ["5bae-1", "5bae-1#2"], "ids name stories, not cases"
    assert table["right_ending"].to_pylist() == [1, 2]
    assert table["context"].to_pylist()[0] == [CHAD["obs1"], CHAD["obs2"]]
    assert table["endings"].to_pylist()[0] == [CHAD["hyp1"], CHAD["hyp2"]]
    lines(tmp_path / "dev-labels.lst", "1")
    with pytest.raises(UserError, match=r"dev-labels\.lst: 1 labels for the 2 rows of dev\.jsonl"):
        read_file(path)


HEADER = "case_id,context,ending_1,ending_2,ending_3,right"


def test_cases_of_ones_own_have_any_number_of_endings(tmp_path):
    path = lines(
        tmp_path / "mine_test.csv",
        "case_id,context,ending_1,ending_2,ending_3,right,question,language",
        "a,It rained. We ran.,We got wet.,We sang.,We ate.,3,,",
        "7,Está lloviendo.,Corrimos.,Comimos.,,Comimos.,¿Qué pasó?,es",
    )
    one, other = read_file(path).table.to_pylist()
    assert (one["case_id"], one["context"], len(one["endings"]), one["right_ending"], one["language"]) == (
        *("a", ["It rained.", "We ran."], 3, 3, "en"),
    )
    assert (other["case_id"], other["endings"], other["right_ending"]) == (
        *("mine_test-test-7", ["Corrimos.", "Comimos."], 2),
    )
    assert (other["question"], other["language"], other["release"]) == ("¿Qué pasó?", "es", "mine_test")
    assert {row["release"] for row in read_file(path, release="mine", language="fr").table.to_pylist()} == {"mine"}
    assert read_file(path, language="fr").table["language"].to_pylist() == ["fr", "es"]


def test_the_same_as_json_lines(tmp_path):
    rows = [
        {"context": "It rained. We ran.", "ending_1": "A cow.", "ending_2": "We got wet.", "right": 2},
        {"context": ["It rained. A lot.", "We ran."], "endings": ["A cow.", "We got wet.", "Ice."], "right": "Ice."},
    ]
    one, other = (only(jsonl(tmp_path / "mine.val.jsonl", row)) for row in rows)
    assert (one["case_id"], one["release"], one["right_ending"]) == ("mine.val-validation-1", "mine.val", 2)
    assert (other["context"], other["right_ending"]) == (["It rained. A lot.", "We ran."], 3)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (
            "a,It rained.,We ran.,We sang.,We ate.,4",
            "right is '4', neither a number from 1 to 3 nor one of the endings",
        ),
        ("a,It rained.,We ran.,We sang.,We ate.,0", "right is '0', neither a number from 1 to 3"),
        ("a,It rained.,2,We sang.,We ate.,2", "right is '2', which names endings 1 and 2"),
        ("a,It rained.,We ran.,we RAN!,We ate.,1", "endings 1 and 2 are the same"),
        ("a,It rained.,We ran.,,We ate.,1", "empty: ending_2"),
        ("a,It rained.,We ran.,,,1", "1 of two endings or more"),
        ("a,,We ran.,We sang.,We ate.,1", "empty: the context"),
        ("a,It rained.,We ran.,We sang.,We ate.,", "empty: right"),
        ("a,It rained.,We ran.,We sang.,1", "5 cells where the header has 6"),
    ],
)
def test_a_row_that_is_no_case_is_rejected_with_its_line(tmp_path, row, reason):
    good = 'b,"It rained,\nand rained.",We ran.,We sang.,We ate.,3'
    [(line, found)] = reasons(lines(tmp_path / "mine_val.csv", HEADER, good, row))
    assert (line, found[: len(reason)]) == (4, reason), "the row above takes two lines"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"endings": ["A."]}, "1 of two endings or more"),
        ({"endings": "A. B."}, "endings is no list of texts"),
        ({"endings": ["A.", 2]}, "endings is no list of texts"),
        ({"endings": ["A.", "​"]}, "empty: ending 2"),
        ({"context": {"a": 1}}, "context is no text"),
        ({"context": ["A.", ""]}, "empty: a sentence of the context"),
        ({"right": True}, "right is no text"),
        ({"language": "not a code"}, "language is 'not a code', not a code such as en"),
    ],
)
def test_a_json_object_that_is_no_case_is_rejected(tmp_path, row, reason):
    good = {"context": "It rained.", "endings": ["We ran.", "We sang."], "right": 1}
    assert reasons(jsonl(tmp_path / "mine_val.jsonl", good, {**good, **row})) == [(2, reason)]


def test_lines_that_are_no_json_objects_are_rejected_and_blank_ones_passed_over(tmp_path):
    good = json.dumps({"context": "It rained.", "endings": ["We ran.", "We sang."], "right": 1})
    path = lines(tmp_path / "mine_val.jsonl", good, "", "[1]", '{"context": ', end="\r\n")
    read = read_file(path)
    assert (read.read, read.table.num_rows) == (3, 1)
    assert reasons(path) == [(3, "not a JSON object"), (4, "not a JSON object")]


def test_files_that_cannot_be_cases_say_why(tmp_path):
    good = {"context": "It rained.", "endings": ["We ran.", "We sang."], "right": 1}
    with pytest.raises(UserError, match="the name does not say the split; rename the file so that it has one of the"):
        read_file(jsonl(tmp_path / "mine.jsonl", good))
    with pytest.raises(UserError, match="its name cannot name a release"):
        read_file(jsonl(tmp_path / "my own test.jsonl", good))
    with pytest.raises(UserError, match="the row of line 2 is not CSV"):
        read_file(lines(tmp_path / "mine_val.csv", HEADER, 'a,"It rained.,We ran.,We sang.,We ate.,1'))
    with pytest.raises(UserError, match="no row in it"):
        read_file(lines(tmp_path / "mine_val.csv", HEADER))


def xstory(path: Path, language: str, rows: Sequence[Sequence[str]]) -> Path:
    header = ["InputStoryid", *(f"InputSentence{number}" for number in range(1, 5))]
    header += ["RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2", "AnswerRightEnding"]
    path.parent.mkdir(exist_ok=True, parents=True)
    name = f"spring2016.val.{language}.tsv.split_20_80_eval.tsv"
    return lines(path / name, *("\t".join(row) for row in [header, *rows]))


HINDI = ("वह की गया।", "वह घर आया।", "वह सो गया।", "वह उठा।")


def test_xstorycloze_has_the_same_ids_in_all_languages(tmp_path):
    files = [
        xstory(tmp_path, "en", [("a-1", "One.", "Two.", "Three.", "Four.", "Yes.", "No.", "1")]),
        xstory(tmp_path, "zh", [("a-1", "一。", "二。", "三。", "四。", "是的。", "不。", "1")]),
        # Two endings that differ in the signs of their vowels alone are two.
        xstory(tmp_path, "hi", [("a-1", *HINDI, "उसका घर।", "उसकी घर।", "1")]),
    ]
    summary = ingest(files, tmp_path / "out")
    rows = read_table(tmp_path / "out/cloze.parquet", "cloze").to_pylist()
    assert {(row["case_id"], row["release"], row["split"]) for row in rows} == {("a-1", "xstorycloze", "test")}
    assert [row["language"] for row in rows] == ["en", "zh", "hi"]
    assert rows[1]["context"] == ["一。", "二。", "三。", "四。"]
    assert summary.cloze == {"xstorycloze": {"test": 3}}
    assert [file.oddities for file in summary.files] == [{}, {}, {}], "stops of these scripts are stops"
    assert summary.overlap.pairs == ()


def test_the_language_is_in_the_file_s_name_or_its_folder_s_or_given(tmp_path):
    row = [("a-1", "Uno.", "Dos.", "Tres.", "Cuatro.", "Sí.", "No.", "1")]
    named = xstory(tmp_path, "es", row)
    (tmp_path / "eu").mkdir()
    in_folder = named.rename(tmp_path / "eu" / "spring2016_val.tsv")
    assert set(read_file(in_folder).table["language"].to_pylist()) == {"eu"}
    assert read_file(in_folder).constants["release"] == "xstorycloze", "v1.0 is in English"
    elsewhere = in_folder.rename(tmp_path / "spring2016_val.tsv")
    assert (read_file(elsewhere).constants["language"], read_file(elsewhere).constants["release"]) == ("en", "v1.0")
    given = read_file(elsewhere, language="es")
    assert (given.constants["language"], given.constants["release"]) == ("es", "xstorycloze")


def test_ids_that_are_mere_numbers_are_of_one_data_set(tmp_path):
    """Case 7 of COPA is no story of case 7 of HellaSwag."""
    files = [
        jsonl(tmp_path / "copa_val.jsonl", SHADOW),
        jsonl(tmp_path / "hellaswag_val.jsonl", {**SHINGLES, "ind": 7}),
    ]
    [pair] = ingest(files, tmp_path / "out").overlap.pairs
    assert (pair.first, pair.second, pair.same_story) == ("copa validation", "hellaswag validation", 0)


def test_the_report_of_stories_told_twice_covers_other_data_sets(tmp_path):
    """A passage of Possible Stories is the beginning of one of ROCStories, and one of its endings may be the end."""
    story = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4\n"
    story += "s-1,Dogs,Mia has 3 dogs.,They sleep in her bed.,Mr Tom has none!,They tore it.\n"
    (tmp_path / "rocstories.csv").write_text(story)
    files = [tmp_path / "rocstories.csv", jsonl(tmp_path / "dev.jsonl", PASSAGE, {**PASSAGE, "question_id": "q2"})]
    summary = ingest(files, tmp_path / "out")
    [pair] = summary.overlap.pairs
    assert (pair.first, pair.second) == ("rocstories", "possible_stories validation")
    assert (pair.same_story, pair.same_context, pair.same_endings) == (2, 2, 2)
    assert summary.overlap.repeated == {"possible_stories validation": 1}
    out = ingest(files, tmp_path / "out", IngestSettings(exclude_overlap=True))
    assert (out.stories, out.cloze) == ({}, {"possible_stories": {"validation": 2}})


def test_an_id_in_two_files_is_rejected_as_in_the_official_ones(tmp_path):
    files = [jsonl(tmp_path / name, PASSAGE) for name in ("dev.jsonl", "again_dev.jsonl")]
    ingest(files, tmp_path / "out")
    [row] = read_table(tmp_path / "out/rejects.parquet", "rejects").to_pylist()
    assert row["reason"] == ("case_id 7adc_assignment#01_0 is already in dev.jsonl, line 1, with the same text")


def test_such_files_are_found_in_a_folder(tmp_path):
    jsonl(tmp_path / "more/dev.jsonl", PASSAGE)
    lines(tmp_path / "answers.csv", "context,ending_1,ending_2,answer", "a,b,c,d")
    found, others = find_files(tmp_path)
    assert [path.name for path in found] == ["dev.jsonl"]
    assert [path.name for path, _ in others] == ["answers.csv"]


def test_the_published_file_is_read_whole(shared_data):
    path = shared_data / "possible_stories" / "dev.jsonl"
    if not path.exists():
        pytest.skip(f"real data absent: no file {path}")
    read = read_file(path)
    written = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert (read.table.num_rows, read.rejects.num_rows) == (len(written), 0)
    assert read.table["right_ending"].to_pylist() == [row["gold_label"] + 1 for row in written]
    assert {len(endings) for endings in read.table["endings"].to_pylist()} == {4}


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    files = [jsonl(tmp_path / "ps/dev.jsonl", PASSAGE), jsonl(tmp_path / "art/dev.jsonl", CHAD, {**CHAD, "hyp1": ""})]
    summary = ingest(files, tmp_path / "out")
    assert [(file.file, file.kept, file.rejected) for file in summary.files] == [
        ("ps/dev.jsonl", 1, 0),
        ("art/dev.jsonl", 1, 1),
    ]
    assert read_table(tmp_path / "out/rejects.parquet", "rejects")["file"].to_pylist() == ["art/dev.jsonl"]
    with pytest.raises(UserError, match=r"2 of the files are called ps/dev\.jsonl: name each once"):
        ingest([files[0], files[0]], tmp_path / "out")
