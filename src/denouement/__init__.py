"""Story endings: generate them, compare them, and measure how far automatic scores are from what people say."""
