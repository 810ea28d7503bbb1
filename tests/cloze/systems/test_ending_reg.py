from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from denouement import schemas
from denouement.cloze.base import choices, endings, load_system
from denouement.cloze.evaluation.published import accuracy
from denouement.cloze.parts.pairwise import Pairs
from denouement.cloze.resources import Resources
from denouement.cloze.systems.ending_reg import VARIANTS, EndingReg, Form, _best, _features
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
            "context": [f"It was so {number}."] * 4,
            "endings": [first, second],
            "language": "en",
            "right_ending": label,
            "release": "v1.0",
            "split": "validation",
        }
        for number, ((first, second), label) in enumerate(zip(pairs, labels, strict=True))
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


def fitted(table: pa.Table, **options: int | str) -> EndingReg:
    system = load_system("ending_reg", options)
    assert isinstance(system, EndingReg)
    system.fit(table, Split())
    return system


def drawn(n: int, seed: int) -> pa.Table:
    """Cases whose right endings have the first words of the list more often, and whose wrong ones the last."""
    random = np.random.default_rng(seed)
    words = list(TAGS)
    odds = np.linspace(2, 1, len(words))

    def ending(is_right: bool) -> str:
        chances = odds if is_right else odds[::-1]
        return " ".join(random.choice(words, random.integers(3, 8), p=chances / chances.sum()))

    labels = random.integers(1, 3, n).tolist()
    return cases([(ending(label == 1), ending(label == 2)) for label in labels], labels)


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


def test_endings_are_classified_one_by_one_and_the_likelier_one_is_chosen() -> None:
    """The paper's form, made again by scikit-learn: four characters counted, a logistic regression of endings."""
    table, unseen = drawn(120, 0), drawn(80, 1)
    system = fitted(table)
    texts = endings(table)
    counter = CountVectorizer(analyzer="char", ngram_range=(4, 4), lowercase=False)
    counts = counter.fit_transform(texts)
    often = np.asarray(counts.sum(axis=0)).ravel() >= 5
    is_right = np.array([[label == 1, label == 2] for label in table["right_ending"].to_pylist()]).ravel()
    regression = LogisticRegression(
        C=system._models["characters"].strength, solver="liblinear", tol=1e-8, max_iter=10_000
    )
    regression.fit(counts[:, often], is_right)
    found = counter.transform(endings(unseen))[:, often]
    probabilities = regression.predict_proba(found)[:, 1].reshape(-1, 2)
    scores = system.score(unseen, Split())["characters"]
    log_odds = regression.decision_function(found).reshape(-1, 2)
    # They differ by the tolerance at which the search ends.
    np.testing.assert_allclose(np.subtract(*scores.T), np.subtract(*log_odds.T), atol=0.02)
    sure = np.abs(np.subtract(*log_odds.T)) > 0.02
    assert sure.sum() > 70
    assert choices(scores)[sure].tolist() == choices(probabilities)[sure].tolist()


def test_pairs_are_classified_by_the_differences_of_features_of_a_variance_of_one() -> None:
    """The other form, made again by scikit-learn with every example in both directions."""
    table, unseen = drawn(120, 0), drawn(80, 1)
    system = fitted(table, form="pairwise")
    counter = CountVectorizer(analyzer="char", ngram_range=(4, 4), lowercase=False)
    counts = counter.fit_transform(endings(table)).toarray()
    often = counts.sum(axis=0) >= 5
    vectors = counts[:, often] / counts[:, often].std(axis=0)
    sign = np.where(table["right_ending"].to_numpy() == 1, 1, -1)[:, None]
    differences = sign * (vectors[0::2] - vectors[1::2])
    regression = LogisticRegression(
        C=system._models["characters"].strength / 2, fit_intercept=False, tol=1e-8, max_iter=10_000
    )
    regression.fit(np.vstack([differences, -differences]), np.repeat([1, 0], len(differences)))
    found = counter.transform(endings(unseen)).toarray()[:, often] / counts[:, often].std(axis=0)
    expected = (found[0::2] - found[1::2]) @ regression.coef_[0]
    scores = system.score(unseen, Split())
    np.testing.assert_allclose(np.subtract(*scores["pairwise characters"].T), expected, atol=0.01)
    assert list(scores) == [f"pairwise {variant}".strip() for variant in VARIANTS]
    for variant in scores:  # the paper's values are of the other form
        assert accuracy("ending_reg", variant, "v1.0", "test") is None


def test_the_penalty_is_the_one_with_the_least_loss_of_held_out_cases() -> None:
    class Examples:
        """The margin of each case is that of its strength."""

        pairs = Pairs.of(cases([("x", "y")] * 6, [1] * 6))
        differences = csr_array(np.ones((6, 1)))
        margins: ClassVar = {0.1: 1.0, 0.2: 2.0, 0.3: -1.0, 0.4: 3.0}

        def weights(self, some: np.ndarray, strength: float) -> np.ndarray:
            return np.array([self.margins[strength] + some.all()])

    weights, strength, margins = _best(Examples(), tuple(Examples.margins), np.arange(6) % 2)
    assert strength == 0.2  # what comes after the first rise is not looked at
    assert margins.tolist() == [2.0] * 6
    assert weights.tolist() == [3.0]  # of all cases


@pytest.mark.parametrize("form", ["per_ending", "pairwise"])
def test_held_out_margins_stem_from_other_cases(form: Form) -> None:
    table = drawn(60, 0)
    margins = fitted(table, form=form)._models[""].margins
    labels = table["right_ending"].to_pylist()
    turned = table.set_column(
        table.schema.get_field_index("right_ending"),
        table.schema.field("right_ending"),
        pa.array([3 - labels[0], *labels[1:]], pa.int8()),
    )
    after = fitted(turned, form=form)._models[""].margins
    assert after[0] == pytest.approx(-margins[0], rel=1e-9)  # its own label turns the sign and nothing else
    assert not np.allclose(after[1:], margins[1:])


@pytest.mark.parametrize("form", ["per_ending", "pairwise"])
def test_a_group_without_a_feature_gives_equal_scores(form: Form) -> None:
    table = drawn(40, 0)
    scores = fitted(table, form=form, min_count=10_000).score(table, Split())
    prefix = "pairwise " if form == "pairwise" else ""
    for variant in ("ngrams", "pos", "characters"):
        assert not scores[prefix + variant].any()
    assert scores[prefix + "style"].any()


def test_weights_are_for_a_standard_deviation() -> None:
    table = drawn(100, 0)
    system = fitted(table)
    weights = dict(system.weights())
    tokens = [len(text.split()) for text in endings(table)]
    longer = cases([("He ran", "He ran")], [1])
    at = list(system._columns.get_feature_names_out()).index("style tokens")
    assert weights["style tokens"] == pytest.approx(system._models[""].weights[at] * np.std(tokens))
    assert [abs(weight) for weight in weights.values()] == sorted(map(abs, weights.values()), reverse=True)
    assert np.subtract(*system.score(longer, Split())[""].T) == [0]


@pytest.mark.parametrize("form", ["per_ending", "pairwise"])
def test_new_cases_are_decided_as_those_it_was_fitted_to(form: Form) -> None:
    table, unseen = drawn(300, 0), drawn(300, 1)
    system = fitted(table, form=form)
    scores = next(iter(system.score(unseen, Split()).values()))
    assert (choices(scores) == unseen["right_ending"].to_numpy()).mean() > 0.6
    assert system.slope > 0


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


def test_length_and_parts_of_speech_decide_where_they_differ() -> None:
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
    with pytest.raises(UserError, match=f"{option}: must be at least"):
        load_system("ending_reg", {option: 0})


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(UserError, match="form: must be one of per_ending, pairwise, not 'paired'"):
        load_system("ending_reg", {"form": "paired"})
