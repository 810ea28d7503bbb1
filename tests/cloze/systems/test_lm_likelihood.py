import numpy as np
import pyarrow as pa
import pytest
import torch

from denouement import schemas
from denouement.cloze.base import choices, load_system
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError
from denouement.language_models.model import load

CONTEXT = ["Tom had a test.", "He studied all night.", "He slept on the bus.", "The test was easy."]
ENDINGS = ("He passed it.", "The dog came back.")


def scored(make_case, resources, **options):
    system = load_system("lm_likelihood", options)
    system.prepare(resources)
    return system.score(make_case(CONTEXT, *ENDINGS, 1), resources)


def read_alone(folder, before, ending):
    """The log-probabilities of the tokens of an ending after a text, from one plain call of the network."""
    model = load(str(folder))
    ids = [*(model.tokens(before) or [model.start]), *model.tokens(f" {ending}")]
    with torch.inference_mode():
        logits = model.network(input_ids=torch.tensor([ids])).logits[0].double()
    n = len(model.tokens(f" {ending}"))
    return [float(torch.log_softmax(logits[at - 1], -1)[ids[at]]) for at in range(len(ids) - n, len(ids))]


def test_the_variants_by_hand(make_case, tiny_model):
    scores = scored(make_case, Resources(language_model=str(tiny_model)))
    for place, ending in enumerate(ENDINGS):
        after = read_alone(tiny_model, " ".join(CONTEXT), ending)
        alone = read_alone(tiny_model, "", ending)
        assert scores["sum"][0, place] == pytest.approx(sum(after), abs=1e-4)
        assert scores["per token"][0, place] == pytest.approx(np.mean(after), abs=1e-4)
        assert scores["per character"][0, place] == pytest.approx(sum(after) / len(f" {ending}"), abs=1e-4)
        assert scores["without context"][0, place] == pytest.approx(np.mean(alone), abs=1e-4)
        assert scores["difference"][0, place] == pytest.approx(sum(after) - sum(alone), abs=1e-4)


def test_a_model_that_knows_the_story_chooses_its_ending(make_case, taught_model):
    scores = scored(make_case, Resources(language_model=str(taught_model)))
    after = {variant: choices(of)[0] for variant, of in scores.items() if variant != "without context"}
    assert after == dict.fromkeys(["sum", "per token", "per character", "difference"], 1)


def stories(n):
    rows = [
        {"story_id": str(row), "title": None, "sentences": [f"It was {row}."] * 5, "source": "sample", "split": "train"}
        for row in range(n)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


def test_example_stories_stand_before_the_context(make_case, tiny_model):
    resources = Resources(language_model=str(tiny_model), stories=stories(2))
    scores = scored(make_case, resources, shots=2)
    plain = scored(make_case, resources)
    assert [*scores] == [*plain, *(f"2-shot {variant}" for variant in plain if variant != "without context")]
    model = load(str(tiny_model))
    from denouement.language_models.prompts import Prompt, build, draw

    drawn = draw(Prompt("few_shot", 2, 1), [["It was 0."] * 5, ["It was 1."] * 5])
    before = build(Prompt("few_shot", 2, 1), drawn)(CONTEXT)
    assert model.tokens(before + " He")[: len(model.tokens(before))] == model.tokens(before)
    assert scores["2-shot sum"][0, 0] == pytest.approx(sum(read_alone(tiny_model, before, ENDINGS[0])), abs=1e-3)
    assert load_system("lm_likelihood").learns_from_stories("2-shot sum")
    assert not load_system("lm_likelihood").learns_from_stories("sum")


def test_too_few_stories_for_the_shots_is_something_missing(make_case, tiny_model):
    resources = Resources(language_model=str(tiny_model), stories=stories(2))
    with pytest.raises(MissingResourceError, match="shots: 3 example stories are more than the 2 training stories"):
        scored(make_case, resources, shots=3)


def test_without_a_model_the_row_says_how_to_give_one(make_case):
    found = evaluate(["lm_likelihood"], None, make_case(CONTEXT, *ENDINGS, 1), Resources())
    assert "--language-model" in found.result.systems[0].missing


def test_the_option_is_before_the_resource_and_the_row_names_the_model(make_case, tiny_model, taught_model):
    resources = Resources(language_model=str(taught_model))
    case = make_case(CONTEXT, *ENDINGS, 1)
    found = evaluate(["lm_likelihood"], None, case, resources, {"lm_likelihood": {"model": str(tiny_model)}})
    assert found.result.systems[0].trained_on == f"language model {tiny_model.name}, pretrained"
    expected = scored(make_case, Resources(language_model=str(tiny_model)))["sum"]
    of_variants = {row["variant"]: row["scores"] for row in found.scores.to_pylist()}
    assert of_variants["sum"] == expected[0].tolist()


def test_a_model_that_is_not_there(make_case, tmp_path):
    with pytest.raises(UserError, match="no such folder or file"):
        evaluate(["lm_likelihood"], None, make_case(CONTEXT, *ENDINGS), Resources(language_model=str(tmp_path / "no")))


def test_kept_scores_are_of_these_weights(make_case, tiny_model, taught_model, tmp_path):
    folder = tmp_path / "model"
    case = make_case(CONTEXT, *ENDINGS, 1)
    found = []
    for model in (tiny_model, taught_model):
        folder.unlink(missing_ok=True)
        folder.symlink_to(model)
        resources = Resources(language_model=str(folder), cache=tmp_path / "cache")
        found.append(evaluate(["lm_likelihood"], None, case, resources).scores)
    assert not found[0].equals(found[1])
