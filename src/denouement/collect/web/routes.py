"""Addresses that collections share with studies."""

from typing import Any

from fastapi import Depends, Request
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

from denouement.collect.store import CollectionStore
from denouement.study.web.organiser_guard import Organised, known


class CollectionRoute(APIRoute):
    """A page of collections alone: where its parameter `study` names none, the page of studies at the same address is
    looked for.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """How far the request is for this page: not at all where its name is no collection's."""
        match, child = super().matches(scope)
        if match is Match.NONE:
            return match, child
        parameters: dict[str, Any] = child.get("path_params", {})
        is_ours = scope["app"].state.store.is_collection(parameters.get("study", ""))
        return (match, child) if is_ours else (Match.NONE, {})


def _there(request: Request, _: Organised, study: str) -> None:
    store: CollectionStore = request.app.state.store
    known(store.collection, study)


IS_THERE = Depends(_there)
"""For the organiser's pages: refuses a collection that another process has deleted just now."""
