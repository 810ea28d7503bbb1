"""What the papers report for Story Cloze systems, to be printed beside our figures."""

HUMAN = "human"

# By system, then by release and split. Mostafazadeh et al. 2016 (A Corpus and Cloze Evaluation ...), table 6;
# Sharma et al. 2018, tables 3 and 6, for EndingReg, cogcomp and all of v1.5.
ACCURACY: dict[str, dict[tuple[str, str], float]] = {
    "constant_first": {("v1.0", "validation"): 0.514, ("v1.0", "test"): 0.513},
    "frequency": {("v1.0", "validation"): 0.506, ("v1.0", "test"): 0.520},
    "ngram_overlap": {("v1.0", "validation"): 0.477, ("v1.0", "test"): 0.494},
    "word_vectors": {("v1.0", "validation"): 0.545, ("v1.0", "test"): 0.539, ("v1.5", "test"): 0.594},
    "sentiment_full": {("v1.0", "validation"): 0.489, ("v1.0", "test"): 0.492, ("v1.5", "test"): 0.496},
    "sentiment_last": {("v1.0", "validation"): 0.514, ("v1.0", "test"): 0.522, ("v1.5", "test"): 0.525},
    "skip_thoughts": {("v1.0", "validation"): 0.536, ("v1.0", "test"): 0.552},
    "narrative_chains": {("v1.0", "validation"): 0.510, ("v1.0", "test"): 0.494},
    "dssm": {("v1.0", "validation"): 0.604, ("v1.0", "test"): 0.585},
    "ending_reg": {("v1.0", "test"): 0.715, ("v1.5", "test"): 0.644},
    "cogcomp": {("v1.0", "validation"): 0.751, ("v1.0", "test"): 0.776, ("v1.5", "test"): 0.608},
    HUMAN: {("v1.0", "validation"): 1.0, ("v1.0", "test"): 1.0, ("v1.5", "test"): 1.0},
}

# Variants of a system that the papers report under a name of their own.
VARIANT_ACCURACY: dict[tuple[str, str], dict[tuple[str, str], float]] = {
    # Narrative-Chains-AP, trained on the Associated Press part of Gigaword.
    ("narrative_chains", "corpora"): {("v1.0", "validation"): 0.472, ("v1.0", "test"): 0.478},
    # Sharma et al. 2018, table 3: EndingReg on part of its features.
    ("ending_reg", "style"): {("v1.0", "test"): 0.503},
    ("ending_reg", "ngrams"): {("v1.0", "test"): 0.697},
    ("ending_reg", "pos"): {("v1.0", "test"): 0.687},
    ("ending_reg", "characters"): {("v1.0", "test"): 0.634},
    # What no paper reports: EndingReg fitted to differences, parts of cogcomp, other ways to stand for a context.
    **{("ending_reg", f"pairwise {part}".strip()): {} for part in ("", "style", "ngrams", "pos", "characters")},
    **{("cogcomp", part): {} for part in ("events", "sentiment", "topic")},
    **{("skip_thoughts", way): {} for way in ("whole", "recent", "last")},
}


def accuracy(system: str, variant: str, release: str, split: str) -> float | None:
    """The published accuracy (share, 0 to 1), None where there is none."""
    by_set = VARIANT_ACCURACY.get((system, variant), ACCURACY.get(system, {}))
    return by_set.get((release, split))
