import json

import pytest
from click.testing import CliRunner

from denouement.cli import main
from denouement.schemas import read_table, write_table

REASONS = [
    ("It makes sense that she was happy.", "ours"),
    ("A horse is not mentioned in the story.", "theirs"),
    ("The story makes sense.", "ours"),
    ("She would be happy | sad\nor \x1b *angry*.", "both"),
]


@pytest.fixture(scope="module")
def votes(votes_of, tmp_path_factory):
    path = tmp_path_factory.mktemp("votes") / "votes.parquet"
    write_table(votes_of(*REASONS), path, "votes")
    return path


def run(*words):
    return CliRunner().invoke(main, ["reasons", *map(str, words)])


@pytest.mark.parametrize(
    ("command", "options", "table", "line"),
    [
        ("words", [], "reason_words", "| happy | 2 | 2 |"),
        ("topics", ["--topics", "2", "--min-reasons", "1"], "reason_topics", "happy"),
        ("elements", [], "reason_elements", "| emotion | 2 (50.0%) |"),
        ("examples", [], "reason_elements", "It makes sense that she was happy."),
    ],
)
def test_commands_print_a_text_and_write_a_table(command, options, table, line, votes, tmp_path):
    text = run(command, votes, *options, "--out", tmp_path / "one.parquet", "--cache", tmp_path / "parses.parquet")
    assert text.exit_code == 0, text.output
    assert line in " ".join(text.stdout.split())
    assert read_table(tmp_path / "one.parquet", table).num_rows > 0
    assert run(command, votes, *options, "--out", tmp_path / "two.parquet", "--json").exit_code == 0
    assert (tmp_path / "two.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()


def test_documents_say_what_the_tables_do(votes, tmp_path):
    def both(*words):
        document = json.loads(run(words[0], votes, *words[1:], "--out", tmp_path / "out.parquet", "--json").stdout)
        name = f"reason_{words[0] if words[0] != 'examples' else 'elements'}"
        return document, read_table(tmp_path / "out.parquet", name).to_pylist()

    words, rows = both("words")
    assert words["words"] == rows
    topics, rows = both("topics", "--topics", "2", "--words", "3")
    assert len(topics["topics"]) == 2
    assert {row["topic"] for row in rows} == {1, 2}
    elements, rows = both("elements")
    n_of = {row["element"]: row["n"] for row in elements["elements"]}
    assert (n_of["logic"], n_of["emotion"]) == (3, 2)  # "would" tells an inference too
    assert {row["element"] for row in rows} == {element for element, n in n_of.items() if n}
    examples, rows = both("examples")
    assert examples == rows


def test_words_are_drawn(votes, tmp_path):
    for name in ("words.svg", "words.png"):
        assert run("words", votes, "--top", "3", "--figure", tmp_path / name).exit_code == 0
        assert (tmp_path / name).stat().st_size > 1000
    document = json.loads(run("words", votes, "--top", "2", "--json").stdout)
    assert document["reasons"] == 4
    assert [(row["word"], row["count"]) for row in document["words"]] == [("happy", 2), ("make", 2)]


def test_elements_are_printed_with_the_choice_and_without_labels(votes):
    document = json.loads(run("elements", votes, "--json").stdout)
    assert document["quality"] is None  # none of these reasons is among the labelled ones
    assert document["reasons"] == 4
    text = run("elements", votes).stdout
    assert "ours" in text
    assert "precision" not in text


def test_quality_is_printed_where_reasons_are_labelled(votes, tmp_path):
    from denouement.study.reasons.elements import reason_digest

    labels = tmp_path / "labels.csv"
    labels.write_text(f"digest,labels\n{reason_digest('case-2', REASONS[2][0])},logic\n")
    document = json.loads(run("elements", votes, "--labels", labels, "--json").stdout)
    assert (document["quality"]["n"], document["quality"]["micro"]["f1"]) == (1, 1.0)
    assert "| micro " in run("elements", votes, "--labels", labels).stdout


def test_reasons_that_are_not_in_english_are_left_out_and_counted(votes_of, tmp_path):
    path = tmp_path / "mixed.parquet"
    write_table(votes_of(*REASONS, ("話の流れに合っているから。", "ours"), ("猫が好き", "both")), path, "votes")
    for command in ("words", "elements", "topics"):
        words = [command, path, *(["--topics", "2", "--min-reasons", "1"] if command == "topics" else [])]
        assert "Left out, since they do not look English: 2 further reasons." in run(*words).stdout
        found = json.loads(run(*words, "--json").stdout)
        assert (found["reasons"], found["not_english"]) == (4, 2)
    assert "2 reasons do not look English" in run("examples", path).stderr


@pytest.mark.parametrize("reason", ["話に合っているから。", "Das passt besser zur Geschichte, die vorher kam."])
def test_reasons_in_another_language_alone_are_refused(reason, votes_of, tmp_path):
    path = tmp_path / "votes.parquet"
    write_table(votes_of(reason, reason), path, "votes")
    for command in ("words", "elements", "topics", "examples"):
        found = run(command, path)
        assert found.exit_code == 2
        assert "none of the 2 reasons looks English" in found.stderr


def test_examples_of_one_element_keep_to_a_line(votes):
    text = run("examples", votes, "--element", "emotion", "-n", "9").stdout
    assert "She would be happy | sad or \\x1b *angry*." in text
    assert "relevance" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["words", "absent.parquet"], "no such file"),
        (["words", "VOTES", "--figure", "words.pdf"], "name a figure .svg or .png"),
        (["elements", "VOTES", "--out", "VOTES"], "is read too"),
        (["elements", "VOTES", "--rules", "absent.yaml"], "no such file"),
        (["elements", "VOTES", "--labels", "absent.csv"], "no such file"),
        (["topics", "VOTES", "--min-reasons", "99"], "fewer than two words"),
    ],
)
def test_mistakes_are_one_line(votes, words, message):
    result = run(*(str(votes) if word == "VOTES" else word for word in words))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert not result.stdout
