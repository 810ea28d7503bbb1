"""Collections: their pieces of work, who wrote what is in these, who may do what, tests, drafts."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the tables and columns; all that exists is of studies."""
    op.add_column("studies", sa.Column("kind", sa.String(), nullable=False, server_default="study"))
    op.add_column("links", sa.Column("steps", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("items", sa.Column("title", sa.Text(), nullable=True))
    op.add_column("items", sa.Column("source", sa.String(), nullable=True))
    op.add_column("items", sa.Column("retired", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("annotators", sa.Column("same_as", sa.Integer(), nullable=True))
    op.create_index(op.f("ix_items_source"), "items", ["source"])
    op.create_index(
        "ix_items_wanted",
        "items",
        ["study_id", "role", "taken", "drawn"],
        sqlite_where=sa.text("taken < wanted"),
        postgresql_where=sa.text("taken < wanted"),
    )
    op.add_column("assignments", sa.Column("verdict", sa.String(), nullable=True))
    op.create_table(
        "authors",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_authors_item_id_items"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", "author", name=op.f("pk_authors")),
    )
    op.create_table(
        "admissions",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_admissions_annotator_id_annotators"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("annotator_id", "step", name=op.f("pk_admissions")),
    )
    op.create_table(
        "step_states",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_step_states_study_id_studies")),
        sa.PrimaryKeyConstraint("study_id", "step", name=op.f("pk_step_states")),
    )
    op.create_table(
        "attempts",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("judged", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_attempts_annotator_id_annotators"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("annotator_id", "step", "place", name=op.f("pk_attempts")),
    )
    op.create_table(
        "drafts",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("fields", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("saved_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name=op.f("fk_drafts_assignment_id_assignments"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("assignment_id", name=op.f("pk_drafts")),
    )
