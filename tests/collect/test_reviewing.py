"""What becomes of a story, worked out by hand: two reviewers, returns, approval after some days, own work."""

from datetime import UTC, datetime, timedelta

import pytest

from denouement.collect.description import ReviewStep
from denouement.collect.reviewing import HandedIn, StoryReview, refusal, status

START = datetime(2026, 1, 1, tzinfo=UTC)


def day(n: float) -> datetime:
    return START + timedelta(days=n)


def approve(who: str, n: float = 0.5) -> StoryReview:
    return StoryReview(who, "approve", day(n))


RETURN = StoryReview("r1", "return", day(0.5), "The dog is missing.")
REJECT = StoryReview("r2", "reject", day(0.6), "It is copied.")


@pytest.mark.parametrize(
    ("reviews", "reviewers", "expected"),
    [
        ((), 1, "open"),
        ((approve("r1"),), 1, "approved"),
        ((approve("r1"),), 2, "open"),
        ((approve("r1"), approve("r2")), 2, "approved"),
        ((RETURN,), 1, "returned"),
        ((approve("r1"), REJECT), 2, "rejected"),
        ((RETURN, REJECT), 2, "returned"),  # the first one decides
    ],
)
def test_reviews_decide(reviews, reviewers, expected):
    assert status([HandedIn(START, reviews)], ReviewStep(reviewers=reviewers), day(1)) == expected


def test_without_review_every_story_is_approved():
    assert status([HandedIn(START)], None, START) == "approved"


def test_after_some_days_a_story_is_approved():
    step = ReviewStep(approve_after_days=2, reviewers=2)
    one = [HandedIn(START, (approve("r1"),))]
    assert (status(one, step, day(1.9)), status(one, step, day(2))) == ("open", "approved")
    returned = [HandedIn(START, (RETURN,))]
    assert status(returned, step, day(9)) == "returned"
    again = [*returned, HandedIn(day(8))]
    assert (status(again, step, day(9)), status(again, step, day(10))) == ("open", "approved")  # counted anew
    late = [HandedIn(START, (StoryReview("r1", "reject", day(3), "Too late."),))]
    assert status(late, step, day(4)) == "approved"


def test_what_is_not_taken():
    step = ReviewStep(returns=1, reviewers=2)
    first = [HandedIn(START, (approve("r1"),))]
    assert refusal(first, "w", approve("r2", 1), step) is None
    assert "You wrote" in (refusal(first, "r2", approve("r2", 1), step) or "")
    assert "already" in (refusal(first, "w", approve("r1", 1), step) or "")
    assert "Say why" in (refusal(first, "w", StoryReview("r2", "reject", day(1), " \u200b"), step) or "")
    assert refusal(first, "w", StoryReview("r2", "return", day(1), "More!"), step) is None
    second = [HandedIn(START, (RETURN,)), HandedIn(day(1))]
    assert "returned 1 times" in (refusal(second, "w", StoryReview("r1", "return", day(2), "More!"), step) or "")
    assert refusal(second, "w", StoryReview("r1", "reject", day(2), "No."), step) is None  # may review the next version
    decided = [HandedIn(START, (RETURN,))]
    assert "decided already" in (refusal(decided, "w", approve("r3", 1), step) or "")
