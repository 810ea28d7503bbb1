import pytest

from denouement.text.clauses import arguments, main_verb, verbs
from denouement.text.syntax import Parse, parse


def read(sentence: str) -> Parse:
    return parse([sentence], None)[sentence]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Tom ate the red cake.", {"eat subject Tom", "eat object cake"}),
        ("The cake was eaten by Tom.", {"eat object cake", "eat subject Tom"}),
        ("He was mad.", {"be subject He", "be object mad"}),
        ("She went to the beach with her dog.", {"go subject She", "go to beach", "go with dog"}),
        ("He got out of the car.", {"get subject He", "get out of car"}),
        ("Tom gave her a book.", {"give subject Tom", "give to her", "give object book"}),
        ("Tom fell and cried.", {"fall subject Tom", "cry subject Tom"}),
        ("Tom wants to win.", {"want subject Tom", "win subject Tom"}),
        ("Tom and Ann danced.", {"dance subject Tom", "dance subject Ann"}),
        ("He didn't see it.", {"see subject He", "see object it"}),
        ("Tim surprised her.", {"surprise subject Tim", "surprise object her"}),
        ("Tom visited Bob.", {"visit subject Tom", "visit object Bob"}),
        ("He left Friday.", {"leave subject He"}),
        ("It rained.", {"rain subject It"}),
        ("What a day!", set()),
    ],
)
def test_the_places_of_verbs(sentence: str, expected: set[str]):
    parsed = read(sentence)
    found = {f"{parsed.lemmas[a.verb]} {a.role} {parsed.words[a.word]}" for a in arguments(parsed)}
    assert found == expected


def test_who_of_a_relative_clause_is_whom_it_describes():
    parsed = read("Tom thanked the man who helped him.")
    found = {(parsed.lemmas[a.verb], a.role, parsed.words[a.word]) for a in arguments(parsed)}
    assert ("help", "subject", "man") in found


def test_the_main_verb_is_the_root_not_the_first():
    parsed = read("When he won, he smiled.")
    assert [parsed.words[verb] for verb in verbs(parsed)] == ["won", "smiled"]
    assert parsed.words[main_verb(parsed)] == "smiled"


def test_without_a_verb_there_is_no_main_one():
    assert main_verb(read("What a day!")) is None
    assert main_verb(Parse()) is None
    assert arguments(Parse()) == []
