"""What the organiser does to a collection, its steps and its people: as to a study, in other words."""

from dataclasses import replace
from typing import cast

from fastapi import APIRouter, Request, Response

from denouement.collect.description import Collection
from denouement.collect.store import CollectionStore
from denouement.collect.web.routes import IS_THERE, CollectionRoute
from denouement.collect.web.words import STEP_WORDS
from denouement.study.store import StudyState
from denouement.study.web import organiser_life
from denouement.study.web.organiser_guard import Organised
from denouement.study.web.organiser_life import ACTIONS, Action, Field, acted, asked, number
from denouement.study.web.visits import Form

router = APIRouter(prefix="/organiser", route_class=CollectionRoute, dependencies=[IS_THERE])

_OF_ALL = {
    "pause": replace(
        ACTIONS["pause"],
        text="Nobody gets new work until you reopen the collection. What people hold they may still hand in. People "
        "who come see that it is paused.",
        done="The collection is paused.",
    ),
    "close": replace(
        ACTIONS["close"],
        text="Nobody comes in, and nobody gets new work. What people hold they may still hand in. You may reopen the "
        "collection.",
        done="The collection is closed.",
    ),
    "reopen": replace(ACTIONS["reopen"], text="People come in and get work again.", done="The collection is open."),
    "delete": replace(
        ACTIONS["delete"],
        text="This deletes the collection with all its people, texts and links. It cannot be undone. The collection "
        "must be closed, and its work exported since the last of it came in.",
        done="The collection is deleted.",
        fields=lambda store, study: [
            Field("name", f"Type {study} to confirm"),
            Field("unexported", "Its work may be lost: delete it without an export", "checkbox"),
        ],
    ),
    "idle": replace(
        ACTIONS["idle"],
        text="Others get the work of people who neither got any nor handed anything in for some minutes. Who comes "
        "back gets it again, if it is still free.",
    ),
    "release": replace(
        ACTIONS["release"],
        text="Others can get the work. The person gets it again when they come back, if it is still free.",
    ),
    "exclude": replace(
        ACTIONS["exclude"],
        text="What they handed in stays in the store, marked as excluded, and no longer counts, nor does what others "
        "made of it: endings to their stories, and answers about their endings. It is not paid, and they can hand in "
        "no more. You may undo it.",
        done="{} is excluded.",
        fields=lambda store, study: [Field("reason", "Reason, for you and the log; the person does not see it")],
    ),
    "readmit": replace(
        ACTIONS["readmit"],
        text="They may go on. Their work counts again where others have not done the same in between.",
    ),
}

_OF_STEPS: dict[str, tuple[StudyState, str, str, str]] = {
    "pause": ("paused", "Nobody gets new work of this step until you resume it.", "Pause", "is paused"),
    "close": ("closed", "Nobody gets new work of this step. You may resume it.", "Close", "is closed"),
    "resume": ("open", "People get work of this step again.", "Resume", "is open"),
}


def actions(collection: Collection) -> dict[str, Action]:
    """What can be done to a collection, by name: `pause-stories` is of a step."""
    found = {**_OF_ALL, "withdraw": _withdrawal(collection)}
    for step in collection.of_people:
        found |= {f"{does}-{step}": _of_step(step, does) for does in _OF_STEPS}
        found[f"links-{step}"] = _links(step)
    return found


def _withdrawal(collection: Collection) -> Action:
    rule = "What was approved stays, as the consent says" if collection.keeps_approved else "All their work is deleted"
    rest = "; all else that they handed in is deleted" if collection.keeps_approved else ""
    return replace(
        ACTIONS["withdraw"],
        title="Withdraw {}?",
        text=f"Do this when the person asks for it. {rule}{rest}, and their part in the collection ends. It cannot be "
        "undone. Exports made before still have what they did.",
        button="Withdraw",
        done="{} is withdrawn.",
    )


def _of_step(step: str, does: str) -> Action:
    state, text, button, done = _OF_STEPS[does]
    return Action(
        f"{button} the step “{STEP_WORDS[step].title}” of {{}}?",
        f"{text} What people hold they may still hand in." if state != "open" else text,
        button,
        f"The step “{STEP_WORDS[step].title}” {done}.",
        lambda store, study, form: cast(CollectionStore, store).set_step_state(study, step, state, "organiser"),
    )


def _links(step: str) -> Action:
    return Action(
        f"Add links to “{STEP_WORDS[step].title}” of {{}}",
        "Each link is for one person, who may do this step.",
        "Add",
        "The links are added.",
        lambda store, study, form: store.add_links(study, number(form, "n", "how many"), "organiser", steps=[step]),
        lambda store, study: [Field("n", "How many", "number", "5")],
    )


router.get("/{study}/log")(organiser_life.log_page)
router.get("/{study}/log.json")(organiser_life.log_file)


@router.get("/{study}/{name}")
def action_page(request: Request, store: Organised, study: str, name: str, annotator: str = "") -> Response:
    """What an action does, with a form to confirm."""
    return asked(request, store, study, _actions(store, study), name, annotator)


@router.post("/{study}/{name}")
def act(request: Request, store: Organised, study: str, name: str, form: Form) -> Response:
    """Do it, then go back to the collection's page; where it is refused, to the page of the action."""
    return acted(request, store, study, _actions(store, study), name, form)


def _actions(store: Organised, study: str) -> dict[str, Action]:
    return actions(cast(CollectionStore, store).collection(study))
