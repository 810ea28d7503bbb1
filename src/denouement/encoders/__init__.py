"""Sentence encoders behind one interface. To add one: one file, one row here, one test."""

ENCODERS: dict[str, str] = {
    "minilm": "denouement.encoders.minilm:MiniLM",
    "glove": "denouement.encoders.glove:GloveMean",
    "infersent": "denouement.encoders.infersent:InferSent",
    "skip_thoughts": "denouement.encoders.skip_thoughts:SkipThoughts",
}
