"""Systems that choose between the two endings of a Story Cloze case. To add one: one file, one row here, one test."""

SYSTEMS: dict[str, str] = {
    "constant_first": "denouement.cloze.constant_first:ConstantFirst",
    "frequency": "denouement.cloze.frequency:Frequency",
    "ngram_overlap": "denouement.cloze.ngram_overlap:NgramOverlap",
    "word_vectors": "denouement.cloze.word_vectors:WordVectors",
    "sentiment_full": "denouement.cloze.sentiment_full:SentimentFull",
    "sentiment_last": "denouement.cloze.sentiment_last:SentimentLast",
    "skip_thoughts": "denouement.cloze.skip_thoughts:SkipThoughts",
    "narrative_chains": "denouement.cloze.narrative_chains:NarrativeChains",
    "dssm": "denouement.cloze.dssm:Dssm",
    "ending_reg": "denouement.cloze.ending_reg:EndingReg",
    "cogcomp": "denouement.cloze.cogcomp:CogComp",
    "likelihood": "denouement.cloze.likelihood:Likelihood",
    "embedding_cosine": "denouement.cloze.embedding_cosine:EmbeddingCosine",
    "combined": "denouement.cloze.combined:Combined",
}
