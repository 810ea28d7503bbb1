"""What several Story Cloze systems share."""
