"""Which stories train a generator and which are held out to choose its best epoch."""

from hashlib import blake2b

import pyarrow as pa


def assign(contexts: pa.StringArray, validation_share: float) -> pa.StringArray:
    """ "train" or "validation" for each story, told by a hash of its normalised context alone.

    So the split does not depend on the order, the ids or the number of the stories, and stories with the same context
    stand on the same side.

    Args:
        contexts: normalised contexts (`keys`).
        validation_share: the expected share of stories in validation, between 0 and 1.
    """
    limit = int(validation_share * 2**64)
    return pa.array(
        ["validation" if _number(context) < limit else "train" for context in contexts.to_pylist()], pa.string()
    )


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
