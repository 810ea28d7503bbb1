import json

import numpy as np
import pyarrow as pa
import pytest
import torch

from denouement.cloze.base import load_system
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import load_generator, save_generator
from denouement.tensors import write_checkpoint
from denouement.text.vocabulary import Vocabulary

STORY = ["Tom bought a red car.", "He drove to the sea.", "The car broke down.", "Tom walked home.", "He was sad."]
STORIES = pa.table({"sentences": [STORY, STORY[::-1], [*STORY[2:], *STORY[:2]]]})


@pytest.fixture
def checkpoint(tmp_path):
    """Writes a small generator with random weights, by seed."""

    def write(seed, name=None):
        kind = generator_class("seq2seq", name)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            generator = kind(kind.settings_class(units=8), Vocabulary.build(STORY))
            for parameter in generator.parameters():
                torch.nn.init.normal_(parameter, std=0.8)
        save_generator(generator, tmp_path / f"{seed}.parquet")
        return tmp_path / f"{seed}.parquet"

    return write


def scored(resources, cases, **options):
    system = load_system("likelihood", options)
    system.prepare(resources)
    return system.score(cases, resources)


class Toy:
    """Stands for a trained generator; its log-likelihoods are in the tables below."""

    name = "toy"
    vocabulary = Vocabulary(["x", "y"])

    def score(self, contexts, candidates):
        log_prob = [AFTER[context[0]][ending] for context, ending in zip(contexts, candidates, strict=True)]
        return np.array(log_prob), np.array([1 + len(ending.split()) for ending in candidates])


AFTER = {"a": {"x": -2.0, "y z": -4.0}, "k": {"x": -1.0, "y z": -3.0}, "l": {"x": -3.0, "y z": -9.0}}


def test_variants_by_hand(make_case, monkeypatch, tmp_path):
    monkeypatch.setattr("denouement.cloze.systems.likelihood._checkpoints", lambda resources: {"toy": tmp_path / "toy"})
    monkeypatch.setattr("denouement.cloze.systems.likelihood._loaded", lambda path, resources: Toy())
    stories = pa.table({"sentences": [["k", "x"], ["l", "x"]]})
    cases = make_case(["a"], "x", "y z")
    found = scored(Resources(generators=[tmp_path / "toy"], stories=stories), cases)
    assert {variant: scores.tolist() for variant, scores in found.items()} == {
        "toy sum": [[-2, -4]],
        "toy per token": [[-1, -4 / 3]],
        "toy difference": [[-2 + 2, -4 + 6]],  # own log-likelihoods: means of -1 and -3, and of -3 and -9
    }
    assert not any("difference" in variant for variant in scored(Resources(generators=[tmp_path / "toy"]), cases))


def test_a_real_generator_gives_what_its_score_gives(make_case, checkpoint):
    path = checkpoint(1)
    cases = pa.concat_tables([make_case(STORY[:4], "He was sad.", "Tom drove home."), make_case(STORY[:1], "A.", "B.")])
    found = scored(Resources(generators=[path], stories=STORIES), cases, contexts=2)
    expected, _ = load_generator(path).score([STORY[:4]] * 2, ["He was sad.", "Tom drove home."])
    assert found["seq2seq sum"][0] == pytest.approx(expected, rel=1e-5)
    assert set(found) == {"seq2seq sum", "seq2seq per token", "seq2seq difference"}


def test_the_contexts_drawn_follow_the_seed_and_leave_the_endings_out(make_case, checkpoint):
    path, cases = checkpoint(1), make_case(STORY[:4], "He was sad.", "Tom drove home.")

    def difference(seed):
        resources = Resources(generators=[path], stories=STORIES, seed=seed)
        return scored(resources, cases, contexts=1)["seq2seq difference"].tolist()

    assert difference(1) == difference(1)
    assert len({str(difference(seed)) for seed in range(6)}) > 1
    system = load_system("likelihood", {"contexts": 50})
    system.prepare(Resources(generators=[path], stories=STORIES))
    drawn = system._drawn
    assert sorted(map(tuple, drawn)) == sorted(tuple(story[:-1]) for story in STORIES["sentences"].to_pylist())


def test_two_generators_of_one_name_keep_their_rows(make_case, checkpoint):
    cases = make_case(STORY[:4], "He was sad.", "Tom drove home.")
    one, other = checkpoint(1), checkpoint(2)
    found = scored(Resources(generators=[one, other]), cases)
    assert list(found) == ["seq2seq 1 sum", "seq2seq 1 per token", "seq2seq 2 sum", "seq2seq 2 per token"]
    assert found["seq2seq 2 sum"].tolist() == scored(Resources(generators=[other]), cases)["seq2seq sum"].tolist()
    assert found["seq2seq 1 sum"].tolist() != found["seq2seq 2 sum"].tolist()


def test_two_generators_of_one_kind_have_variants_by_name(make_case, checkpoint):
    found = scored(
        Resources(generators=[checkpoint(1, "one"), checkpoint(2, "other")]), make_case(STORY[:4], "A.", "B.")
    )
    assert list(found) == ["one sum", "one per token", "other sum", "other per token"]


def test_without_a_generator_it_says_how_to_give_one():
    with pytest.raises(MissingResourceError, match="give a trained generator with --model"):
        load_system("likelihood").prepare(Resources())


def test_options_out_of_range_are_refused():
    with pytest.raises(UserError, match="contexts: must be at least 1"):
        load_system("likelihood", {"contexts": 0})


def test_encoder_options_reach_the_generators_encoder(make_case, reader_of, infersent_files):
    path = reader_of("infersent", infersent_files)
    cases = make_case(["Tom bought a red car.", "He drove it."], "He was sad.", "Tom drove home.")
    encoders = {"infersent": infersent_files}
    found = scored(Resources(generators=[path], encoders=encoders), cases)
    expected, _ = load_generator(path, encoder_options=infersent_files).score(
        cases["context"].to_pylist() * 2, ["He was sad.", "Tom drove home."]
    )
    assert found["h_seq2seq sum"][0] == pytest.approx(expected, rel=1e-5)
    with pytest.raises(UserError, match="infersent"):
        scored(Resources(generators=[path], encoders={}), cases)


def test_it_says_what_its_generators_were_trained_on(make_case, checkpoint):
    path = checkpoint(1)
    resources = Resources(generators=[path], stories=STORIES)
    system = load_system("likelihood")
    assert system.learned_elsewhere("seq2seq sum", resources) == (
        "generator seq2seq, trained on an unknown number of stories"
    )
    vocabulary = len(Vocabulary.build(STORY))
    for words, described in [
        (vocabulary, "1,234 stories"),
        (vocabulary + 1, "an unknown number of stories"),
    ]:
        history = {"generator": "seq2seq", "vocabulary": words, "stories": {"train": 1234, "validation": 5}}
        (path.parent / "history.json").write_text(json.dumps(history))
        resources = Resources(generators=[path])
        assert system.learned_elsewhere("seq2seq per token", resources) == f"generator seq2seq, trained on {described}"
    found = evaluate(["likelihood"], None, make_case(STORY[:4], "He was sad.", "Tom flew home.", 1), resources)
    assert all(row.trained_on.startswith("generator seq2seq, trained on") for row in found.result.systems[:2])


def test_the_encoder_of_a_generator_is_named(reader_of, infersent_files):
    resources = Resources(generators=[reader_of("infersent", infersent_files)])
    described = load_system("likelihood").learned_elsewhere("h_seq2seq sum", resources)
    assert described.endswith("; encoder infersent, pretrained")
    assert load_system("likelihood").reads_pretrained("h_seq2seq sum", resources)


def test_unknown_words_of_the_endings_are_counted(make_case, checkpoint):
    # He was sad . | Tom flew to Mars . -- "flew" and "Mars" are in no story; "to" is.
    cases = make_case(STORY[:4], "He was sad.", "Tom flew to Mars.")
    resources = Resources(generators=[checkpoint(1)])
    scored(resources, cases)
    assert resources.notes == {
        "likelihood seq2seq: words of the endings": 9,
        "likelihood seq2seq: words of the endings unknown to the generator": 2,
    }


def test_a_generator_without_probabilities_is_left_out(make_case, checkpoint, monkeypatch):
    path, cases = checkpoint(1), make_case(STORY[:4], "He was sad.", "Tom drove home.")
    monkeypatch.setattr(generator_class("seq2seq"), "can_score", False)
    with pytest.raises(MissingResourceError, match="no generator given with --model gives probabilities"):
        scored(Resources(generators=[path]), cases)


def test_what_is_no_generator_is_refused(tmp_path):
    write_checkpoint({"other": 1}, tmp_path / "other.parquet")
    with pytest.raises(UserError, match=r"other\.parquet: not a checkpoint of a generator"):
        load_system("likelihood").prepare(Resources(generators=[tmp_path / "other.parquet"]))
