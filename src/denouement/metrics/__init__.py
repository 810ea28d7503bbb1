"""Automatic scores of endings, and how far each is from what people say."""
