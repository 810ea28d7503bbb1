"""Trains a chooser (`parts.chooser`) on labelled cases and writes it, so that it can score endings later."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.cloze.base import load_system
from denouement.cloze.evaluation.case_sets import counted, learnable, learned_once
from denouement.cloze.evaluation.cross_validation import story_folds
from denouement.cloze.evaluation.results import Accuracy
from denouement.cloze.evaluation.statistics import accuracy, correct
from denouement.cloze.resources import Resources
from denouement.cloze.systems.lm_pairwise import LanguageModelPairwise
from denouement.errors import UserError


@dataclass(frozen=True)
class Part:
    """One of several parts of the cases, which have no story in common.

    Attributes:
        number: from 1.
        of: how many parts there are.
    """

    number: int
    of: int


@dataclass(frozen=True)
class NetworkTraining:
    """How a network of a chooser was trained.

    Attributes:
        seed: of what is drawn.
        examples: how many stories or cases it learned from.
        losses: the mean of each epoch, in nats an example.
    """

    seed: int
    examples: int
    losses: Sequence[float]


@dataclass(frozen=True)
class TrainedChooser:
    """A chooser that was trained.

    Attributes:
        language_model: that it was made of.
        cases: how many cases of each release and split it learned from.
        part: which part of the cases; None: all of them.
        passed_over: how many of the cases given it did not learn from, by the reason why.
        networks: those trained on stories first, if any, then those trained on the cases.
        other_parts: how often it chooses the right ending of a case of the other parts; None where it learned from all.
    """

    language_model: str
    cases: Mapping[str, int]
    part: Part | None
    passed_over: Mapping[str, int]
    networks: Sequence[NetworkTraining]
    other_parts: Accuracy | None


def train_chooser(
    train: pa.Table,
    options: Mapping[str, Any],
    resources: Resources,
    out: Path,
    part: Part | None = None,
) -> TrainedChooser:
    """Train a chooser on labelled cases of the splits train and validation, and write it.

    A story that several cases have is learned from once.

    Args:
        train: rows of the table `cloze`.
        options: those of the system `lm_pairwise`.
        resources: the language model, and stories where `pretrain` wants them.
        out: of the checkpoint.
        part: learn from this part of the cases alone.

    Raises:
        UserError: no cases to learn from, a wrong option, no language model.
    """
    system = load_system(LanguageModelPairwise.name, options)
    assert isinstance(system, LanguageModelPairwise)
    given = learnable(train, None)
    if given.cases is None or not given.cases.num_rows:
        raise UserError("no labelled case of the splits train and validation to learn from: give others with --train")
    cases, others = learned_once(given.cases), None
    if part:
        is_of_part = story_folds(cases, part.of, resources.seed) == part.number - 1
        cases, others = cases.filter(pa.array(is_of_part)), cases.filter(pa.array(~is_of_part))
    if lacks := system.lacks(resources):
        raise UserError("; ".join(lacks))
    system.prepare(resources)
    system.fit(cases, resources)
    chooser = system.chooser(resources)
    chooser.save(out)
    networks = [NetworkTraining(each["seed"], each["examples"], each["losses"]) for each in chooser.history]
    of_others = None
    if others is not None:
        of_others = accuracy(correct(system.score(others, resources)[""], others))
    return TrainedChooser(chooser.model.source.given, counted(cases), part, given.passed_over, networks, of_others)
