"""The addresses at which anybody enters a collection; reviewers have private links."""

from denouement.collect.description import Collection
from denouement.study.web.addresses import PROLIFIC_QUERY


def entry_addresses(collection: Collection, base_url: str) -> dict[tuple[str, ...], str]:
    """By the steps to which they lead: one for all but the review, and one for each of these.

    Those of a collection on Prolific have its parameters, as its form for a new study takes them. Empty where people
    come by private links alone.
    """
    if collection.entry.kind == "links" or not collection.of_all:
        return {}
    ids = [PROLIFIC_QUERY] if collection.entry.kind == "prolific" else []

    def address(*query: str) -> str:
        return f"{base_url}/s/{collection.name}/" + (f"?{'&'.join(query)}" if query else "")

    found = {tuple(collection.of_all): address(*ids)}
    if len(collection.of_all) > 1:
        found |= {(step,): address(f"step={step}", *ids) for step in collection.of_all}
    return found
