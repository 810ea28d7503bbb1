"""Skip-thought vectors against a GRU written out step by step, and files that must be refused."""

import numpy as np
import pytest

from denouement.encoders.skip_thoughts import SkipThoughts
from denouement.encoders.skip_thoughts_network import SentenceGru
from denouement.errors import UserError
from denouement.tensors import read_checkpoint, write_checkpoint
from denouement.text.vocabulary import END, UNKNOWN


def last_state(inputs: np.ndarray, weights: dict[str, np.ndarray]) -> np.ndarray:
    """The state after the last input: gates r, z and candidate n, as Cho et al. 2014 have them."""
    state = np.zeros(weights["weight_hh_l0"].shape[1])
    for step in inputs:
        read_r, read_z, read_n = np.split(weights["weight_ih_l0"] @ step + weights["bias_ih_l0"], 3)
        kept_r, kept_z, kept_n = np.split(weights["weight_hh_l0"] @ state + weights["bias_hh_l0"], 3)
        r, z = (1 / (1 + np.exp(-gate)) for gate in (read_r + kept_r, read_z + kept_z))
        state = (1 - z) * np.tanh(read_n + r * kept_n) + z * state
    return state


def test_a_vector_is_the_last_state_of_each_direction(skip_thoughts_file, sentence_gru):
    sentences = ["The dog ran.", "Zounds", "Ann could n't stop, and ran home again."]
    ids = [[sentence_gru.vocabulary.encode(sentence) for sentence in sentences][place] + [END] for place in range(3)]
    assert ids[1] == [UNKNOWN, END]
    weights = {name: tensor.double().numpy() for name, tensor in sentence_gru.state_dict().items()}
    direction = [
        {name.removeprefix(f"{side}."): weight for name, weight in weights.items() if name.startswith(side)}
        for side in ("forwards", "backwards")
    ]
    expected = []
    for words in ids:
        inputs = weights["embedding.weight"][words]
        expected.append([*last_state(inputs, direction[0]), *last_state(inputs[::-1], direction[1])])
    encoder = SkipThoughts(str(skip_thoughts_file), device="cpu")
    np.testing.assert_allclose(encoder.encode(sentences), expected, atol=1e-6)
    assert encoder.dimension == len(expected[0])
    assert encoder.notes == {"no known word, so its vector is that of unknown words": 1}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"encoder": None}, "not a skip-thoughts model that this version knows"),
        ({"encoder": {}}, "not a skip-thoughts model that this version knows ('vocabulary')"),
        ({"state_dict": {}}, "not a skip-thoughts model that this version knows"),
    ],
)
def test_another_checkpoint_is_one_clear_line(skip_thoughts_file, tmp_path, changes, problem):
    path = tmp_path / "other.parquet"
    write_checkpoint({**read_checkpoint(skip_thoughts_file), **changes}, path)
    with pytest.raises(UserError) as caught:
        SkipThoughts(str(path), device="cpu").encode(["Ann ran."])
    assert str(caught.value).startswith(f"{path}: {problem}")
    assert "\n" not in str(caught.value)


def test_names_are_read_or_passed_over(sentence_gru):
    vocabulary = sentence_gru.vocabulary
    without = SentenceGru(vocabulary, embedding=2, dimension=4, names=False)
    the, dog, ann = vocabulary.encode("and the dog Ann")[1:]
    assert sentence_gru.words("The dog Ann").tolist() == [the, dog, ann, END]
    assert without.words("The dog Ann").tolist() == [the, dog, END]
    assert [each.knows("Ann") for each in (sentence_gru, without)] == [True, False]
    np.testing.assert_array_equal(*(without.encode([text]) for text in ("Ann, the dog", ", the dog")))
