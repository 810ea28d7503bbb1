"""The way into a collection: that of studies, and an address for each step."""

from fastapi import APIRouter, Response

from denouement.collecting.web.routes import CollectionRoute
from denouement.collecting.web.visits import STEP, Collecting
from denouement.study.web import entering
from denouement.study.web.security import set_cookie

router = APIRouter(prefix="/s/{study}", route_class=CollectionRoute)

_DAYS = 1  # from opening the address of a step to agreeing


@router.get("/")
def entry(visit: Collecting) -> Response:
    """The address of an open collection or of one on Prolific, for all steps but review or for one, `?step=stories`."""
    if visit.annotator and visit.design.entry.kind == "open" and visit.step_asked and visit.browser:
        visit.entered(visit.browser)  # who came for one step may do this one, too
    response = entering.entry(visit)
    if visit.step_asked:
        set_cookie(response, visit.request, STEP, visit.step_asked, visit.url(""), days=_DAYS)
    else:
        response.delete_cookie(STEP, visit.url(""))
    return response
