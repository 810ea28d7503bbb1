"""Story Cloze systems, one file each."""
