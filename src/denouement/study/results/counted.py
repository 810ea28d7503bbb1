"""`denouement.answers` under the name that it had."""

from denouement.answers import ANSWER, SCALES, accepted_checks, counted, n_answers, statuses

__all__ = ["ANSWER", "SCALES", "accepted_checks", "counted", "n_answers", "statuses"]
