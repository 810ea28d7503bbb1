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
                "ending_1": endings[right - 1],
                "ending_2": endings[2 - right],
                "right_ending": right,
                "release": "sample",
                "split": "validation",
            }
        )
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


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
    unseen = cases.slice(16).drop_columns("right_ending").append_column("right_ending", pa.nulls(8, pa.int8()))
    scores = scores_of(system, unseen, own)
    assert scores.shape[1:] == (8, 2)
    assert np.isfinite(scores).all()
    assert np.array_equal(scores, scores_of(system, unseen, own))
    anew = replace(resources)  # which remembers nothing of the cases
    single = [scores_of(system, unseen.slice(at, 1), anew) for at in range(8)]
    assert np.concatenate(single, axis=1) == pytest.approx(scores, rel=1e-4, abs=1e-5)
    if system.reads_endings:
        names = {"ending_1": "ending_2", "ending_2": "ending_1"}
        turned = scores_of(system, unseen.rename_columns(names).select(unseen.column_names), own)
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
