"""The stage `statistics`: what stories are like, and what gives endings away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from denouement.analysis.bias_monitor import ANYTHING, Thresholds
from denouement.analysis.crowd import COLUMNS as CROWD_COLUMNS
from denouement.analysis.crowd import crowd_statistics
from denouement.analysis.endings import strays
from denouement.analysis.named_tables import read_tables
from denouement.analysis.orders import (
    ORDER_COLUMNS,
    TLINK_COLUMNS,
    Orderings,
    orderings,
    read_orderings,
    tlink_statistics,
)
from denouement.analysis.sentiment import score_groups
from denouement.analysis.statistics import Findings, find_statistics
from denouement.analysis.statistics_files import write_findings
from denouement.console import warn
from denouement.corpus.cases import in_english, labelled_sets
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.provenance import MadeFrom, check_contexts
from denouement.schemas import read_parquet, read_table, table_name
from denouement.settings import at_least


@dataclass(frozen=True)
class StatisticsSettings:
    """What statistics are worked out.

    Attributes:
        events: whether events are counted, which parses all stories.
        wordnet: the folder of WordNet's database; None: where it is usually found.
        folds: of the bias monitor's cross-validation.
    """

    events: bool = True
    wordnet: str | None = None
    folds: int = 10

    def __post_init__(self) -> None:
        at_least(self, 2, "folds")


@dataclass(frozen=True)
class StatisticsPaths:
    """What is measured, and where the results go.

    Attributes:
        stories, cloze, orders: tables, or None.
        endings: tables of endings.
        sentiment: a table of their scores, used where it is of these texts; None: they are scored.
        crowd_file, orders_file, tlinks_file: CSV files, or None.
        columns: by role the name of a column of these, where it is not the usual one.
        cache: a folder that keeps parses and fitted models, or None.
        out: the folder of the results; None: they are not written.
    """

    stories: Path | None = None
    cloze: Path | None = None
    endings: Sequence[Path] = ()
    sentiment: Path | None = None
    orders: Path | None = None
    crowd_file: Path | None = None
    orders_file: Path | None = None
    tlinks_file: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    cache: Path | None = None
    out: Path | None = None

    @classmethod
    def of(
        cls,
        tables: Sequence[Path],
        *,
        crowd: Path | None = None,
        orders: Path | None = None,
        tlinks: Path | None = None,
        columns: Mapping[str, str] | None = None,
        cache: Path | None = None,
        out: Path | None = None,
    ) -> "StatisticsPaths":
        """The paths, each table known by the name that it has in its metadata.

        Raises:
            UserError: another table, a damaged one, two of a kind of which one is wanted, endings or sentiment without
                cases, or a column of a file that is not given.
        """
        paths: dict[str, list[Path]] = {"stories": [], "cloze": [], "endings": [], "sentiment": [], "orders": []}
        for path in tables:
            kind = table_name(path)
            if kind is None:
                read_parquet(path)  # which refuses a damaged file
            if kind not in paths:
                raise UserError(
                    f"{path}: not a table of stories, cloze cases, endings, sentiment or orders; leave it out"
                )
            paths[kind].append(path)
        for kind in ("stories", "cloze", "sentiment", "orders"):
            if len(paths[kind]) > 1:
                raise UserError(f"{paths[kind][1]}: a second table of {kind}; give one at a time")
        if (compared := [*paths["endings"], *paths["sentiment"]]) and not paths["cloze"]:
            raise UserError(f"{compared[0]}: endings are compared with right endings: give the table of cases too")
        if orders and paths["orders"]:
            raise UserError(f"{orders}: a second set of orderings, after {paths['orders'][0]}; give one at a time")
        files = {"crowd": (crowd, CROWD_COLUMNS), "orders": (orders, ORDER_COLUMNS), "tlinks": (tlinks, TLINK_COLUMNS)}
        for name, (file, roles) in files.items():
            if not file and (of_it := sorted(roles.keys() & (columns or {}).keys())):
                raise UserError(f"--column {of_it[0]}=...: names a column of the file of --{name}; give that file too")
        one = {kind: next(iter(paths[kind]), None) for kind in ("stories", "cloze", "sentiment", "orders")}
        return cls(
            **one,
            endings=tuple(paths["endings"]),
            crowd_file=crowd,
            orders_file=orders,
            tlinks_file=tlinks,
            columns=columns or {},
            cache=cache,
            out=out,
        )

    def made_from(self) -> MadeFrom:
        """By name the digest of each table and file that values depend on.

        Endings are named by their file, the second of a name with a 2 behind it. The table of sentiment is left out:
        its scores are used only where they are those of the texts named here.
        """
        named = {
            "stories": self.stories,
            "cloze": self.cloze,
            "orders": self.orders or self.orders_file,
            "crowd": self.crowd_file,
            "tlinks": self.tlinks_file,
        }
        for place, path in enumerate(self.endings):
            alike = sum(other.stem == path.stem for other in self.endings[:place])
            named[f"endings/{path.stem}{f' {alike + 1}' if alike else ''}"] = path
        return {name: file_digest(path) for name, path in named.items() if path}


def run(settings: StatisticsSettings, paths: StatisticsPaths, most: Thresholds = ANYTHING) -> Findings:
    """Measure what is given, and write the results where a folder for them is named.

    Args:
        settings: what is worked out.
        paths: what is read and written.
        most: limits that a collection may not exceed; `Statistics.above` names what exceeds them.

    Raises:
        UserError: an unreadable table or file, endings that were written for other contexts than the cases have,
            nothing to measure, or too few cases for a threshold.
    """
    stories = read_table(paths.stories, "stories") if paths.stories else None
    if stories is not None and not stories.num_rows:
        raise UserError(f"{paths.stories}: no story to measure")
    workers = crowd_statistics(paths.crowd_file, _of(CROWD_COLUMNS, paths.columns)) if paths.crowd_file else None
    tlinks = tlink_statistics(paths.tlinks_file, _of(TLINK_COLUMNS, paths.columns)) if paths.tlinks_file else None
    given = _orderings(paths)
    cloze = sentiment = None
    if paths.cloze:
        cloze = read_table(paths.cloze, "cloze")
        if not labelled_sets(cloze) and not paths.endings:
            raise UserError(f"{paths.cloze}: no labelled case to measure")
        for path in paths.endings:
            check_contexts(path, cloze)
        for sentence in in_english(cloze)[1]:
            warn(f"{paths.cloze}: {sentence}")
        if blind := cloze["right_ending"].null_count:
            warn(f"{blind:,} blind cases of {paths.cloze} are left out: no label says which ending is right")
        endings = read_tables(paths.endings, "endings")
        for sentence in strays(endings, cloze):
            warn(sentence)
        sentiment = score_groups(stories, cloze, endings, kept=paths.sentiment)
    found = find_statistics(
        stories,
        cloze,
        sentiment,
        given,
        workers,
        tlinks,
        wordnet=Path(settings.wordnet) if settings.wordnet else None,
        cache=paths.cache,
        with_events=settings.events,
        folds=settings.folds,
        most=most,
    )
    if not found.statistics.found:
        tables = [str(path) for path in (paths.cloze, *paths.endings, paths.orders) if path]
        raise UserError(f"nothing to measure: no row of {', '.join(tables)} counts")
    if paths.out:
        write_findings(found, paths.out, paths.made_from())
    return found


def _orderings(paths: StatisticsPaths) -> Orderings:
    if paths.orders_file:
        return read_orderings(paths.orders_file, _of(ORDER_COLUMNS, paths.columns))
    return orderings(read_table(paths.orders, "orders")) if paths.orders else []


def _of(roles: Mapping[str, str], columns: Mapping[str, str]) -> dict[str, str]:
    """Those of the named columns that have one of these roles."""
    return {role: name for role, name in columns.items() if role in roles}
