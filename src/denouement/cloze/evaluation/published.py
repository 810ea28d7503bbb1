"""The published accuracies of Story Cloze systems: which row of which paper's table each system has."""

from denouement.papers import published

HUMAN = "human"

_TABLES = (
    (
        *("mostafazadeh_2016", "Table 6"),
        {"v1.0 validation": "Validation Set", "v1.0 test": "Test Set"},
        {
            "constant_first": "Constant-choose-first",
            "frequency *": "Frequency",
            "ngram_overlap": "N-gram-overlap",
            "word_vectors *": "GenSim",
            "sentiment_full *": "Sentiment-Full",
            "sentiment_last *": "Sentiment-Last",
            "skip_thoughts": "Skip-thoughts",
            "skip_thoughts mean": "Skip-thoughts",
            "narrative_chains corpora": "Narrative-Chains-AP",
            "narrative_chains *": "Narrative-Chains-Stories",
            "dssm": "DSSM",
            HUMAN: "Human",
        },
    ),
    (
        *("sharma_2018", "Table 6"),
        {"v1.0 validation": "SCT-v1.0 Val", "v1.0 test": "SCT-v1.0 Test", "v1.5 test": "SCT-v1.5 Test"},
        {
            "cogcomp": "cogcomp",
            "ending_reg": "EndingReg",
            "sentiment_full *": "average sentiment",
            "sentiment_last *": "last sentiment",
            "word_vectors *": "word2vec",
            HUMAN: "human",
        },
    ),
    (
        *("sharma_2018", "Table 3"),
        {"v1.0 test": "SCT-v1.0"},
        {
            "ending_reg style": "token-count+VADER+yngve",
            "ending_reg ngrams": "ngram",
            "ending_reg pos": "pos",
            "ending_reg characters": "char-grams",
        },
    ),
)
"""Paper, table, its columns by release and split, and its rows by system and variant.

`*` stands for any variant, also for none; a name without a variant is also that of a system without scores."""


def accuracy(system: str, variant: str, release: str, split: str) -> float | None:
    """The published accuracy (share, 0 to 1); None where no paper reports one."""
    for paper, table, columns, rows in _TABLES:
        row = rows.get(f"{system} {variant}".strip()) or rows.get(f"{system} *")
        column = columns.get(f"{release} {split}")
        if row and column and column in published(paper, table)[row]:
            return float(published(paper, table)[row][column])
    return None
