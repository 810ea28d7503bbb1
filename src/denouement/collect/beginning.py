"""What files a collection may begin with."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from denouement.collect.checks import LONGEST_TEXT
from denouement.collect.description import Collection
from denouement.corpus import keys
from denouement.errors import UserError
from denouement.legible import can_be_shown, seen
from denouement.schemas import shortened

_SENTENCES = 5


def refuse_files(collection: Collection, stories: pa.Table | None, endings: pa.Table | None) -> None:
    """Refuse files that no step reads, that pages cannot show, or that do not belong together.

    Args:
        collection: which is to begin with them.
        stories: the table `collected_stories`; None: no file.
        endings: the table `collected_endings`; None: no file.

    Raises:
        UserError: what is wrong with which rows, and how to mend it.
    """
    _refuse_useless(collection, stories, endings)
    whole = [] if stories is None else stories.to_pylist()
    pairs = [] if endings is None else endings.to_pylist()
    _refuse_twice("stories", [row["story_id"] for row in whole])
    _refuse_twice("endings", [row["case_id"] for row in pairs])
    for row in whole:
        n = len(row["sentences"])
        if n != _SENTENCES and collection.endings:
            raise UserError(f"stories: endings need stories of 5 sentences; {shortened([row['story_id']])} has {n}")
        if not n:
            raise UserError(f"stories: {shortened([row['story_id']])} has no sentence")
        _refuse_texts(f"stories: {shortened([row['story_id']])}", row["sentences"], [row["title"] or ""])
    for row in pairs:
        if len(row["context"]) != _SENTENCES - 1:
            raise UserError(f"endings: {shortened([row['case_id']])} has {len(row['context'])} sentences before, not 4")
        _refuse_texts(f"endings: {shortened([row['case_id']])}", [*row["context"], row["right"], row["wrong"]])
        if len({*keys.normalised_texts([row["right"], row["wrong"]])}) < 2:
            raise UserError(f"endings: the two of {shortened([row['case_id']])} say the same")
    refuse_other_stories(stories, endings)


def refuse_other_stories(stories: pa.Table | None, endings: pa.Table | None) -> None:
    """Refuse endings to a story that has other sentences among the stories: they are of different collections.

    Args:
        stories: the table `collected_stories`; None: nothing is known of them.
        endings: the table `collected_endings`; None: there are none.

    Raises:
        UserError: the first such pair of endings.
    """
    if stories is None or endings is None:
        return
    begins = dict(zip(stories["story_id"].to_pylist(), keys.contexts(stories).to_pylist(), strict=True))
    pairs: Iterable[Mapping[str, Any]] = endings.select(["case_id", "story_id"]).to_pylist()
    for row, context in zip(pairs, keys.contexts(endings).to_pylist(), strict=True):
        if begins.get(row["story_id"], context) != context:
            raise UserError(
                f"endings: {shortened([row['case_id']])} is of story {shortened([row['story_id']])}, which has other "
                "sentences among the stories, so the two are of different collections: name files of one"
            )


def _refuse_useless(collection: Collection, stories: pa.Table | None, endings: pa.Table | None) -> None:
    if stories is not None and not (collection.review or collection.endings):
        raise UserError("stories: no step does anything with them: give the section review or endings")
    if endings is not None and not collection.verification:
        raise UserError("endings: no step does anything with them: give the section verification")
    if collection.review and not (collection.stories or stories is not None):
        raise UserError("review: is of stories: give the section stories, or a file of stories")
    if collection.endings and not (collection.stories or stories is not None):
        raise UserError("endings: are written for stories: give the section stories, or a file of stories")
    if collection.verification and not (collection.endings or endings is not None):
        raise UserError("verification: is of endings: give the section endings, or a file of endings")


def _refuse_twice(of: str, ids: Iterable[str]) -> None:
    if twice := [each for each, n in Counter(ids).items() if n > 1]:
        raise UserError(f"{of}: {shortened(twice)} is there twice; keep one of the two")


def _refuse_texts(what: str, texts: Iterable[str], may_be_empty: Iterable[str] = ()) -> None:
    texts = [*texts]
    if not all(map(seen, texts)):
        raise UserError(f"{what} has an empty sentence")
    for text in (*texts, *may_be_empty):
        if len(text) > LONGEST_TEXT:
            raise UserError(f"{what} has a text of {len(text):,} characters, and {LONGEST_TEXT:,} are the most")
        if not can_be_shown(text):
            raise UserError(f"{what} holds characters that no page can show: {shortened([text])}")
