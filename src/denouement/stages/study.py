"""Human evaluation: files of answers are imported, and their results worked out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from denouement.answers import SCALES, read_votes
from denouement.console import warn
from denouement.files import existing_file, file_digest
from denouement.schemas import empty_table, read_table, table_name, write_table
from denouement.study.importing import SYSTEMS, import_answers
from denouement.study.importing.answers import Imported
from denouement.study.reasons.files import ReasonsSummary, write_reasons
from denouement.study.results.agreement import like_an_answer
from denouement.study.results.ballot import count
from denouement.study.results.conduct import FAST
from denouement.study.results.exclusion import Exclusion, excluded
from denouement.study.results.items_of_answers import lacking
from denouement.study.results.output import write_results, write_scale_results
from denouement.study.results.people import WhoTookPart, who_took_part
from denouement.study.results.preferences import QuestionResults, StudyResults, study_results
from denouement.study.results.rankings import RankingResults
from denouement.study.results.rules import ConductRule
from denouement.study.results.scales import OrderResults, ScaleResults, scale_results
from denouement.study.results.tables import table_3

_TABLES = ("votes", "items", "rejects")


@dataclass(frozen=True)
class StudySettings:
    """How files of answers are read.

    Attributes:
        systems: names for the generator and the human endings, where a file says only which is which.
        columns: by role the column that has it, where its name does not show it: as `--column` of `study import`.
        values: by a text that means an answer, the answer: as `--value`.
        keep_ids: keep the annotators' ids of other tools; else they are hashed.
    """

    systems: tuple[str, ...] = SYSTEMS
    columns: dict[str, Any] = field(default_factory=dict)
    values: dict[Any, Any] = field(default_factory=dict)
    keep_ids: bool = False

    def __post_init__(self) -> None:
        if len(set(self.systems)) != 2 or len(self.systems) != 2:
            raise ValueError(f"systems: must be two names, not {', '.join(self.systems) or 'none'}")
        if problem := like_an_answer(self.systems):
            raise ValueError(f"systems: {problem}")
        for role, column in self.columns.items():
            if not isinstance(column, str):
                raise ValueError(f"columns: {role} must be a column's name, not {column!r}; put it in quotes")
        for text, answer in self.values.items():
            if isinstance(text, bool) or not isinstance(text, str | int) or not isinstance(answer, str):
                raise ValueError(f"values: {text!r}: {answer!r} must be a text and its answer; put the text in quotes")
        texts = {str(text): answer for text, answer in self.values.items()}
        if len(texts) < len(self.values):
            raise ValueError("values: a text is there twice, once as a number; give it once")
        object.__setattr__(self, "values", texts)


@dataclass(frozen=True)
class StudyPaths:
    """What the stage reads, and where it writes.

    Attributes:
        answers: files of answers; without any, all tables are empty.
        out: the folder of the tables and of their results.
        parses: a Parquet file that keeps the parses of reasons; None to keep none.
    """

    answers: Sequence[Path]
    out: Path
    parses: Path | None = None


@dataclass(frozen=True)
class StudyStage:
    """What the stage made.

    Attributes:
        imported: what was read from files; None where there are none.
        tables: by name the tables that results were made from, as written.
        results: of the pairs.
        scales: results of other answers than votes, by the table's name, where there are such answers.
        reasons: what the reasons for votes say; None where there are none.
    """

    imported: Imported | None
    tables: Mapping[str, Path]
    results: StudyResults
    scales: Mapping[str, ScaleResults]
    reasons: ReasonsSummary | None


def run(settings: StudySettings, paths: StudyPaths) -> StudyStage:
    """Import all files of answers, and work out the results; everything is written into the folder `out`.

    The results say who took part, by the replies in the exports whose answers are read. Neither the replies nor what a
    platform's export says about its participants is written.

    Raises:
        UserError: a file that cannot be read, answers that contradict each other, or a folder that cannot be written.
    """
    imported = None
    tables = {name: empty_table(name) for name in _TABLES}
    if paths.answers:
        generator, human = settings.systems
        imported = import_answers(
            paths.answers,
            systems=(generator, human),
            columns=settings.columns,
            values=settings.values,
            keep_ids=settings.keep_ids,
        )
        tables |= {**imported.tables, "rejects": imported.rejects}
        tables.pop("participants", None)
    for name, table in tables.items():
        metadata = imported.metadata if imported and name == "votes" else None
        write_table(table, paths.out / f"{name}.parquet", name, metadata)
    read = {name: paths.out / f"{name}.parquet" for name in tables if name != "rejects"}
    made_from = {name: file_digest(path) for name, path in read.items()}
    replies = _replies(paths.answers)
    people = _who_took_part(replies, tables["votes"])
    results = write_results(paths.out, tables["votes"], tables["items"], made_from, people=people)
    scales = {
        name: replace(scale_results(name, tables[name], tables["items"]), people=_who_took_part(replies, tables[name]))
        for name in SCALES
        if name in tables
    }
    for name, of_scale in scales.items():
        write_scale_results(paths.out / name, of_scale, made_from)
    reasons = write_reasons(paths.out, tables["votes"], made_from, paths.parses)
    return StudyStage(imported, read, results, scales, reasons)


def _replies(answers: Sequence[Path]) -> pa.Table:
    """The replies beside these files of answers. A reply that several exports of one study have is there once."""
    folders = dict.fromkeys(path.resolve().parent for path in answers)
    found = [read_table(path, "replies") for folder in folders if (path := folder / "replies.parquet").is_file()]
    whole = pa.concat_tables([empty_table("replies"), *found])
    return whole.group_by(whole.column_names, use_threads=False).aggregate([])


def _who_took_part(replies: pa.Table, answers: pa.Table) -> WhoTookPart | None:
    """Who took part in the studies of these answers; None where nobody replied to anything."""
    theirs = replies.filter(pc.is_in(replies["study"], value_set=answers["study"].combine_chunks()))
    return who_took_part(theirs, answers) if theirs.num_rows else None


@dataclass(frozen=True)
class ResultsPaths:
    """What results are made from, and where they are written.

    Attributes:
        answers: a table of answers.
        items: the table `items` of the same studies; may be missing.
        out: the folder to write into; None to write nothing.
        replies: the table `replies` of the same studies; may be missing.
    """

    answers: Path
    items: Path | None = None
    out: Path | None = None
    replies: Path | None = None


@dataclass(frozen=True)
class AnswersResults:
    """The results of a table of answers.

    Attributes:
        results: without what was left out.
        stories: the table `table_3` where it was asked for.
        exclusion: what rules left out; None without rules.
    """

    results: StudyResults | ScaleResults
    stories: pa.Table | None = None
    exclusion: Exclusion | None = None


def work_out(
    paths: ResultsPaths,
    with_stories: bool = False,
    rules: Sequence[ConductRule] = (),
    fast: float = FAST,
    models_as_people: bool = False,
) -> AnswersResults:
    """The results of one table of answers, as `run` works them out; written into the folder `out` where there is one.

    Args:
        paths: the tables and the folder.
        with_stories: return the table `table_3` too, of votes with items.
        rules: people for whom one of them holds are left out.
        fast: for the rules, seconds below which an answer is fast.
        models_as_people: as of `answers.read_votes`.

    Raises:
        UserError: a table that cannot be read, items of another study, or a folder that cannot be written.
    """
    kind = table_name(existing_file(paths.answers))
    name = kind if kind in SCALES else "votes"
    answers = read_table(paths.answers, name) if name in SCALES else read_votes(paths.answers, models_as_people)
    items = _items_of(answers, paths.items) if paths.items else None
    people = who_took_part(read_table(paths.replies, "replies"), answers) if paths.replies else None
    others = {"items": paths.items, "replies": paths.replies}
    read = {name: paths.answers, **{each: path for each, path in others.items() if path}}
    made_from = {each: file_digest(path) for each, path in read.items()} if paths.out else {}
    exclusion = None
    if rules:

        def results_of(table: pa.Table) -> StudyResults | ScaleResults:
            return scale_results(name, table, items) if name in SCALES else study_results(table, items)

        answers, exclusion = excluded(answers, items, rules, results_of, fast)
    if name in SCALES:
        of_scale = replace(scale_results(name, answers, items), people=people)
        if paths.out:
            write_scale_results(paths.out, of_scale, made_from, exclusion)
        return AnswersResults(of_scale, None, exclusion)
    ballot = count(answers)
    if paths.out:
        results = write_results(paths.out, answers, items, made_from, ballot, exclusion, people)
    else:
        results = replace(study_results(answers, items, ballot), people=people)
    stories = table_3(ballot, items) if with_stories and items is not None else None
    return AnswersResults(results, stories, exclusion)


def _items_of(answers: pa.Table, path: Path) -> pa.Table:
    """The table `items` at this path; warns where some of the items that were answered are not in it."""
    items = read_table(path, "items")
    without, of = lacking(answers, items)
    if without:
        warn(
            f"{path}: {without:,} of {of:,} items that were answered are not in it: their texts are not shown, and "
            "their checks not known to be right or wrong"
        )
    return items


def logged_values(stage: StudyStage) -> dict[str, Any]:
    """What is logged.

    By pair of systems the numbers of items by outcome, and how far annotators agree; by system its strength; the same
    of further questions below their names; the means of ratings by question and system, and of orders by system; and
    which share of the reasons names each element.
    """
    results = stage.results
    first, *further = results.questions
    values = {"answers": results.answers, **_of_pairs(first)}
    values |= {"questions": {_key(each.question): _of_pairs(each) for each in further}} if further else {}
    values |= _scale_means(stage)
    if stage.reasons:
        values["reasons"] = {row.element: row.share for row in stage.reasons.elements.elements}
    return values


def _of_pairs(asked: QuestionResults) -> dict[str, Any]:
    """By pair of systems the numbers of items by outcome, and how far annotators agree; by system its strength."""
    values: dict[str, Any] = {}
    for row in asked.pairs:
        outcomes = {name: share.n for name, share in vars(row.agreement).items()}
        measures = {"p": row.sign_test.p, "kappa": row.kappa.kappa, "alpha": row.alpha.alpha}
        values[_key(row.first, row.second)] = {**outcomes, **measures}
    values["strengths"] = {
        _key(row.system): {"strength": row.strength, "low": row.low, "high": row.high, "share": row.share}
        for row in asked.strengths.systems
    }
    return values


def _scale_means(stage: StudyStage) -> dict[str, dict[str, float]]:
    """By table the means of ratings by question and system, of rankings by kind and system, and of orders by system."""
    means: dict[str, dict[str, float]] = {}
    for name, of_scale in stage.scales.items():
        if isinstance(of_scale, OrderResults):
            means[name] = {_key(row.system): row.mean for row in of_scale.systems}
        elif isinstance(of_scale, RankingResults):
            means[name] = {_key(of.kind, row.system): row.mean for of in of_scale.kinds for row in of.systems}
        else:
            means[name] = {_key(row.question, row.system): row.mean for row in of_scale.means}
    return means


def chief_values(stage: StudyStage, most: int = 5) -> dict[str, Any]:
    """The values by which runs are compared: the number of answers, and of each kind of result the first `most`.

    Of a pair of systems that is how often the first one is preferred, and how far annotators agree (alpha). Where no
    question was which ending is better, it is how often the first one is chosen, under the name of the first question.
    """
    values: dict[str, Any] = {"answers": stage.results.answers}
    chief = stage.results.chief
    for row in chief.pairs[:most]:
        name = _key(*([] if chief.is_better else [chief.question]), row.first, row.second)
        share = "first_preferred" if chief.is_better else "first_chosen"
        values[name] = {share: row.preference.share, "alpha": row.alpha.alpha}
    return values | {name: dict(list(means.items())[:most]) for name, means in _scale_means(stage).items()}


def plotted(stage: StudyStage) -> list[dict[str, str | float]]:
    """The rows of the plot of answers: for each pair of systems and kind of answer, its share of the answers."""
    return [
        {"answers": f"{row.first} or {row.second}: {kind.replace('_', ' ')}", "share": of_kind.share}
        for row in stage.results.pairs
        for kind, of_kind in vars(row.single_answers).items()
    ]


def _key(*names: str) -> str:
    return re.sub(r"\W", "_", "_".join(names))
