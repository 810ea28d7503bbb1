"""Systems that choose among the endings of a Story Cloze case. To add one: one file, one row here, one test."""

SYSTEMS: dict[str, str] = {
    "constant_first": "denouement.cloze.systems.constant_first:ConstantFirst",
    "frequency": "denouement.cloze.systems.frequency:Frequency",
    "ngram_overlap": "denouement.cloze.systems.ngram_overlap:NgramOverlap",
    "word_vectors": "denouement.cloze.systems.word_vectors:AverageWordVectors",
    "sentiment_full": "denouement.cloze.systems.sentiment_full:SentimentFull",
    "sentiment_last": "denouement.cloze.systems.sentiment_last:SentimentLast",
    "skip_thoughts": "denouement.cloze.systems.skip_thoughts:SkipThoughtCosine",
    "narrative_chains": "denouement.cloze.systems.narrative_chains:NarrativeChains",
    "dssm": "denouement.cloze.systems.dssm:Dssm",
    "ending_reg": "denouement.cloze.systems.ending_reg:EndingReg",
    "cogcomp": "denouement.cloze.systems.cogcomp:CogComp",
    "likelihood": "denouement.cloze.systems.likelihood:Likelihood",
    "embedding_cosine": "denouement.cloze.systems.embedding_cosine:EmbeddingCosine",
    "lm_likelihood": "denouement.cloze.systems.lm_likelihood:LanguageModelLikelihood",
    "lm_probe": "denouement.cloze.systems.lm_probe:LanguageModelProbe",
    "lm_pairwise": "denouement.cloze.systems.lm_pairwise:LanguageModelPairwise",
    "combined": "denouement.cloze.systems.combined:Combined",
    "ensemble": "denouement.cloze.systems.ensemble:Ensemble",
}

WITHOUT_CONTEXT = frozenset({"constant_first", "frequency", "ending_reg"})
"""The systems that never see the story: where they are better than chance, the endings alone show which is right."""
