"""Statements that turn a store of today into one of an earlier revision."""

BEFORE_COLLECTIONS = (
    "DROP INDEX ix_items_source",
    "DROP INDEX ix_items_wanted",
    *(f"DROP TABLE {table}" for table in ("authors", "admissions", "step_states", "attempts", "drafts")),
    *(
        f"ALTER TABLE {table} DROP COLUMN {column}"
        for table, column in (
            ("studies", "kind"),
            ("links", "steps"),
            ("items", "title"),
            ("items", "source"),
            ("items", "retired"),
            ("assignments", "verdict"),
            ("annotators", "same_as"),
        )
    ),
)
"""From revision 0007 to 0006."""
