import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denouement.text.complexity import frazier, frazier_scores, yngve, yngve_depths
from denouement.text.syntax import Parse


def parse(text: str, heads: list[int], relations: str) -> Parse:
    words = tuple(text.split())
    return Parse(words=words, heads=tuple(heads), relations=tuple(relations.split()))


# Constituents: (S (NP Colorless green ideas) (VP sleep (ADVP furiously))).
IDEAS = parse("Colorless green ideas sleep furiously", [2, 2, 3, 3, 3], "amod amod nsubj ROOT advmod")
# (S (NP She) (VP read (NP the book)))
SHE = parse("She read the book", [1, 1, 3, 1], "nsubj ROOT det dobj")
# (S (NP She) (VP said (SBAR that (S (NP he) (VP left)))))
SAID = parse("She said that he left", [1, 1, 4, 4, 1], "nsubj ROOT mark nsubj ccomp")


def test_depths_of_constituent_trees() -> None:
    assert yngve_depths(IDEAS).tolist() == [3, 2, 1, 1, 0]
    assert yngve_depths(SHE).tolist() == [1, 1, 1, 0]
    assert yngve(IDEAS) == pytest.approx(1.4)


def test_depths_where_the_mark_of_a_clause_is_beside_its_subject() -> None:
    # In constituents "that" and "he" have depth 1 as well; here "that" waits for the subject and for the nucleus.
    assert yngve_depths(SAID).tolist() == [1, 1, 2, 1, 0]


def test_frazier_scores_of_constituent_trees() -> None:
    assert frazier_scores(IDEAS).tolist() == [2.5, 0, 0, 1, 1]
    assert frazier_scores(SHE).tolist() == [2.5, 1, 1, 0]
    assert frazier(IDEAS) == pytest.approx(0.9)


def test_a_clause_inside_counts_as_one() -> None:
    # "that" begins the inner clause, "he" a noun phrase; "left" has nothing behind it and so no nucleus to begin.
    assert frazier_scores(SAID).tolist() == [2.5, 1, 1.5, 1, 0]


def test_left_branching_is_deep_and_right_branching_is_not() -> None:
    assert yngve_depths(parse("a b c d", [1, 2, 3, 3], "poss poss poss ROOT")).tolist() == [3, 2, 1, 0]
    assert yngve_depths(parse("a b c d", [0, 0, 1, 2], "ROOT prep pobj prep")).tolist() == [1, 1, 1, 0]


def test_sentences_of_one_text_do_not_wait_for_each_other() -> None:
    both = Parse(
        words=SHE.words + SHE.words,
        heads=SHE.heads + tuple(head + 4 for head in SHE.heads),
        relations=SHE.relations + SHE.relations,
    )
    assert yngve_depths(both).tolist() == 2 * yngve_depths(SHE).tolist()
    assert frazier_scores(both).tolist() == 2 * frazier_scores(SHE).tolist()


def test_without_words_there_is_no_complexity() -> None:
    assert yngve(Parse()) == frazier(Parse()) == 0


@st.composite
def trees(draw: st.DrawFn) -> Parse:
    """A random tree without crossing dependencies: heads drawn inside ever smaller spans."""
    n = draw(st.integers(1, 12))
    heads = list(range(n))

    def attach(start: int, end: int, above: int | None) -> None:
        if start < end:
            head = draw(st.integers(start, end - 1))
            heads[head] = head if above is None else above
            attach(start, head, head)
            attach(head + 1, end, head)

    attach(0, n, None)
    return Parse(words=("x",) * n, heads=tuple(heads), relations=("dep",) * n)


@given(trees())
def test_a_stack_of_what_is_to_come_says_the_same(tree: Parse) -> None:
    """Yngve's own definition: a pushdown store holds the parts that wait, from the sentence down to its words."""

    def parts(head: int) -> list[object]:
        own = [word for word, above in enumerate(tree.heads) if above == head != word]
        left: list[object] = [("phrase", word) for word in own if word < head]
        right: list[object] = [("phrase", word) for word in own if word > head]
        return [*left, ("nucleus", [("word", head), *right])]

    root = next(word for word, head in enumerate(tree.heads) if word == head)
    stack: list[object] = [("phrase", root)]
    waiting = {}
    while stack:
        kind, value = stack.pop()  # type: ignore[misc]
        if kind == "word":
            waiting[value] = len(stack)
        else:
            stack.extend(reversed(value if kind == "nucleus" else parts(value)))
    assert list(waiting) == sorted(waiting)
    assert yngve_depths(tree).tolist() == [waiting[word] for word in range(len(tree.words))]


@given(trees())
def test_the_first_word_begins_what_the_whole_sentence_is(tree: Parse) -> None:
    scores = frazier_scores(tree)
    assert scores[0] >= 1.5
    assert np.all(scores >= 0)
