"""Which stories train a generator, and which are held out to measure each of its epochs."""

import zlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def assign(contexts: pa.StringArray, validation_share: float) -> pa.StringArray:
    """For each story "train" or "validation", determined only by the checksum (CRC-32) of its normalised context.

    So the split does not depend on the order, ids or number of the stories, nor on the machine, and stories with the
    same context are in the same split.

    Args:
        contexts: normalised contexts (`keys`).
        validation_share: the expected share of stories in validation, between 0 and 1.
    """
    checksums = np.fromiter(map(zlib.crc32, contexts.cast(pa.binary()).to_pylist()), np.uint32, len(contexts))
    return pc.if_else(pa.array(checksums < validation_share * 2**32), "validation", "train")
