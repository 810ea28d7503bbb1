"""What becomes of a story by what its reviewers say."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from denouement.collect.description import ReviewStep
from denouement.legible import seen

Decision = Literal["approve", "return", "reject"]
Status = Literal["approved", "open", "returned", "rejected"]


@dataclass(frozen=True)
class StoryReview:
    """What a reviewer says of a story as it was handed in.

    Attributes:
        remark: the feedback that its writer reads; a returned or rejected story needs one.
        bonus: whether the writer is to get a bonus.
    """

    reviewer: str
    decision: Decision
    at: datetime
    remark: str = ""
    bonus: bool = False


@dataclass(frozen=True)
class HandedIn:
    """A version of a story: when it was handed in, and what reviewers said of it since, in their order."""

    at: datetime
    reviews: tuple[StoryReview, ...] = ()


def refusal(versions: Sequence[HandedIn], writer: str, review: StoryReview, step: ReviewStep) -> str | None:
    """Why a review of the last version is not taken, in words for the reviewer; None where it is."""
    last = versions[-1]
    if review.reviewer == writer:
        return "You wrote this story: somebody else reviews it."
    if any(each.reviewer == review.reviewer for each in last.reviews):
        return "You reviewed this story already."
    if status(versions, step, review.at) != "open":
        return "This story is decided already."
    if review.decision != "approve" and not seen(review.remark):
        return "Say why, so that the writer can learn from it."
    if review.decision == "return" and len(versions) > step.returns:
        return f"This story was returned {step.returns} times already: approve or reject it."
    return None


def status(versions: Sequence[HandedIn], step: ReviewStep | None, now: datetime) -> Status:
    """What became of a story.

    The first review that returns or rejects it decides; else it is approved as soon as `step.reviewers` approve it, or
    `step.approve_after_days` after it was handed in for the last time, whoever has approved it by then.

    Args:
        versions: the story each time that it was handed in, at least once.
        step: the rules; None: there is no review, and every story is approved.
        now: the time.
    """
    if step is None:
        return "approved"
    last = versions[-1]
    by_itself = None if step.approve_after_days is None else last.at + timedelta(days=step.approve_after_days)
    in_time = [each for each in last.reviews if by_itself is None or each.at < by_itself]
    for approvals, each in enumerate(in_time, 1):
        if each.decision != "approve":
            return "returned" if each.decision == "return" else "rejected"
        if approvals == step.reviewers:
            return "approved"
    return "approved" if by_itself is not None and now >= by_itself else "open"
