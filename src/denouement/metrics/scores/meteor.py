"""METEOR of single endings (Lavie and Agarwal 2007), as NLTK works it out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np

from denouement.cloze.resources import Resources
from denouement.files import file_digest
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.text.treebank import treebank_tokens
from denouement.text.wordnet import SYNONYM_FILES, NoWordNetError, Synonyms, find_wordnet


@dataclass
class Meteor(EndingMetric):
    """METEOR with the parameters of 2007 (alpha 0.9, beta 3, gamma 0.5); the best reference counts.

    Words are matched as they are, then by Porter stem, then by synonym; each is the token of a Treebank tokenizer in
    lower case. `nltk.translate.meteor_score` does so with NLTK's copy of WordNet, here with the installed one.

    Attributes:
        wordnet: the folder of WordNet's database; null: where it is usually found.
    """

    name: ClassVar[str] = "meteor"
    measures: ClassVar[Mapping[str, Measure]] = {
        "meteor_2007_treebank": Measure("words, stems and synonyms that a reference has, in its order", "higher"),
    }
    needs: ClassVar[Sequence[str]] = ("references", "WordNet")
    needs_references: ClassVar[bool] = True
    only_english: ClassVar[bool] = True

    wordnet: str | None = None

    def lacks(self, resources: Resources) -> list[str]:
        """See `Metric`."""
        try:
            folder = self._folder()
        except NoWordNetError as error:
            return [str(error)]
        missing = [name for name in SYNONYM_FILES if not (folder / name).is_file()]
        return [f"{self.name} reads all of WordNet: {folder} lacks {', '.join(missing)}"] if missing else []

    def files(self, resources: Resources) -> Sequence[str]:
        """See `Metric`."""
        return [file_digest(self._folder() / name) for name in SYNONYM_FILES]

    def _folder(self) -> Path:
        return find_wordnet(Path(self.wordnet) if self.wordnet else None)

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""
        from nltk.stem.porter import PorterStemmer
        from nltk.translate.meteor_score import meteor_score

        synonyms = resources.once(("synonyms", self.wordnet), lambda: Synonyms(self._folder()))
        stemmer = SimpleNamespace(stem=cache(PorterStemmer().stem))
        of_rows = zip(rows.endings, rows.references, strict=True)
        found = [
            meteor_score(
                [treebank_tokens(text) for text in references],
                treebank_tokens(ending),
                stemmer=stemmer,
                wordnet=_AsNltk(synonyms),
            )
            for ending, references in of_rows
        ]
        return {f"meteor_2007_treebank wordnet_{synonyms.version}": np.array(found, np.float64)}


class _Lemma(str):
    def name(self) -> str:
        return str(self)


@dataclass(frozen=True)
class _AsNltk:
    """Synonyms as NLTK's METEOR asks its own reader of WordNet for them: here all senses of a word are one."""

    synonyms: Synonyms

    def synsets(self, word: str) -> list[SimpleNamespace]:
        """One sense that has all synonyms of the word."""
        return [SimpleNamespace(lemmas=lambda: map(_Lemma, self.synonyms.of(word)))]
