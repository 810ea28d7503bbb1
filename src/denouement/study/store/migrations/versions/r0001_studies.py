"""Studies, private links, items, annotators, assignments."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "studies",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("design", sa.Text(), nullable=False),
        sa.Column("salt", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studies")),
        sa.UniqueConstraint("name", name=op.f("uq_studies_name")),
    )
    op.create_table(
        "annotators",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("entry", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("served", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False),
        sa.Column("training_failures", sa.Integer(), nullable=False),
        sa.Column("entered_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_annotators_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotators")),
        sa.UniqueConstraint("key", name=op.f("uq_annotators_key")),
        sa.UniqueConstraint("study_id", "annotator_id", name=op.f("uq_annotators_study_id_annotator_id")),
    )
    op.create_table(
        "items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("drawn", sa.Integer(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("context", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("systems", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("endings", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("expected", sa.String(), nullable=True),
        sa.Column("wanted", sa.Integer(), nullable=True),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.Column("accepted", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "0 <= accepted AND accepted <= taken AND (wanted IS NULL OR taken <= wanted)", name=op.f("ck_items_counts")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_items_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
        sa.UniqueConstraint("study_id", "item_id", name=op.f("uq_items_study_id_item_id")),
    )
    op.create_index(
        op.f("ix_items_study_id_role_taken_drawn"), "items", ["study_id", "role", "taken", "drawn"], unique=False
    )
    op.create_table(
        "links",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_links_study_id_studies")),
        sa.PrimaryKeyConstraint("study_id", "number", name=op.f("pk_links")),
        sa.UniqueConstraint("token", name=op.f("uq_links_token")),
    )
    op.create_table(
        "assignments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("places", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(), nullable=True),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("values", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("arranged", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("submitted_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "(state = 'answered') = (status IS NOT NULL AND submitted_at IS NOT NULL)",
            name=op.f("ck_assignments_answered"),
        ),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_assignments_annotator_id_annotators")
        ),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_assignments_item_id_items")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_assignments_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignments")),
        sa.UniqueConstraint("annotator_id", "content", name=op.f("uq_assignments_annotator_id_content")),
        sa.UniqueConstraint("token", name=op.f("uq_assignments_token")),
    )
    op.create_index(op.f("ix_assignments_item_id"), "assignments", ["item_id"], unique=False)
    op.create_index(
        op.f("ix_assignments_study_id_state_expires_at"),
        "assignments",
        ["study_id", "state", "expires_at"],
        unique=False,
    )
    op.create_index(
        "uq_assignments_open",
        "assignments",
        ["annotator_id"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
