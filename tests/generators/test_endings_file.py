"""Endings made elsewhere: what a file may look like, and what is said of its rows."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denouement import schemas
from denouement.errors import UserError
from denouement.generators.checkpoints import load_generator
from denouement.generators.endings import generate_endings
from denouement.generators.endings_file import EndingsFileSettings
from denouement.generators.training import train

DOG = ["Tom had a dog.", "It ran."]
CAT = ["Ann had a cat.", "It sat."]


@pytest.fixture
def made(tmp_path):
    """The generator of a file with this content: text, or the columns of a Parquet file."""

    def make(content, name="endings.csv", **settings):
        path = tmp_path / name
        if isinstance(content, dict):
            pq.write_table(pa.table(content), path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        chosen = EndingsFileSettings(file=str(path), **settings)
        train("endings_file", empty_stories(tmp_path), tmp_path, chosen, work=tmp_path / "work")
        return load_generator(tmp_path / "best.parquet")

    return make


def empty_stories(folder):
    path = folder / "stories.parquet"
    schemas.write_table(schemas.empty_table("stories"), path, "stories")
    return path


def texts(generator, *contexts, n=9):
    return [[ending.text for ending in endings] for endings in generator.write(contexts, n=n)]


TWO = [["It came back.", "It was lost."], ["It slept."]]
CSV = "context,ending\nTom had a dog. It ran.,It came back.\nAnn had a cat. It sat.,It slept.\n"
CSV += "tom had a DOG it ran,It was lost.\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.csv", CSV),
        ("e.csv", CSV.replace("\n", "\r\n")),
        ("e.csv", b"\xef\xbb\xbf" + CSV.encode()),
        ("e.tsv", CSV.replace(",", "\t")),
        (
            "e.csv",
            "Ending,InputSentence1,InputSentence2\nIt came back.,Tom had a dog.,It ran.\n"
            "It was lost.,Tom had a dog.,It ran.\nIt slept.,Ann had a cat.,It sat.\n",
        ),
        (
            "e.jsonl",
            "\n".join(
                json.dumps({"context": context, "ending": ending, "model": {"name": "m"}})
                for context, ending in [(DOG, "It came back."), (CAT, "It slept."), (" ".join(DOG), "It was lost.")]
            ),
        ),
        ("e.parquet", {"context": [DOG, CAT, DOG], "ending": ["It came back.", "It slept.", "It was lost."]}),
        (
            "ranked.csv",
            "rank,context,ending\n2,Tom had a dog. It ran.,It was lost.\n1,Tom had a dog. It ran.,It came back.\n"
            "1,Ann had a cat. It sat.,It slept.\n",
        ),
        (
            "scored.csv",
            "score,context,ending\n-3.5,Tom had a dog. It ran.,It was lost.\n-1,Tom had a dog. It ran.,It came back.\n"
            "0,Ann had a cat. It sat.,It slept.\n",
        ),
    ],
)
def test_every_layout_gives_the_endings_of_a_context_in_order(made, name, content):
    assert texts(made(content, name), DOG, CAT) == TWO
    assert texts(made(content, name), DOG, n=1) == [["It came back."]]


def test_case_ids_are_looked_up_in_the_table_of_cases(made, make_cases, tmp_path, capsys):
    cases = make_cases([1, 2])
    schemas.write_table(cases, tmp_path / "cloze.parquet", "cloze")
    [one, two] = cases["case_id"].to_pylist()
    file = f"case_id,ending\n{two},Two ended.\n{one},One ended.\nother,It is lost.\n"
    generator = made(file, cases=str(tmp_path / "cloze.parquet"))
    assert texts(generator, *cases["context"].to_pylist()) == [["One ended."], ["Two ended."]]
    assert (
        "1 endings of cases that the table of cases lacks are left out, the first in line 4" in capsys.readouterr().err
    )
    with pytest.raises(UserError, match="name the table cloze that has them: setting cases"):
        made(file)


def test_what_is_left_out_is_counted(made, capsys):
    generator = made(f"{CSV}Ann had a cat. It sat.,...\nAnn had a cat. It sat.,\nAnn had a cat. It sat.,It  slept.\n")
    assert texts(generator, DOG, CAT) == TWO
    said = capsys.readouterr().err
    assert "2 empty endings are left out, the first in line 5" in said
    assert "1 endings that their context has already are left out, the first in line 7" in said


def test_of_several_systems_one_is_chosen(made):
    file = "system,context,ending\na,Tom had a dog. It ran.,It came back.\nb,Tom had a dog. It ran.,It was lost.\n"
    with pytest.raises(UserError, match="holds endings of a, b; choose one with the setting system"):
        made(file)
    assert texts(made(file, system="b"), DOG) == [["It was lost."]]
    with pytest.raises(UserError, match="no endings of system c, but of a, b"):
        made(file, system="c")


def test_a_context_that_the_file_lacks_is_refused_or_skipped_aloud(made, capsys):
    other = ["Bob sang.", "It rained."]
    cases = pa.table({"case_id": ["1", "2", "3"], "context": [other, DOG, CAT]})
    problem = "has no ending for 1 of 3 contexts, the first 'Bob sang. It rained.': add them, or set missing to skip"
    with pytest.raises(UserError, match=problem):
        generate_endings(made(CSV), cases)
    with pytest.raises(UserError, match=r"has no ending for the context 'Bob sang\. It rained\.'"):
        made(CSV).write([DOG, other])
    table = generate_endings(made(CSV, missing="skip"), cases, n=2)
    assert table["case_id"].to_pylist() == ["2", "2", "3"]
    assert "1 of 3 contexts, the first 'Bob sang. It rained.'; they get none" in capsys.readouterr().err
    with pytest.raises(UserError, match="it is of other contexts"):
        generate_endings(made(CSV, missing="skip"), cases.slice(0, 1))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("context,text\nA.,B.\n", "no endings with their contexts among the columns context, text; it needs ending"),
        ("ending\nB.\n", "no endings with their contexts among the columns ending"),
        ("", "no endings with their contexts among the columns none"),
        ("context,ending\n", "holds no endings"),
        ("context,ending\nA. B.,C.,D.\n", "line 2 has 3 cells where the header has 2"),
        ("context,ending\nA. B.,C.\n,D.\n", "line 3 has no context and no case_id"),
        ("context,ending\nA. B.,...\n", "no ending is left"),
        ("context,ending,score\nA. B.,C.,high\n", "line 2: score must be a number, not 'high'"),
        ("context,ending,rank\nA. B.,C.,nan\n", "line 2: rank must be a number, not 'nan'"),
        ('{"context": "A. B.", "ending": 7}', "line 1: ending must be text, not 7"),
        ('{"context": "A. B.", "ending": "C."}\n{"context"', "line 2 is not JSON"),
        (b"context,ending\nA.,\xff\xfe\n", "line 2 is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(made, content, problem):
    with pytest.raises(UserError) as caught:
        made(content)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_a_file_it_says_what_to_name(tmp_path):
    with pytest.raises(UserError, match="needs the setting file"):
        train("endings_file", empty_stories(tmp_path), tmp_path, EndingsFileSettings(), work=tmp_path / "work")
