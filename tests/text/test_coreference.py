import pytest

from denouement.text.coreference import entities
from denouement.text.syntax import Parse, parse


def chains(*sentences: str) -> set[str]:
    """Of each entity that fills several places: the words that speak of it, with their sentences' numbers."""
    parses = parse(sentences, None)
    found = entities([parses[sentence] for sentence in sentences])
    return {
        " ".join(dict.fromkeys(f"{number}{parses[sentences[number]].words[place.word]}" for number, place in e.places))
        for e in found
        if len({(number, place.word) for number, place in e.places}) > 1
    }


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (["Tom fell.", "Tom cried."], {"0Tom 1Tom"}),
        (["Tom Smith fell.", "Tom cried."], {"0Smith 1Tom"}),
        (["Mr. Smith fell.", "Mr. Jones cried."], set()),
        (["Tom fell.", "He cried."], {"0Tom 1He"}),
        (["Tom met Ann.", "She smiled.", "He left."], {"0Tom 2He", "0Ann 1She"}),
        # Of two that may be meant, the one that was a subject last.
        (["Tom called Bob.", "He was angry."], {"0Tom 1He"}),
        (["Tom called Bob.", "Bob answered.", "He was angry."], {"0Bob 1Bob 2He"}),
        # Nobody calls himself "him".
        (["Tom visited Bob.", "Then Bob pushed him."], {"0Tom 1him", "0Bob 1Bob"}),
        (["Tom hurt himself."], {"0Tom 0himself"}),
        (["I lost my keys.", "My brother helped me.", "We found the keys."], {"0I 1me 2We", "0keys 2keys"}),
        (["Ann bought a car.", "It broke."], {"0car 1It"}),
        (["Ann saw two birds.", "They sang."], {"0birds 1They"}),
        (["Tom and Ann married.", "They moved."], {"0Tom 1They"}),
        (["His friend arrived.", "She was late.", "He left."], {"0friend 1She"}),
        (["The dog barked.", "He was hungry."], {"0dog 1He"}),
        (["The dog barked.", "The dogs ran."], set()),
        (["The team won.", "They celebrated."], {"0team 1They"}),
        (["She woke up.", "She ate breakfast."], {"0She 1She"}),
        (["Zorblax arrived.", "He spoke.", "She spoke."], {"0Zorblax 1He"}),
        (["You know him.", "Tom ran."], set()),
        (["Something fell.", "Who fell?"], set()),
    ],
)
def test_who_is_who(sentences: list[str], expected: set[str]):
    assert chains(*sentences) == expected


def test_nothing_has_no_entities():
    assert entities([]) == []
    assert entities([Parse(), Parse()]) == []


def test_places_stand_in_the_order_of_the_story():
    sentences = ["Tom, who was tired, left and slept.", "He dreamt that he flew.", "Ann woke Tom."]
    parses = parse(sentences, None)
    for entity in entities([parses[sentence] for sentence in sentences]):
        spots = [(number, place.word) for number, place in entity.places]
        assert spots == sorted(spots)
