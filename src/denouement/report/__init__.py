"""The report of a run: one page that needs no network, and its summary, with where each value came from."""
