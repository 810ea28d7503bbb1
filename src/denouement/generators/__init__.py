"""Story ending generators. To add one: one file, one row here, one test."""

BY_OTHERS = frozenset({"reranked"})
"""The kinds that write by another generator, of whatever kind that is."""

GENERATORS: dict[str, str] = {
    "seq2seq": "denouement.generators.seq2seq:Seq2Seq",
    "h_seq2seq": "denouement.generators.h_seq2seq:HSeq2Seq",
    "bm25": "denouement.generators.bm25:Bm25",
    "endings_file": "denouement.generators.endings_file:EndingsFile",
    "retrieval": "denouement.generators.retrieval:Retrieval",
    "language_model": "denouement.generators.language_model:PromptedModel",
    "fine_tuned": "denouement.generators.fine_tuned:FineTunedModel",
    "served": "denouement.generators.served:Served",
    "reranked": "denouement.reranking.reranked:Reranked",
}
