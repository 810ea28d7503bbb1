"""The store of studies and collections."""

from denouement.collect.store.browsing import Browsing
from denouement.collect.store.campaigns import Campaigns
from denouement.collect.store.gathering import Gathering
from denouement.collect.store.handing_in import HandingIn
from denouement.collect.store.leaving import Leaving
from denouement.collect.store.person import Collectors
from denouement.collect.store.qualifying import Qualifying
from denouement.collect.store.working import Working
from denouement.study.store.opening import opened


class CollectionStore(Working, HandingIn, Qualifying, Gathering, Browsing, Collectors, Leaving, Campaigns):
    """Studies and collections in one database.

    As in the store of studies, any thread may call every method, `now` is the clock, for tests, and the changes of a
    method are on the disk when it returns.
    """


def open_store(url: str, make: bool = True) -> CollectionStore:
    """The studies and collections of the store at a database URL; see `study.store.opening.opened`."""
    return opened(CollectionStore, url, make)
