"""A language model of this computer as a judge: its answer is the likeliest of the options, and then it says why."""

import json

import pytest

from denouement.answers import QuestionAsked
from denouement.judging import judges
from denouement.judging.judges import LocalJudge
from denouement.judging.prompts import as_text, messages
from denouement.judging.questions import Questionnaire, pairs_asked
from denouement.judging.settings import JudgeSettings
from denouement.language_models import model
from denouement.language_models.endpoint import ServedAnswer
from tests.judging.studies import items
from tests.language_models.tiny import save_tiny

ASKS = Questionnaire("s", "Read.", {"better": QuestionAsked("Which is better?", True)}, ("A", "B", "both", "neither"))


@pytest.fixture(scope="module", params=[False, True], ids=["text", "chat"])
def folder(request, tmp_path_factory):
    return wide(save_tiny(tmp_path_factory.mktemp("judge"), chat=request.param))


def wide(folder):
    """The same model that reads longer prompts: no weight depends on how long they may be."""
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 4096}))
    return folder


def prompts_of(folder, pairs):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    asked = [messages(pair, ASKS) for pair in pairs]
    if tokenizer.chat_template:
        return [
            tokenizer.apply_chat_template(each, tokenize=False, add_generation_prompt=True) + "Answer:"
            for each in asked
        ]
    return [f"{as_text(each)}Answer:" for each in asked]


def likeliest(folder, prompts):
    """For each prompt the option with the highest probability as a text after it, by transformers alone."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    found = []
    for prompt in prompts:
        context = tokenizer.encode(prompt, add_special_tokens=False)
        of_option = {}
        for option in ASKS.options:
            ids = tokenizer.encode(f"{prompt} {option}", add_special_tokens=False)
            assert ids[: len(context)] == context
            with torch.inference_mode():
                log_probs = torch.log_softmax(model(input_ids=torch.tensor([ids])).logits[0].double(), -1)
            of_option[option] = sum(float(log_probs[at - 1, ids[at]]) for at in range(len(context), len(ids)))
        found.append(max(of_option, key=of_option.__getitem__))
    return found


def test_the_answer_is_the_likeliest_option_and_a_second_run_loads_no_model(folder, tmp_path, monkeypatch):
    settings = JudgeSettings(str(folder), cache=str(tmp_path / "cache.db"), most_tokens=8)
    judge, pairs = LocalJudge(settings), list(pairs_asked(items(3), ASKS))
    found = judge.replies(pairs, ASKS)
    assert (judge.tally.asked, judge.tally.kept, found.asked_again) == (6, 0, 0)
    assert [reply.answer for reply in found.replies] == likeliest(folder, prompts_of(folder, pairs))
    assert all(reply.reason for reply in found.replies)

    def refuse(*_, **__):
        raise AssertionError("loaded again")

    monkeypatch.setattr(model, "load", refuse)
    again = LocalJudge(settings)
    assert again.replies(pairs, ASKS).replies == found.replies
    assert (again.tally.asked, again.tally.kept) == (0, 6)


def test_another_model_has_another_identity_and_no_name_of_its_folder(folder, tmp_path):
    other = save_tiny(tmp_path / "other", seed=2)
    judges = [LocalJudge(JudgeSettings(str(each))) for each in (folder, other)]
    assert judges[0].identity != judges[1].identity
    assert judges[1].name == "other"


def test_a_temperature_is_for_served_models():
    with pytest.raises(ValueError, match="temperature: must be 0 for a model on this computer"):
        JudgeSettings(temperature=0.5)


def test_what_was_answered_before_a_run_ended_is_not_asked_again(tmp_path, monkeypatch):
    monkeypatch.setattr(judges, "_AT_ONCE", 4)
    monkeypatch.setattr(LocalJudge, "identity", "one")
    asked = []

    def answers(_, bodies):
        if len(asked) == 8:
            raise KeyboardInterrupt
        asked.extend(bodies)
        return [ServedAnswer(["A", "It fits."], 0, 0) for _ in bodies]

    monkeypatch.setattr(LocalJudge, "_answers", answers)
    settings, pairs = JudgeSettings(cache=str(tmp_path / "cache.db")), list(pairs_asked(items(5), ASKS))
    with pytest.raises(KeyboardInterrupt):
        LocalJudge(settings).replies(pairs, ASKS)
    monkeypatch.setattr(LocalJudge, "_answers", lambda _, bodies: [ServedAnswer(["B", ""], 0, 0) for _ in bodies])
    judge = LocalJudge(settings)
    found = judge.replies(pairs, ASKS).replies
    assert [(reply.answer, reply.reason) for reply in found] == [("A", "It fits.")] * 8 + [("B", None)] * 2
    assert (judge.tally.kept, judge.tally.asked) == (8, 2)
