"""The way into a collection: that of studies, and an address for each step."""

from fastapi import APIRouter, Response

from denouement.collect.web.routes import CollectionRoute
from denouement.collect.web.visits import STEP, Collecting
from denouement.study.web import entering
from denouement.study.web.security import RefusedVisit, set_cookie

router = APIRouter(prefix="/s/{study}", route_class=CollectionRoute)


@router.get("/")
def entry(visit: Collecting) -> Response:
    """The address of an open collection or of one on Prolific, for all steps but review or for one, `?step=stories`."""
    if visit.annotator and visit.design.entry.kind == "open" and visit.step_asked and visit.browser:
        visit.entered(visit.browser)  # who came for one step may do this one, too
    response = entering.entry(visit)
    if visit.step_asked:
        set_cookie(response, visit.request, STEP, visit.step_asked, visit.url(""))
    else:
        response.delete_cookie(STEP, visit.url(""))
    return response


@router.get("/link/{token}")
def private_link(visit: Collecting, token: str) -> Response:
    """The link of one person, which reviewers have whatever the entry is."""
    if token not in visit.store.links_to(visit.study):
        raise RefusedVisit(404, "no_link")
    return entering.coming(visit, token, {})


@router.get("/arrive")
def arrive(visit: Collecting) -> Response:
    """As in a study; a person with a private link arrives whatever the entry is.

    Who came by the address for all, and takes part, stays who they are, and may do the steps of the link, too.
    """
    token = entering.arriving(visit)
    is_link = token in visit.store.links_to(visit.study)
    is_known = visit.may_work and visit.design.entry.kind != "links" and not visit.is_only_a_look
    if is_link and is_known and visit.store.take_link(visit.key, token):
        response = visit.to("overview")
        response.delete_cookie(entering.ARRIVAL, visit.url(""))
        return response
    return entering.arrived(visit, is_link)
