"""Automatic scores of endings. To add one: one file in `scores`, one row here, one test."""

METRICS: dict[str, str] = {
    "bleu": "denouement.metrics.scores.bleu:Bleu",
    "rouge_l": "denouement.metrics.scores.rouge_l:RougeL",
    "chrf": "denouement.metrics.scores.chrf:Chrf",
    "length": "denouement.metrics.scores.length:Length",
    "copying": "denouement.metrics.scores.copying:Copying",
    "novelty": "denouement.metrics.scores.novelty:Novelty",
    "repetition": "denouement.metrics.scores.repetition:RepeatedWords",
    "self_bleu": "denouement.metrics.scores.self_bleu:SelfBleu",
}
