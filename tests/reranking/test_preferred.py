"""How often a chooser prefers the endings of systems to the human ones, worked out by hand."""

import json

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy.stats import beta

from denouement import provenance, schemas
from denouement.cli import main
from denouement.documents import document
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.present.markdown import render
from denouement.reranking import preferred
from denouement.reranking.choosers import EndingChooser, open_chooser
from denouement.reranking.preferred import prefer
from denouement.reranking.sections import preference_blocks
from tests.reranking.known_cases import CASES

CASE = schemas.TABLES["cloze"].schema


@pytest.fixture
def by_length(monkeypatch):
    """The chooser that likes long endings."""

    def of_texts(contexts, endings):
        return [np.array([len(text) for text in each], np.float64) for each in endings]

    chooser = EndingChooser("long.parquet", "digest", {}, of_texts)
    monkeypatch.setattr(preferred, "open_chooser", lambda given, language_model=None: chooser)


@pytest.fixture
def write(tmp_path):
    """Writes cases, each (context, ending 1, ending 2, right ending or None), or endings, each (case, system, text)."""

    def written(rows, name="cloze", metadata=None, **asked):
        if name == "cloze":
            place = {"release": "v1.0", "split": "test", "language": "en"}
            told = [
                {"case_id": str(n), "context": context, "endings": endings, "right_ending": right, **asked} | place
                for n, (context, *endings, right) in enumerate(rows)
            ]
        else:
            told = [dict(zip(("case_id", "system", "ending"), row, strict=True)) for row in rows]
        path = tmp_path / f"{name}.parquet"
        kind = "cloze" if name == "cloze" else "endings"
        schemas.write_table(pa.Table.from_pylist(told, schemas.TABLES[kind].schema), path, kind, metadata)
        return path

    return written


@pytest.fixture
def cases(write):
    """Lengths of endings: 2 right, 4 wrong; 4 right, 2 wrong; 3 and 5 of a blind case; 2 right, 2 wrong."""
    return write(
        [
            (["A."], "rr", "wwww", 1),
            (["B."], "ww", "rrrr", 2),
            (["C."], "hhh", "hhhhh", None),
            (["D."], "rr", "ww", 1),
        ]
    )


def shares(found):
    return {row.system: (row.n, row.preferred, row.equal) for row in found.systems}


def test_the_human_ending_is_the_right_one_and_of_a_blind_case_the_better_one(by_length, cases, write):
    endings = write(
        [("0", "one", "xxx"), ("1", "one", "xxx"), ("2", "one", "xxxx"), ("3", "one", "xx"), ("2", "two", "x" * 9)], "e"
    )
    found = prefer("long.parquet", cases, [endings])
    # one: 3 > 2, 3 < 4, 4 < 5, 2 = 2; two: 9 > 5; wrong: 4 > 2, 2 < 4, 2 = 2
    assert shares(found) == {"one": (4, 1, 1), "two": (1, 1, 0), "human_wrong": (3, 1, 1)}
    assert (found.labelled, found.blind, found.dependent, found.left_out) == (3, 1, [], [])
    one = found.systems[0]
    # Clopper and Pearson: 1 of 4
    assert (one.share, one.low, one.high) == pytest.approx((0.25, beta.ppf(0.025, 1, 4), beta.ppf(0.975, 2, 3)))
    text = render(preference_blocks(found))
    assert "25.0% (0.6% to 80.6%)" in text
    assert "the right one in the 3 labelled cases and the ending of the case that the chooser likes best" in text
    assert document(found)["systems"][1]["system"] == "two"


def test_the_human_ending_itself_is_equal_and_not_preferred(monkeypatch, cases, write):
    # a network's scores of one text, read in two places of a row, differ by rounding
    chooser = EndingChooser("a.parquet", "digest", {}, lambda _, endings: [np.arange(len(each)) for each in endings])
    monkeypatch.setattr(preferred, "open_chooser", lambda given, language_model=None: chooser)
    endings = write([("0", "one", "rr"), ("1", "one", "rrrr"), ("3", "one", "rr")], "e")
    assert shares(prefer("a.parquet", cases, [endings]))["one"] == (3, 0, 3)


def test_the_question_of_a_case_is_read_after_its_context(monkeypatch, write):
    read = []

    def of_texts(contexts, endings):
        read.extend(contexts)
        return [np.zeros(len(each)) for each in endings]

    chooser = EndingChooser("a.parquet", "digest", {}, of_texts)
    monkeypatch.setattr(preferred, "open_chooser", lambda given, language_model=None: chooser)
    cases = write([(["A.", "B."], "x", "y", 1)], question="What is the worst?")
    prefer("a.parquet", cases, [write([("0", "one", "z")], "e")])
    assert read == ["A. B. What is the worst?"]


def test_the_first_ending_of_a_case_counts_and_the_others_are_counted(by_length, cases, write):
    endings = write([("0", "one", "x"), ("0", "one", "xxx"), ("1", "one", " "), ("9", "one", "xxxxx")], "e")
    found = prefer("long.parquet", cases, [endings])
    assert shares(found)["one"] == (2, 0, 0)
    assert [said.removeprefix(f"{endings}: ") for said in found.left_out] == [
        "1 endings of other cases are left out",
        "1 further endings of a case are left out: the first one counts",
        "1 empty endings are never preferred",
    ]


def test_the_human_ending_of_a_story_is_its_last_sentence(by_length, write, tmp_path):
    rows = [
        {"story_id": str(n), "title": "", "sentences": ["A.", f"B{n}.", ending], "source": "sample", "split": split}
        for n, (ending, split) in enumerate([("hh", "validation"), ("hhhh", "validation"), ("h", "train")])
    ]
    stories = tmp_path / "stories.parquet"
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema), stories, "stories")
    endings = write([(case, "one", "xxx") for case in "012"], "e")
    found = prefer("long.parquet", stories, [endings], splits=["validation"])
    assert shares(found) == {"one": (2, 1, 0)}, "no story has a wrong ending"
    assert found.left_out == [f"{endings}: 1 endings of other cases are left out"]
    with pytest.raises(UserError, match=r"--split test: .* has no such case; it has train, validation"):
        prefer("long.parquet", stories, [endings], splits=["test"])


def test_what_does_not_belong_together_is_refused(by_length, cases, write, tmp_path):
    one, other = write([("0", "one", "x")], "e"), write([("1", "one", "x")], "other")
    with pytest.raises(UserError, match=r"other\.parquet: system one is in an earlier file too"):
        prefer("long.parquet", cases, [one, other])
    with pytest.raises(UserError, match="no ending of one is of one of the cases"):
        prefer("long.parquet", cases, [write([("9", "one", "x")], "strange")])
    contexts = pa.table({"case_id": ["0"], "context": [["Z."]]})
    made_from = provenance.as_metadata({provenance.CONTEXTS: provenance.contexts_digest(contexts)})
    with pytest.raises(UserError, match="were written for other contexts"):
        prefer("long.parquet", cases, [write([("0", "one", "x")], "elsewhere", made_from)])
    once = schemas.read_table(cases, "cloze")
    again = once.set_column(once.schema.get_field_index("split"), "split", pa.array(["validation"] * 4)).cast(
        once.schema
    )
    schemas.write_table(pa.concat_tables([once.cast(CASE), again]), tmp_path / "twice.parquet", "cloze")
    with pytest.raises(UserError, match=r"4 cases have the id of another: .* --release, --split and --lang"):
        prefer("long.parquet", tmp_path / "twice.parquet", [one])
    with pytest.raises(UserError, match=r"--split validation: .* has no such case"):
        prefer("long.parquet", cases, [one], splits=["validation"])


def test_cases_of_one_language_are_chosen_among_translations_with_the_same_ids(by_length, cases, write, tmp_path):
    once = schemas.read_table(cases, "cloze")
    spanish = once.set_column(once.schema.get_field_index("language"), "language", pa.array(["es"] * 4))
    both = tmp_path / "both.parquet"
    schemas.write_table(pa.concat_tables([once.cast(CASE), spanish.cast(CASE)]), both, "cloze")
    endings = write([("0", "one", "xxx"), ("1", "one", "x")], "e")
    with pytest.raises(UserError, match="4 cases have the id of another"):
        prefer("long.parquet", both, [endings])
    assert shares(prefer("long.parquet", both, [endings], languages=["es"]))["one"] == (2, 1, 0)
    with pytest.raises(UserError, match=r"--language fr: .* it has en, es"):
        prefer("long.parquet", both, [endings], languages=["fr"])


def test_cases_that_trained_the_chooser_are_refused(trained_chooser, write):
    cases = write([(CASES[0], "a", "b", 1), (["New."], "a", "b", 1)])
    both = write([("0", "one", "x"), ("1", "one", "x")], "e")
    with pytest.raises(UserError, match=r"was trained on 1 of the 2 contexts \(1 of v1\.0 validation\)"):
        prefer(str(trained_chooser), cases, [both])
    unseen = write([("1", "one", "x")], "unseen")
    assert shares(prefer(str(trained_chooser), cases, [unseen])).keys() == {"one", "human_wrong"}


def test_it_says_where_both_choosers_learned_from_the_same_cases(trained_chooser, tiny_model, write, tmp_path):
    cases = write([(["New."], "a", "b", 1)])

    def said(judge, chooser, digest):
        record = {"reranked": json.dumps({"chooser": str(chooser), "chooser_digest": digest})}
        return prefer(str(judge), cases, [write([("0", "one", "x")], "e", record)]).dependent

    digest = file_digest(trained_chooser)
    [same] = said(trained_chooser, trained_chooser, digest)
    assert "by this very chooser" in same
    other = tmp_path / "other.parquet"
    from denouement.cloze.parts.chooser_settings import ChooserTraining, Example
    from denouement.cloze.parts.chooser_training import train
    from denouement.language_models.model import load

    shared, own = (Example(context, ["A.", "B."], 0, of="v1.5 test") for context in (CASES[2], ["Another."]))
    train(load(str(tiny_model)), [shared, own], ChooserTraining(epochs=1), seed=1, what="other").save(other)
    [overlap] = said(other, trained_chooser, digest)
    assert "1 contexts trained both this chooser and that of the endings" in overlap
    [unknown] = said(other, trained_chooser, "another digest")
    assert "is not known" in unknown
    assert said(trained_chooser, tiny_model, "of a language model") == []
    assert said(tiny_model, trained_chooser, digest) == []
    with pytest.raises(UserError, match="damaged"):
        prefer(str(tiny_model), cases, [write([("0", "one", "x")], "e", {"reranked": "?"})])
    assert open_chooser(str(other)).trained_on.keys() != open_chooser(str(trained_chooser)).trained_on.keys()


def test_the_command(trained_chooser, write):
    cases, endings = write([(["New."], "a", "b", 1)]), write([("0", "one", "x")], "e")
    command = ["cloze", "prefer", "--chooser", str(trained_chooser), "--cases", str(cases), str(endings)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert "preferred to the human ending" in done.stdout
    assert json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)["systems"][0]["n"] == 1
    done = CliRunner().invoke(main, [*command[:3], "none.parquet", *command[4:]])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "none.parquet: no such file" in done.stderr
