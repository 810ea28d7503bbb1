"""N-gram overlap: Mostafazadeh et al. 2016, section 5, system 2."""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, by_case, case_of_endings, endings
from denouement.cloze.resources import Resources
from denouement.text.words import lowered


@dataclass
class NgramOverlap(ClozeSystem):
    """The ending that shares more n-grams with the context, by smoothed BLEU up to four words.

    Smoothing is that of Lin and Och 2004 (ORANGE): one is added to the matches and to the n-grams counted, of each n
    above 1, so that an ending without a word of its context has 0. Words are compared in lower case.

    The paper does not say what the references are. They are the context's sentences here: an ending's n-gram is a match
    when any of them has it, and the brevity penalty compares its length with that of the sentence nearest in length.
    With the whole context as the one reference nearly all of the score is brevity penalty, a reward for long endings.
    """

    name: ClassVar[str] = "ngram_overlap"

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

        add_one = SmoothingFunction().method2
        references = [[lowered(sentence) for sentence in context] for context in cases["context"].to_pylist()]
        scores = by_case(
            [
                float(sentence_bleu(references[case], lowered(ending), smoothing_function=add_one))
                for case, ending in zip(case_of_endings(cases), endings(cases), strict=True)
            ],
            cases,
        )
        resources.notes["ngram_overlap: cases without a word in common with any ending"] += int(
            (scores.max(axis=1) == 0).sum()
        )
        return {"": scores}
