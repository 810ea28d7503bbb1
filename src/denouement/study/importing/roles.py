"""The roles that a field of a file can have, and the names that are usual for such fields."""

import re

# Usual names of fields, in lower case, without characters other than letters and digits.
_SIDES = {
    side: (
        *(f"{what}{side}" for what in ("ending", "option", "response", "text", "completion")),
        *(f"{what}{place}" for what in ("ending", "option", "answer", "response", "text", "completion")),
        *(f"{what}s{place}" for what in ("ending", "option", "response")),  # the places of a list
        other,
        side,
    )
    for side, place, other in (("a", 1, "left"), ("b", 2, "right"))
}
_SYSTEMS = {
    side: (
        *(f"{what}{side}" for what in ("system", "position", "model", "source")),
        f"systems{place}",
        f"{other}system",
    )
    for side, place, other in (("a", 1, "left"), ("b", 2, "right"))
}
SHOWN: dict[str, tuple[str, ...]] = {
    "case_id": ("caseid", "storyid", "inputstoryid", "id"),
    "context": ("context", "story", "storycontext", "beginning", "prompt"),
    "ending_a": _SIDES["a"],
    "ending_b": _SIDES["b"],
    "system_a": _SYSTEMS["a"],
    "system_b": _SYSTEMS["b"],
    "model_side": ("modelside", "model1", "model"),
    "right_ending": ("rightending", "humanending"),
    "expected": ("expected", "gold", "correct", "correctanswer", "answerkey", "knownanswer"),
}
SURE_CONTEXTS = ("context", "story")  # the others give way to sentences in fields of their own
PREFIXES = {"expected": ("gold", "expected")}
GIVEN: dict[str, tuple[str, ...]] = {
    "answer": (
        *("answer", "choice", "preference", "option", "selection", "ending", "category", "pairwise", "comparison"),
        *("pref", "preferred", "better", "winner", "pw"),
    ),
    "reason": ("reason", "why", "explanation", "comment", "justification", "rationale", "reasons", "reasoning"),
}
PEOPLE: dict[str, tuple[str, ...]] = {
    "annotator": (
        *("annotator", "annotatorid", "worker", "workerid", "participant", "participantid", "user", "userid"),
        *("rater", "raterid", "judge", "respondent", "respondentid", "prolificpid"),
    ),
}
"""Columns of plain CSV alone: other tools' files say who answered in a place of their own."""
ROLES = (*SHOWN, *GIVEN, *PEOPLE)
"""The roles that the caller can give to a field; with `_N` after it, a role in the N-th question of a row."""

_ROLE = re.compile(rf"({'|'.join(ROLES)})(?:_([0-9]{{1,3}}))?")
TICKS = {"true": True, "on": True, "false": False, "off": False}
_FORM_PARTS = ("on", "label", "labels")  # what Mechanical Turk's own form elements add to a field's name


def is_role(name: str) -> bool:
    """Whether this is one of `ROLES`, with or without the number of a question."""
    return _ROLE.fullmatch(name) is not None


def split_role(role: str) -> tuple[str, str]:
    """A role as the caller wrote it, and the number of the question, or `""`.

    Raises:
        ValueError: no such role.
    """
    parts = _ROLE.fullmatch(role)
    if not parts:
        raise ValueError(f"no role {role}")
    return parts[1], parts[2] or ""


def bare_name(name: str) -> str:
    """A field's name without Mechanical Turk's prefix, in the case in which `mturk` writes it."""
    return name.removeprefix("Input.").removeprefix("Answer.")


def parts_of(name: str) -> list[str]:
    """The parts of a field's name: the field and its box, without what the form element adds."""
    parts = bare_name(name).split(".")
    while len(parts) > 1 and parts[-1].lower() in _FORM_PARTS:
        parts.pop()
    return parts


def key_of(name: str) -> str:
    """The letters and digits of a name, in lower case."""
    return "".join(character for character in name.lower() if character.isalnum())
