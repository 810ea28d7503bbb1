"""The sections of the page in the order of reading, each with one plain sentence on what it shows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from denouement.corpus.cases import labelled_cases
from denouement.corpus.ingest import summary_text
from denouement.report import figures
from denouement.report.html.blocks import Block, Bullets, Fold, Heading, Paragraph, Picture, Table, blocks
from denouement.report.html.endings_browser import endings_browser
from denouement.report.html.run import Origin, Run, read_json
from denouement.report.html.svg import inline
from denouement.report.tables import (
    cloze_text,
    endings_text,
    p_value,
    sentiment_text,
    system_name,
    training_text,
)
from denouement.schemas import read_table

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

# What the systems of the Story Cloze Test do, for those who have not read the papers.
_SYSTEMS = {
    "constant_first": "always takes the first ending: what no knowledge at all comes to",
    "frequency": "takes the ending whose event is met more often in texts",
    "ngram_overlap": "takes the ending that shares more words with the context",
    "word_vectors": "takes the ending whose words are nearer in meaning to the context's",
    "sentiment_full": "takes the ending whose mood is that of the context",
    "sentiment_last": "takes the ending whose mood is that of the context's last sentence",
    "skip_thoughts": "compares vectors of sentences that learned to foretell their neighbours",
    "narrative_chains": "takes the ending whose event often goes with those of the same person in the context",
    "dssm": "learned, as a neural network, which ending lies near which context",
    "ending_reg": "never sees the story: what it gets right beyond chance, the endings alone give away",
    "cogcomp": "learns from cases how events, moods and topics follow one another",
    "likelihood": "takes the ending that a generator finds likelier",
    "embedding_cosine": "takes the ending whose sentence vector is nearer to the context's",
    "combined": "learns from cases to weigh what several of the others say",
}

_LONG_TABLE = 15  # rows above which a table of statistics is folded
_EXAMPLES = 3  # reasons shown for each element
_TABLE_3 = 20  # stories shown with the reasons that people gave


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Attributes:
        anchor: its address within the page.
        title: its heading.
        what: one sentence on what it shows, for those who know nothing of the project.
        reading: how to read its numbers: a term and what it means, in a paragraph each.
        blocks: what it holds.
        origin: where its numbers came from.
        missing: where there is nothing to show, the command that makes it, and what it needs.
    """

    anchor: str
    title: str
    what: str
    reading: Sequence[tuple[str, str]] = ()
    blocks: Sequence[Block] = ()
    origin: Origin | None = None
    missing: tuple[str, str] | None = None


def sections(run: Run) -> list[Section]:
    """All sections; those whose files the run lacks say which command makes them."""
    makers: tuple[Callable[[Run], Section], ...] = (
        _data,
        _statistics,
        _training,
        _endings,
        _sentiment,
        _story_cloze,
        _human_evaluation,
        _reasons,
    )
    return [make(run) for make in makers]


def _data(run: Run) -> Section:
    what = "The stories and cases that all below was learned from and measured on, and how many of them are the same."
    names = ("ingest.json", "stories.parquet", "cloze.parquet", "rejects.parquet")
    files = [run.corpus / name for name in names]
    section = _section("data", "Data", what, run, ["sample", "ingest"], files)
    if section.missing:
        return section
    ingest = read_json(files[0])
    reading = [
        (
            "Story",
            "Five sentences of everyday life, such as those of the ROCStories corpus. Generators learn from them.",
        ),
        (
            "Case",
            "The first four sentences of a story, its context, with two endings, of which one is right (Story Cloze "
            "Test). Generators write a third.",
        ),
        (
            "Train, validation, test",
            "What is learned from; what is held out to choose between versions of a system; what is left for the end.",
        ),
        (
            "Blind, excluded, blank",
            "Cases whose right ending its authors keep to themselves; rows left out because they also stand in another "
            "file, if that was asked for; rows without any text.",
        ),
        (
            "The same story twice",
            "A story that is learned from and also tested on would make a system look better than it is. Stories are "
            "the same when their ids or their contexts are.",
        ),
    ]
    return _filled(section, blocks(summary_text(ingest, read_table(files[3], "rejects"))), reading)


def _statistics(run: Run) -> Section:
    what = "What the stories are like, and what tells a right ending from a wrong one without reading the story."
    file = run.statistics / "statistics.json"
    section = _section("statistics", "Statistics and biases", what, run, ["statistics"], [file])
    if section.missing:
        return section
    parts = read_json(file)
    content: list[Block] = []
    for name, part in parts.items():
        content += [Heading(part["title"]), Paragraph(part["what"])]
        for place, figure in enumerate(part["figures"], 1):
            text = (file.parent / figure["file"]).read_text(encoding="utf-8")
            content.append(Picture(inline(text, f"statistics-{name}-{place}", figure["what"]), figure["what"]))
        for table in part["tables"]:
            shown = _table(table)
            content.append(Fold(shown.title, [shown]) if len(shown.rows) > _LONG_TABLE else shown)
    commands = dict.fromkeys(part["command"] for part in parts.values() if part.get("command"))
    content.append(Paragraph(f"The same on a terminal: {', '.join(commands)}."))
    reading = [
        (
            "Mean, deviation, median",
            "The mean; how far values usually lie from it; and the value that half of them stay below.",
        ),
        (
            "95% interval, p",
            "Where the true value probably lies, had other stories of the same kind been drawn; and how likely chance "
            "alone makes such a difference. Below 0.05 is the usual bound.",
        ),
        (
            "d (effect size)",
            "A difference measured by how much single endings differ anyway: 0.2 is small, 0.5 medium, 0.8 large.",
        ),
        (
            "z of the log-odds",
            "How much more often a word stands in right endings than in wrong ones (below 0: less), so that rare and "
            "frequent words can be compared. Beyond 2 or -2 it is hardly chance.",
        ),
        (
            "Distance",
            "By how much the sentiment of endings would have to be moved, on average, to be spread as that of people's "
            "right endings. It means something where it is well above what chance gives.",
        ),
        (
            "Complexity (Frazier, Yngve)",
            "How deeply the parts of a sentence are nested within each other, by two ways of counting.",
        ),
    ]
    return _filled(section, content, reading)


def _table(table: dict[str, Any]) -> Table:
    rows = [["" if cell is None else str(cell) for cell in row] for row in table["rows"]]
    return Table(list(map(str, table["header"])), rows, table.get("title") or "", table.get("note") or "")


def _training(run: Run) -> Section:
    what = "How well each generator learned to foretell the words of stories that it had not seen."
    section = _section("training", "Training", what, run, ["train"], run.histories)
    if section.missing:
        return section
    histories = {path.parent.name: read_json(path) for path in run.histories}
    reading = [
        (
            "Generator",
            "A neural network that reads the first four sentences of a story and writes the fifth: seq2seq reads them "
            "word by word, h_seq2seq as four vectors, one a sentence (Mori et al. 2019).",
        ),
        (
            "Perplexity",
            "Between how many equally likely words the generator wavers, on average, at each word. Lower is better; 1 "
            "would be to know every word beforehand.",
        ),
        (
            "Epoch",
            "One pass over all the stories. The weights of the best one, circled, wrote the endings. A gap that opens "
            "between the two lines means that stories are learned by heart.",
        ),
    ]
    shown = [
        _picture(figures.training_curves(histories), "training", "Perplexity by epoch, a panel a generator"),
        *blocks(training_text(histories)),
    ]
    return _filled(section, shown, reading)


def _endings(run: Run) -> Section:
    from denouement.analysis.endings import endings_table

    what = "Every ending that the generators wrote, next to the one that a person wrote to the same story."
    files = [run.corpus / "cloze.parquet", *run.endings] if run.endings else []
    section = _section("endings", "Generated endings", what, run, ["generate"], files)
    if section.missing:
        return section
    cloze = run.corpus / "cloze.parquet"
    sentiment = read_table(run.sentiment, "sentiment") if run.sentiment.exists() else None
    browser = endings_browser(read_table(cloze, "cloze"), run.endings, sentiment)
    reading = [
        ("Right", "The ending that a person wrote and that is right; in the search below it is called people's."),
        (
            "Distinct",
            "How many of the endings differ. A generator that always writes the same safe sentence has a low share, "
            "however good that sentence is.",
        ),
        (
            "Log-prob per token",
            "How likely the generator itself found its words: 0 is certain, lower is less so. It tells nothing of how "
            "good an ending is.",
        ),
    ]
    content = blocks(endings_text(endings_table(run.endings, cloze)))
    if browser:
        content += [Heading("Read the endings"), browser]
    return _filled(section, content, reading)


def _sentiment(run: Run) -> Section:
    from denouement.analysis.sentiment import right_against_wrong, sentiment_table

    what = "How cheerful or gloomy endings are: those of people, right and wrong, and those of each generator."
    files = [run.sentiment, run.corpus / "cloze.parquet"]
    section = _section("sentiment", "Sentiment of endings", what, run, ["sentiment"], files)
    if section.missing:
        return section
    scores = read_table(run.sentiment, "sentiment")
    rows = sentiment_table(scores)
    if not rows:
        return _filled(section, [Paragraph("There is no ending to measure.")], [])
    _, left_out = labelled_cases(read_table(run.corpus / "cloze.parquet", "cloze"))
    reading = [
        (
            "Compound score",
            "From -1, as negative as can be, to 1, as positive as can be: what VADER, a list of words with rules, "
            "makes of a sentence. It does not know the story.",
        ),
        (
            "Right, wrong, rocstories",
            "People's right and wrong endings of the cases, and the last sentences of the stories.",
        ),
        (
            "t, p",
            "Whether a mean could differ from 0 by chance alone: the smaller p, the less so. Below 0.05 is the usual "
            "bound.",
        ),
        (
            "Why it matters",
            "Where right endings are happier than wrong ones, a system can choose by mood alone, without reading. "
            "And some generators write far happier endings than people do.",
        ),
    ]
    caption = "Negative, neutral and positive endings by group, the paper's paler, below ours"
    shown = [
        _picture(figures.sentiment_shares(rows), "sentiment", caption),
        *blocks(sentiment_text(rows, right_against_wrong(scores))),
        *(Paragraph(f"{sentence}.") for sentence in left_out),
    ]
    return _filled(section, shown, reading)


def _story_cloze(run: Run) -> Section:
    what = "How often each system knows which of two endings is the right one; guessing is right half of the time."
    section = _section("story-cloze", "Story Cloze Test", what, run, ["cloze"], [run.story_cloze])
    if section.missing:
        return section
    evaluation = read_json(run.story_cloze)
    reading = [
        ("Accuracy", "The share of cases for which the system chose the right ending: 0.500 is chance, 1.000 perfect."),
        (
            "95% interval",
            "Had other cases of the same kind been drawn, the accuracy would probably lie in it. Two systems whose "
            "intervals hardly overlap really differ.",
        ),
        ("Paper", "The accuracy that was published for this system on these cases; empty where there is none."),
    ]
    tried = dict.fromkeys(row["system"] for row in evaluation["systems"])
    reading += [(system, f"It {_SYSTEMS[system]}.") for system in tried if system in _SYSTEMS]
    shown: list[Block] = []
    if any(row["accuracy"] is not None for row in evaluation["systems"]):
        caption = "Accuracy of each system with its 95% interval; the grey line is chance"
        shown.append(_picture(figures.cloze_accuracies(evaluation["systems"]), "story-cloze", caption))
    for block in blocks(cloze_text(evaluation["systems"], evaluation["notes"])):
        shown.append(Fold(block.title, [block]) if isinstance(block, Table) and block.title else block)
    shown += _comparisons(evaluation)
    left_out = [name for names in (run.parameter("cloze", "systems") or {}).values() for name in names]
    if left_out := sorted(set(left_out) - set(tried)):
        shown.append(
            Bullets(
                "Not evaluated in this run (add them to cloze.systems in params.yaml, and run dvc repro cloze report):",
                left_out,
            )
        )
    return _filled(section, shown, reading)


def _comparisons(evaluation: dict[str, Any]) -> list[Block]:
    """The most accurate system of each set of cases against every other."""
    folds: list[Block] = []
    for cases, pairs in evaluation["comparisons"].items():
        scored = [
            row
            for row in evaluation["systems"]
            if row["accuracy"] is not None and f"{row['release']} {row['split']}" == cases
        ]
        if len(scored) < 2 or not pairs:
            continue
        best = max(scored, key=lambda row: row["accuracy"])
        name = f"{best['system']} {best['variant']}".strip()
        rows = []
        for pair in pairs:
            if name in (pair["one"], pair["other"]):
                ours, theirs = ("only_one", "only_other") if pair["one"] == name else ("only_other", "only_one")
                other = pair["other"] if pair["one"] == name else pair["one"]
                rows.append([other, f"{pair[ours]:,}", f"{pair[theirs]:,}", p_value(pair["p"])])
        note = (
            f"Cases that only {system_name(best)} gets right, and that only the other one does, with the exact McNemar "
            "test that both are equally often right. All other pairs stand in evaluation.json."
        )
        header = ["other system", "only the best is right", "only the other is", "p"]
        title = f"{system_name(best)}, the most accurate on {cases}, against every other system"
        folds.append(Fold(title, [Table(header, rows, "", note)]))
    return folds


def _human_evaluation(run: Run) -> Section:
    from denouement.study.page import judged, section_blocks
    from denouement.study.tables import SCALES, scale_section
    from denouement.study.tables import sections as pair_sections

    what = "What people said who read stories with the endings that people and systems wrote."
    scales = [path for name in SCALES if (path := run.study / name / "results.json").exists()]
    files = [run.study / "results.json", run.study / "votes.parquet", *scales]
    section = _section("human-evaluation", "Human evaluation", what, run, ["study"], files)
    results = None if section.missing else read_json(files[0])
    if not results or not (results["answers"] or scales):
        return _without_answers("human-evaluation", "Human evaluation", what)
    reading = [
        (
            "Items and answers",
            "An item is a story with one or two endings. Several people answer each, so there are more answers.",
        ),
        (
            "Kappa, alpha",
            "How far people agree beyond chance: 1 is always, 0 no more than by chance.",
        ),
        ("human_right, human_wrong", "People's own endings: of the Story Cloze Test, the right and the wrong one."),
    ]
    parts = [scale_section(read_json(path)) for path in scales]
    shown: list[Block] = []
    if results["answers"]:
        caption = "What people agree on, by pair of systems, which stand at the ends of its bar"
        shown.append(_picture(figures.study_outcomes(results["pairs"]), "study", caption))
        parts = [*pair_sections(results), *parts]
    for part in parts:
        shown += [Heading(part.title), *section_blocks(part)]
    told = read_table(run.study / "table_3.parquet", "table_3")
    if told.num_rows:
        first = [judged(row) for row in told.slice(0, _TABLE_3).to_pylist()]
        title = f"The first {len(first)} of {told.num_rows:,} stories with their endings, answers and reasons"
        shown.append(Fold(title, [*first, Paragraph("All of them stand in results.html in the folder of the study.")]))
    return _filled(section, shown, reading)


def _reasons(run: Run) -> Section:
    from denouement.study.reasons import ELEMENTS
    from denouement.study.reasons.examples import draw_examples
    from denouement.study.reasons.reading import elements_text, words_text
    from denouement.study.reasons.words import word_chart

    title = "Reasons"
    what = "Why people preferred an ending: the words they used, and which elements of a story they spoke of."
    files = [run.study / "reasons.json", run.study / "reason_elements.parquet"]
    section = _section("reasons", title, what, run, ["study"], files)
    if section.missing:
        return _without_answers("reasons", title, what)
    found = read_json(files[0])
    words = found["words"]
    reading = [
        (
            "Element",
            "What a reason speaks of: logic, relevance, emotion, morality, common sense or grammar (Mori et al. 2019, "
            "4.4). Rules find them; a reason may name several, or none.",
        ),
        (
            "Precision, recall, F1",
            "Of what the rules found, the share that a reader found too; of what the reader found, the share that the "
            "rules did; and a mean of both.",
        ),
    ]
    caption = f"The words used most in {words['reasons']:,} reasons"
    shown: list[Block] = [
        Heading("Words"),
        _picture(word_chart(words["words"], words["reasons"]), "reasons", caption),
        Fold("The same as a table", blocks(words_text(words))),
        Heading("Elements"),
        *blocks(elements_text(found["elements"])),
        Heading("Examples by element"),
    ]
    tags = read_table(files[1], "reason_elements")
    examples = draw_examples(tags, ELEMENTS, _EXAMPLES, seed=1).to_pylist()
    for element in dict.fromkeys(row["element"] for row in examples):
        shown.append(
            Bullets(
                f"{element.replace('_', ' ')}:",
                [
                    f"“{' '.join(row['reason'].split())}” (chose {row['choice']}; found by “{row['words']}”"
                    f"{', denied' if row['denied'] else ''})"
                    for row in examples
                    if row["element"] == element
                ],
            )
        )
    return _filled(section, shown, reading)


def _without_answers(anchor: str, title: str, what: str) -> Section:
    needs = (
        "No answer of a person is there yet. Put a file of answers into data/raw (denouement study export writes one "
        "of a study that was run here), and run"
    )
    return Section(anchor, title, what, missing=("dvc repro study report", needs))


def _section(anchor: str, title: str, what: str, run: Run, stages: Sequence[str], files: Sequence[Path]) -> Section:
    """A section without content yet: it has an origin, or what it needs is missing."""
    if not files or not all(path.exists() for path in files):
        return Section(anchor, title, what, missing=(f"dvc repro {stages[-1]} report", "It has not been run. Run"))
    return Section(anchor, title, what, origin=run.origin(stages, files))


def _filled(section: Section, content: Sequence[Block], reading: Sequence[tuple[str, str]]) -> Section:
    return Section(section.anchor, section.title, section.what, reading, content, section.origin)


def _picture(figure: "Figure", name: str, what: str) -> Picture:
    return Picture(inline(figures.as_svg(figure), f"figure-{name}", what), what)
