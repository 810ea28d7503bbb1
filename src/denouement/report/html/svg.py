"""Figures as parts of a page: several in one page share its ids and styles, which files of their own do not."""

import re
from html import escape

from markupsafe import Markup

from denouement.errors import UserError

_ROOT = re.compile(r"<svg\b[^>]*>")
_WIDTH = re.compile(r'\bwidth="([\d.]+)(pt|px|)"')
_VIEW = re.compile(r'\bviewBox="[-\d.]+ [-\d.]+ ([\d.]+) [\d.]+"')
_KEPT = re.compile(r'\b(?:class|font-family|font-size)="[^"]*"')  # of the root: what its parts rely on
_UNUSED = re.compile(r"<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
_ID = re.compile(r"\bid=\"([^\"]+)\"")
_REFERENCE = re.compile(r"(href=\"#|url\(#)")
# where harm could stand: in tags, whose quoted values may hold ">", and in styles; elsewhere it is words of a story
_MARKUP = re.compile(r"""<style\b.*?</style\s*>|<(?:"[^"]*"|'[^']*'|[^>"'])*>""", re.DOTALL | re.IGNORECASE)
# what can run, or fetch: no figure needs it
_UNSAFE = re.compile(r"<script|<foreignObject|<image|\son\w+=|javascript:|href=\"(?!#)|@import", re.IGNORECASE)

_PIXELS = {"pt": 4 / 3, "px": 1.0, "": 1.0}


def inline(svg: str, name: str, what: str) -> Markup:
    """An SVG file's text as an element of a page.

    Args:
        svg: the text of the file.
        name: unique in the page; its ids begin with it.
        what: what the figure shows, for those who do not see it.

    Raises:
        UserError: no SVG, or one that holds a script or fetches something.
    """
    root = _ROOT.search(svg)
    end = svg.rfind("</svg>")
    if root is None or end < 0:
        raise UserError(f"figure {name}: is no SVG; make it again")
    body = _UNUSED.sub("", svg[root.end() : end])
    if "<" in _MARKUP.sub("", body):
        raise UserError(f"figure {name}: is no SVG, a tag of it does not end; make it again")
    if unsafe := _UNSAFE.search("\n".join(_MARKUP.findall(body))):
        raise UserError(f"figure {name}: holds {unsafe[0].strip()!r}, which a page must not run; make it again")
    view, width = _VIEW.search(root[0]), _WIDTH.search(root[0])
    if view is None:
        raise UserError(f"figure {name}: has no viewBox; make it again")
    pixels = float(width[1]) * _PIXELS[width[2]] if width else float(view[1])
    kept = " ".join([view[0], *_KEPT.findall(root[0])])
    body = _REFERENCE.sub(rf"\g<1>{name}-", _ID.sub(rf'id="{name}-\g<1>"', body))
    body = body.replace("*{", f"#{name} *{{")  # Matplotlib's style for all of the figure
    return Markup(  # noqa: S704 -- checked above
        f'<svg id="{name}" role="img" aria-label="{escape(what)}" {kept} '
        f'style="width: {pixels:.0f}px" xmlns="http://www.w3.org/2000/svg" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink">{body.strip()}</svg>'
    )
