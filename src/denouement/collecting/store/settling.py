"""Stories that are approved because nobody reviewed them in time."""

from datetime import datetime

from denouement.collecting.store.base import CollectionBase, StoredCollection
from denouement.collecting.store.flow import settle, stories_due


class Settling(CollectionBase):
    """Approves stories when somebody looks, since nothing happens in a store by itself."""

    def _settle(self, of: StoredCollection, at: datetime) -> None:
        """Approve the stories whose time for a review is over; nothing is written where there is none."""
        due = stories_due(of, at)
        if due is None or self.is_read_only:
            return
        with self._reading() as connection:
            is_any = connection.execute(due.limit(1)).first() is not None
        if is_any:
            self._write(lambda connection: settle(connection, of, at))
