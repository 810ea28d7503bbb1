"""A model of which of two endings people prefer, learned from their answers."""
