"""The papers' tables of endings take a release's validation and test together: Sharma et al. 2018, Tables 2 and 5."""

from denouement.corpus.cases import POOLED, CaseSets, Distinct, pooled
from denouement.papers import published

TOGETHER = " and ".join(POOLED)
"""The name of the split of cases that are of both."""


def published_cases(release: str) -> int:
    """How many cases of a release the paper's tables are of."""
    return int(published("sharma_2018", "Table 5")[release]["cases"])


def pools(sets: CaseSets) -> dict[str, Distinct]:
    """By release of the paper its validation and test together, where both have labelled cases."""
    found = {release: pooled(sets, release) for release in published("sharma_2018", "Table 5")}
    return {release: pool for release, pool in found.items() if pool is not None}


def pool_name(release: str) -> str:
    """Such as `v1.0 validation and test`."""
    return f"{release} {TOGETHER}"


def of_the_paper(release: str, here: str, n: int) -> str:
    """A sentence that says which cases the paper's values are of, and that those here are of the `n` cases `here`."""
    paper = f"The paper's values are of {pool_name(release)} together, {published_cases(release):,} cases"
    return f"{paper}." if n == published_cases(release) else f"{paper}; those here are of {here}, {n:,} cases."
