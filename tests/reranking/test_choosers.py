"""What tells a good ending from a worse one."""

import numpy as np
import pytest

from denouement.cloze.parts.chooser import load_chooser
from denouement.errors import UserError
from denouement.language_models.model import load
from denouement.reranking.choosers import digest_of, open_chooser, trained_on
from denouement.tensors import read_checkpoint, write_checkpoint
from tests.reranking.known_cases import CASES

CONTEXT = ["Tom had a test.", "He studied all night."]
ENDINGS = ["He passed it.", "The dog came back."]


def log_prob(model, context, ending):
    """Of the tokens of the ending after the context, one by one; and how many there are."""
    import torch

    before, ids = model.tokens(context), model.tokens(f"{context} {ending}")
    with torch.inference_mode():
        foretold = model.network(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    places = range(len(before), len(ids))
    return sum(float(foretold[place - 1, ids[place]]) for place in places), len(places)


def test_a_language_model_scores_by_its_log_probability_per_token(tiny_model):
    model = load(str(tiny_model))
    chooser = open_chooser(str(tiny_model))
    [found, none] = chooser.scores([" ".join(CONTEXT), "A."], [ENDINGS, []])
    expected = [total / n for total, n in (log_prob(model, " ".join(CONTEXT), ending) for ending in ENDINGS)]
    assert found == pytest.approx(expected, abs=1e-4)
    assert none.shape == (0,)
    assert chooser.trained_on is None
    chooser.refuse_trained([*CASES, CONTEXT], "x")  # it learned from no cases
    assert trained_on(str(tiny_model)) == set()
    assert digest_of(str(tiny_model)) == chooser.digest == model.source.digest


def test_a_checkpoint_scores_as_the_chooser_that_was_trained(trained_chooser):
    chooser = open_chooser(str(trained_chooser))
    [found] = chooser.scores([" ".join(CONTEXT)], [ENDINGS])
    [expected] = load_chooser(trained_chooser).scores([" ".join(CONTEXT)], [ENDINGS])
    assert np.array_equal(found, expected)
    assert trained_on(str(trained_chooser)) == chooser.trained_on.keys()
    assert digest_of(str(trained_chooser)) == chooser.digest


def test_contexts_that_trained_it_are_counted_by_what_they_are_from(trained_chooser):
    chooser = open_chooser(str(trained_chooser))
    chooser.refuse_trained([CONTEXT], "give others")
    with pytest.raises(UserError) as refused:
        chooser.refuse_trained([CASES[0], ["story 2", "The DOG ran!"], ["Ann had a dog."], CONTEXT], "give others")
    said = f"{trained_chooser}: was trained on 3 of the 4 contexts (1 of stories, 2 of v1.0 validation), so it knows"
    assert str(refused.value).startswith(said)
    assert str(refused.value).endswith("give others")


def test_a_checkpoint_that_does_not_say_what_trained_it_is_refused(trained_chooser, tmp_path):
    checkpoint = read_checkpoint(trained_chooser)
    checkpoint["chooser"]["trained_on"] = {}
    write_checkpoint(checkpoint, tmp_path / "silent.parquet")
    with pytest.raises(UserError, match="does not say which cases it was trained on"):
        open_chooser(str(tmp_path / "silent.parquet"))
    write_checkpoint({"generator": {}}, tmp_path / "other.parquet")
    for of in (open_chooser, trained_on):
        with pytest.raises(UserError, match="not a checkpoint of a chooser"):
            of(str(tmp_path / "other.parquet"))


def test_what_is_not_there(tmp_path):
    for of in (open_chooser, digest_of, trained_on):
        with pytest.raises(UserError, match=r"none\.parquet: no such file"):
            of(str(tmp_path / "none.parquet"))
    with pytest.raises(UserError, match="none: no such folder or file"):
        open_chooser(str(tmp_path / "none"))


def test_a_language_model_has_no_other_one(tiny_model):
    with pytest.raises(UserError, match="is a language model itself"):
        open_chooser(str(tiny_model), "elsewhere")
