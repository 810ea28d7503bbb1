"""How often Story Cloze systems choose the right ending, and how sure that is."""
