"""Prefect flows: one module a DVC stage, `reproduce` for the whole graph, `serve` for the schedule, `pages` to look."""

import tasks as tasks  # first of all, since Prefect reads its settings when it is imported
