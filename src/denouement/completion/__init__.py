"""A story that somebody types gets endings: what was understood of it, and what each system writes."""
