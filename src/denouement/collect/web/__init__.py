"""The pages of a collection: for people who write, review and verify, and for the organiser."""
