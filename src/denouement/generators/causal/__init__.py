"""Generators that write with a causal language model made elsewhere, as it is or fine-tuned."""
