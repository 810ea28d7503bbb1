"""HANNA: a small file, and the correlations that its authors publish, where the file is there."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from denouement.errors import UserError
from denouement.metrics.agreement.levels import GLOBAL, ITEM, SYSTEM, all_once, correlations
from denouement.metrics.agreement.people import read_people
from denouement.metrics.agreement.published import published_file
from denouement.metrics.agreement.reading import read_scores
from denouement.metrics.agreement.values import gathered_ratings, gathered_scores, matched

CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
HEADER = ",".join(["Model", *CRITERIA, "BLEU Ξ§", "Text length ¤§", "Human 1 RE", "Human 2 RE", "Human 3 RE"])
SMALL = f"""{HEADER}
Human,"[2.0, 5.0]","[3, 3]","[1, 1]","[1, 1]","[1, 1]","[1, 1]","[100.0, 99.5]","[7, nan]","[1, 5]","[2, 5]","[3, 5]"
GPT,"[1.0, 2.0]","[3, 4]","[1, 1]","[1, 1]","[1, 1]","[1, 1]","[0.5, 1e-3]","[9, 8]","[1, 2]","[1, 2]","[1, 2]"
"""

# Sizes of Kendall's tau without the human stories, by criterion in their order, from the files story_kendall.csv (of
# which a later version is over all stories at once) and system_kendall.csv in the folder `rankings` of the authors'
# repository dig-team/hanna-benchmark-asg.
PUBLISHED = {
    GLOBAL: {
        "BLEU": (0.073779, 0.109830, 0.133306, 0.105941, 0.138524, 0.189139),
        "chrF": (0.096211, 0.166428, 0.173901, 0.171027, 0.201724, 0.289997),
        "BERTScore Recall": (0.139845, 0.176990, 0.207439, 0.188906, 0.239104, 0.327177),
        "S3-Pyramid": (0.138324, 0.186163, 0.194503, 0.172332, 0.225987, 0.306341),
        "Repetition-3": (0.048914, 0.195069, 0.107135, 0.189015, 0.204065, 0.260243),
        "SUPERT-PS": (0.263665, 0.029279, 0.016184, 0.025587, 0.051958, 0.063254),
    },
    ITEM: {
        "BLEU": (0.139220, 0.170694, 0.184805, 0.173077, 0.227637, 0.302006),
        "chrF": (0.156322, 0.246078, 0.233341, 0.244503, 0.307714, 0.433072),
        "BERTScore Recall": (0.162014, 0.225319, 0.217530, 0.212542, 0.289336, 0.380209),
        "S3-Pyramid": (0.150792, 0.243946, 0.231939, 0.227996, 0.296217, 0.391124),
        "Repetition-3": (0.070983, 0.198123, 0.123163, 0.183841, 0.219341, 0.268371),
        "SUPERT-PS": (0.285919, 0.041689, 0.029098, 0.014309, 0.053888, 0.053521),
    },
    SYSTEM: {
        "BLEU": (0.555556, 0.333333, 0.422222, 0.422222, 0.333333, 0.539360),
        "chrF": (0.600000, 0.466667, 0.466667, 0.555556, 0.466667, 0.674200),
        "BERTScore Recall": (0.555556, 0.422222, 0.511111, 0.511111, 0.422222, 0.629253),
        "S3-Pyramid": (0.600000, 0.377778, 0.377778, 0.466667, 0.377778, 0.584306),
        "Repetition-3": (0.377778, 0.333333, 0.244444, 0.333333, 0.333333, 0.314627),
        "SUPERT-PS": (0.111111, 0.200000, 0.022222, 0.200000, 0.200000, 0.179787),
    },
}


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "any_name.csv"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_lists_become_scores_and_ratings_of_people(small):
    scores = read_scores(small)
    assert scores.names == ["BLEU", "Text length"]
    assert scores.endings == [("1", "GPT"), ("1", "Human"), ("2", "GPT"), ("2", "Human")]
    assert scores.values[0].tolist() == [0.5, 100, 0.001, 99.5]
    assert scores.values[1][:3].tolist() == [9, 7, 8]
    people = read_people(small)
    assert people.question == "Relevance"
    assert people.ratings.raters == ["Human 1 RE", "Human 2 RE", "Human 3 RE"]
    assert people.ratings.means().tolist() == [1, 2, 2, 5]
    coherence = read_people(small, "Coherence").ratings
    assert (coherence.raters, coherence.means().tolist()) == (["Coherence"], [3, 3, 4, 3])


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[9, 8]", "[9]", "its lists have different lengths"),
        ("[9, 8]", "9", "Text length ¤§ of GPT is no list of numbers"),
        ('"[9, 8]",', "", "a row has 11 cells where the header has 12"),
    ],
)
def test_a_damaged_file_is_refused(small, old, new, problem):
    small.write_text(SMALL.replace(old, new), encoding="utf-8")
    with pytest.raises(UserError, match=problem):
        published_file(small)


@pytest.fixture(scope="module")
def published(shared_data):
    path = shared_data / "hanna/hanna_metric_scores_llm.csv"
    if not path.is_file():
        pytest.skip(f"{path} is missing: it is HANNA's, at dig-team/hanna-benchmark-asg")
    found = published_file(path)
    scores = gathered_scores("HANNA", found.scores).only(list(PUBLISHED[GLOBAL]))
    return {
        criterion: matched(scores, gathered_ratings(criterion, rows), ["Human"])
        for criterion, rows in found.ratings.items()
    }


@pytest.mark.slow
def test_the_published_correlations_are_reached(published):
    reached = 0
    for place, criterion in enumerate(CRITERIA):
        grid, _, count = published[criterion]
        assert (count.endings, count.items, count.systems) == (960, 96, 10)
        for level, by_score in PUBLISHED.items():
            if (level, criterion) == (SYSTEM, "Complexity"):  # see the next test
                continue
            found = correlations(level, grid, all_once(grid))["kendall"][:, 0]
            for score, value in zip(grid.scores, found, strict=True):
                assert abs(value) == pytest.approx(by_score[score][place], abs=1e-6), (level, score, criterion)
                reached += 1
    assert reached == 102


@pytest.mark.slow
def test_the_mean_complexity_of_systems_is_equal_exactly_twice_and_not_once(published):
    """With whole numbers two pairs of systems have the same sum; of the means of floats one pair lost that."""
    grid, ratings, _ = published["Complexity"]
    systems = [ratings.endings[place][1] for place in ratings.ending]
    sums = [sum(int(v) for v, of in zip(ratings.value, systems, strict=True) if of == each) for each in grid.systems]
    assert len(sums) - len(set(sums)) == 2
    found = correlations(SYSTEM, grid, all_once(grid))["kendall"][:, 0]
    for score, ours, values in zip(grid.scores, found, grid.values, strict=True):
        assert ours == pytest.approx(kendalltau(values.mean(axis=1), sums)[0])
        with_one_tie = [abs(ours * np.sqrt(43 / 44) + more / np.sqrt(45 * 44)) for more in (-1, 1)]
        assert min(abs(each - PUBLISHED[SYSTEM][score][-1]) for each in with_one_tie) < 1e-6
