"""The remarks at the boxes of a piece, while somebody writes and after it was refused."""

from collections.abc import Iterable, Mapping

from denouement.collect import hints
from denouement.collect.checks import RIGHT, WRONG, Remark, check_endings, check_story
from denouement.collect.description import Collection
from denouement.collect.store.records import Piece
from denouement.collect.web import pieces
from denouement.collect.web.knowing import Knowing

# Not said of a box that is empty, or in which somebody is writing.
_UNFINISHED = {"empty", "no_title", "no_end_mark"}


def while_writing(
    collection: Collection,
    piece: Piece,
    fields: Mapping[str, str],
    knowing: Knowing,
    at: str = "",
    was_refused: bool = False,
) -> list[Remark]:
    """What is refused of a draft, as far as it is written, and hints on it.

    Args:
        collection: its rules.
        piece: the piece.
        fields: of the form.
        knowing: what hints need to know.
        at: the name of the box in which the person is writing; empty: none.
        was_refused: whether it was handed in and refused, so that empty boxes get remarks, too.
    """
    texts = pieces.texts(collection, piece.step, fields)
    written = [box for box in pieces.boxes(collection, piece.step) if texts[box.name] or was_refused]
    begun = {box.about for box in written if box.name != at}
    if piece.ending and texts.get(WRONG) == piece.ending and not was_refused:
        return []  # the sentence that is to be changed is still as it was
    found = [each for each in refusals(collection, piece, fields) if each.code not in _UNFINISHED or each.box in begun]
    return [*found, *_hints(collection, piece, fields, knowing)]


def refusals(collection: Collection, piece: Piece, fields: Mapping[str, str]) -> list[Remark]:
    """What is refused of a piece, as the store says it again when it is handed in."""
    texts = pieces.texts(collection, piece.step, fields)
    if piece.step == "stories" and collection.stories:
        rules = collection.stories
        title, *sentences = texts.values()
        return check_story(title, sentences, rules.sentences, rules.longest)
    if piece.step == "endings" and collection.endings:
        right = texts.get(RIGHT, piece.ending)
        return check_endings(collection.endings.way, right, texts[WRONG], collection.endings.longest)
    return []


def by_box(found: Iterable[Remark]) -> dict[str, list[Remark]]:
    """Remarks by the name of their box; what is about all of them, or about none that is shown, is under ``""``."""
    sorted_out: dict[str, list[Remark]] = {}
    for remark in found:
        sorted_out.setdefault(remark.box.replace(" ", "-"), []).append(remark)
    return sorted_out


def _hints(collection: Collection, piece: Piece, fields: Mapping[str, str], knowing: Knowing) -> list[Remark]:
    texts = pieces.texts(collection, piece.step, fields)
    about = {box.about: texts[box.name] for box in pieces.boxes(collection, piece.step) if texts[box.name]}
    counted = {name.replace("-", " "): n for name, n in pieces.typed(collection, piece.step, fields).items()}
    found = [*hints.informal(about), *hints.pasted(about, counted)]
    if piece.step == "stories":
        sentences = [text for name, text in texts.items() if name.startswith("sentence")]
        found += hints.nearly_like(knowing.nearest_story(collection.name, piece.id, sentences))
    if piece.step == "endings" and collection.endings:
        pair = {RIGHT: piece.ending, **about}
        if pair.get(RIGHT) and pair.get(WRONG):
            found += hints.tone_apart(pair[RIGHT], pair[WRONG], collection.endings.tone_apart)
        found += knowing.no_shared_character(piece.context, about)
    return found
