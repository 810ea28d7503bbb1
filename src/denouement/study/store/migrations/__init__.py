"""How the database came to its form, for Alembic: one file in `versions` a change."""
