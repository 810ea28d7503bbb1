"""The results of a study, from its answers: agreement, preferences, strengths, ratings."""
