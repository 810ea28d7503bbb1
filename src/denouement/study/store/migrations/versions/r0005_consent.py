"""When people agreed to take part."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the column; it is not known when the people of before agreed."""
    op.add_column("annotators", sa.Column("consented_at", sa.BigInteger(), nullable=True))
