"""The store of studies and collections."""

from denouement.collecting.store.browsing import Browsing
from denouement.collecting.store.campaigns import Campaigns
from denouement.collecting.store.gathering import Gathering
from denouement.collecting.store.handing_in import HandingIn
from denouement.collecting.store.leaving import Leaving
from denouement.collecting.store.person import Collectors
from denouement.collecting.store.qualifying import Qualifying
from denouement.collecting.store.working import Working
from denouement.study.store.opening import opened


class CollectionStore(Working, HandingIn, Qualifying, Gathering, Browsing, Collectors, Leaving, Campaigns):
    """Studies and collections in one database.

    As in the store of studies, any thread may call every method, `now` is the clock, for tests, and the changes of a
    method are on the disk when it returns.
    """


def open_store(url: str, make: bool = True) -> CollectionStore:
    """The studies and collections of the store at a database URL; see `study.store.opening.opened`."""
    return opened(CollectionStore, url, make)
