"""The last page of a person's part in a collection."""

from fastapi import APIRouter, Response

from denouement.collecting.web.routes import CollectionRoute
from denouement.collecting.web.visits import Collecting

router = APIRouter(prefix="/s/{study}", route_class=CollectionRoute)


@router.get("/end")
def end(visit: Collecting) -> Response:
    """Thanks, and a link to where the person came from."""
    return visit.message("page.thanks")
