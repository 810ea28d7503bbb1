"""Results as text: readable on a terminal, valid as Markdown."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from denouement.generators.history import history_from
from denouement.generators.sections import training_section
from denouement.present import markdown

if TYPE_CHECKING:
    from denouement.analysis.endings import SystemEndings
    from denouement.analysis.sentiment import SentimentResult


def training_text(histories: Mapping[str, Mapping[str, Any]]) -> str:
    """By generator, the content of its `history.json`; see `generators.sections.training_section`."""
    return markdown.render(training_section({name: history_from(content) for name, content in histories.items()}))


def sentiment_text(result: "SentimentResult") -> str:
    """Table 4 of Mori et al. 2019, and right against wrong endings."""
    from denouement.analysis.sections import sentiment_blocks

    return markdown.render(sentiment_blocks(result))


def endings_text(rows: "Sequence[SystemEndings]") -> str:
    """The rows of `analysis.endings.endings_table`."""
    from denouement.analysis.sections import endings_blocks

    return markdown.render(endings_blocks(rows))


def cloze_text(rows: Sequence[Mapping[str, Any]], notes: Mapping[str, Mapping[str, int]]) -> str:
    """Rows and notes of an `evaluation.json` as Markdown."""
    from pydantic import TypeAdapter

    from denouement.cloze.evaluation.results import ClozeResult
    from denouement.cloze.evaluation.sections import evaluation_blocks
    from denouement.present.markdown import render

    return render(evaluation_blocks(TypeAdapter(ClozeResult).validate_python({"systems": rows, "notes": notes})))


def system_name(row: Mapping[str, Any]) -> str:
    """The system of a Story Cloze row, with its variant."""
    return f"{row['system']}, {row['variant']}" if row["variant"] else str(row["system"])


def count_and_share(count: int, share: float) -> str:
    """Such as `1,652 (44.1%)`."""
    return f"{count:,} ({share:.1%})"


def number(value: float | None, decimals: int) -> str:
    """`value` with so many decimals; a dash when there is none."""
    return "-" if value is None else f"{value:,.{decimals}f}"


def interval(found: Mapping[str, Any], decimals: str) -> str:
    """Such as `0.157 to 0.843`: `low` and `high` of a figure, written as the format `decimals`; a dash without them."""
    return "-" if found["low"] is None else f"{found['low']:{decimals}} to {found['high']:{decimals}}"


def p_value(p: float | None) -> str:
    """Three decimals from 0.001 upwards, scientific below, a bound where floating point ends; a dash when none."""
    if p is None:
        return "-"
    if p < 1e-300:
        return "<1e-300"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.2e}"
