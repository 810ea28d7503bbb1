"""A study's results as a page."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import pyarrow as pa

from denouement.present import html
from denouement.present.sections import Block, Fold, Section, Stories, Table
from denouement.study.results.exclusion import Exclusion, exclusion_section
from denouement.study.results.preferences import StudyResults
from denouement.study.results.scales import ScaleResults
from denouement.study.results.sections import reason_sections, scale_sections, study_sections
from denouement.study.results.table_3 import shown_story

Row = TypeVar("Row")

_AT_ONCE = 100  # stories or reasons that are shown without a click


def study_page(results: StudyResults, table: pa.Table | None, exclusion: Exclusion | None = None) -> str:
    """The page of a study of pairs, with the stories of the table `table_3` where there is one."""
    shown = [*_left_out(exclusion), *study_sections(results)]
    if table is not None:
        what = "Each story with its two endings, what people answered, and why; in the order of the answers."
        stories = _in_hundreds(list(map(shown_story, table.to_pylist())), "Stories", Stories)
        shown.append(Section("Stories, endings and reasons", what, stories))
    return _page(results.studies, shown)


def scale_page(results: ScaleResults, exclusion: Exclusion | None = None) -> str:
    """The page of a study of ratings or rankings, with their reasons, or of orders."""
    reasons = [
        replace(section, blocks=[part for block in section.blocks for part in _in_parts(block)])
        for section in reason_sections(results)
    ]
    return _page(results.studies, [*_left_out(exclusion), *scale_sections(results), *reasons])


def _in_parts(block: Block) -> list[Block]:
    if not isinstance(block, Table):
        return [block]
    return _in_hundreds(block.rows, "Answers", lambda rows: replace(block, rows=rows))


def _in_hundreds(rows: Sequence[Row], what: str, block: Callable[[Sequence[Row]], Block]) -> list[Block]:
    """The block of the first hundred rows, and below it a fold for each further hundred."""
    folds = [
        Fold(
            f"{what} {start + 1:,} to {min(start + _AT_ONCE, len(rows)):,} of {len(rows):,}",
            [block(rows[start : start + _AT_ONCE])],
        )
        for start in range(_AT_ONCE, len(rows), _AT_ONCE)
    ]
    return [block(rows[:_AT_ONCE]), *folds]


def _left_out(exclusion: Exclusion | None) -> list[Section]:
    return [exclusion_section(exclusion)] if exclusion else []


def _page(studies: Sequence[str], shown: Sequence[Section]) -> str:
    which = "study" if len(studies) == 1 else "studies"
    title = f"Results of the {which} {', '.join(studies)}" if studies else "Results of no study"
    return html.page(title, html.render(shown))
