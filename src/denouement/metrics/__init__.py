"""Automatic scores of endings, and in `agreement` how far they are from what people say.

To add a score: one file in `scores`, one row here, one test.
"""

METRICS: dict[str, str] = {
    "bleu": "denouement.metrics.scores.bleu:Bleu",
    "rouge_l": "denouement.metrics.scores.rouge_l:RougeL",
    "chrf": "denouement.metrics.scores.chrf:Chrf",
    "meteor": "denouement.metrics.scores.meteor:Meteor",
    "reference_similarity": "denouement.metrics.scores.reference_similarity:ReferenceSimilarity",
    "token_matching": "denouement.metrics.scores.token_matching:TokenMatching",
    "context_similarity": "denouement.metrics.scores.context_similarity:ContextSimilarity",
    "no_mention": "denouement.metrics.scores.no_mention:NoMention",
    "likelihood": "denouement.metrics.scores.likelihood:GeneratorLikelihood",
    "language_model": "denouement.metrics.scores.language_model:LanguageModelScores",
    "coherence": "denouement.metrics.scores.coherence:Coherence",
    "chooser": "denouement.metrics.scores.chooser:ChooserScore",
    "preference": "denouement.metrics.scores.preference:PreferenceScore",
    "sentiment_drift": "denouement.metrics.scores.sentiment_drift:SentimentDrift",
    "grammar": "denouement.metrics.scores.grammar:Grammar",
    "length": "denouement.metrics.scores.length:Length",
    "copying": "denouement.metrics.scores.copying:Copying",
    "novelty": "denouement.metrics.scores.novelty:Novelty",
    "repetition": "denouement.metrics.scores.repetition:RepeatedWords",
    "self_bleu": "denouement.metrics.scores.self_bleu:SelfBleu",
}
