"""Generators that decode an ending word by word: PyTorch modules, which Lightning trains."""
