"""What a person may do in a collection, and the pages on which they do it."""

from fastapi import APIRouter, Response

from denouement.collecting.web.routes import CollectionRoute
from denouement.collecting.web.visits import Collecting

router = APIRouter(prefix="/s/{study}", route_class=CollectionRoute)


@router.get("/question")
def question(visit: Collecting) -> Response:
    """Where people go after their consent, as in a study: to the work."""
    return visit.to("work")


@router.get("/work")
def work(visit: Collecting) -> Response:
    """What a person may do now."""
    return visit.message("page.thanks")
