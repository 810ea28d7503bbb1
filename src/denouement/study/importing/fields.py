"""Which field of a file of answers has which role: by usual names, by the names that the caller gives, or by values."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from denouement.errors import UserError
from denouement.schemas import BETTER, shortened
from denouement.study.importing.records import Loaded, Reading
from denouement.study.importing.roles import (
    GIVEN,
    PEOPLE,
    PREFIXES,
    SHOWN,
    SURE_CONTEXTS,
    TICKS,
    bare_name,
    key_of,
    parts_of,
    split_role,
)

_NUMBERED = re.compile(r"(.*?[^\d_. -])[_. -]?([0-9]{1,3})", re.ASCII)
_SENTENCE = re.compile(r"(?:input|context)?sentence[_ -]?([0-9]{1,3})(?:[_. -]([0-9]{1,3}))?", re.ASCII | re.IGNORECASE)
_ELEMENT = re.compile(r"(?:context|story|sentences)\[([0-9]{1,3})\]", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class QuestionFields:
    """The fields of one question of a row.

    Attributes:
        number: `""`, or where a row has several questions the number in the fields' names.
        shown: by role, the field of what was shown; the context is apart.
        context: the fields of the context's sentences, or its one field.
        answer: the field that holds the answer, or its boxes.
        reason: the field that holds the reason; None without one.
        is_guessed: whether the fields of the answer were recognised by their values alone.
        asked: the question's name in the table `votes`: the field of its answer, where several ask about the same two
            endings.
        is_first: whether it is the first about its two endings, which attention checks ask.
    """

    number: str
    shown: Mapping[str, str]
    context: tuple[str, ...]
    answer: tuple[str, ...]
    reason: str | None
    is_guessed: bool = False
    asked: str = BETTER
    is_first: bool = True

    @property
    def taken(self) -> dict[str, tuple[str, ...]]:
        """The fields by role."""
        found = {role: (name,) for role, name in self.shown.items()} | {"context": self.context}
        found["answer"] = self.answer
        return found | ({"reason": (self.reason,)} if self.reason else {})


def check_named(files: Sequence[Loaded], reading: Reading) -> None:
    """Make sure that each field that the caller names is in at least one of the files.

    Raises:
        UserError: one is in none, or there is no file whose fields can be named.
    """
    if (reading.columns or reading.values) and not files:
        raise UserError(
            "columns and values are for files whose fields are known by their names alone (Mechanical Turk, Label "
            "Studio, Potato, Argilla), and there is none; leave them out"
        )
    for role, name in reading.columns.items():
        if split_role(role)[0] in PEOPLE:
            if all(file.source.found.kind != "csv" for file in files):
                raise UserError(f"columns: {role} is for plain CSV; these files say themselves who answered")
            continue  # `plain` has looked for it
        is_given = split_role(role)[0] in GIVEN
        names = [each for file in files for each in (file.given_names if is_given else file.shown_names)]
        if not any(_is_named(each, name) for each in names):
            there = shortened(dict.fromkeys(names)) or "none"
            raise UserError(
                f"{', '.join(file.source.label for file in files)}: no column {name} for {role}; there are {there}"
            )


def questions_of(file: Loaded, reading: Reading) -> list[QuestionFields]:
    """The questions that each row of the file answers."""
    given = file.given_names
    numbers, answers, is_guessed = _answer_fields(file, given, reading)
    found = [_question(file, reading, number, answers[number], is_guessed) for number in numbers]
    pairs = [(question.shown["ending_a"], question.shown["ending_b"]) for question in found]
    return [
        replace(question, asked=bare_name(question.answer[0]), is_first=pair not in pairs[:place])
        if pairs.count(pair) > 1
        else question
        for place, (question, pair) in enumerate(zip(found, pairs, strict=True))
    ]


def _answer_fields(
    file: Loaded, given: Sequence[str], reading: Reading
) -> tuple[list[str], dict[str, tuple[str, ...]], bool]:
    """The numbers of the questions, the fields of their answers, and whether these were guessed.

    Raises:
        UserError: no field is known to hold the answer.
    """
    named = {
        number: name
        for role, name in reading.columns.items()
        for base, number in [split_role(role)]
        if base == "answer"
    }
    values = {name: {value for each in file.records if (value := each.given.get(name, ""))} for name in given}
    found = {number: fields for number, name in named.items() if (fields := _fields_named(given, name))}
    if found:
        return sorted(found, key=lambda number: int(number or 0)), found, False
    usual = [
        tuple(name for name in given if key_of(parts_of(name)[0]) == wanted and not _is_reason(name))
        for wanted in GIVEN["answer"]
    ]
    holding = [fields for fields in usual if any(values[name] for name in fields)]
    boxes = tuple(
        name for name in given if reading.meant(parts_of(name)[0]) and values[name] and _are_ticks(values[name])
    )
    if fields := next(iter([*holding, *filter(None, usual)]), ()):
        return [""], {"": (*fields, *boxes)}, False
    numbered: dict[str, list[str]] = {}
    for name in given:
        numbered_name = _NUMBERED.fullmatch(parts_of(name)[0])
        if numbered_name and key_of(numbered_name[1]) in GIVEN["answer"] and not _is_reason(name):
            numbered.setdefault(numbered_name[2], []).append(name)
    if numbered:
        return sorted(numbered, key=int), {number: tuple(names) for number, names in numbered.items()}, False
    if boxes:
        return [""], {"": boxes}, False
    groups: dict[str, list[str]] = {}
    for name in given:
        groups.setdefault(parts_of(name)[0], []).append(name)
    likely = [names for names in groups.values() if _look_like_answers(names, values, reading)]
    if len(likely) == 1:
        return [""], {"": tuple(likely[0])}, True
    there = shortened(f"{name} ({sorted(values[name])[0]})" if values[name] else name for name in given) or "none"
    raise UserError(
        f"{file.source.path}: no {file.given_as} is known to hold the answer; name it with --column answer=COLUMN, and "
        f"say what its values mean with --value VALUE=ANSWER where they are not A, B, both and neither (there "
        f"are {there})"
    )


def _look_like_answers(names: Sequence[str], values: Mapping[str, set[str]], reading: Reading) -> bool:
    """Whether all values of the fields are answers, or the fields are boxes with the names of answers."""
    held = {name: values[name] for name in names if values[name] and not _is_reason(name)}
    if not held:
        return False
    return all(
        reading.meant(parts_of(name)[-1]) is not None
        if _are_ticks(texts)
        else all(reading.meant(part) is not None for text in texts for part in text.split("|") if part)
        for name, texts in held.items()
    )


def _are_ticks(texts: Iterable[str]) -> bool:
    return all(text.lower() in TICKS for text in texts)


def _question(file: Loaded, reading: Reading, number: str, answer: tuple[str, ...], is_guessed: bool) -> QuestionFields:
    """The fields of one question.

    Raises:
        UserError: no field is known to hold something that is needed.
    """
    shown = file.shown_names
    named = {base: name for role, name in reading.columns.items() for base, of in [split_role(role)] if of == number}
    shared = {base: name for role, name in reading.columns.items() for base, of in [split_role(role)] if not of}
    found: dict[str, str] = {}
    for role in SHOWN:
        wanted = named.get(role) or shared.get(role)
        matching = [name for name in shown if wanted and _is_named(name, wanted)] or _usual(shown, role, number)
        if matching:
            found[role] = matching[0]
    context, sentences = found.pop("context", None), _sentences(shown, number)
    is_sure = "context" in shared or "context" in named or (context and key_of(bare_name(context)) in SURE_CONTEXTS)
    fields = (context,) if context and (is_sure or not sentences) else sentences
    missing = [role for role in ("ending_a", "ending_b") if role not in found] + ([] if fields else ["context"])
    if not {"system_a", "system_b"} <= set(found) and not {"model_side", "right_ending"} & set(found):
        missing.append("system_a and system_b (or model_side, or right_ending)")
    if missing:
        of = f" of question {number}" if number else ""
        raise UserError(
            f"{file.source.path}: no {file.shown_as} is known to hold {', '.join(missing)}{of}; name it with --column "
            f"ROLE=COLUMN (there are {shortened(shown) or 'none'})"
        )
    return QuestionFields(
        number, found, fields, answer, _reason_field(file.given_names, named, number, answer), is_guessed
    )


def _usual(names: Sequence[str], role: str, number: str) -> list[str]:
    """The fields with a usual name of the role: those with the question's number, else those without a number."""
    known = SHOWN[role]
    every_usual = {usual for usuals in SHOWN.values() for usual in usuals}
    numbered = [
        name
        for wanted in known
        for name in names
        if number
        and key_of(bare_name(name)) not in every_usual
        and (numbered_name := _NUMBERED.fullmatch(bare_name(name)))
        and numbered_name[2] == number
        and key_of(numbered_name[1]) == wanted
    ]
    plain = [name for wanted in known for name in names if key_of(bare_name(name)) == wanted]
    prefixed = [name for name in names if key_of(bare_name(name)).startswith(PREFIXES.get(role, ("\0",)))]
    return numbered or plain or prefixed


def _sentences(names: Sequence[str], number: str) -> tuple[str, ...]:
    """The fields that each hold a sentence of the context, in their order."""
    found: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        numbered_name = _SENTENCE.fullmatch(bare_name(name)) or _ELEMENT.fullmatch(bare_name(name))
        if numbered_name:
            of = numbered_name[2] if numbered_name.re is _SENTENCE and numbered_name[2] else ""
            found.setdefault(of, []).append((int(numbered_name[1]), name))
    return tuple(name for _, name in sorted(found.get(number) or found.get("", [])))


def _reason_field(given: Sequence[str], named: Mapping[str, str], number: str, answer: tuple[str, ...]) -> str | None:
    if "reason" in named and (fields := _fields_named(given, named["reason"])):
        return fields[0]
    others = [name for name in given if name not in answer]
    for wanted in GIVEN["reason"]:
        for name in others:
            numbered_name = _NUMBERED.fullmatch(parts_of(name)[0])
            of_number = bool(number and numbered_name and numbered_name[2] == number)
            plain = numbered_name[1] if numbered_name and of_number else parts_of(name)[0]
            if (of_number or not number) and wanted in (key_of(plain), key_of(parts_of(name)[-1])):
                return name
    return None


def _is_reason(name: str) -> bool:
    """Whether the last part of a field's name is usual for a reason: a form may name it below its choice."""
    return len(parts_of(name)) > 1 and key_of(parts_of(name)[-1]) in GIVEN["reason"]


def _fields_named(names: Sequence[str], wanted: str) -> tuple[str, ...]:
    """The field that the caller named, or its boxes."""
    exact = [name for name in names if wanted.lower() in (name.lower(), bare_name(name).lower())]
    return tuple(exact or [name for name in names if _is_named(name, wanted)])


def _is_named(name: str, wanted: str) -> bool:
    """Whether `wanted` names this field, or the field of which it is a box: with the prefix or without, in any case."""
    bare = bare_name(name).split(".")
    full = name.split(".")
    called = {key_of(".".join(bare[: place + 1])) for place in range(len(bare))}
    if full != bare:
        called |= {key_of(".".join(full[: place + 1])) for place in range(1, len(full))}
    return name.lower() == wanted.lower() or bool(key_of(wanted) and key_of(wanted) in called)
