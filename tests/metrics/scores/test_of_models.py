"""Scores that ask a model or learn one, against values worked out by hand or by the model's own library."""

import numpy as np
import pyarrow as pa
import pytest

from denouement.cloze.resources import MissingResourceError, Resources
from denouement.cloze.systems import likelihood
from denouement.metrics.base import EndingRows
from denouement.metrics.scores import coherence
from denouement.metrics.scores.coherence import Coherence
from denouement.metrics.scores.grammar import Grammar
from denouement.metrics.scores.language_model import LanguageModelScores
from denouement.metrics.scores.likelihood import GeneratorLikelihood
from denouement.metrics.scores.sentiment_drift import SentimentDrift

CONTEXT = ["Tom had a dog.", "Rex ran away."]


def stories(*sentences, split="train"):
    return pa.table({"sentences": list(sentences), "split": [split] * len(sentences)})


class Toy:
    """Stands for a trained generator: -8 nats after the context that is scored, -10 after any other one."""

    name = "toy"

    def score(self, contexts, endings):
        return np.array([-8.0 if context == CONTEXT else -10.0 for context in contexts]), np.full(len(endings), 4)


@pytest.mark.parametrize("with_stories", [True, False])
def test_perplexity_and_pmi_of_a_generator(with_stories, monkeypatch):
    monkeypatch.setattr(likelihood, "_checkpoints", lambda resources: {"toy": object()})
    monkeypatch.setattr(likelihood, "_loaded", lambda of, resources: Toy())
    table = stories(["Ann slept.", "It rained."], ["Bob ran.", "He fell."])
    resources = Resources(generators=["toy.parquet"], stories=table if with_stories else None)
    found = GeneratorLikelihood(contexts=2).score(EndingRows(["Rex came home."], [CONTEXT], [[]]), resources)
    expected = {"perplexity toy": np.exp(2), **({"pmi toy": 2.0} if with_stories else {})}
    assert {score: values.item() for score, values in found.items()} == pytest.approx(expected)


def test_it_says_how_to_give_a_generator():
    assert "--model" in GeneratorLikelihood().lacks(Resources())[0]
    assert "--language-model" in LanguageModelScores().lacks(Resources())[0]


def test_perplexity_and_pmi_of_a_language_model(tiny_model):
    """Against a plain reading of the model's own output."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    model = AutoModelForCausalLM.from_pretrained(tiny_model).eval()
    ending = "He passed it."

    def log_probs(before):
        read = tokenizer(before)["input_ids"] or [tokenizer.bos_token_id]
        own = tokenizer(f" {ending}")["input_ids"]
        with torch.no_grad():
            logits = model(torch.tensor([[*read, *own]])).logits[0].log_softmax(-1)
        return [float(logits[len(read) + at - 1, token]) for at, token in enumerate(own)]

    found = LanguageModelScores().score(
        EndingRows([ending], [CONTEXT], [[]]), Resources(language_model=str(tiny_model))
    )
    after, alone = log_probs(" ".join(CONTEXT)), log_probs("")
    assert found["lm_perplexity"] == pytest.approx([np.exp(-np.mean(after))], rel=1e-3)
    assert found["lm_pmi"] == pytest.approx([sum(after) - sum(alone)], abs=1e-2)


def test_drift_is_from_human_endings_after_contexts_of_the_same_sentiment():
    """VADER: happy 0.5719, sad -0.4767, good 0.4404; the neutral context's human ending is neutral."""
    table = stories(["I am happy.", "He was good."], ["I am sad.", "He was sad."], ["It is.", "It was so."])
    rows = EndingRows(["He was happy."] * 3, [["I am happy."], ["I am sad."], ["It is."]], [[]] * 3)
    found = SentimentDrift().score(rows, Resources(stories=table))
    expected = [0.5719 - 0.4404, 0.5719 + 0.4767, 0.5719]
    assert found["sentiment_drift"] == pytest.approx(expected, abs=1e-4)
    rows = EndingRows(["He was sad."], [["I am happy."]], [[]])
    assert SentimentDrift().score(rows, Resources(stories=table))["sentiment_distance"] == pytest.approx(
        [0.4767 + 0.4404], abs=1e-4
    )


def test_a_sentiment_of_no_training_story_has_no_value():
    table = stories(["I am happy.", "He was good."])
    rows = EndingRows(["He was happy."], [["I am sad."]], [[]])
    assert np.isnan(SentimentDrift().score(rows, Resources(stories=table))["sentiment_drift"]).all()


def test_grammar_is_higher_for_the_order_of_tags_that_stories_have():
    table = stories(*(["Tom ran.", f"{name} saw the {thing}."] for name in ("Ann", "Bob") for thing in ("dog", "car")))
    rows = EndingRows(["Tom saw the house.", "The saw house Tom."], [["Tom ran."]] * 2, [[]] * 2)
    usual, broken = Grammar(order=2).score(rows, Resources(stories=table))["grammar_tags"]
    # each of the five tags and the end follows its predecessor in all four stories: (4 - 0.75) / 4 and a little more
    assert np.log(3.25 / 4) < usual < 0
    assert broken < usual


def test_spoiled_stories_are_those_of_union():
    whole = [["Tom ran.", "He fell.", "He was sad."], ["Ann slept.", "It rained.", "She woke up."]]
    repeated, replaced, reordered, negated = coherence._spoiled(whole, 0, np.random.default_rng(1))
    assert repeated[:-1] == replaced[:-1] == negated[:-1] == whole[0][:-1]
    assert repeated[-1] in whole[0][:-1]
    assert replaced[-1] == "She woke up."
    assert sorted(reordered) == sorted(whole[0])
    assert reordered[-1] != "He was sad."
    assert negated[-1] == "He was not sad."


@pytest.fixture
def glove(tmp_path):
    """Each sentence of a story is about one of two things."""
    path = tmp_path / "vectors.txt"
    path.write_text("cat 1 0.1 0\ncats 0.9 0.2 0\npurr 1 0 0.2\nsun 0.1 1 0\nsuns 0.2 0.9 0\nshine 0 1 0.2\n")
    return {"encoder": "glove", "encoder_options": {"vectors": str(path)}}


def test_an_ending_about_the_same_thing_is_more_coherent(glove, tmp_path):
    table = stories(*([["cat", "cats", "purr"], ["sun", "suns", "shine"]] * 6))
    resources = Resources(stories=table, cache=tmp_path / "cache")
    rows = EndingRows(["purr", "shine", "cat cats"], [["cat", "cats"]] * 3, [[]] * 3)
    found = Coherence(**glove).score(rows, resources)["coherence glove"]
    assert found[0] > 0.5 > found[1]
    kept = Resources(stories=table, cache=tmp_path / "cache")
    assert len([*(tmp_path / "cache").rglob("*.parquet")]) == 1
    np.testing.assert_array_equal(Coherence(**glove).score(rows, kept)["coherence glove"], found)


@pytest.mark.parametrize("metric", [SentimentDrift(), Grammar(), Coherence()])
def test_what_learns_from_stories_needs_training_stories(metric):
    assert "--stories" in metric.lacks(Resources())[0]
    held_out = Resources(stories=stories(["A dog.", "It ran."], split="validation"))
    with pytest.raises(MissingResourceError, match="split train"):
        metric.score(EndingRows(["It ran."], [["A dog."]], [[]]), held_out)
