"""Where a study has a preview: a collection has none."""

from fastapi import APIRouter, Response

from denouement.collect.web.routes import CollectionRoute
from denouement.study.web.organiser_guard import Organised
from denouement.study.web.security import Refused

router = APIRouter(prefix="/organiser", route_class=CollectionRoute)


@router.api_route("/{study}/preview", methods=["GET", "POST"])
def preview(store: Organised, study: str) -> Response:
    """Answer that there is none."""
    raise Refused(404, "A collection has no preview", "Open one of its own links to see what people see.")
