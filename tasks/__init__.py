"""Prefect tasks: load, one call into the library, save, log to MLflow."""
