"""Names of generators: several may be of one kind."""

import pytest
from corpus_toy import small

from denouement.errors import UserError
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import class_of, load_generator
from denouement.generators.names import kinds
from denouement.generators.training import settings_for, train
from denouement.tensors import read_checkpoint, write_checkpoint

READS = "data/corpus/stories.parquet"


def test_several_generators_of_one_kind_are_named():
    section = {name: {"kind": "seq2seq", "reads": READS} for name in ("seq2seq", "wide")}
    assert kinds(section, "generators") == {"seq2seq": "seq2seq", "wide": "seq2seq"}


@pytest.mark.parametrize(
    ("name", "entry", "problem"),
    [
        ("retrieval", {"reads": READS}, "generators.retrieval: must be like {kind: retrieval, reads: "),
        ("mine", {"kind": "seq2seq"}, "generators.mine: must be like {kind: seq2seq, reads: "),
        ("mine", None, "generators.mine: must be like"),
        ("mine", {"kind": "gpt", "reads": READS}, "generators.mine.kind: no generator 'gpt'"),
        ("retrieval", {"kind": "seq2seq", "reads": READS}, "retrieval is the name of another kind of generator"),
        ("human_right", {"kind": "seq2seq", "reads": READS}, "human_right means endings that people wrote"),
        ("human_wrong", {"kind": "seq2seq", "reads": READS}, "human_wrong means endings that people wrote"),
        ("common", {"kind": "seq2seq", "reads": READS}, "common means a section of train"),
        ("../x", {"kind": "seq2seq", "reads": READS}, "a name is 1 to 40 of a-z"),
        (7, {"kind": "seq2seq", "reads": READS}, "a name is 1 to 40 of a-z"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name, entry, problem):
    with pytest.raises(UserError) as caught:
        kinds({"seq2seq": {"kind": "seq2seq", "reads": READS}, name: entry}, "generators")
    assert problem in str(caught.value)


def test_the_settings_of_a_name_are_those_of_its_kind():
    section = {"preset": {"sample": "small"}, "common": {"seed": 5}, "wide": {"small": {"units": 700}}}
    settings = settings_for("wide", section, "sample", {"wide": "seq2seq"})
    assert type(settings) is generator_class("seq2seq").settings_class
    assert (settings.units, settings.seed) == (700, 5)
    with pytest.raises(UserError, match="train: unknown key wide"):
        settings_for("seq2seq", section, "sample")


def test_a_named_generator_is_its_kind_under_its_name(corpus, tmp_path):
    settings = small("seq2seq", epochs=1)
    history = train("wide", corpus.stories, tmp_path / "wide", settings, kind="seq2seq", work=tmp_path)
    train("seq2seq", corpus.stories, tmp_path / "plain", settings, work=tmp_path)
    assert history.generator == "wide"
    path = tmp_path / "wide" / "best.parquet"
    assert (class_of(path).name, class_of(path).kind) == ("wide", "seq2seq")
    wide, plain = load_generator(path), load_generator(tmp_path / "plain" / "best.parquet")
    assert (wide.name, wide.kind, plain.name, plain.kind) == ("wide", "seq2seq", "seq2seq", "seq2seq")
    assert wide.write([["Tom ran."]]) == plain.write([["Tom ran."]])


def test_a_checkpoint_of_before_there_were_names_is_read(corpus, tmp_path):
    train("seq2seq", corpus.stories, tmp_path, small("seq2seq", epochs=1), work=tmp_path)
    checkpoint = read_checkpoint(tmp_path / "best.parquet")
    del checkpoint["generator"]["kind"]
    write_checkpoint(checkpoint, tmp_path / "old.parquet")
    old = load_generator(tmp_path / "old.parquet")
    assert (old.name, old.kind, class_of(tmp_path / "old.parquet").name) == ("seq2seq", "seq2seq", "seq2seq")
