"""Charts of results, in one style."""
