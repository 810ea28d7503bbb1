"""A request for a page of a collection."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from fastapi import Depends, Request, Response

from denouement.collect.description import Collection
from denouement.collect.store import CollectionStore
from denouement.collect.web.render import page
from denouement.collect.web.words import STEP_WORDS, paid, words
from denouement.study.design.description import Design
from denouement.study.languages import Texts
from denouement.study.store import Annotator, Store
from denouement.study.web.visits import Visit, Visits

STEP = "step"  # cookie, and in the address that leads to one step: which one


class CollectionVisit(Visit):
    """A request to a collection, with the person who makes it.

    Raises:
        Refused: requests come too fast.
    """

    def __init__(self, request: Request, study: str) -> None:
        self.store: CollectionStore
        super().__init__(request, study)
        self.say = words(self.collection)

    @property
    def collection(self) -> Collection:
        """What is asked."""
        return cast(Collection, self.design)

    def step_of(self, annotator: Annotator) -> str:
        """The page at which a person is: consent, work or end."""
        if annotator.state == "answering":
            return "work"
        return super().step_of(annotator)

    @property
    def may_work(self) -> bool:
        """Whether the person takes part: they are at work, or were done and may go on."""
        return self.annotator is not None and self.annotator.state in ("answering", "done")

    @property
    def length(self) -> list[str]:
        """What is paid for the steps that the person may do, in words for the page of consent."""
        if self.annotator:
            steps = [offer.step for offer in self.store.offers(self.key)]
        else:
            steps = [self.step_asked] if self.step_asked else list(self.collection.of_all)
        return [f"{STEP_WORDS[step].title}: {pays}" for step in steps if (pays := paid(self.collection, step))]

    @property
    def step_asked(self) -> str:
        """The step of an address such as `?step=stories`; empty where that is none for which one can come so."""
        return self._by_address(self.request.query_params.get(STEP, ""))

    @property
    def step_kept(self) -> str:
        """The step of the address by which this browser came last; empty where it was that for all steps."""
        return self._by_address(self.request.cookies.get(STEP, ""))

    def _by_address(self, step: str) -> str:
        return step if step in self.collection.of_all else ""

    def _design(self) -> Design:
        # pages that studies have, too, read of it what it shares with a study (`Campaign`)
        return cast(Design, self.store.collection(self.study))

    def _enter(self, external_id: str, entry: Mapping[str, str] | None) -> Annotator | None:
        step = self.step_asked or self.step_kept
        return self.store.enter(self.study, external_id, entry, steps=[step] if step else None)

    def remembering(self, annotator: Annotator) -> Response:
        """As in a study; whoever was here before in this browser is taken for the same person."""
        if self.annotator and self.annotator.id != annotator.id:
            self.store.same_browser(self.key, annotator.key)
        return super().remembering(annotator)

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page of collections or of studies."""
        return page(template, status, say=self.say, **values)


class AllVisits(Visits):
    """Visits to studies and to collections."""

    def __init__(self) -> None:
        super().__init__(_visit)

    def texts(self, store: Store, study: str) -> Texts:
        """The texts of the pages of a study or a collection.

        Raises:
            UserError: there is neither.
        """
        if isinstance(store, CollectionStore) and store.is_collection(study):
            return words(store.collection(study))
        return super().texts(store, study)


def _visit(request: Request, study: str) -> Visit:
    return (CollectionVisit if request.app.state.store.is_collection(study) else Visit)(request, study)


Collecting = Annotated[CollectionVisit, Depends(CollectionVisit)]
