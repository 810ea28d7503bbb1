"""The papers' tables of endings take a release's validation and test together: Sharma et al. 2018, Tables 2 and 5."""

from denouement.corpus.cases import POOLED, CaseSets, Distinct, pooled

PUBLISHED_CASES = {"v1.0": 3742, "v1.5": 3142}
"""By release the cases of the paper's tables."""


TOGETHER = " and ".join(POOLED)
"""What stands for the split of cases that are of both."""


def pools(sets: CaseSets) -> dict[str, Distinct]:
    """By release of the paper its validation and test together, where both have labelled cases."""
    found = {release: pooled(sets, release) for release in PUBLISHED_CASES}
    return {release: pool for release, pool in found.items() if pool is not None}


def pool_name(release: str) -> str:
    """Such as `v1.0 validation and test`."""
    return f"{release} {TOGETHER}"


def of_the_paper(release: str, here: str, n: int) -> str:
    """A sentence on what the paper's figures are of, beside those of `n` cases named `here`."""
    published = f"The paper's figures are of {pool_name(release)} together, {PUBLISHED_CASES[release]:,} cases"
    return f"{published}." if n == PUBLISHED_CASES[release] else f"{published}; those here are of {here}, {n:,} cases."
