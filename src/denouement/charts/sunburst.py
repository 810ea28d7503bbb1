"""A tree as rings: how many begin with each word, then with each second word, and so on (a sunburst)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from denouement.charts.output import literal
from denouement.charts.style import BLUE, GREEN, ORANGE, PINK, SKY, YELLOW

Path = tuple[str, ...]

END = ""
"""The last part of a path that ends there, unlike one that is cut off at the greatest depth. It is no word."""

_COLOURS = (BLUE, YELLOW, GREEN, PINK, SKY, ORANGE)
_END_SHOWN = "(end)"
_PALE, _ENDS = "#DDDDDD", "#999999"
_HOLE, _RING = 60.0, 88.0


@dataclass(frozen=True)
class Arc:
    """A part of a ring.

    Attributes:
        path: the words up to here; empty for the further words of its parent, each of too small a share to be seen.
        count: how many begin so.
        begin: where it begins on the circle, from 0 to 1.
        end: where it ends.
        level: the ring, from 0 inside.
        branch: the place of its first word among the first words.
    """

    path: Path
    count: int
    begin: float
    end: float
    level: int
    branch: int


def arcs(paths: Mapping[Path, int], least: float) -> list[Arc]:
    """The arcs; those of a parent that are smaller than `least` become one, with no arcs outside of it."""
    children: dict[Path, list[tuple[Path, int]]] = {}
    for path, n in paths.items():
        children.setdefault(path[:-1], []).append((path, n))
    total = sum(n for _, n in children.get((), ()))
    found: list[Arc] = []

    def spread(parent: Path, begin: float, branch: int) -> None:
        rest, level = 0, len(parent)
        for path, n in sorted(children.get(parent, ()), key=lambda row: (-row[1], row[0])):
            if n / total < least:
                rest += n
                continue
            own = branch if level else len(found)
            found.append(Arc(path, n, begin, begin + n / total, level, own))
            spread(path, begin, own)
            begin += n / total
        if rest:
            found.append(Arc((), rest, begin, begin + rest / total, level, branch))

    spread((), 0.0, 0)
    branches = {place: number for number, place in enumerate(sorted({arc.branch for arc in found if arc.path}))}
    return [Arc(a.path, a.count, a.begin, a.end, a.level, branches.get(a.branch, 0)) for a in found]


def sunburst(paths: Mapping[Path, int], least: float, of: str) -> str | None:
    """The tree as the text of an SVG file: a ring a word, from inside; an arc's angle is its share of the whole.

    A pointer on an arc highlights it and shows its words, its count and its share. No script is needed.

    Args:
        paths: by path, every part of which is a path too, how many begin with it; `END` is the last part of those that
            end.
        least: a path of a smaller share is not drawn by itself.
        of: what is counted, such as `titles`.

    Returns:
        None without a path.
    """
    if not paths:
        return None
    drawn = arcs(paths, least)
    total = sum(arc.count for arc in drawn if not arc.level)
    size = 2 * (_HOLE + max(map(len, paths)) * _RING) + 20
    centre = size / 2
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="sunburst" viewBox="0 0 {size:g} {size:g}" '
            f'role="img" aria-label="How {of} begin, word by word" font-family="sans-serif" font-size="11">',
            "<style>.sunburst path:hover { stroke: #000; stroke-width: 2; }"
            " .sunburst text { pointer-events: none; }</style>",
            *_shapes(drawn, total, centre, least),
            f'<text x="{centre:g}" y="{centre - 4:g}" text-anchor="middle" font-size="16">{total:,}</text>',
            f'<text x="{centre:g}" y="{centre + 14:g}" text-anchor="middle" font-size="12">{of}</text>',
            "</svg>\n",
        ]
    )


def _shapes(drawn: Sequence[Arc], total: int, centre: float, least: float) -> Iterator[str]:
    for arc in drawn:
        words = _shown(arc.path) if arc.path else f"others, each of under {least:.1%}"
        shown = f"{escape(words)}: {arc.count:,} ({arc.count / total:.1%})"
        drawn_as = f'd="{_outline(arc, centre)}" fill="{_colour(arc)}"'
        yield f'<path {drawn_as} stroke="#fff" stroke-width=".6"><title>{shown}</title></path>'
    for arc in drawn:
        if arc.path:
            yield from _label(arc, centre)


def _shown(path: Path) -> str:
    return " ".join(literal(word) or _END_SHOWN for word in path)


def _colour(arc: Arc) -> str:
    if not arc.path:
        return _PALE
    return _ENDS if arc.path[-1] == END else _COLOURS[arc.branch % len(_COLOURS)]


def _outline(arc: Arc, centre: float) -> str:
    inside, outside = _HOLE + arc.level * _RING, _HOLE + (arc.level + 1) * _RING
    begin, end = arc.begin, min(arc.end, arc.begin + 0.99999)  # a full circle has no begin and end to draw between
    large = int(end - begin > 0.5)
    corners = [
        _point(centre, radius, turn)
        for radius, turn in ((inside, begin), (outside, begin), (outside, end), (inside, end))
    ]
    return (
        f"M{corners[0]}L{corners[1]}A{outside:g} {outside:g} 0 {large} 1 {corners[2]}"
        f"L{corners[3]}A{inside:g} {inside:g} 0 {large} 0 {corners[0]}Z"
    )


def _label(arc: Arc, centre: float) -> Iterator[str]:
    """The arc's last word, along the radius, where the arc is wide enough for it."""
    radius = _HOLE + (arc.level + 0.5) * _RING
    middle = (arc.begin + arc.end) / 2
    if (arc.end - arc.begin) * 2 * math.pi * radius < 12:
        return
    word = literal(arc.path[-1]) or _END_SHOWN
    word = word if len(word) <= 13 else f"{word[:12]}…"
    angle = middle * 360 - 90
    turned = angle if middle <= 0.5 else angle + 180
    x, y = _point(centre, radius, middle).split()
    ink = "#fff" if _colour(arc) in (BLUE, ORANGE) else "#000"
    yield (
        f'<text x="{x}" y="{y}" transform="rotate({turned:.1f} {x} {y})" text-anchor="middle" '
        f'dominant-baseline="central" fill="{ink}">{escape(word)}</text>'
    )


def _point(centre: float, radius: float, turn: float) -> str:
    """A point on the circle; turns go clockwise from the top."""
    angle = 2 * math.pi * turn - math.pi / 2
    return f"{centre + radius * math.cos(angle):.2f} {centre + radius * math.sin(angle):.2f}"
