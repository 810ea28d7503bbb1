"""A request for a page of a collection."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import Depends, Request, Response

from denouement.collecting.description import STEPS, Collection

if TYPE_CHECKING:
    from denouement.collecting.store import CollectionStore
from denouement.collecting.web.render import page
from denouement.collecting.web.words import paid, words
from denouement.study.store import Annotator
from denouement.study.web.visits import Visit, Visits

STEP = "step"  # cookie, and in the address that leads to one step: which one
BY_ADDRESS = ("stories", "endings", "verification")  # reviewers come by private links


class CollectionVisit(Visit):
    """A request to a collection, with the person who makes it.

    Raises:
        Refused: requests come too fast.
    """

    def __init__(self, request: Request, study: str) -> None:
        super().__init__(request, study)
        self.store: CollectionStore = request.app.state.store
        self.collection = cast(Collection, self.design)
        self.say = words(self.collection)

    def step_of(self, annotator: Annotator) -> str:
        """The page at which a person is: consent, work or end."""
        if annotator.state == "answering":
            return "work"
        return super().step_of(annotator)

    @property
    def length(self) -> list[str]:
        """What is paid, in words for the page of consent."""
        steps = [step for step in self.collection.steps if step in BY_ADDRESS]
        return [line for step in steps if (line := paid(self.collection, step))]

    @property
    def step_asked(self) -> str:
        """The step of an address such as `?step=stories`; empty where that is none for which one can come so."""
        return self._by_address(self.request.query_params.get(STEP, ""))

    def _by_address(self, step: str) -> str:
        return step if step in BY_ADDRESS and step in self.collection.steps else ""

    def entered(self, external_id: str, entry: Mapping[str, str] | None = None) -> Annotator:
        """The person with this id, new or not; someone who comes for one step may do that one from now on.

        Raises:
            Refused: there is no such person.
        """
        return super().entered(external_id, entry)

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page of collections or of studies."""
        return page(template, status, say=self.say, **values)


class AllVisits(Visits):
    """Visits to studies and to collections."""

    def __init__(self) -> None:
        super().__init__(_visit)


def _visit(request: Request, study: str) -> Visit:
    return (CollectionVisit if request.app.state.store.is_collection(study) else Visit)(request, study)


Collecting = Annotated[CollectionVisit, Depends(CollectionVisit)]

assert set(BY_ADDRESS) < set(STEPS)
