"""The life of a study: its state, its log, leases that end early, exclusions that can be undone."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table and the columns; studies that exist are open."""
    op.add_column("studies", sa.Column("state", sa.String(), nullable=False, server_default="open"))
    op.add_column("studies", sa.Column("edition", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("studies", sa.Column("exported", sa.String(), nullable=True))
    op.add_column("annotators", sa.Column("excluded_from", sa.String(), nullable=True))
    op.add_column("annotators", sa.Column("excluded_because", sa.Text(), nullable=True))
    op.add_column("assignments", sa.Column("resumes_until", sa.BigInteger(), nullable=True))
    op.create_table(
        "log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("about", sa.String(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_log_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_log")),
    )
    op.create_index(op.f("ix_log_study_id"), "log", ["study_id"], unique=False)
