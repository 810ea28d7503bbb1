"""Automatic scores of endings: a file for each score, or for a family that is worked out together."""
