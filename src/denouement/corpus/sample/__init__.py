"""The embedded sample corpus: everyday stories and Story Cloze cases made by a seeded story grammar."""

from denouement.corpus.sample.telling import Case, Story, cloze_cases, stories
from denouement.corpus.sample.writing import SampleCounts, write_sample

__all__ = ["Case", "SampleCounts", "Story", "cloze_cases", "stories", "write_sample"]
