"""Story endings: generate them, compare them, and measure how far automatic scores are from what people say.

What a notebook uses is imported from here, such as `denouement.load_generator`; `docs/api.md` shows each. A name is
loaded when it is first used, so `import denouement` itself loads no library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from denouement.analysis.endings import repetition as repetition
    from denouement.analysis.sentiment import score_groups as score_groups
    from denouement.analysis.sentiment import sentiment_result as sentiment_result
    from denouement.answers import read_votes as read_votes
    from denouement.cloze.base import load_system as load_system
    from denouement.cloze.evaluation.brought_scores import read_scores as read_scores
    from denouement.cloze.evaluation.evaluate import evaluate as evaluate
    from denouement.cloze.evaluation.evaluator import evaluate_vectors as evaluate_vectors
    from denouement.cloze.resources import Resources as Resources
    from denouement.corpus.cases import labelled_cases as labelled_cases
    from denouement.corpus.cases import right_and_wrong as right_and_wrong
    from denouement.corpus.contexts import read_contexts as read_contexts
    from denouement.corpus.ingest import ingest as ingest
    from denouement.corpus.sample import write_sample as write_sample
    from denouement.documents import document as document
    from denouement.documents import read_document as read_document
    from denouement.encoders.base import load_encoder as load_encoder
    from denouement.encoders.embeddings import embed_corpus as embed_corpus
    from denouement.encoders.settings import EncodeSettings as EncodeSettings
    from denouement.errors import UserError as UserError
    from denouement.generators.checkpoints import load_generator as load_generator
    from denouement.generators.decoding import Decoding as Decoding
    from denouement.generators.endings import generate_endings as generate_endings
    from denouement.generators.training import settings_for as settings_for
    from denouement.generators.training import train as train
    from denouement.layout import Layout as Layout
    from denouement.schemas import read_table as read_table
    from denouement.schemas import write_table as write_table
    from denouement.study.importing import import_answers as import_answers
    from denouement.study.results.preferences import study_results as study_results
    from denouement.text.sentiment import vader as vader

_MODULES = {
    "analysis.endings": ("repetition",),
    "analysis.sentiment": ("score_groups", "sentiment_result"),
    "answers": ("read_votes",),
    "cloze.base": ("load_system",),
    "cloze.evaluation.brought_scores": ("read_scores",),
    "cloze.evaluation.evaluate": ("evaluate",),
    "cloze.evaluation.evaluator": ("evaluate_vectors",),
    "cloze.resources": ("Resources",),
    "corpus.cases": ("labelled_cases", "right_and_wrong"),
    "corpus.contexts": ("read_contexts",),
    "corpus.ingest": ("ingest",),
    "corpus.sample": ("write_sample",),
    "documents": ("document", "read_document"),
    "encoders.base": ("load_encoder",),
    "encoders.embeddings": ("embed_corpus",),
    "encoders.settings": ("EncodeSettings",),
    "errors": ("UserError",),
    "generators.checkpoints": ("load_generator",),
    "generators.decoding": ("Decoding",),
    "generators.endings": ("generate_endings",),
    "generators.training": ("settings_for", "train"),
    "layout": ("Layout",),
    "schemas": ("read_table", "write_table"),
    "study.importing": ("import_answers",),
    "study.results.preferences": ("study_results",),
    "text.sentiment": ("vader",),
}
_MODULE_OF = {name: f"denouement.{module}" for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
