import pytest

from denouement.study.reasons.rules import packaged
from denouement.study.reasons.words import FrequentWord, content_words, stop_words, word_chart, word_frequencies


def test_words_are_prepared_as_in_a4():
    [words, others] = content_words(["She DOESN'T make any sense, happily she went!", "The 3 of us; a, I & Tom's"])
    assert words == ["make", "sense", "happily", "go"]
    assert not set(others) & {"us", "3", "i"}  # a pronoun, a number, too short


def test_texts_without_a_word_have_none():
    assert content_words(["", "it is", "?!"]) == [[], [], []]
    assert content_words([]) == []


def test_words_are_counted_often_and_by_reason():
    rows = word_frequencies([["b", "a", "b"], ["b", "c"], []])
    assert [(row.word, row.count, row.reasons) for row in rows] == [("b", 3, 2), ("a", 1, 1), ("c", 1, 1)]


def test_stop_words_kept_here_are_nltks():
    kept = {
        word for line in packaged("stop_words.txt").splitlines() if not line.startswith("#") for word in line.split()
    }
    assert len(kept) == 179
    from nltk.corpus import stopwords

    try:
        theirs = set(stopwords.words("english"))
    except LookupError:
        assert stop_words() == kept
        pytest.skip("NLTK's stop words are not installed (python -m nltk.downloader stopwords)")
    assert stop_words() == theirs
    assert kept <= theirs
    assert all("'" in word for word in theirs - kept)  # which no token of gensim's is


def test_chart_has_a_bar_for_each_word_as_tall_as_it_is_frequent():
    rows = [FrequentWord("make", 5, 4), FrequentWord("sense", 2, 2)]
    [panel] = word_chart(rows, 7).axes
    assert [bar.get_height() for bar in panel.patches] == [5, 2]
    assert [label.get_text() for label in panel.get_xticklabels()] == ["make", "sense"]
    assert "7 reasons" in panel.get_title()


def test_frequent_words_of_the_published_answers(published_votes):
    rows = word_frequencies(content_words(published_votes["reason"].to_pylist()))
    assert [row.word for row in rows[:5]] == ["make", "story", "sense", "get", "happy"]
    assert {"logical", "mention"} <= {row.word for row in rows[:20]}
