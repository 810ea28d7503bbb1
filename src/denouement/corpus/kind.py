"""Whether a corpus is the embedded sample or the official stories."""

from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

SAMPLE = "sample"
"""The release of the sample corpus's cases, and the source of its stories."""


def corpus_kind(stories: pa.Table) -> Literal["sample", "official"]:
    """`sample` if every story of the table `stories` is of the embedded sample corpus, else `official`."""
    sources = pc.unique(stories["source"]).to_pylist()
    return "sample" if sources == [SAMPLE] else "official"
