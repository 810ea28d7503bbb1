"""A language model as it is: what it reads, the one sentence that is taken, and what is said of answers without one."""

import shutil
from dataclasses import replace

import pytest
import torch
from corpus_toy import Corpus

from denouement import schemas
from denouement.errors import UserError
from denouement.generators.base import Ending
from denouement.generators.causal import generator as causal
from denouement.generators.checkpoints import load_generator, save_generator
from denouement.generators.decoding import Decoding
from denouement.generators.language_model import PromptedModel, PromptedSettings
from denouement.generators.training import train
from denouement.language_models.model import load
from denouement.language_models.prompts import INSTRUCTION
from denouement.language_models.writing import Continuation, Sampling
from tests.language_models.tiny import STORIES, save_tiny

TOLD = [story.replace(". ", ".|").split("|") for story in STORIES]
CONTEXTS = [story[:-1] for story in TOLD]


@pytest.fixture(scope="module")
def taught(taught_model) -> PromptedModel:
    return PromptedModel(PromptedSettings(str(taught_model)), load(str(taught_model)), [])


def test_a_model_that_knows_the_stories_ends_them(taught):
    endings = [endings[0].text for endings in taught.write(CONTEXTS)]
    assert endings == [story[-1] for story in TOLD]


def test_probabilities_are_those_of_the_sentence_after_the_context_alone(taught):
    endings = [few[0] for few in taught.write(CONTEXTS, Decoding("sample", temperature=2.0, seed=4))]
    for context, ending in zip(CONTEXTS, endings, strict=True):
        before, after = taught.model.tokens(" ".join(context)), taught.model.tokens(f" {ending.text}")
        with torch.inference_mode():
            logits = taught.model.network(torch.tensor([before + after])).logits[0].double()
        expected = logits.log_softmax(-1)[range(len(before) - 1, len(before) + len(after) - 1), after].sum()
        assert ending.log_prob == pytest.approx(expected.item(), rel=1e-4)
        assert ending.n_tokens == len(after)
    log_prob, n_tokens = taught.score(CONTEXTS, [ending.text for ending in endings])
    assert log_prob.tolist() == pytest.approx([ending.log_prob for ending in endings])
    assert n_tokens.tolist() == [ending.n_tokens for ending in endings]


def test_several_endings_of_one_context_are_scored_as_each_alone(taught):
    endings = ["He passed it.", "He failed.", "He passed it.", "The dog came back."]
    contexts = [CONTEXTS[0], CONTEXTS[0], CONTEXTS[1], CONTEXTS[0]]
    together = taught.score(contexts, endings)
    for at in range(4):
        alone = taught.score(contexts[at : at + 1], endings[at : at + 1])
        assert [float(part[0]) for part in alone] == pytest.approx([float(part[at]) for part in together], abs=1e-3)
    assert [part.shape for part in taught.score([], [])] == [(0,), (0,)]
    with pytest.raises(ValueError, match="2 contexts but 1 endings"):
        taught.score(CONTEXTS[:2], ["He ran."])


def test_draws_do_not_depend_on_the_other_contexts(taught):
    decoding = Decoding("sample", seed=3)
    together = taught.write(CONTEXTS, decoding, 3)
    assert [len(endings) for endings in together] == [3, 3, 3]
    alone = [taught.write([context], decoding, 3)[0] for context in CONTEXTS[:1]]
    assert [ending.text for ending in alone[0]] == [ending.text for ending in together[0]]
    other = taught.write(CONTEXTS, replace(decoding, seed=4), 3)
    assert [[ending.text for ending in few] for few in other] != [[ending.text for ending in few] for few in together]


class Answers:
    """In the place of a model: for each prompt and seed the answers that are given here."""

    def __init__(self, answers: dict[int, dict[str, list[str]]]) -> None:
        self.answers = answers
        self.asked: list[tuple[list[str], Sampling, int]] = []

    def __call__(self, model, prompts, sampling, n):
        self.asked.append((list(prompts), sampling, n))
        of_try = self.answers[len(self.asked)]
        return [[Continuation(text, -1.0, 1) for text in of_try[prompt]] for prompt in prompts]


@pytest.fixture
def lines(taught, monkeypatch):
    """What a write with given answers returns, and what was asked."""

    def write(answers, contexts, decoding, n):
        given = Answers(answers)
        taught.expect(contexts)
        monkeypatch.setattr(causal, "continuations", given)
        endings = taught.write(contexts, decoding, n)
        return [[ending.text for ending in few] for few in endings], given.asked

    return write


def test_an_answer_without_an_ending_is_drawn_again_with_another_seed(lines, taught):
    answers = {
        1: {"A.": [" He ran. It rained.", "\n\n"], "Bo sat.": ["I'm sorry, I can't help with that.", " Bo sat. Then"]},
        2: {"A.": [" She slept.", " unused."], "Bo sat.": [" ", " She left."]},
        3: {"Bo sat.": [" He sang.", " unused."]},
    }
    found, asked = lines(answers, [["A."], ["Bo sat."]], Decoding("sample", seed=5, top_p=0.9, max_length=10), 2)
    assert found == [["He ran.", "She slept."], ["She left.", "He sang."]]
    assert [prompts for prompts, _, _ in asked] == [["A.", "Bo sat."], ["A.", "Bo sat."], ["Bo sat."]]
    assert {n for _, _, n in asked} == {2}
    assert len({sampling.seed for _, sampling, _ in asked}) == 3
    assert {replace(sampling, seed=5) for _, sampling, _ in asked} == {Sampling(1, 0.9, None, 20, 5)}
    assert taught.notes() == [
        "language_model: 4 answers give no ending (2 empty, 1 repeats the story, 1 refuses); they were drawn again"
    ]


def test_what_is_still_missing_is_counted(lines, taught):
    empty = {attempt: {"A.": ["", ""], "B.": [" He ran.", " He sat."]} for attempt in range(1, 9)}
    found, asked = lines(empty, [["A."], ["B."]], Decoding("sample"), 2)
    assert found == [[], ["He ran.", "He sat."]]
    assert len(asked) == causal.TRIES
    assert taught.notes() == ["language_model: 8 answers give no ending (8 empty); 2 endings are missing"]
    found, asked = lines(empty, [["A."], ["B."]], Decoding(), 1)
    assert len(asked) == 1  # a second greedy answer is the first one again
    assert asked[0][1].temperature == 0


@pytest.mark.parametrize(
    ("decoding", "n", "problem"),
    [
        (Decoding("beam"), 1, "takes no method beam; decode with greedy or sample"),
        (Decoding("sample", min_length=3), 1, "takes no min_length"),
        (Decoding(no_repeat_ngram=3), 1, "takes no no_repeat_ngram"),
        (Decoding(), 2, "greedy decoding gives one ending"),
    ],
)
def test_what_a_language_model_cannot_do_is_refused(decoding, n, problem, taught):
    with pytest.raises(UserError, match=problem):
        taught.write(CONTEXTS, decoding, n)


def _trained(corpus: Corpus, out, model, **settings) -> PromptedModel:
    chosen = PromptedSettings(str(model), **settings)
    train("language_model", corpus.stories, out, chosen, work=out / "work")
    return load_generator(out / "best.parquet")


def test_example_stories_are_drawn_from_the_training_stories(tiny_model, corpus, tmp_path):
    generator = _trained(corpus, tmp_path, tiny_model, prompt="few_shot", shots=3, prompt_seed=2)
    rows = schemas.read_table(corpus.stories, "stories").to_pylist()
    training = [" ".join(row["sentences"][:-1]) for row in rows if row["split"] == "train"]
    prompt = generator.prompt(["Tom ran."])
    assert prompt.startswith(INSTRUCTION)
    assert prompt.endswith("Story: Tom ran.\nEnding:")
    assert sum(f"Story: {context}\n" in prompt for context in training) == 3
    assert _trained(corpus, tmp_path, tiny_model, prompt="few_shot", shots=3, prompt_seed=3).prompt(["A."]) != prompt
    assert (tmp_path / "best.parquet").stat().st_size < 10_000  # no weights
    with pytest.raises(UserError, match=r"stories.parquet: shots: 61 example stories are more than the 60"):
        _trained(corpus, tmp_path, tiny_model, prompt="few_shot", shots=61)
    save_generator(generator, tmp_path / "again.parquet")
    assert load_generator(tmp_path / "again.parquet").prompt(["Tom ran."]) == prompt


def test_a_model_with_a_template_of_chats_gets_a_chat(corpus, tmp_path):
    model = save_tiny(tmp_path / "model", chat=True)
    prompt = _trained(corpus, tmp_path, model, prompt="few_shot", shots=1).prompt(["Tom ran.", "He fell."])
    assert prompt.startswith(f"<system>{INSTRUCTION}\n<user>")
    assert prompt.endswith("<user>Tom ran. He fell.\n<assistant>")
    assert prompt.count("<assistant>") == 2
    assert _trained(corpus, tmp_path, model).prompt(["Tom ran.", "He fell."]) == "Tom ran. He fell."
    one_text = _trained(corpus, tmp_path, model, prompt="few_shot", shots=1, chat=False).prompt(
        ["Tom ran.", "He fell."]
    )
    assert one_text.startswith(f"{INSTRUCTION}\n\nStory: ")
    assert one_text.endswith("Story: Tom ran. He fell.\nEnding:")


def test_another_model_s_weights_are_refused(tiny_model, corpus, tmp_path):
    model = shutil.copytree(tiny_model, tmp_path / "model")
    _trained(corpus, tmp_path, model)
    save_tiny(model, seed=2)
    with pytest.raises(UserError, match=r"best.parquet: made with other weights or another tokenizer than .*model"):
        load_generator(tmp_path / "best.parquet")


def test_an_ending_has_no_blank_before_it(taught):
    [[ending]] = taught.write(CONTEXTS[:1])
    assert isinstance(ending, Ending)
    assert ending.text == "He passed it."
