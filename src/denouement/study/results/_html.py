"""Stands in for `denouement.present.html` until that module is there: the same two functions."""

from collections.abc import Iterable

from markupsafe import Markup

from denouement.present.cells import written
from denouement.present.sections import Block, Paragraph, Section, Stories, Table
from denouement.report.html import blocks as old
from denouement.report.html.rendering import asset, environment


def render(blocks: Iterable[Block], level: int = 2) -> Markup:
    """Sections as HTML."""
    template = environment().from_string(
        '{% from "blocks.html" import show %}{% for heading, what, blocks in sections %}<section>\n<h2>{{ heading }}'
        "</h2>\n{% if what %}<p>{{ what }}</p>\n{% endif %}"
        "{% for block in blocks %}{{ show(block) }}{% endfor %}</section>\n{% endfor %}"
    )
    sections = [(each.title, each.what, old_blocks(each.blocks)) for each in blocks if isinstance(each, Section)]
    return Markup(template.render(sections=sections))  # noqa: S704


def page(title: str, body: Markup) -> str:
    """A page around it."""
    template = environment().from_string(
        '{% extends "page.html" %}{% block body %}<main>{{ body }}</main>{% endblock %}'
    )
    return template.render(title=title, body=body, style=asset("report.css"))


def old_blocks(blocks: Iterable[Block]) -> list[old.Block]:
    """The same as blocks of the report."""
    return [part for block in blocks for part in _old(block)]


def _old(block: Block) -> list[old.Block]:
    match block:
        case Paragraph(text):
            return [old.Paragraph(text)]
        case Table(columns, rows, title, note):
            return [old.Table(columns, [[written(cell) for cell in row] for row in rows], title, note)]
        case Stories(stories):
            return [
                old.Story(
                    story.case_id,
                    story.context,
                    [(each.whose, each.text, each.remark) for each in story.endings],
                    story.remarks,
                )
                for story in stories
            ]
    raise TypeError(f"no block of results: {block}")
