import pytest

from denouement.errors import UserError
from tasks import LAYOUT, generators


def test_names_come_from_the_words_that_dvc_writes():
    words = ["--seq2seq.kind", "seq2seq", "--seq2seq.reads", "data/corpus/stories.parquet"]
    words += ["--other.kind", "seq2seq", "--other.reads", "data/embeddings.parquet"]
    assert generators.named(words) == ["seq2seq", "other"]


@pytest.mark.parametrize(
    "words", [[], ["seq2seq"], ["--seq2seq.reads"], ["--a.reads", "x", "b"], ["--a.writes", "x"], ["--a.kind", "x"]]
)
def test_other_words_are_refused(words):
    with pytest.raises(UserError, match="run the stage with `dvc repro`"):
        generators.named(words)


def test_what_lies_in_the_folders_and_is_not_named_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("kept", "gone"):
        for path in (LAYOUT.endings(name), LAYOUT.model(name)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    generators.warn_of_leftovers(["kept"])
    assert "data/endings/gone.parquet, data/models/gone;" in capsys.readouterr().err
    generators.warn_of_leftovers(["kept", "gone"])
    assert not capsys.readouterr().err
