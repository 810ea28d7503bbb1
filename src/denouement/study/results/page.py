"""A study's results as a page."""

from collections.abc import Sequence

import pyarrow as pa

from denouement.present import html
from denouement.present.sections import Section, Stories
from denouement.study.results.exclusion import Exclusion, exclusion_section
from denouement.study.results.preferences import StudyResults
from denouement.study.results.scales import ScaleResults
from denouement.study.results.sections import reason_sections, scale_sections, study_sections
from denouement.study.results.table_3 import shown_story


def study_page(results: StudyResults, table: pa.Table | None, exclusion: Exclusion | None = None) -> str:
    """The page of a study of pairs, with the stories of the table `table_3` where there is one."""
    shown = [*_left_out(exclusion), *study_sections(results)]
    if table is not None:
        what = "Each story with its two endings, what people answered, and why; in the order of the answers."
        stories = Stories(list(map(shown_story, table.to_pylist())))
        shown.append(Section("Stories, endings and reasons", what, [stories]))
    return _page(results.studies, shown)


def scale_page(results: ScaleResults, exclusion: Exclusion | None = None) -> str:
    """The page of a study of ratings or rankings, with their reasons, or of orders."""
    return _page(results.studies, [*_left_out(exclusion), *scale_sections(results), *reason_sections(results)])


def _left_out(exclusion: Exclusion | None) -> list[Section]:
    return [exclusion_section(exclusion)] if exclusion else []


def _page(studies: Sequence[str], shown: Sequence[Section]) -> str:
    which = "study" if len(studies) == 1 else "studies"
    title = f"Results of the {which} {', '.join(studies)}" if studies else "Results of no study"
    return html.page(title, html.render(shown))
