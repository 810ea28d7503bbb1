"""What a study asks: its description, and the items that annotators see."""
