import pytest

from denouement.language_models import prompts
from denouement.language_models.prompts import INSTRUCTION, Prompt

STORIES = [["Ann had a dog.", "It ran off.", "It came back."], ["Bob sang.", "It rained.", "He stopped."]]
CONTEXT = ["Tom had a test.", "It was easy."]


def test_a_plain_prompt_is_the_context():
    build = prompts.build(Prompt(), [])
    assert build(CONTEXT) == "Tom had a test. It was easy."
    assert build.messages(CONTEXT) == [{"role": "user", "content": "Tom had a test. It was easy."}]


def test_an_example_shows_its_ending_apart_and_the_prompt_stops_where_the_ending_is_due():
    build = prompts.build(Prompt("few_shot", 2), STORIES)
    assert build(CONTEXT) == (
        f"{INSTRUCTION}\n\n"
        "Story: Ann had a dog. It ran off.\nEnding: It came back.\n\n"
        "Story: Bob sang. It rained.\nEnding: He stopped.\n\n"
        "Story: Tom had a test. It was easy.\nEnding:"
    )
    assert build.messages(CONTEXT) == [
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": "Ann had a dog. It ran off."},
        {"role": "assistant", "content": "It came back."},
        {"role": "user", "content": "Bob sang. It rained."},
        {"role": "assistant", "content": "He stopped."},
        {"role": "user", "content": "Tom had a test. It was easy."},
    ]


def test_the_instruction_alone_is_a_prompt_of_no_examples():
    assert prompts.build(Prompt("few_shot", 0), [])(CONTEXT) == (
        f"{INSTRUCTION}\n\nStory: Tom had a test. It was easy.\nEnding:"
    )


@pytest.mark.parametrize(
    "of", [lambda build, context: build(context), lambda build, context: str(build.messages(context))]
)
def test_an_example_of_the_very_context_never_tells_its_ending(of):
    build = prompts.build(Prompt("few_shot", 2), STORIES)
    same = ["ann had a dog", "It  ran off!"]
    assert "It came back." not in of(build, same)
    assert "He stopped." in of(build, same)
    assert "It came back." in of(build, CONTEXT)


def test_examples_are_drawn_by_the_seed():
    stories = [[f"Story {number}.", "It went on.", "It ended."] for number in range(100)]
    drawn = prompts.draw(Prompt("few_shot", 5, seed=1), stories)
    assert drawn == prompts.draw(Prompt("few_shot", 5, seed=1), stories)
    assert drawn != prompts.draw(Prompt("few_shot", 5, seed=2), stories)
    assert len({story[0] for story in drawn}) == 5
    assert prompts.draw(Prompt(), stories) == []
    with pytest.raises(ValueError, match="shots: 5 example stories are more than the 3 training stories"):
        prompts.draw(Prompt("few_shot", 5), stories[:3])
    assert prompts.draw(Prompt("few_shot", 1), [["Alone."], *stories[:1], ["Alone."]]) == [stories[0]]


def test_settings_and_examples_have_to_fit():
    with pytest.raises(ValueError, match="shots: must be at least 0, not -1"):
        Prompt("few_shot", -1)
    with pytest.raises(ValueError, match="1 example stories for a prompt of 2"):
        prompts.build(Prompt("few_shot", 2), STORIES[:1])
    with pytest.raises(ValueError, match="of two sentences or more"):
        prompts.build(Prompt("few_shot", 1), [["Alone."]])
