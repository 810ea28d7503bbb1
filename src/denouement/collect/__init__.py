"""Collecting stories and Story Cloze cases: what is asked of writers, checks of their texts, what becomes of them."""
