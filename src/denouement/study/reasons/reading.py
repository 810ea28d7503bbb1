"""What is known of the reasons as text: readable on a terminal, valid as Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from denouement.console import text_table
from denouement.errors import printable
from denouement.report.tables import count_and_share, interval, number
from denouement.study.results.tables import scope


def words_text(document: Mapping[str, Any]) -> str:
    """The most frequent words."""
    rows = [[row["word"], f"{row['count']:,}", f"{row['reasons']:,}"] for row in document["words"]]
    return "\n\n".join(
        [
            text_table(["word", "times", "reasons"], rows),
            f"Of {document['distinct']:,} words in {document['reasons']:,} reasons: lemmas of nouns, adjectives, verbs "
            "and adverbs, without stop words (Mori et al. 2019, A.4).",
        ]
    )


def topics_text(found: Mapping[str, Any]) -> str:
    """The topics, the largest first."""
    rows = [
        [
            str(place),
            f"{topic['share']:.1%}",
            f"{topic['reasons']:,}",
            number(topic["coherence"], 3) if topic["coherence"] is not None else "",
            ", ".join(word["word"] for word in topic["words"]),
        ]
        for place, topic in enumerate(found["topics"], 1)
    ]
    coherences = [
        f"{name} {number(found[key], 3)}"
        for name, key in (("C_v", "coherence_c_v"), ("U_mass", "coherence_u_mass"))
        if found[key] is not None
    ]
    caution = (
        f"Caution: under {found['enough_reasons']:,} reasons, {len(found['topics'])} topics mean nothing: another "
        "--seed finds others. The elements (`denouement reasons elements`) need fewer."
    )
    return "\n\n".join(
        [
            *([caution] if found["reasons"] < found["enough_reasons"] else []),
            text_table(["topic", "share", "reasons", "C_v", "words"], rows),
            f"{found['reasons']:,} reasons, {found['vocabulary']:,} words. Share of the words; reasons in which the "
            f"topic is the strongest; coherence {', '.join(coherences) or 'undefined'} (more is better).",
        ]
    )


def elements_text(document: Mapping[str, Any]) -> str:
    """How often each element is named, what was chosen then, what is named together, and how good the rules are."""
    paragraphs = [
        _named(document),
        f"Of {document['reasons']:,} reasons, {document['untagged']:,} name no element. Denied: named only to say that "
        "it lacks, or that something is not so.",
        "Chosen by those who name an element, with the 95% interval:",
        _chosen(document),
        *_scope(document),
        "Named together:",
        _together(document),
    ]
    if document["quality"]:
        paragraphs += [
            f"How well the rules agree with {document['quality']['n']:,} of these reasons as a reader labelled them:",
            _quality(document["quality"]),
            f"All labels of a reason are right in {document['quality']['exact']:.1%}.",
        ]
    return "\n\n".join(paragraphs)


def _named(document: Mapping[str, Any]) -> str:
    rows = [
        [row["element"], count_and_share(row["n"], row["share"]), f"{row['denied']:,}"] for row in document["elements"]
    ]
    return text_table(["element", "reasons", "denied"], rows)


def _chosen(document: Mapping[str, Any]) -> str:
    choices = [row["choice"] for row in document["choices"]]
    rows = [
        [row["element"], f"{row['n']:,}", *map(_share_with_interval, row["choices"])]
        for row in [{"element": "all", "n": document["reasons"], "choices": document["choices"]}, *document["elements"]]
    ]
    return text_table(["element", "n", *choices], rows)


def _scope(document: Mapping[str, Any]) -> list[str]:
    """What the intervals tell, and why some shares have none."""
    rows = [{"element": "all", "choices": document["choices"]}, *document["elements"]]
    named = [(f"{row['element']} {each['choice']}", each) for row in rows for each in row["choices"] if each["share"]]
    told = [(name, each) for name, each in named if each["over"]]
    return [
        "Intervals allow for answers about one case, and those of one annotator, going together; a dash where all who "
        "name the element chose the same or did so about one case. " + scope(told)
    ]


def _share_with_interval(row: Mapping[str, Any]) -> str:
    return f"{row['share']:.1%} ({interval(row, '.1%')})" if row["share"] is not None else ""


def _together(document: Mapping[str, Any]) -> str:
    elements = [row["element"] for row in document["elements"]]
    counts = {frozenset(row["elements"]): row["n"] for row in document["together"]}
    counts |= {frozenset([row["element"]]): row["n"] for row in document["elements"]}
    return text_table(
        ["", *elements], [[one, *(counts[frozenset({one, other})] for other in elements)] for one in elements]
    )


def _quality(quality: Mapping[str, Any]) -> str:
    rows = [
        [row["element"], row["tagged"], row["labelled"], row["both"], *_figures(row)]
        for row in [*quality["elements"], {"element": "micro", **quality["micro"]}]
    ]
    rows.append(["macro", "", "", "", *_figures(quality["macro"])])
    return text_table(["element", "by rule", "by reader", "both", "precision", "recall", "F1"], rows)


def _figures(row: Mapping[str, Any]) -> list[str]:
    return [number(row[name], 2) if row[name] is not None else "" for name in ("precision", "recall", "f1")]


def examples_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The reasons, a paragraph an element."""
    paragraphs = []
    for element in dict.fromkeys(row["element"] for row in rows):
        lines = [
            f"- {printable(' '.join(row['reason'].split()))}\n"
            f"  chose {row['choice']}; {row['rule']}: “{printable(row['words'])}”"
            + (", denied" if row["denied"] else "")
            for row in rows
            if row["element"] == element
        ]
        paragraphs.append("\n".join([f"{element}:", *lines]))
    return "\n\n".join(paragraphs) or "No reason names any of these elements."
