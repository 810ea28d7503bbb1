"""Words that name an element in one sentence and stand in a retelling, or speak of something else, in another.

All sentences were written for this test: none is of the published answers. Each is given with the element that it may
seem to name, apart from whether it does.
"""

import pytest

from denouement.study.reasons.rules import matches, read_rules
from denouement.text.syntax import parse

NAMES = {
    "common_sense": [
        "Nobody wants to lose a pet.",
        "Anyone would be tired after a marathon.",
        "Someone who lies loses his friends.",
        "Everyone makes mistakes.",
        "When you swim you get wet.",
        "A hungry child cries a lot.",
        "People usually sleep at night.",
        "One should wear a helmet on a bike.",
        "Dogs are always hungry.",
        "That is how a normal person would react.",
    ],
    "logic": [
        "She would be tired after the race.",
        "He would apologize to her.",
        "A fits better.",
        "B is a better fit.",
        "The ending fits the story.",
        "It suits the story.",
        "Either answer works.",
        "A works as an ending.",
        "The rain suggests that he got wet.",
        "It would be wrong, so he would give it back.",
        "There is no resolution in B.",
        "It is possible that he lost it.",
        "B fits in with the rest.",
        "B proves that he was right.",
    ],
    "relevance": [
        "A has no connection to the story.",
        "B is not connected to the rest of the story.",
        "A is unrelated.",
        "It has nothing to do with the story.",
        "A cat was never mentioned.",
        "The story mentions no cat.",
        "There is no mention of rain.",
        "A seems out of place.",
        "B is about a cat, which is wrong.",
        "B refers to the first sentence.",
        "It is about somebody not in the story.",
        "It answers Tom's question.",
        "A cat is not in the story.",
    ],
    "grammar": [
        "A has the wrong word in it.",
        "A uses the same word twice.",
        "The wording of B is strange.",
        "B is written badly.",
        "B is well written.",
        "The tense is wrong in A.",
        "B is in the past tense.",
        "A is an awkward sentence.",
        "There is a typo in B.",
        "A has a spelling mistake.",
        "B repeats itself.",
    ],
    "morality": [
        "Stealing is immoral.",
        "Stealing is never okay.",
        "You should not cheat.",
        "He deserved to be fired.",
        "That is not fair.",
        "It would be wrong to keep the ring.",
        "He should apologize.",
        "His parents would punish him for that.",
        "People who steal get punished.",
        "He did the right thing.",
        "He had no right to read it.",
        "She is not allowed to drink.",
        "It is bad to lie.",
        "It is not a good idea to disobey your mother.",
    ],
    "emotion": [
        "She felt sad.",
        "He was upset.",
        "They had a great time.",
        "A is a more positive ending.",
        "He didn't like it.",
        "She was concerned about him.",
    ],
}

DOES_NOT_NAME = {
    "common_sense": [
        "It is about somebody not in the story.",
        "Someone named Carl is not in the story.",
        "No one called Ruth was mentioned.",
        "There was nobody at the station.",
        "He met someone at the park.",
        "Everyone is happy at the end.",
        "Everybody was glad.",
        "A man came to the door and took the bag.",
        "A friend is coming to visit her.",
        "You can tell that she likes him.",
        "As you can see, B fits.",
        "B is obviously the better answer.",
        "B is the only one that fits.",
        "He thought it was a good idea to leave.",
    ],
    "logic": [
        "Hitting him would be wrong.",
        "It would be wrong to keep the ring.",
        "That would be cruel.",
        "It would be nice to have a dog.",
        "I would choose A.",
        "I would say B.",
        "He would like a new bike.",
        "Both went to work.",
        "One of them was at work.",
        "It was a lot of work.",
        "The shoes fit him.",
        "He wore a suit.",
        "She wants to stay fit.",
        "He suggested a walk.",
        "It was his New Year's resolution.",
        "She came as soon as possible.",
        "He could not find his keys.",
        "The test results came back.",
        "She proved her point.",
        "The boss suggested a walk.",
    ],
    "relevance": [
        "Mia lost her connection to the internet.",
        "The phone was not connected.",
        "Tom and Sue are related.",
        "A is the better answer to this question.",
        "That is the right answer to the question.",
        "He mentioned the party to his mother.",
        "She wants nothing to do with him.",
        "He needed a reference for the job.",
        "The car came out of nowhere and hit him.",
        "A dog was about to bite him.",
    ],
    "grammar": [
        "Because of the word ecstatic.",
        "The word finally tells me that it is over.",
        "He repeated the mistake.",
        "She was tense before the exam.",
        "It was an awkward moment.",
        "He won the spelling bee.",
        "She wrote well and got a prize.",
    ],
    "morality": [
        "He stole the money and ran.",
        "The thief was caught.",
        "Ann was punished by her mother.",
        "She apologized to him.",
        "He got grounded.",
        "The bully hit him at school.",
        "They went to the fair.",
        "Her father-in-law came by.",
        "The dog was responsible for the mess.",
        "People who are bullied are often shy.",
    ],
    "emotion": [
        "I feel that A is better.",
        "I feel B is right.",
        "As far as A is concerned, it fits.",
        "It was a good time to leave.",
        "He had an upset stomach.",
        "The soup tasted bitter.",
        "The test was positive.",
    ],
}


@pytest.fixture(scope="module")
def tags():
    texts = {text for of in (NAMES, DOES_NOT_NAME) for given in of.values() for text in given}
    parses, rules = parse(sorted(texts), None), read_rules()
    return {text: {match.element for match in matches(parses[text], rules)} for text in texts}


@pytest.mark.parametrize(("element", "text"), [(element, text) for element, of in NAMES.items() for text in of])
def test_a_reason_that_names_an_element_is_tagged(element, text, tags):
    assert element in tags[text]


@pytest.mark.parametrize(("element", "text"), [(element, text) for element, of in DOES_NOT_NAME.items() for text in of])
def test_the_same_words_in_another_sense_are_not(element, text, tags):
    assert element not in tags[text]
