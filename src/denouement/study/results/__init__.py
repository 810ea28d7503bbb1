"""What the answers of a study say: agreement, preferences, strengths, ratings."""
