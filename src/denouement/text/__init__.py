"""Text: words, sentences, vocabulary, word dropout, sentiment."""
