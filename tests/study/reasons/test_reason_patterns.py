import pytest

from denouement.study.reasons.patterns import Denial, compile_pattern, is_denied, sentences, spans
from denouement.text.syntax import Parse

LISTS = {"feelings": frozenset({"happy", "sad"})}
DENIAL = Denial(frozenset({"not", "n't", "no"}), frozenset({",", "but"}), reach=5)


def parsed(text: str) -> Parse:
    """A parse of "word/lemma/POS" in which the lemma and the part of speech may be left out."""
    rows = [(*word.split("/"), "", "")[:3] for word in text.split()]
    words = tuple(word for word, _, _ in rows)
    lemmas = tuple(lemma or word for word, lemma, _ in rows)
    pos = tuple(pos or "X" for _, _, pos in rows)
    return Parse(words, lemmas, pos, pos, tuple(range(len(rows))), ("dep",) * len(rows))


def found(pattern: str, text: str) -> list[str]:
    compiled = compile_pattern(pattern, LISTS)
    return [
        " ".join(word.text for word in sentence[start:end])
        for sentence in sentences(parsed(text))
        for start, end in spans([compiled], sentence)
    ]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("make sense", "It Makes/make Sense/sense", ["Makes Sense"]),
        ("make ... sense", "makes/make no sense", ["makes no sense"]),
        ("make ... sense", "make a b c d sense", ["make a b c d sense"]),
        ("make ... sense", "make a b c d e sense", []),
        ("make ... sense", "make . sense", []),
        ("make ... sense", "make ; sense", []),
        ("make very? sense", "make sense", ["make sense"]),
        ("make very? sense", "make very sense", ["make very sense"]),
        ("make very? sense", "make little sense", []),
        ("@feelings|glad ADJ", "Sad red//ADJ glad blue//ADJ", ["Sad red", "glad blue"]),
        ("feel !better", "feel better feel sad", ["feel sad"]),
        ("feel !better", "I feel", []),
        ("n't go", "do n’t go", ["n’t go"]),
        ("adj", "red//ADJ", []),
        ("OPTION", "A//DET boat//NN A//DET fits//VBZ", ["A"]),
        ("OPTION", "b fits//VBZ a//DET man//NN B", ["b", "B"]),
        ("OPTION", "A//DET ,//, B and//CC a//DT", ["A", "B", "a"]),
    ],
)
def test_a_pattern_matches(pattern, text, expected):
    assert found(pattern, text) == expected


@pytest.mark.parametrize("pattern", ["", "...", "... sense", "make ...", "@nothing", "I feel", "love|LOVE", "!Nn is"])
def test_a_pattern_that_can_match_nothing_is_refused(pattern):
    with pytest.raises(ValueError, match="pattern"):
        compile_pattern(pattern, LISTS)


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("it makes no sense", True),  # in the match
        ("it does n't make sense", True),
        ("IT DOESN’T MAKE/make SENSE", True),
        ("this is not something to make sense", True),  # the fifth word before
        ("not a b c d e make sense", False),  # the sixth
        ("not B , make sense", False),
        ("not B but make sense", False),
        ("make sense , not B", False),  # after it
        ("not so . make sense", False),  # another sentence
    ],
)
def test_a_negation_denies_what_it_reaches(text, denied):
    pattern = compile_pattern("make|makes ... sense", LISTS)
    [(sentence, start, end)] = [
        (sentence, *span) for sentence in sentences(parsed(text)) for span in spans([pattern], sentence)
    ]
    assert is_denied(sentence, start, end, DENIAL) is denied
