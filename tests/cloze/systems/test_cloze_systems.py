"""What holds for every Story Cloze system, row by row of the registry."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze import SYSTEMS, WITHOUT_CONTEXT
from denouement.cloze.base import choices, load_system
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.evaluation.published import HUMAN
from denouement.cloze.resources import Resources
from denouement.corpus import sample
from denouement.corpus.cases import n_endings

# Smaller than the defaults, so that what is trained here is trained in a moment. A system may do without.
OPTIONS = {
    "skip_thoughts": {"dimension": 8, "embedding": 4, "units": 4, "epochs": 1, "min_count": 1},
    "dssm": {"hidden": 8, "dimension": 4, "epochs": 1},
    "word_vectors": {"dimension": 4, "epochs": 1, "min_count": 1},
    "ending_reg": {"n_folds": 2, "min_count": 2},
    "combined": {"n_folds": 2, "min_count": 2},
    "likelihood": {"contexts": 2},
    "lm_likelihood": {"shots": 1},
    "lm_probe": {"n_folds": 2},
    "lm_pairwise": {"epochs": 1, "learning_rate": 0.003},
    "ensemble": {"systems": {"ending_reg": {"n_folds": 2, "min_count": 2}, "lm_probe": {"n_folds": 2}}},
}

visited: Counter[str] = Counter()


@pytest.fixture(scope="module")
def stories() -> pa.Table:
    rows = [
        {
            "story_id": story.story_id,
            "title": story.title,
            "sentences": list(story.sentences),
            "source": "sample",
            "split": "train" if number < 32 else "validation",
        }
        for number, story in enumerate(sample.stories(40, seed=1))
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


@pytest.fixture(scope="module")
def cases() -> pa.Table:
    """Two stories a case: the ending of the one is wrong for the other."""
    stories = list(sample.stories(88, seed=1))[40:]
    rows = []
    for number, (story, other) in enumerate(zip(stories[0::2], stories[1::2], strict=True)):
        endings = [story.sentences[-1], other.sentences[-1]]
        right = 1 + number % 2
        rows.append(
            {
                "case_id": f"case-{number}",
                "context": list(story.sentences[:-1]),
                "endings": [endings[right - 1], endings[2 - right]],
                "language": "en",
                "right_ending": right,
                "release": "sample",
                "split": "validation",
            }
        )
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


@pytest.fixture(scope="module")
def mixed(cases) -> pa.Table:
    """The same cases with two, three or four endings; the further ones are of other cases, and the second is right."""
    rows = cases.to_pylist()
    for number, row in enumerate(rows):
        right = row["endings"][row["right_ending"] - 1]
        others = [rows[(number + step) % len(rows)]["endings"][0] for step in (3, 5, 7)]
        others = [text for text in dict.fromkeys(others) if text != right]
        row["new"] = [others[0], right, *others[1 : 1 + number % 3]]
    return pa.Table.from_pylist([{**row, "endings": row["new"], "right_ending": 2} for row in rows], cases.schema)


@pytest.fixture(scope="module")
def resources(stories, reader_of, infersent_files, tiny_model, tmp_path_factory) -> Resources:
    return Resources(
        stories=stories,
        encoders={"glove": {}, "infersent": infersent_files},
        generators=[reader_of("infersent", infersent_files)],
        language_model=str(tiny_model),
        cache=tmp_path_factory.mktemp("cache"),
    )


def scores_of(system, cases, resources) -> np.ndarray:
    """float64 [variants, cases, 2], variants in the order of their names."""
    by_variant = system.score(cases, resources)
    assert by_variant
    return np.stack([by_variant[variant] for variant in sorted(by_variant)])


def by_itself(scores: np.ndarray, n: np.ndarray) -> list[np.ndarray]:
    """The scores of each case, float64 [variants, endings], without the places that it lacks."""
    return [scores[:, at, :n_of_case] for at, n_of_case in enumerate(n)]


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_scores_are_of_the_endings_however_many_there_are(name, mixed, resources):
    """Finite where a case has an ending; the same for a case by itself; turned round where the endings are."""
    system = load_system(name, OPTIONS.get(name))
    own = resources.of_another_system()
    system.prepare(own)
    if system.learns_from_cases:
        system.fit(mixed.slice(0, 16), own)
    unseen = mixed.slice(16)
    n = n_endings(unseen)
    assert sorted(set(n.tolist())) == [2, 3, 4]
    scores = scores_of(system, unseen, own)
    assert scores.shape[1:] == (8, 4)
    is_there = np.arange(4) < n[:, None]
    assert np.isfinite(scores[:, is_there]).all()
    assert (scores[:, ~is_there] == -np.inf).all()
    anew = replace(resources)
    for at, of_case in enumerate(by_itself(scores, n)):
        alone = scores_of(system, unseen.slice(at, 1), anew)
        assert alone[:, 0] == pytest.approx(of_case, rel=1e-4, abs=1e-5)
    if system.reads_endings:
        rows = [{**row, "endings": row["endings"][::-1]} for row in unseen.to_pylist()]
        turned = scores_of(system, pa.Table.from_pylist(rows, unseen.schema), own)
        for one, other in zip(by_itself(scores, n), by_itself(turned, n), strict=True):
            assert other[:, ::-1] == pytest.approx(one, rel=1e-4, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_scores_are_of_the_endings_whatever_their_place(name, cases, resources):
    """Finite; the same again, and a case at a time; turned round where the endings are; and no label is read."""
    visited[name] += 1
    system = load_system(name, OPTIONS.get(name))
    assert system.name == name
    own = resources.of_another_system()
    system.prepare(own)
    if system.learns_from_cases:
        system.fit(cases.slice(0, 16), own)
    unlabelled = [{**row, "right_ending": None} for row in cases.slice(16).to_pylist()]
    unseen = pa.Table.from_pylist(unlabelled, cases.schema)
    scores = scores_of(system, unseen, own)
    assert scores.shape[1:] == (8, 2)
    assert np.isfinite(scores).all()
    assert np.array_equal(scores, scores_of(system, unseen, own))
    anew = replace(resources)  # which remembers nothing of the cases
    single = [scores_of(system, unseen.slice(at, 1), anew) for at in range(8)]
    assert np.concatenate(single, axis=1) == pytest.approx(scores, rel=1e-4, abs=1e-5)
    if system.reads_endings:
        rows = [{**row, "endings": row["endings"][::-1]} for row in unseen.to_pylist()]
        turned = scores_of(system, pa.Table.from_pylist(rows, unseen.schema), own)
        is_tie = np.isclose(scores[..., 0], scores[..., 1], rtol=1e-4, atol=1e-5)  # which may be drawn
        assert turned[~is_tie][:, ::-1] == pytest.approx(scores[~is_tie], rel=1e-4, abs=1e-5)
        assert (choices(turned[~is_tie]) == 3 - choices(scores[~is_tie])).all()
    contexts = unseen["context"].take(pa.array([*range(1, 8), 0]))  # each case gets that of the next one
    elsewhere = unseen.set_column(unseen.column_names.index("context"), "context", contexts)
    assert np.allclose(scores_of(system, elsewhere, own), scores) == (name in WITHOUT_CONTEXT)
    assert isinstance(system.learns_from_stories(min(system.score(unseen, own))), bool)


@pytest.mark.slow
def test_every_row_was_visited_and_is_a_row_of_the_table(cases, resources):
    print(f"{len(visited)} systems visited")
    assert visited == Counter(list(SYSTEMS))
    systems = evaluate(list(SYSTEMS), cases, None, resources, OPTIONS, n_folds=2).result.systems
    assert {row.system for row in systems} - {HUMAN} == set(SYSTEMS)
    assert [row.missing for row in systems if row.missing] == []
    assert all(row.n == 24 and 0 <= row.accuracy <= 1 for row in systems)
