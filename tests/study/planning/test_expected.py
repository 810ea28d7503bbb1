"""The interval that a study may expect, next to what is known of such intervals."""

from denouement.study.planning.expected import expected_interval


def test_the_interval_is_around_the_share_and_the_same_each_time():
    found = expected_interval(0.8, 50, 5, 10)
    assert 0.5 < found.low < 0.8 < found.high < 1
    assert found == expected_interval(0.8, 50, 5, 10)


def test_more_stories_and_more_people_make_it_narrower():
    def width(cases: int, per_case: int, people: int) -> float:
        found = expected_interval(0.5, cases, per_case, people)
        return found.high - found.low

    assert width(20, 3, 3) > width(20, 5, 5) > width(40, 5, 5) > width(200, 5, 10)


def test_with_one_answer_or_all_alike_there_is_none_and_no_error():
    assert expected_interval(0.9999, 2, 1, 1).low is None
    assert expected_interval(0.5, 10_000, 1000, 1000).low is not None
