"""A study in a store of its own, in which its organiser sees the pages as annotators do; nothing of it is kept."""

from dataclasses import replace
from typing import Literal

from denouement.study.design.reading import to_json
from denouement.study.store.base import moment
from denouement.study.store.opening import Store
from denouement.study.store.records import State

Page = Literal["consent", "before", "training", "question", "after", "end", "screened_out"]

_STATES: dict[Page, State] = {
    "consent": "consenting",
    "before": "asking",
    "training": "training",
    "question": "answering",
    "after": "done",
    "end": "done",
    "screened_out": "screened_out",
}
_NEVER_FULL = 1_000_000


def pages(store: Store, study: str) -> list[Page]:
    """The pages that annotators of a study may see, in their order."""
    design = store.design(study)
    there: dict[Page, object] = {
        "before": design.ask.before,
        "training": design.training,
        "after": design.ask.after,
        "screened_out": [item for item in design.training if item.attempts is not None],
    }
    return [page for page in _STATES if there.get(page, True)]


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
    attempts = [item.attempts for item in design.training if item.attempts is not None]
    scratch.put(
        person.key,
        _STATES[page],
        answered=scratch.most_items(study) if page in ("after", "end") else 0,
        training_failures=attempts[0] if page == "screened_out" else 0,
        after_at=moment(None) if page == "end" else None,
    )
    return person.key
