"""Systems that choose between the two endings of a Story Cloze case. To add one: one file, one row here, one test.

The names that a notebook imports are listed here, too; each is loaded at its first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from denouement.cloze.base import load_system as load_system
    from denouement.cloze.evaluation.brought_scores import read_scores as read_scores
    from denouement.cloze.evaluation.evaluate import evaluate as evaluate
    from denouement.cloze.evaluation.evaluator import evaluate_vectors as evaluate_vectors
    from denouement.cloze.resources import Resources as Resources

SYSTEMS: dict[str, str] = {
    "constant_first": "denouement.cloze.systems.constant_first:ConstantFirst",
    "frequency": "denouement.cloze.systems.frequency:Frequency",
    "ngram_overlap": "denouement.cloze.systems.ngram_overlap:NgramOverlap",
    "word_vectors": "denouement.cloze.systems.word_vectors:AverageWordVectors",
    "sentiment_full": "denouement.cloze.systems.sentiment_full:SentimentFull",
    "sentiment_last": "denouement.cloze.systems.sentiment_last:SentimentLast",
    "skip_thoughts": "denouement.cloze.systems.skip_thoughts:SkipThoughtCosine",
    "narrative_chains": "denouement.cloze.systems.narrative_chains:NarrativeChains",
    "dssm": "denouement.cloze.systems.dssm:Dssm",
    "ending_reg": "denouement.cloze.systems.ending_reg:EndingReg",
    "cogcomp": "denouement.cloze.systems.cogcomp:CogComp",
    "likelihood": "denouement.cloze.systems.likelihood:Likelihood",
    "embedding_cosine": "denouement.cloze.systems.embedding_cosine:EmbeddingCosine",
    "combined": "denouement.cloze.systems.combined:Combined",
}

_PUBLIC = {
    "Resources": "denouement.cloze.resources",
    "evaluate": "denouement.cloze.evaluation.evaluate",
    "evaluate_vectors": "denouement.cloze.evaluation.evaluator",
    "load_system": "denouement.cloze.base",
    "read_scores": "denouement.cloze.evaluation.brought_scores",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)
