"""How many items and answers a study needs, before it begins."""
