"""A mistake in params.yaml, or in how a flow is called, is one line that names the place."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from prefect import flow

from denouement.errors import UserError
from tasks import params
from tasks.command import errors_as_lines, run
from tasks.sentiment import SentimentSettings


@dataclass(frozen=True)
class Sample:
    stories: int = 2000
    cases: int = 400


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "params.yaml"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has no sections"),
        ("- sample", "has no sections"),
        ("ingest: {}", "has no section sample"),
        ("sample: [stories]", "sample: must be a section"),
        ("sample: false", "sample: must be a section"),
        ("sample:\n\tstories: 5", "line 2, column 1"),
        (
            "sample: {cases: 5, cases: 7}",
            'line 1, column 20: not readable YAML (found duplicate key "cases"',
        ),
        ("sample: {}\ningest: {}\nsample: {}", 'line 3, column 1: not readable YAML (found duplicate key "sample"'),
        ("sample: {}\ningest: {deep: [{a: 1, a: 1}]}", 'found duplicate key "a"'),
        ("sample: {storeis: 5}", "unknown key storeis"),
        ("sample: {stories: '5'}", "sample.stories: must be a whole number"),
        ("sample: {stories: .nan}", "sample.stories: must be a whole number"),
        ("sample: {stories: 99999999999999999999}", "sample.stories: must be below"),
        ("sample: {}\n---\nsample: {}", "but found another document"),
        ("sample: !!python/object/apply:os.getcwd []", "could not determine a constructor"),
        ("sample: " + "[" * 5000, "nested too deeply"),
        ("sample: {stories: é}".encode("latin-1"), "not text in UTF-8"),
        ("sample: {}".encode("utf-16"), "not text in UTF-8"),
        (b"sample: \0", "special characters are not allowed"),
        (None, "no such file"),
    ],
)
def test_a_mistake_is_one_line_that_names_its_place(content, message, file):
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError) as caught:
        params.settings("sample", Sample)
    assert message in str(caught.value)
    assert str(caught.value).startswith("params.yaml: ")
    assert "\n" not in str(caught.value)


def test_what_is_no_mistake_is_read(file):
    file.write_text("base: &base {stories: 3, cases: 4}\nsample: {<<: *base, cases: 5}\nempty:\n")
    assert params.settings("sample", Sample) == Sample(3, 5)
    assert params.settings("empty", Sample) == Sample()


def test_processes_are_at_least_one(file):
    file.write_text("sentiment: {workers: 0}")
    with pytest.raises(UserError, match=r"sentiment\.workers: must be at least 1, not 0"):
        params.settings("sentiment", SentimentSettings)


@pytest.mark.parametrize("arguments", [[], ["a", "b"]])
def test_a_flow_called_with_other_words_than_it_takes_says_which(arguments, capsys):
    @flow
    def paint(generator: str) -> None:
        raise AssertionError("not reached")

    with pytest.raises(SystemExit) as ended:
        run(paint, arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("python -m flows.paint GENERATOR\n")


@pytest.mark.parametrize("error", [UserError("a\nb"), OSError(28, "No space", "f\nile"), MemoryError()])
def test_what_is_no_defect_ends_with_one_line(error, capsys):
    with pytest.raises(SystemExit) as ended, errors_as_lines():
        raise error
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert printed.startswith("error: ")
    assert len(printed.splitlines()) == 1


def test_a_changed_value_leaves_comments_and_the_other_values(tmp_path, monkeypatch):
    file = tmp_path / "params.yaml"
    text = "# Settings\ngenerate:\n  split: null    # all of them\n  decoding:\n    method: greedy  # or beam\n"
    file.write_text(text)
    monkeypatch.setattr(params, "FILE", file)
    asked = {("generate", "decoding", "method"): "beam", ("generate", "split"): None}
    assert params.change(asked) == ["generate.decoding.method"]
    assert file.read_text() == text.replace("greedy  #", "beam    #")
    assert params.change(asked) == []


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_changed_value_leaves_line_ends_and_the_byte_order_mark(tmp_path, monkeypatch, mark, end):
    file = tmp_path / "params.yaml"
    before = mark + end.join([b"# Settings", b"sample:", b"  seed: 1  # any", b"  n: 300", b""])
    file.write_bytes(before)
    monkeypatch.setattr(params, "FILE", file)
    assert params.change({("sample", "seed"): 7}) == ["sample.seed"]
    assert file.read_bytes() == before.replace(b"seed: 1", b"seed: 7")


def test_a_section_that_is_missing_is_not_made(tmp_path, monkeypatch):
    file = tmp_path / "params.yaml"
    file.write_text("sample: {seed: 1}\n")
    monkeypatch.setattr(params, "FILE", file)
    with pytest.raises(UserError, match=r"has no section generate\.decoding"):
        params.change({("generate", "decoding", "method"): "beam"})
    assert file.read_text() == "sample: {seed: 1}\n"
