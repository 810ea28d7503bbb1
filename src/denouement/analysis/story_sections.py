"""What a corpus of stories is like, as sections: Mostafazadeh et al. 2016, section 3."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.analysis import titles
from denouement.analysis.corpus_statistics import Words, by_position, sentences_of, title_lengths, vocabulary_growth
from denouement.analysis.crowd import PUBLISHED as CROWD_PUBLISHED
from denouement.analysis.crowd import crowd_statistics
from denouement.analysis.duplicates import SIMILAR, duplicates
from denouement.analysis.events import SHOWN, event_counts
from denouement.analysis.orders import PUBLISHED as ORDERS_PUBLISHED
from denouement.analysis.orders import PUBLISHED_TLINKS, Orderings, order_statistics, tlink_statistics
from denouement.analysis.sections import Chart, Section, Table
from denouement.charts import corpus as figures
from denouement.charts.sunburst import sunburst
from denouement.console import progress
from denouement.corpus.kind import corpus_kind
from denouement.report.tables import count_and_share, number
from denouement.text.syntax import NoParserError
from denouement.text.wordnet import NoWordNetError

_PAPER = "Mostafazadeh et al. 2016"
_TITLES_SHOWN = 10
_EVENTS_NAMED = 12


def corpus_sections(
    stories: pa.Table, wordnet: Path | None, cache: Path | None, with_events: bool = True
) -> dict[str, Section]:
    """Lengths, vocabulary, duplicates, events and titles of the table `stories`, which holds at least one.

    Args:
        stories: the table.
        wordnet: the folder of WordNet's database; None looks for it.
        cache: a folder that keeps parses.
        with_events: whether events are counted, the one part that parses.
    """
    words = Words.of(progress(sentences_of(stories), "splitting", total=stories.num_rows, unit="stories"))
    is_sample = corpus_kind(stories) == "sample"  # beside which the paper's figures, of people's stories, say nothing
    return {
        "sentence_lengths": _sentence_lengths(words),
        "vocabulary": _vocabulary(words),
        "duplicates": _duplicates(stories, words),
        **({"events": _events(stories, wordnet, cache, is_sample)} if with_events else {}),
        "titles": _titles(stories["title"].to_pylist(), is_sample),
    }


def crowd_section(path: Path, columns: Mapping[str, str]) -> Section:
    """Tables 2 and 5, from a file of what workers handed in."""
    found = crowd_statistics(path, columns)
    names = {
        "submitted": ("handed in", 0),
        "approved": ("approved", 0),
        "workers": ("workers", 0),
        "mean_by_worker": ("by one worker, mean", 2),
        "most_by_worker": ("by one worker, most", 0),
        "mean_minutes": ("work time of workers, mean (minutes)", 2),
        "median_minutes": ("work time of workers, median (minutes)", 2),
        "mean_cents": ("payment for one, mean (cents)", 1),
    }
    rows = [
        [name, *(number(figures_of.get(key), digits) for figures_of in (found, *CROWD_PUBLISHED.values()))]
        for key, (name, digits) in names.items()
    ]
    note = (
        f"{_PAPER}: Table 2 (stories) and Table 5 (cases). Work time is the mean of a worker's times. But for what "
        "was handed in, only what was approved counts."
    )
    return Section(
        "Workers",
        "How many people wrote the stories or cases, how long it took them and what they were paid.",
        [Table("Workers", ["", "here", "paper: stories", "paper: cases"], rows, note)],
        values=found,
    )


def order_section(given: Orderings) -> Section:
    """Table 3, from orderings of shuffled sentences."""
    found = order_statistics(given)
    columns = {"here": found, **{f"paper: {name}": of for name, of in ORDERS_PUBLISHED.items()}}
    names = {
        "majority": "stories in the right order by more than half of the people",
        "perfect": "orderings that are right",
        "near": "orderings with at most one sentence out of place",
    }
    rows = [[name, *(_percent(of[key]) for of in columns.values())] for key, name in names.items()]
    for place in range(max(len(of["by_place"]) for of in columns.values())):
        cells = [_percent(of["by_place"][place]) if place < len(of["by_place"]) else "-" for of in columns.values()]
        rows.append([f"right sentence at place {place + 1}", *cells])
    note = (
        f"{found['stories']:,} stories, {found['orderings']:,} orderings; the paper: 50 stories and 250 orderings "
        f"each. {_PAPER}, Table 3."
    )
    return Section(
        "Order of sentences",
        "People were shown the sentences of stories in a shuffled order and put them back: how often that is possible "
        "shows how far a story follows the order of its events.",
        [Table("Orderings of shuffled sentences", ["", *columns], rows, note)],
        values=found,
    )


def tlink_section(path: Path, columns: Mapping[str, str]) -> Section:
    """Section 3.3, from an annotation of temporal links."""
    found = tlink_statistics(path, columns)
    published = {name: share for name, share in PUBLISHED_TLINKS.items() if name != "agreeing"}
    rows = [
        [name, count_and_share(row["n"], row["share"]), _percent(published.get(name))]
        for name, row in found["relations"].items()
    ]
    shares = {
        "links between two sentences that agree with their order": ("agreeing_share", PUBLISHED_TLINKS["agreeing"]),
        "the same, of links that say before or after": ("agreeing_share_of_ordered", None),
    }
    rows += [[name, _percent(found[key]), _percent(paper)] for name, (key, paper) in shares.items()]
    note = (
        f"{found['links']:,} links, {found['between']:,} of them between two sentences. {_PAPER}, section 3.3, which "
        "does not say of which links its share is."
    )
    return Section(
        "Order of events",
        "Annotators marked which events of a story come before others: how often the text tells them in that order.",
        [Table("Temporal links", ["", "here", "paper"], rows, note)],
        values=found,
    )


def missing(title: str, what: str, problem: str) -> Section:
    """A section that says what it lacks."""
    told = f"{problem[0].upper()}{problem[1:]}."
    return Section(title, what, [Table("Not worked out", (), (), told)], values={"missing": problem})


def _sentence_lengths(words: Words) -> Section:
    rows = by_position(words)
    cells = [
        [f"sentence {row['position']}", f"{row['n']:,}", *_summary(row), f"{_most(row['counts']):,}"] for row in rows
    ]
    everything = {"n": len(words.sentence_lengths), "mean": float(words.sentence_lengths.mean())}
    cells.append(["all", f"{everything['n']:,}", number(everything["mean"], 2), "", "", ""])
    note = "Words of the Penn Treebank, punctuation marks among them."
    return Section(
        "Length of sentences",
        "How many words the first, second, ... sentence of a story has.",
        [
            Table(
                "Words in a sentence",
                ["", "n", "mean", "deviation", "median", "longest"],
                cells,
                f"{note} {_PAPER}, Figure 2.",
            )
        ],
        figures={
            "sentence_lengths.svg": Chart(
                figures.sentence_lengths(rows),
                "How many of the sentences at each place of a story have so many words. The few longest are cut off.",
            )
        },
        values={"positions": rows, "all": everything},
    )


def _vocabulary(words: Words) -> Section:
    found = vocabulary_growth(words)
    cells = [
        ["words", f"{found['tokens']:,}"],
        ["different words", f"{found['types']:,}"],
        ["of them standing once", count_and_share(found["once"], found["once"] / max(1, found["types"]))],
        ["Heaps' exponent", number(found["heaps_exponent"], 2)],
    ]
    note = "In lower case. Heaps' exponent is the slope of the curve on logarithmic scales: 1 is a new word each time."
    return Section(
        "Vocabulary",
        "How many different words the stories use, and how fast new ones keep coming.",
        [Table("Vocabulary", ["", "n"], cells, note)],
        figures={
            "vocabulary.svg": Chart(
                figures.vocabulary_growth(found),
                "Different words met so far, while the stories are read from first to last. Where the curve is steep, "
                "many words are new.",
            )
        }
        if found["points"]
        else {},
        values=found,
    )


def _duplicates(stories: pa.Table, words: Words) -> Section:
    found = duplicates(stories, words)
    names = {
        "same_story": "all sentences as in an earlier story",
        "same_context": "all but the last sentence as in an earlier story",
        "near": "nearly as an earlier story",
    }
    cells = [["stories", f"{found['n']:,}"]]
    cells += [[name, count_and_share(found[key], found[key] / found["n"])] for key, name in names.items()]
    tables = [
        Table(
            "Stories that stand there twice",
            ["", "n"],
            cells,
            f"The same: by letters and digits alone. Nearly: of their sequences of three words, at least {SIMILAR:.0%} "
            "of those that stand in one or the other stand in both.",
        )
    ]
    if found["examples"]:
        rows = [[row["story"], row["earlier"], f"{row['similarity']:.0%}"] for row in found["examples"]]
        tables.append(Table("The first of those that are nearly the same", ["story", "earlier", "similarity"], rows))
    return Section(
        "Duplicates",
        "How many stories stand in the corpus more than once, which would count what they say twice.",
        tables,
        values=found,
    )


def _events(stories: pa.Table, wordnet: Path | None, cache: Path | None, is_sample: bool) -> Section:
    title, what = "Events", "What happens most often in the stories: verbs and nouns that name an event or a process."
    try:
        counts = event_counts(stories, wordnet, cache)
    except NoWordNetError as error:
        if wordnet:  # the folder that was asked for
            raise
        return missing(title, what, str(error))
    except NoParserError as error:
        return missing(title, what, str(error))
    shown = counts.events.slice(0, SHOWN).to_pylist()
    cells = [
        [f"{place}. {row['lemma']}", row["pos"].lower(), f"{row['count']:,}", f"{row['share']:.2%}"]
        for place, row in enumerate(shown, 1)
    ]
    by_rule = {"events": _event_totals(counts.events), "spelled": _event_totals(counts.spelled)}
    note = (
        "Shares are of all events. A noun counts when WordNet's most frequent sense of it is a kind of event or "
        "process, a verb when a noun derived from it is; no word's sense is looked for in its sentence."
    )
    tables = [Table(f"The {len(shown)} most frequent events", ["event", "", "n", "share"], cells, note)]
    if not is_sample:
        names = {"events": "here", "spelled": "of the paper, word for word"}
        rules = [
            [
                names[key],
                f"{of_rule['n']:,}",
                f"{of_rule['different']:,}",
                *(_share_of(of_rule["most_frequent"], lemma) for lemma in ("go", "get")),
                ", ".join(row["lemma"] for row in of_rule["most_frequent"][:_EVENTS_NAMED]),
            ]
            for key, of_rule in by_rule.items()
        ]
        header = ["rule", "events", "different ones", "go", "get", f"the {_EVENTS_NAMED} most frequent"]
        of_paper = (
            f"{_PAPER}, section 3.1, count any hyponym of event or process; go and get lead there too, each with less "
            "than 2%. WordNet has no noun above a verb, and the paper does not say how a verb is such a hyponym; word "
            "for word: a noun or verb whose spelling has, as a noun, any sense at or below any sense of the two. So "
            "house and doctor count, and decide and buy don't."
        )
        tables.append(Table("Events by two rules", header, rules, of_paper))
    return Section(
        title,
        what,
        tables,
        figures={
            "events.svg": Chart(
                figures.events(shown), f"The {len(shown)} most frequent events, each with its share of all events."
            )
        }
        if shown
        else {},
        data={"event_counts": counts.events},
        values=by_rule,
    )


def _event_totals(table: pa.Table) -> dict[str, Any]:
    return {
        "n": sum(table["count"].to_pylist()),
        "different": table.num_rows,
        "most_frequent": table.slice(0, SHOWN).to_pylist(),
    }


def _share_of(rows: Sequence[Mapping[str, Any]], lemma: str) -> str:
    """The share of a verb among the rows; a dash where it is not among them."""
    return next((f"{row['share']:.2%}" for row in rows if (row["lemma"], row["pos"]) == (lemma, "VERB")), "-")


def _titles(given: Sequence[str | None], is_sample: bool) -> Section:
    title, what = (
        "Titles",
        "How long titles are and how they begin; the more even the circle, the more varied they are.",
    )
    lengths = title_lengths(given)
    if not lengths["n"]:
        return missing(title, what, "no story of the table has a title")
    paths = titles.title_paths(given)
    faded = titles.faded_share(paths)
    cells = [
        ["titles", f"{lengths['n']:,}", ""],
        ["stories without one", f"{lengths['untitled']:,}", ""],
        ["mean words", number(lengths["mean"], 2), "9.8"],
        ["median words", number(lengths["median"], 1), "10"],
        ["faded in the circle", _percent(faded), "about 75%"],
    ]
    header = ["", "here", "paper"]
    note = f"Faded: the first {titles.DEPTH} words are of under {titles.FADED:.1%} of all."
    if is_sample:
        header, cells = header[:2], [row[:2] for row in cells]
    else:
        note += f" The paper is {_PAPER}, section 3.1."
    first = titles.first_words(paths, _TITLES_SHOWN)
    begins = [[row["word"], f"{row['count']:,}", f"{row['share']:.1%}"] for row in first]
    return Section(
        title,
        what,
        [
            Table("Titles", header, cells, note),
            Table("The most frequent first words", ["title begins", "n", "share"], begins),
        ],
        figures={
            "titles.svg": Chart(
                sunburst(paths, titles.FADED, "titles"),
                "Titles word by word, from the first word inside to the fifth outside; the wider an arc, the more "
                "titles begin so. Dark grey: the title ends. Pale: all beginnings of under 0.1%.",
            )
        },
        values={**lengths, "faded_share": faded, "first_words": first},
    )


def _summary(row: Mapping[str, Any]) -> list[str]:
    return [number(row["mean"], 2), number(row["sd"], 2), number(row["median"], 1)]


def _most(counts: Sequence[int]) -> int:
    return max(len(counts) - 1, 0)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
