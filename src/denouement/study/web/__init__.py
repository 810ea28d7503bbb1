"""The pages of a study: server-rendered, for annotators and for the organiser."""
