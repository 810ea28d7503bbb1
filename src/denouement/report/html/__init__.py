"""A run as one page of HTML that needs no network: every table and figure, and where each number came from."""
