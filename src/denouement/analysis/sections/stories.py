"""What a corpus of stories is like, as tables: Mostafazadeh et al. 2016."""

from denouement.analysis import titles
from denouement.analysis.corpus_statistics import SentenceLengths, VocabularyGrowth
from denouement.analysis.crowd import CrowdStatistics
from denouement.analysis.duplicates import SIMILAR, Duplicates
from denouement.analysis.events import EventTotals
from denouement.analysis.findings import Tables
from denouement.analysis.orders import OrderStatistics, TlinkStatistics
from denouement.analysis.story_findings import StoryEvents, TitleStatistics
from denouement.papers import cited, published
from denouement.present.cells import Cell, CountAndShare, Number, Share
from denouement.present.sections import Table

_PAPER = "mostafazadeh_2016"
_EVENTS_NAMED = 12


def lengths_tables(found: SentenceLengths, _: Tables) -> list[Table]:
    """Figure 2."""
    rows: list[list[Cell]] = [
        [
            *(f"sentence {row.position}", row.n),
            *(Number(row.mean, 2), Number(row.sd, 2), Number(row.median, 1)),
            row.longest,
        ]
        for row in found.positions
    ]
    rows.append(["all", found.all.n, Number(found.all.mean, 2), "", "", ""])
    note = f"Words of the Penn Treebank, punctuation marks among them. {cited(_PAPER)}, Figure 2."
    return [Table(["", "n", "mean", "deviation", "median", "longest"], rows, "Words in a sentence", note)]


def vocabulary_tables(found: VocabularyGrowth, _: Tables) -> list[Table]:
    """How many words there are, and how many of these are different."""
    rows: list[list[Cell]] = [
        ["words", found.tokens],
        ["different words", found.types],
        ["words that occur once", CountAndShare(found.once, found.once / max(1, found.types))],
        ["Heaps' exponent", Number(found.heaps_exponent, 2)],
    ]
    note = "In lower case. Heaps' exponent is the slope of the curve on logarithmic scales: 1 is a new word each time."
    return [Table(["", "n"], rows, "Vocabulary", note)]


def duplicates_tables(found: Duplicates, _: Tables) -> list[Table]:
    """How many stories repeat an earlier one, and the first that nearly do."""
    counts = {
        "all sentences as in an earlier story": found.same_story,
        "all but the last sentence as in an earlier story": found.same_context,
        "nearly as an earlier story": found.near,
    }
    rows: list[list[Cell]] = [["stories", found.n]]
    rows += [[name, CountAndShare(n, n / found.n)] for name, n in counts.items()]
    note = (
        f"The same: by letters and digits alone. Nearly: of their sequences of three words, at least {SIMILAR:.0%} of "
        "those that occur in one or the other occur in both."
    )
    tables = [Table(["", "n"], rows, "Stories that are there twice", note)]
    if found.examples:
        examples: list[list[Cell]] = [[row.story, row.earlier, Share(row.similarity, 0)] for row in found.examples]
        title = "The first of those that are nearly the same"
        tables.append(Table(["story", "earlier", "similarity"], examples, title))
    return tables


def events_tables(found: StoryEvents, _: Tables) -> list[Table]:
    """Figure 3; for stories by people, also the two readings of the paper's rule."""
    shown = found.events.most_frequent
    rows: list[list[Cell]] = [
        [f"{place}. {row.lemma}", row.pos.lower(), row.count, Share(row.share, 2)] for place, row in enumerate(shown, 1)
    ]
    note = (
        "Shares are of all events. A noun counts when WordNet's most frequent sense of it is a kind of event or "
        "process, a verb when a noun derived from it is; the sense that a word has in its sentence is not looked for."
    )
    tables = [Table(["event", "", "n", "share"], rows, f"The {len(shown)} most frequent events", note)]
    return tables if found.sample else [*tables, _by_two_rules(found)]


def _by_two_rules(found: StoryEvents) -> Table:
    def row(name: str, totals: EventTotals) -> list[Cell]:
        shares = [Share(totals.share_of(lemma), 2) for lemma in ("go", "get")]
        named = ", ".join(each.lemma for each in totals.most_frequent[:_EVENTS_NAMED])
        return [name, totals.n, totals.different, *shares, named]

    note = (
        f"{cited(_PAPER)}, section 3.1, count any hyponym of event or process; go and get lead there too, each with "
        "less than 2%. WordNet has no noun above a verb, and the paper does not say how a verb is such a hyponym; word "
        "for word: a noun or verb whose spelling has, as a noun, any sense at or below any sense of the two. So "
        "house and doctor count, and decide and buy don't."
    )
    return Table(
        ["rule", "events", "different ones", "go", "get", f"the {_EVENTS_NAMED} most frequent"],
        [row("here", found.events), row("of the paper, word for word", found.spelled)],
        "Events by two rules",
        note,
    )


def titles_tables(found: TitleStatistics, _: Tables) -> list[Table]:
    """How long titles are, and the words that they begin with."""
    paper = published(_PAPER, "section 3.1")["titles"]
    rows: list[list[Cell]] = [
        ["titles", found.n, ""],
        ["stories without one", found.untitled, ""],
        ["mean words", Number(found.mean, 2), Number(float(paper["mean"]), 1)],
        ["median words", Number(found.median, 1), Number(float(paper["median"]), 0)],
        ["faded in the circle", Share(found.faded_share), str(paper["faded"])],
    ]
    note = f"Faded: the first {titles.DEPTH} words are of under {titles.FADED:.1%} of all."
    if not found.sample:
        note += f" The paper is {cited(_PAPER)}, section 3.1."
    width = 2 if found.sample else 3
    begins: list[list[Cell]] = [[row.word, row.count, Share(row.share)] for row in found.first_words]
    return [
        Table(["", "here", "paper"][:width], [row[:width] for row in rows], "Titles", note),
        Table(["title begins", "n", "share"], begins, "The most frequent first words"),
    ]


def workers_tables(found: CrowdStatistics, _: Tables) -> list[Table]:
    """Tables 2 and 5."""
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
    of_papers = [published(_PAPER, "Table 2")["stories"], published(_PAPER, "Table 5")["cases"]]
    rows: list[list[Cell]] = []
    for key, (name, decimals) in names.items():
        values = [getattr(found, key), *(paper.get(key) for paper in of_papers)]
        rows.append([name, *(Number(value, decimals) for value in values)])
    note = (
        f"{cited(_PAPER)}: Table 2 (stories) and Table 5 (cases). Work time is the mean of a worker's times. But for "
        "what was handed in, only what was approved counts."
    )
    return [Table(["", "here", "paper: stories", "paper: cases"], rows, "Workers", note)]


def orders_tables(found: OrderStatistics, _: Tables) -> list[Table]:
    """Table 3."""
    papers = published(_PAPER, "Table 3")
    names = {
        "majority": "stories in the right order by more than half of the people",
        "perfect": "orderings that are right",
        "near": "orderings with at most one sentence out of place",
    }
    here = {key: getattr(found, key) for key in names}
    here |= {f"place {place}": share for place, share in enumerate(found.by_place, 1)}
    places = dict.fromkeys(key for of in (here, *papers.values()) for key in of if key.startswith("place "))
    rows: list[list[Cell]] = []
    for key, name in (names | {key: f"right sentence at {key}" for key in places}).items():
        rows.append([name, Share(here.get(key)), *(_share(of.get(key)) for of in papers.values())])
    note = (
        f"{found.stories:,} stories, {found.orderings:,} orderings; the paper: 50 stories and 250 orderings each. "
        f"{cited(_PAPER)}, Table 3."
    )
    columns = ["", "here", *(f"paper: {name}" for name in papers)]
    return [Table(columns, rows, "Orderings of shuffled sentences", note)]


def tlinks_tables(found: TlinkStatistics, _: Tables) -> list[Table]:
    """Section 3.3."""
    paper = published(_PAPER, "section 3.3")["links"]
    rows: list[list[Cell]] = [
        [name, CountAndShare(row.n, row.share), _share(paper.get(name) if name != "agreeing" else None)]
        for name, row in found.relations.items()
    ]
    agreeing = "links between two sentences that agree with their order"
    rows.append([agreeing, Share(found.agreeing_share), _share(paper["agreeing"])])
    ordered = "the same, of links that say before or after"
    rows.append([ordered, Share(found.agreeing_share_of_ordered), Share(None)])
    note = (
        f"{found.links:,} links, {found.between:,} of them between two sentences. {cited(_PAPER)}, section 3.3, which "
        "does not say of which links its share is."
    )
    return [Table(["", "here", "paper"], rows, "Temporal links", note)]


def _share(value: float | int | str | None) -> Share:
    return Share(None if value is None else float(value))
