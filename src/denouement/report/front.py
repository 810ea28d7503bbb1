"""What the report begins with: its title, findings, one table of systems, and stories with all their endings."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.sentiment import RIGHT, WRONG
from denouement.corpus.cases import n_endings, right_and_wrong
from denouement.metrics.beside import FewValues, few_by_ending, few_scores
from denouement.present.sections import Block, Bullets, Paragraph, Section, ShownEnding, ShownStory, Stories, Table
from denouement.report.endings import stories_with_endings
from denouement.report.findings import KeyFinding, key_findings
from denouement.report.run_folder import RunFolder
from denouement.report.stale import Stale, joined_endings, joined_scores
from denouement.report.systems import HUMAN, system_values, systems_table
from denouement.study.design.names import HUMAN_RIGHT, HUMAN_WRONG

STORIES = 10
"""How many stories the page begins with."""

PROJECT = "Denouement"

_SCORED_AS = {HUMAN[RIGHT]: HUMAN_RIGHT, HUMAN[WRONG]: HUMAN_WRONG}

_DRAWN = "Nobody chose these stories: among those with the most endings they have the smallest SHA-256 of their ids."


@dataclass(frozen=True)
class Front:
    """The beginning of a report.

    Attributes:
        corpus: which stories and cases the run is of; empty where that is not known.
        day: on which the newest result was written; None without any.
        findings: what the run found.
        systems: a row a system; None where nothing was measured of one.
        stories: at most `STORIES`, each with human endings and those of the systems.
    """

    corpus: str
    day: str | None
    findings: Sequence[KeyFinding]
    systems: Table | None
    stories: Sequence[ShownStory]

    @property
    def title(self) -> str:
        """Project, corpus and day: `Denouement: sample corpus, 28 November 2026`."""
        return f"{PROJECT}: {', '.join(filter(None, [self.corpus, self.day])) or 'nothing has been run yet'}"

    def story_blocks(self, n: int = STORIES) -> list[Block]:
        """The first `n` stories, and how they were drawn; nothing without any."""
        first = self.stories[:n]
        return [Section("Stories and their endings", _DRAWN, [Stories(first, side_by_side=True)])] if first else []


def front(run: RunFolder, stale: Sequence[Stale]) -> Front:
    """The beginning of the report of a run.

    Args:
        run: the folder of a run.
        stale: what `stale.find_stale` returned of it.
    """
    return Front(
        _corpus(run),
        run.day,
        key_findings(run, stale),
        systems_table(system_values(run, stale), stale),
        _stories(run, stale),
    )


def front_blocks(shown: Front, titles: Mapping[str, str], n_stories: int) -> list[Block]:
    """The beginning of a report for a terminal or as Markdown.

    Args:
        shown: the beginning.
        titles: of the sections by anchor, for what a finding refers to.
        n_stories: how many stories.
    """
    findings = [
        f"{'(Stale) ' if each.is_stale else ''}{each.claim} {each.grounds} See: {titles[each.anchor]}."
        for each in shown.findings
    ]
    return [
        Section("Findings", "", [Bullets("", findings) if findings else Paragraph("Nothing has been measured yet.")]),
        *([Section("Systems", "", [shown.systems])] if shown.systems else []),
        *shown.story_blocks(n_stories),
    ]


def _corpus(run: RunFolder) -> str:
    if not run.layout.ingest.exists():
        return ""
    if not run.is_official:
        return "sample corpus"
    releases = " and ".join(run.ingest.cloze)
    names = [*run.ingest.stories, *([f"Story Cloze {releases}"] if releases else [])]
    return ", ".join({"rocstories": "ROCStories"}.get(name, name) for name in names) or "official files"


def _stories(run: RunFolder, stale: Sequence[Stale]) -> list[ShownStory]:
    if not (run.layout.cloze.exists() and run.endings):
        return []
    labelled = run.labelled[0]
    stories = stories_with_endings(run.cases, labelled, joined_endings(run, stale), None)
    most = max((len(story.endings) for story in stories), default=0)
    full = [story for story in stories if len(story.endings) == most]
    drawn = sorted(full, key=lambda story: hashlib.sha256(story.case_id.encode()).digest())[:STORIES]
    scores = joined_scores(run, stale)
    wanted = pa.array([story.case_id for story in drawn], pa.string())
    few = few_by_ending(scores.filter(pc.is_in(scores["case_id"], wanted)))
    wrong: dict[str, list[str]] = {}
    of_cases = np.repeat(labelled["case_id"].to_pylist(), n_endings(labelled) - 1).tolist()
    for case_id, ending in zip(of_cases, right_and_wrong(labelled)[1].to_pylist(), strict=True):
        wrong.setdefault(case_id, []).append(ending)
    readable = [(story.case_id, _readable(story, wrong.get(story.case_id, []))) for story in drawn]
    return [_with_scores(story, case_id, run, few) for case_id, story in readable]


def _with_scores(
    story: ShownStory, case_id: str, run: RunFolder, few: Mapping[tuple[str, str], FewValues]
) -> ShownStory:
    """The story with a few scores of its endings; of several of one system the first is scored."""
    scored = {each.whose: few.get((case_id, _SCORED_AS.get(each.whose, each.whose))) for each in story.endings}
    values = {whose: of_ending for whose, of_ending in scored.items() if of_ending}
    return replace(story, values=few_scores(run.scores, values)) if values else story


def _readable(story: ShownStory, wrong: Sequence[str]) -> ShownStory:
    """The story without its id, and with the wrong endings behind the right one."""
    endings = [ShownEnding(HUMAN.get(each.whose, each.whose), each.text) for each in story.endings]
    if story.endings[0].whose == RIGHT:
        endings[1:1] = [ShownEnding(HUMAN[WRONG], each) for each in wrong]
    return ShownStory("", story.context, endings)
