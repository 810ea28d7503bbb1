"""What language models read and write: prompts, and the one sentence that is taken of an answer."""
