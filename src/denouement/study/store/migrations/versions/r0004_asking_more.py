"""Own questions, boxes and marked words of reasons, several practice items, skips and flags, corrected answers."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables and columns. Nobody passed a practice item or replied to a question before."""
    op.add_column("annotators", sa.Column("training_passed", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("annotators", sa.Column("after_at", sa.BigInteger(), nullable=True))
    op.add_column("assignments", sa.Column("elements", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("assignments", sa.Column("highlights", sa.JSON(none_as_null=True), nullable=True))
    op.create_table(
        "replies",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_replies_annotator_id_annotators"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("annotator_id", "question", "place", name=op.f("pk_replies")),
    )
    op.create_table(
        "flags",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name=op.f("fk_flags_assignment_id_assignments"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("assignment_id", "kind", name=op.f("pk_flags")),
    )
    op.create_table(
        "corrections",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("earlier", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("submitted_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"],
            ["assignments.id"],
            name=op.f("fk_corrections_assignment_id_assignments"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("assignment_id", "place", name=op.f("pk_corrections")),
    )
