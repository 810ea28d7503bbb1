"""The course of trainings, as sections to show."""

from collections.abc import Mapping

from denouement.generators.history import History
from denouement.present.cells import NO_VALUE, Cell, Number
from denouement.present.sections import Block, Table

_COLUMNS = ("generator", "stories", "held out", "vocabulary", "epochs", "epoch used", "perplexity", "nats per token")


def training_section(histories: Mapping[str, History]) -> list[Block]:
    """A row for each generator: its training stories, and its losses in the epoch whose weights are used."""
    rows: list[list[Cell]] = []
    for name, history in histories.items():
        used = history.used
        rows.append(
            [
                name,
                history.stories.train,
                history.stories.validation,
                NO_VALUE if history.vocabulary is None else history.vocabulary,
                len(history.epochs),
                NO_VALUE if used is None else used.epoch + 1,
                Number(used.validation_perplexity if used else None, 1),
                Number(used.validation_loss if used else None, 3),
            ]
        )
    note = (
        "Perplexity and nats per token (END is a token, and all unknown words are one) of the stories held out, at the "
        "epoch used, whose weights the generator has. Epochs count from 1."
    )
    if any(history.used is not None and history.vocabulary is None for history in histories.values()):
        note += " The tokens of a language model are parts of words, so its values are not comparable with others."
    if any(history.used is None for history in histories.values()):
        note += " A generator without epochs learns no probabilities of words."
    return [Table(_COLUMNS, rows, note=note)]
