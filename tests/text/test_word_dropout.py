"""Word dropout: the rate asked for, never nothing, the same draw everywhere."""

from hypothesis import given
from hypothesis import strategies as st

from denouement.text.word_dropout import drop_words

sentences = st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1), min_size=1, max_size=30)


@given(sentences, st.floats(0, 1), st.integers(0, 9), st.integers(0, 9))
def test_some_of_the_words_in_their_order(words, probability, seed, view):
    left = drop_words(" ".join(words), probability, seed, view).split()
    assert left
    rest = iter(words)
    assert all(word in rest for word in left)  # a subsequence: `in` moves the iterator on


def test_rate():
    many = [f"w{number} " * 10 for number in range(4000)]
    left = sum(len(drop_words(sentence, 0.3, 1, 0).split()) for sentence in many)
    assert abs(left / 40_000 - 0.7) < 0.01  # standard deviation 0.0023


def test_words_are_dropped_independently_of_each_other_and_of_other_views():
    kept = [
        [word in drop_words(f"a b {number}", 0.3, 1, view).split() for word in "ab" for view in (0, 1)]
        for number in range(10_000)
    ]
    for first, second in ((0, 1), (0, 2), (1, 2), (2, 3)):
        both = sum(row[first] and row[second] for row in kept) / len(kept)
        assert abs(both - 0.49) < 0.03, (first, second)


def test_probability_0_drops_nothing_and_near_1_keeps_one_of_the_words_evenly():
    assert drop_words("One two three.", 0.0, 1, 0) == "One two three."
    kept = [drop_words("a b c d", 0.999999, 1, view) for view in range(4000)]
    assert all(abs(kept.count(word) - 1000) < 120 for word in "abcd")


def test_the_draw_depends_on_seed_and_view_and_is_the_same_on_every_machine():
    sentence = "Ann took the early train to the coast with her dog."
    assert drop_words(sentence, 0.3, 1, 0) == drop_words(sentence, 0.3, 1, 0)
    assert len({drop_words(sentence, 0.3, seed, view) for seed in range(3) for view in range(3)}) == 9
    assert drop_words(sentence, 0.3, 1, 0) == "Ann took the early train with her dog."


def test_no_words():
    assert drop_words("", 0.3, 1, 0) == ""
