"""The sides of pairs are even, for each item and each person, and cannot be foreseen."""

import random
from collections import Counter, defaultdict
from contextlib import closing
from itertools import count

import pytest
from crowd import design, pairs, ready
from hypothesis import given, settings
from hypothesis import strategies as st

from denouement.study.store import open_store

NUMBERS = count()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    with closing(open_store(f"sqlite:///{tmp_path_factory.mktemp('sides') / 's.db'}")) as store:
        yield store


def answered(store, n_items: int, k: int, people: int, seed: int) -> list[tuple[str, str, bool]]:
    """People who answer all they get, in a random order: the item, the person, and whether the sides were changed."""
    study = f"sides_{next(NUMBERS)}"
    store.create(design(name=study, answers_per_item=k), pairs(n_items))
    draw = random.Random(seed)
    here = [ready(store, f"p{number}", study) for number in range(people)]
    while here:
        key = draw.choice(here)
        if assignment := store.next(key):
            store.submit(key, assignment.id, "A")
        else:
            here.remove(key)
    return [(each.item.id, each.annotator_id, each.order == (1, 0)) for each in store.answers(study)]


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 6), st.integers(0, 1000))
def test_the_sides_of_each_item_differ_by_at_most_one(kept, n_items, k, people, seed):
    sides = defaultdict(Counter)
    for item, _, is_turned in answered(kept, n_items, k, people, seed):
        sides[item][is_turned] += 1
    for of_item in sides.values():
        assert abs(of_item[True] - of_item[False]) <= 1


def test_the_sides_of_each_person_are_even_too(kept):
    leans = []
    for seed in range(2):
        sides = defaultdict(int)
        for _, person, is_turned in answered(kept, 24, 4, 6, seed):
            sides[person] += 1 if is_turned else -1
        leans += sides.values()
    # 16 answers a person; drawn alone, the difference would have a standard deviation of 4
    assert max(map(abs, leans)) <= 6
    assert sum(lean**2 for lean in leans) / len(leans) < 6


def test_the_first_sides_of_a_person_are_drawn(kept):
    firsts = set()
    for seed in range(12):
        sides = [is_turned for *_, is_turned in answered(kept, 3, 1, 1, seed)]
        firsts.add(tuple(sides))
    assert len(firsts) >= 3, "of eight courses of three sides"
