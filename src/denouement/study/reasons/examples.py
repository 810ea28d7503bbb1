"""Reasons that show what an element is."""

import random
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc


def draw_examples(tags: pa.Table, elements: Sequence[str], n: int, seed: int) -> pa.Table:
    """For each element `n` random reasons that name it, or all where there are fewer.

    Args:
        tags: a table `reason_elements`.
        elements: the elements to show, in this order.
        n: reasons an element.
        seed: of the draws; each element has its own draw, which does not depend on the other elements.

    Returns:
        Rows of `tags`, each reason once for an element, in the votes' order.
    """
    chosen = [tags.slice(0, 0)]
    for element in elements:
        of_element = tags.filter(pc.equal(tags["element"], element))
        first_of: dict[tuple[str, ...], int] = {}
        keys = zip(
            *(of_element[name].to_pylist() for name in ("study", "item_id", "annotator_id", "question")), strict=True
        )
        for place, key in enumerate(keys):
            first_of.setdefault(key, place)
        places = list(first_of.values())
        drawn = random.Random(f"{seed} {element}").sample(places, min(n, len(places)))  # noqa: S311
        chosen.append(of_element.take(pa.array(sorted(drawn), pa.int64())))
    return pa.concat_tables(chosen)
