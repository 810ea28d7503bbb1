"""All statistics of the tables that are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from denouement.analysis import cloze_sections, story_sections
from denouement.analysis.bias_monitor import ANYTHING, Thresholds
from denouement.analysis.crowd import COLUMNS as CROWD_COLUMNS
from denouement.analysis.endings import strays
from denouement.analysis.orders import ORDER_COLUMNS, TLINK_COLUMNS, orderings, read_orderings
from denouement.analysis.sections import Section
from denouement.analysis.sentiment_section import sentiment_section
from denouement.console import warn
from denouement.corpus.cases import labelled_sets
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.provenance import MadeFrom, check_contexts
from denouement.schemas import read_parquet, read_table, table_name


@dataclass(frozen=True)
class Inputs:
    """What statistics are asked of.

    Attributes:
        stories, cloze: tables, or None.
        endings: tables of endings.
        orders: a table `orders`, or None.
        crowd_file, orders_file, tlinks_file: CSV files, or None.
        columns: by role the name of a column of these, where it is not the usual one.
    """

    stories: Path | None = None
    cloze: Path | None = None
    endings: Sequence[Path] = ()
    orders: Path | None = None
    crowd_file: Path | None = None
    orders_file: Path | None = None
    tlinks_file: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        tables: Sequence[Path],
        crowd: Path | None = None,
        orders: Path | None = None,
        tlinks: Path | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> "Inputs":
        """The inputs, tables known by what they say they are.

        Raises:
            UserError: another table, a damaged one, two of a kind of which one is wanted, endings without cases, or a
                column of a file that is not given.
        """
        paths: dict[str, list[Path]] = {"stories": [], "cloze": [], "endings": [], "orders": []}
        for path in tables:
            kind = table_name(path)
            if kind is None:
                read_parquet(path)  # which refuses a damaged file
            if kind not in paths:
                raise UserError(f"{path}: not a table of stories, cloze cases, endings or orders; leave it out")
            paths[kind].append(path)
        for kind in ("stories", "cloze", "orders"):
            if len(paths[kind]) > 1:
                raise UserError(f"{paths[kind][1]}: a second table of {kind}; give one at a time")
        if paths["endings"] and not paths["cloze"]:
            raise UserError(
                f"{paths['endings'][0]}: endings are compared with right endings: give the table of cases too"
            )
        if orders and paths["orders"]:
            raise UserError(f"{orders}: a second set of orderings beside {paths['orders'][0]}; give one at a time")
        files = {"crowd": (crowd, CROWD_COLUMNS), "orders": (orders, ORDER_COLUMNS), "tlinks": (tlinks, TLINK_COLUMNS)}
        for name, (file, roles) in files.items():
            if not file and (of_it := sorted(roles.keys() & (columns or {}).keys())):
                raise UserError(f"--column {of_it[0]}=...: is a column of the file of --{name}; give that file too")
        one = {kind: next(iter(paths[kind]), None) for kind in ("stories", "cloze", "orders")}
        return cls(
            one["stories"], one["cloze"], tuple(paths["endings"]), one["orders"], crowd, orders, tlinks, columns or {}
        )

    def made_from(self) -> MadeFrom:
        """By name the digest of each table and file that is read; endings are named by their file, the second of a name
        with a 2 behind it.
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


def find_statistics(
    inputs: Inputs,
    *,
    wordnet: Path | None = None,
    cache: Path | None = None,
    with_events: bool = True,
    folds: int = 10,
    most: Thresholds = ANYTHING,
) -> tuple[dict[str, Section], list[str]]:
    """The sections by name, in the order in which they are read, and what is above the thresholds.

    Raises:
        UserError: an unreadable table or file, endings that were written for other contexts than the cases have,
            nothing to measure, or too few cases to cross-validate.
    """
    cases = read_table(inputs.cloze, "cloze") if inputs.cloze else None
    if cases is not None:
        for path in inputs.endings:
            check_contexts(path, cases)  # before the long part
    sections: dict[str, Section] = {}
    above: list[str] = []
    if inputs.stories:
        stories = read_table(inputs.stories, "stories")
        if not stories.num_rows:
            raise UserError(f"{inputs.stories}: no story to measure")
        sections |= story_sections.corpus_sections(stories, wordnet, cache, with_events)
    if inputs.crowd_file:
        sections["workers"] = story_sections.crowd_section(inputs.crowd_file, _of(CROWD_COLUMNS, inputs.columns))
    if given := _orderings(inputs):
        sections["orders"] = story_sections.order_section(given)
    if inputs.tlinks_file:
        sections["tlinks"] = story_sections.tlink_section(inputs.tlinks_file, _of(TLINK_COLUMNS, inputs.columns))
    if inputs.cloze and cases is not None:
        sets = labelled_sets(cases)
        if blind := cases["right_ending"].null_count:
            warn(f"{blind:,} blind cases of {inputs.cloze} are left out: no label tells their right ending")
        if not sets and not inputs.endings:
            raise UserError(f"{inputs.cloze}: no labelled case to measure")
        for sentence in strays(inputs.endings, cases):
            warn(sentence)
        if sets:
            found, above = cloze_sections.ending_sections(sets, cache, folds, most)
            sections |= found
        sentiment = sentiment_section(inputs.stories, inputs.cloze, inputs.endings)
        if sentiment:
            sections["sentiment"] = sentiment
    if not sections:
        tables = [str(path) for path in (inputs.cloze, *inputs.endings, inputs.orders) if path]
        raise UserError(f"nothing to measure: no row of {', '.join(tables)} counts")
    return sections, above


def _orderings(inputs: Inputs) -> list[tuple[str, tuple[int, ...]]]:
    if inputs.orders_file:
        return read_orderings(inputs.orders_file, _of(ORDER_COLUMNS, inputs.columns))
    return orderings(read_table(inputs.orders, "orders")) if inputs.orders else []


def _of(roles: Mapping[str, str], columns: Mapping[str, str]) -> dict[str, str]:
    """Those of the named columns that have one of these roles."""
    return {role: name for role, name in columns.items() if role in roles}
