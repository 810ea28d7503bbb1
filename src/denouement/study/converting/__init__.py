"""Votes in the forms of other programs: pairs for preference training, and tasks of Label Studio."""
