"""A language model as an annotator: it answers the questions of a study, and is held against the people who did."""
