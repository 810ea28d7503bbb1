"""A study in a store of its own, in which its organiser sees the pages as annotators do; nothing of it is kept."""

from dataclasses import replace
from typing import Literal

from denouement.study.design.reading import to_json
from denouement.study.store.opening import Store
from denouement.study.store.records import State

Page = Literal["consent", "training", "question", "end", "screened_out"]

_STATES: dict[Page, State] = {
    "consent": "consenting",
    "training": "training",
    "question": "answering",
    "end": "done",
    "screened_out": "screened_out",
}
_NEVER_FULL = 1_000_000


def pages(store: Store, study: str) -> list[Page]:
    """The pages that annotators of a study may see, in their order."""
    training = store.design(study).training
    missing = {"training": training is None, "screened_out": training is None or training.attempts is None}
    return [page for page in _STATES if not missing.get(page)]


def stand_at(scratch: Store, store: Store, study: str, page: Page) -> str:
    """Make the study in the store `scratch` as it is in `store`, and in it a person who is at this page.

    Returns:
        The person's key.
    """
    design = replace(store.design(study), answers_per_item=_NEVER_FULL)
    if study in scratch.studies() and (
        to_json(scratch.design(study)) != to_json(design) or scratch.items(study) != store.items(study)
    ):  # edited, or deleted and made anew, since the last preview
        scratch.set_state(study, "closed")
        scratch.delete(study, without_export=True)
    if study not in scratch.studies():
        scratch.create(design, store.items(study))
    by_link = design.entry.kind == "links"
    name = scratch.add_links(study, 1)[0] if by_link else f"preview-{len(scratch.progress(study).people)}"
    person = scratch.enter(study, name)
    assert person is not None
    has_answered = scratch.most_items(study) if page == "end" else 0
    failures = design.training.attempts or 0 if page == "screened_out" and design.training else 0
    scratch.put(person.key, _STATES[page], has_answered, failures)
    return person.key
