"""Prefect flows: one a DVC stage, and the flow that walks the whole graph."""
