"""Words: tokenizer, vocabulary, sentiment."""
