"""The order of what a page shows has a name that servers of earlier versions do not know.

Such a server knows nothing of paused and closed studies. Without its column it can hand out nothing and keep no answer.
"""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Rename the column."""
    op.alter_column("assignments", "places", new_column_name="shown")
