import pytest
import torch

from denouement.language_models.model import load
from denouement.language_models.writing import Sampling, continuations

PROMPTS = ["Tom had a test. He studied all night.", "Ann had a dog.", ""]


@pytest.fixture(scope="module")
def tiny(tiny_model):
    return load(str(tiny_model))


def test_greedy_takes_the_tokens_that_transformers_takes(tiny):
    found = continuations(tiny, PROMPTS, Sampling(temperature=0, most_tokens=12))
    for prompt, [written] in zip(PROMPTS, found, strict=True):
        ids = torch.tensor([tiny.tokens(prompt) or [tiny.start]])
        theirs = tiny.network.generate(ids, do_sample=False, max_new_tokens=12, pad_token_id=0)[0, ids.shape[1] :]
        text = tiny.tokenizer.decode(theirs, skip_special_tokens=True)
        assert text.startswith(written.text)


def test_draws_repeat_and_others_differ(tiny):
    sampling = Sampling(seed=3, most_tokens=8)
    first = continuations(tiny, PROMPTS, sampling, 4)
    assert continuations(tiny, PROMPTS, sampling, 4) == first
    assert continuations(tiny, PROMPTS, Sampling(seed=4, most_tokens=8), 4) != first
    assert [len(of_prompt) for of_prompt in first] == [4, 4, 4]
    assert len({each.text for each in first[0]}) > 1
