"""The values in the docs, from one run: `python -m docs.measured data` reads its results and fills them in.

`docs/measured.json` keeps the measured values of one run. In the pages a number is followed by a comment that names its
value, such as `60.6<!-- training/h_seq2seq/perplexity -->`, and a table is between `<!-- table NAME -->` and
`<!-- end -->`. A test compares all of these with the values, so that no number can be of another run.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.decoding_settings import SettingRow, as_markdown
from denouement import git
from denouement.cloze.evaluation.published import HUMAN
from denouement.documents import document
from denouement.errors import UserError
from denouement.files import file_digest, write_text
from denouement.generators.history import History
from denouement.layout import Layout
from denouement.present import markdown
from denouement.present.cells import Cell, Number, PValue
from denouement.report.front import front
from denouement.report.run_folder import RunFolder
from denouement.report.stale import find_stale
from tasks.command import errors_as_lines

ROOT = Path(__file__).parents[1]
VALUES = ROOT / "docs" / "measured.json"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

Values = Mapping[str, Any]

_MARKED = re.compile(r"(?P<shown>[-+]?(?:\d[\d,]*)?\.?\d+(?:e[-+]\d+)?%?)<!-- (?P<key>[\w./ -]+) -->")
_TABLE = re.compile(r"(?s)<!-- table (?P<name>[\w ]+) -->\n.*?<!-- end -->")
_STORIES = 5  # that the README shows


def collect(data: Path) -> dict[str, Any]:
    """The values of the run in the folder `data`, under the names by which pages ask for them.

    Of a run on the sample corpus these are only stories with their endings: its values mean nothing. Of a run on the
    official files they are all the others: its stories may not be passed on.

    Raises:
        UserError: a result is missing, damaged, or made from other files than those of the run.
    """
    run = RunFolder(Layout(data), data.parent / "dvc.lock")
    if stale := find_stale(run):
        raise UserError("; ".join(map(str, stale)))
    if not run.is_official:
        return {"stories": _stories(run)}
    comparison = run.sentiment_result.right_against_wrong
    elements = document(run.reasons.elements)
    return {
        "commit": str(git.commit(data) or ""),
        "corpus": _corpus(run),
        "training": {name: _training(history) for name, history in run.read_histories.items()},
        "endings": {row.system: _without(document(row), "system") for row in run.repetition},
        "sentiment": {row.group: _without(document(row), "group") for row in run.sentiment_result.groups},
        "right_against_wrong": document(comparison) if comparison else None,
        "statistics": _statistics(document(run.statistics.statistics)),
        "cloze": {
            f"{row.system} {row.variant} {row.release} {row.split}".replace("  ", " "): document(row)
            for row in run.evaluation.systems
            if not row.blind
        },
        "study": document(run.study),
        "elements": {key: elements[key] for key in ("reasons", "untagged", "choices", "elements")},
        "decoding": _decoding(run),
    }


def _decoding(run: RunFolder) -> list[dict[str, Any]]:
    """What settings of decoding do, as `python -m benchmarks.decoding_settings` measured it on the run's generators."""
    path = run.layout.folder / "decoding_settings.json"
    renew = f"python -m benchmarks.decoding_settings --data {run.layout.folder} --out {path}"
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    digests = {path.parent.name: file_digest(path) for path in sorted(run.layout.models.glob("*/best.parquet"))}
    if found is None or found["made_from"]["models"] != digests:
        raise UserError(f"{path}: missing, or of other generators; make it: {renew}")
    rows: list[dict[str, Any]] = found["rows"]
    return rows


def _corpus(run: RunFolder) -> dict[str, Any]:
    return {
        "stories": sum(n for splits in run.ingest.stories.values() for n in splits.values()),
        "cloze": run.ingest.cloze,
    }


def _statistics(document: Mapping[str, Any]) -> dict[str, Any]:
    """What the pages show of the findings on stories and endings, without curves, histograms and lists of words."""
    found = {name: part["values"] for name, part in document.items() if part}
    monitor = found["bias_monitor"]["sets"]
    events = found["events"]
    return {
        "tokens": found["vocabulary"]["tokens"],
        "types": found["vocabulary"]["types"],
        "words_by_place": [row["mean"] for row in found["sentence_lengths"]["positions"]],
        "events": {
            rule: {
                "n": events[rule]["n"],
                **{row["lemma"]: row["share"] for row in events[rule]["most_frequent"][:2]},
            }
            for rule in ("events", "spelled")
            if rule in events
        },
        "features": {**found["ending_features"]["sets"], **found["ending_features"]["pooled"]},
        "bias": {name: _without(of_set, "features") for name, of_set in monitor.items()},
        "distances": {
            row["group"]: {key: row[key] for key in ("n", "mean", "distance", "chance")}
            for row in found["sentiment"]["groups"]
        },
        "by_context": {f"{row['group']} {row['context']}": row["mean"] for row in found["sentiment"]["by_context"]},
    }


def _training(history: History) -> dict[str, Any]:
    used = history.used
    return {
        "stories": history.stories.train,
        "held_out": history.stories.validation,
        "vocabulary": history.vocabulary,
        "epoch": used and used.epoch + 1,
        "perplexity": used and used.validation_perplexity,
        "loss": used and used.validation_loss,
        "epochs": [[entry.validation_perplexity, entry.train_loss] for entry in history.epochs],
    }


def _stories(run: RunFolder) -> list[dict[str, str]]:
    """The first stories of the report: the story, and the human and generated endings by whose they are."""
    return [
        {"story": story.context, **{each.whose: each.text for each in story.endings}}
        for story in front(run, []).stories[:_STORIES]
    ]


def _without(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key}


def filled(page: str, values: Values) -> str:
    """A page whose marked numbers and tables show the values; decimals and signs stay as they are in the page.

    Raises:
        KeyError: a value or a table that is not there.
    """
    page = _MARKED.sub(
        lambda found: f"{_like(found['shown'], value(values, found['key']))}<!-- {found['key']} -->", page
    )
    return _TABLE.sub(
        lambda found: f"<!-- table {found['name']} -->\n{TABLES[found['name']](values)}\n<!-- end -->", page
    )


def value(values: Values, key: str) -> float:
    """The number under a key, its parts divided by slashes."""
    found: Any = values
    for part in key.split("/"):
        found = found[int(part)] if isinstance(found, Sequence) else found[part]
    return float(found)


def _like(shown: str, measured: float) -> str:
    """The number in the form of another one: its decimals, its percent sign, a zero before the point or none."""
    if "e" in shown:
        return f"{measured:.{len(shown.partition('.')[2].partition('e')[0])}e}"
    decimals = len(shown.rstrip("%").partition(".")[2])
    text = f"{measured:z.{decimals}%}" if shown.endswith("%") else f"{measured:z,.{decimals}f}"
    sign = "+" if shown.startswith("+") and not text.startswith("-") else ""
    return sign + (re.sub(r"^(-?)0\.", r"\1.", text) if re.match(r"[-+]?\.", shown) else text)


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _accuracy(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}".removeprefix("0")


def _table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A table whose first column is of texts, and the others of numbers, which may be written as texts already."""
    return markdown.table(header, rows, left=(0,))


def _training_table(values: Values) -> str:
    header = ["generator", "stories", "held out", "words", "epoch used", "perplexity", "nats per token"]
    rows = []
    for name, of in values["training"].items():
        counts = [f"{of[key]:,}" for key in ("stories", "held_out", "vocabulary", "epoch")]
        rows.append([name, *counts, f"{of['perplexity']:.1f}", f"{of['loss']:.3f}"])
    return _table(header, rows)


def _epochs_table(values: Values) -> str:
    import math

    most = max(len(of["epochs"]) for of in values["training"].values())
    rows = []
    for name, of in values["training"].items():
        for what, perplexities in (
            ("validation", [perplexity for perplexity, _ in of["epochs"]]),
            ("training", [math.exp(loss) for _, loss in of["epochs"]]),
        ):
            shown = [f"{each:.1f}" for each in perplexities]
            rows.append([f"{name}, {what}", *shown, *[""] * (most - len(shown))])
    return _table(["epoch", *map(str, range(1, most + 1))], rows)


def _endings_rows(values: Values) -> str:
    header = [
        "system",
        "distinct",
        "mean words",
        "distinct-1",
        "distinct-2",
        "log-prob per token",
        "most frequent ending",
    ]
    rows = []
    for name, of in values["endings"].items():
        log_prob = "" if of["log_prob_per_token"] is None else f"{of['log_prob_per_token']:.2f}"
        numbers = [_share(of["distinct_share"]), f"{of['mean_words']:.1f}", f"{of['distinct_1']:.3f}"]
        numbers += [f"{of['distinct_2']:.3f}", log_prob, f"{of['most_frequent']} ({of['most_frequent_count']:,})"]
        rows.append([name, *numbers])
    return _table(header, rows)


def _readme_table(values: Values) -> str:
    header = ["endings", "n", "distinct", "mean sentiment", "positive", "negative"]
    header += ["paper: mean", "positive", "negative"]
    rows = []
    for group, of in values["sentiment"].items():
        distinct = values["endings"].get(group, {}).get("distinct_share")
        paper = of["paper"]
        published = (
            [f"{paper['mean']:.3f}", _share(paper["positive_share"]), _share(paper["negative_share"])]
            if paper
            else ["", "", ""]
        )
        rows.append([group, f"{of['n']:,}", _share(distinct), f"{of['mean']:.3f}", _share(of["positive_share"])])
        rows[-1] += [_share(of["negative_share"]), *published]
    return _table(header, rows)


def _sentiment_rows(values: Values) -> str:
    rows: list[list[str]] = []
    for group, of in values["sentiment"].items():
        rows.append([f"{group}, {of['of']}" if of["of"] else group, *_counts(of), Number(of["t"], 2), PValue(of["p"])])
        if of["paper"]:
            rows.append(["paper", *_counts(of["paper"]), "", ""])
    return _table(["group", "n", "mean", "positive", "negative", "t", "p"], rows)


def _counts(of: Mapping[str, Any]) -> list[str]:
    counts = [f"{of[sign]:,} ({_share(of[f'{sign}_share'])})" for sign in ("positive", "negative")]
    return [f"{of['n']:,}", f"{of['mean']:.3f}", *counts]


def _stories_table(values: Values) -> str:
    whose = list(dict.fromkeys(name for row in values["stories"] for name in row))
    return markdown.table(whose, [[row.get(name, "") for name in whose] for row in values["stories"]])


def _features_table(values: Values) -> str:
    header = ["feature, v1.0 validation", "right", "wrong", "d", "p", "paired p", "corrected", "paper: right, wrong, p"]
    rows = []
    for row in values["statistics"]["features"]["v1.0 validation"]:
        paper = row["paper"]
        numbers = [Number(row[key], 3) for key in ("right", "wrong", "effect")]
        numbers += [PValue(row[key]) for key in ("p", "paired_p", "paired_p_holm")]
        published = f"{paper['right']:g}, {paper['wrong']:g}, {PValue(paper['p'])}" if paper else ""
        rows.append([row["feature"], *numbers, published])
    return _table(header, rows)


def _bias_table(values: Values) -> str:
    sets = values["statistics"]["bias"]
    variants = {row["variant"]: {} for of_set in sets.values() for row in of_set["variants"]}
    for name, of_set in sets.items():
        for row in of_set["variants"]:
            variants[row["variant"]][name] = f"{_share(row['accuracy'])} ({row['low']:.1%} to {row['high']:.1%})"
    rows = [[variant or "all features", *(of.get(name, "") for name in sets)] for variant, of in variants.items()]
    rows.append(["given away (80% and more)", *(f"{_share(of['certain'] / _n(of))}" for of in sets.values())])
    rows.append(["expected calibration error", *(f"{of['reliability']['error']:.3f}" for of in sets.values())])
    return _table(["a model that sees endings alone is right in", *sets], rows)


def _n(of_set: Mapping[str, Any]) -> int:
    return int(of_set["variants"][0]["n"])


def _distances_table(values: Values) -> str:
    rows = [
        [group, f"{of['mean']:.3f}", *("" if of[key] is None else f"{of[key]:.3f}" for key in ("distance", "chance"))]
        for group, of in values["statistics"]["distances"].items()
    ]
    return _table(["endings", "mean", "earth mover's distance from right endings", "by chance"], rows)


def _people_table(values: Values) -> str:
    rows = []
    for pair in values["study"]["pairs"]:
        agreed = [pair["agreement"][name] for name in ("first", "second", "both", "neither", "no_agreement")]
        rows.append([f"{pair['first']}, {pair['second']}", *(f"{of['n']:,} ({_share(of['share'])})" for of in agreed)])
    return _table(["pair", "the first", "the second", "both", "neither", "no agreement"], rows)


def _elements_table(values: Values) -> str:
    elements = values["elements"]
    choices = [row["choice"] for row in elements["choices"]]
    header = ["element", "reasons", "denied", *(f"chose {choice}" for choice in choices)]
    rows = [["all", f"{elements['reasons']:,}", "", *_chosen(elements["choices"], choices)]]
    for row in elements["elements"]:
        counts = [f"{row['n']:,} ({_share(row['share'])})", f"{row['denied']:,}"]
        rows.append([row["element"], *counts, *_chosen(row["choices"], choices)])
    return _table(header, rows)


def _chosen(found: Sequence[Mapping[str, Any]], choices: Sequence[str]) -> list[str]:
    """The share of each choice; the first with its interval."""
    of = {row["choice"]: row for row in found}
    cells = [_share(of[choice]["share"]) for choice in choices]
    if of[choices[0]]["low"] is not None:
        cells[0] += f" ({_share(of[choices[0]]['low'])} to {_share(of[choices[0]]['high'])})"
    return cells


def _decoding_table(values: Values) -> str:
    return as_markdown([SettingRow(**row) for row in values["decoding"]])


def _cloze_table(values: Values) -> str:
    sets = list(dict.fromkeys((row["release"], row["split"]) for row in values["cloze"].values()))
    by_system: dict[tuple[str, str], dict[tuple[str, str], Mapping[str, Any]]] = {}
    for row in values["cloze"].values():
        if row["system"] == HUMAN:
            continue
        by_system.setdefault((row["system"], row["variant"]), {})[row["release"], row["split"]] = row
    header = ["system", "variant"]
    for release, split in sets:
        header += [f"{release} {split}", "95% interval", "ties", "half ties", "paper"]
    rows = []
    for (system, variant), of in by_system.items():
        cells: list[str] = []
        for each in sets:
            row = of.get(each)
            cells += _cloze_cells(row) if row else [""] * 5
        rows.append([f"`{system}`", variant, *cells])
    return _table(header, rows)


def _cloze_cells(row: Mapping[str, Any]) -> list[str]:
    interval = "" if row["low"] is None else f"{_accuracy(row['low'])} to {_accuracy(row['high'])}"
    half, paper = (
        "" if value is None else _accuracy(value)
        for value in (row["accuracy_half_ties"] if row["ties"] else None, row["paper"])
    )
    return [_accuracy(row["accuracy"]), interval, f"{row['ties'] or 0:,}", half, paper]


TABLES: dict[str, Callable[[Values], str]] = {
    "training": _training_table,
    "epochs": _epochs_table,
    "endings": _endings_rows,
    "endings and sentiment": _readme_table,
    "stories": _stories_table,
    "sentiment": _sentiment_rows,
    "features": _features_table,
    "bias": _bias_table,
    "distances": _distances_table,
    "people": _people_table,
    "decoding": _decoding_table,
    "elements": _elements_table,
    "cloze": _cloze_table,
}


def marks(page: str) -> Iterator[str]:
    """The keys of all marked numbers of a page, and the names of its tables."""
    yield from (found["key"] for found in _MARKED.finditer(page))
    yield from (found["name"] for found in _TABLE.finditer(page))


@click.command()
@click.argument("data", required=False, type=click.Path(path_type=Path))
def main(data: Path | None) -> None:
    """Fill the docs with the values of docs/measured.json, after reading them from the run in the folder DATA.

    A run on the official files renews all values but the stories, one on the sample corpus renews these.
    """
    with errors_as_lines():
        values = json.loads(VALUES.read_text(encoding="utf-8"))
        if data:
            values |= collect(data)
            write_text(VALUES, json.dumps(values, indent=1, sort_keys=False) + "\n")
        for path in PAGES:
            page = path.read_text(encoding="utf-8")
            try:
                new = filled(page, values)
            except KeyError as error:
                raise UserError(f"{path.name}: {VALUES.name} has no value or table {error}") from error
            if new != page:
                write_text(path, new)
                print(f"{path.name}: values filled in")


if __name__ == "__main__":
    main()
