from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze.base import ClozeSystem, choices, load_system
from denouement.cloze.ending_reg import VARIANTS, _features
from denouement.cloze.resources import Resources
from denouement.errors import UserError
from denouement.text.syntax import Parse, Parses

TAGS = {"Tom": "NNP", "He": "PRP", "ran": "VBD", "sat": "VBD", "quickly": "RB", "home": "NN", "there": "RB"}


class Split(Resources):
    """Sentences are split at spaces; all words depend on the first one."""

    def parse(self, sentences: Sequence[str]) -> Parses:
        def one(sentence: str) -> Parse:
            words = tuple(sentence.split())
            n = len(words)
            tags = tuple(TAGS[word] for word in words)
            return Parse(words, words, tags, tags, (0,) * n, ("ROOT",) * n)

        return {sentence: one(sentence) for sentence in sentences}


def cases(pairs: Sequence[tuple[str, str]], labels: Sequence[int | None]) -> pa.Table:
    rows = [
        {
            "case_id": str(number),
            "context": ["It was so."] * 4,
            "ending_1": first,
            "ending_2": second,
            "right_ending": label,
            "release": "v1.0",
            "split": "validation",
        }
        for number, ((first, second), label) in enumerate(zip(pairs, labels, strict=True))
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


def fitted(table: pa.Table, **options: int) -> ClozeSystem:
    system = load_system("ending_reg", options)
    system.prepare(Split())
    system.fit(table, Split())
    return system


def test_features_of_an_ending() -> None:
    parse = Parse(("He", "ran"), ("he", "run"), ("PRP", "VBD"), ("PRON", "VERB"), (1, 1), ("nsubj", "ROOT"))
    assert _features("He ran", parse, 0.25, order=2) == {
        "style tokens": 2,
        "style compound": 0.25,
        "style yngve": 0.5,  # "He" waits for the verb
        "ngrams <s>": 1,
        "ngrams He/PRP": 1,
        "ngrams ran/VBD": 1,
        "ngrams </s>": 1,
        "ngrams <s> He/PRP": 1,
        "ngrams He/PRP ran/VBD": 1,
        "ngrams ran/VBD </s>": 1,
        "pos <s>": 1,
        "pos PRP": 1,
        "pos VBD": 1,
        "pos </s>": 1,
        "pos <s> PRP": 1,
        "pos PRP VBD": 1,
        "pos VBD </s>": 1,
        "characters He r": 1,
        "characters e ra": 1,
        "characters  ran": 1,
    }


def test_repeated_ngrams_are_counted() -> None:
    features = _features("aaaaaa", Parse(("a", "a"), (), ("NN", "NN"), (), (0, 0), ("ROOT", "dep")), 0, order=1)
    assert features["characters aaaa"] == 3
    assert features["ngrams a/NN"] == features["pos NN"] == 2


def test_each_variant_learns_from_its_own_features() -> None:
    # Same length, sentiment, complexity and parts of speech; only the verb differs. The right one is drawn by turns.
    pairs = [("He ran home", "He sat home"), ("He sat home", "He ran home")] * 10
    system = fitted(cases(pairs, [1, 2] * 10))
    scores = system.score(cases([("Tom sat there", "Tom ran there")], [None]), Split())
    assert set(scores) == set(VARIANTS)
    assert {variant: int(choices(each)[0]) for variant, each in scores.items()} == {
        "": 2,
        "style": 1,
        "ngrams": 2,
        "pos": 1,
        "characters": 2,
    }
    for variant in ("style", "pos"):
        assert scores[variant][0, 0] == scores[variant][0, 1]


def test_length_and_parts_of_speech_tell_where_they_differ() -> None:
    pairs = [("Tom ran", "He ran quickly there"), ("He sat quickly there", "Tom sat")] * 10
    system = fitted(cases(pairs, [2, 1] * 10))
    scores = system.score(cases([("He ran", "Tom sat quickly home")], [1]), Split())
    assert choices(scores["style"]).tolist() == [2]
    assert choices(system.score(cases([("Tom sat there", "He sat there")], [1]), Split())["pos"]).tolist() == [2]


@pytest.mark.parametrize(("min_count", "is_feature"), [(3, True), (4, False)])
def test_ngrams_seen_too_seldom_are_no_features(min_count: int, is_feature: bool) -> None:
    pairs = [("He ran", "He sat")] * 11 + [("He ran quickly", "He sat")] * 3
    system = fitted(cases(pairs, [1] * 14), min_count=min_count)
    scores = system.score(cases([("He ran quickly", "He ran home")], [None]), Split())["ngrams"]
    assert (scores[0, 0] != scores[0, 1]) == is_feature


def test_the_order_of_two_endings_does_not_matter() -> None:
    pairs = [("He ran home", "Tom sat there"), ("Tom sat quickly", "He ran"), ("He sat", "Tom ran home quickly")] * 5
    labels = [1, 2, 1] * 5
    swapped = [(second, first) for first, second in pairs]
    one = fitted(cases(pairs, labels)).score(cases(pairs, labels), Split())
    other = fitted(cases(swapped, [3 - label for label in labels])).score(cases(swapped, labels), Split())
    for variant, scores in one.items():
        np.testing.assert_allclose(scores, other[variant][:, ::-1], atol=1e-12)


def test_an_ending_that_cannot_be_parsed_is_scored_and_counted() -> None:
    pairs = [("He ran home", "He sat home"), ("He sat home", "")] * 10
    table = cases(pairs, [1, 1] * 10)
    resources = Split()
    scores = fitted(table).score(table, resources)
    assert all(np.isfinite(each).all() for each in scores.values())
    assert resources.notes == {"ending_reg: endings without a parse": 10}
    for variant in VARIANTS:
        assert scores[variant][1, 1] == 0  # no feature at all


def test_too_few_cases_are_refused() -> None:
    with pytest.raises(UserError, match="at least 10 labelled cases for 5 folds, not 9"):
        fitted(cases([("He ran", "He sat")] * 9, [1] * 9))


@pytest.mark.parametrize("option", ["order", "min_count", "n_folds"])
def test_options_out_of_range_are_refused(option: str) -> None:
    with pytest.raises(UserError, match=f"{option} must be at least"):
        load_system("ending_reg", {option: 0})
