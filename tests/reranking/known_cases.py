"""The contexts that the chooser of the tests was trained on."""

CASES = [["Story 1.", "It was cold."], ["Story 2.", "The dog ran."], ["Story 3.", "He had a test."]]
