"""Which field of a file of answers holds what: by names that are usual, by the names given, and by values alone."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.study.agreement import like_an_answer
from denouement.study.importing.answers import Answer, Unusable, answer_named, digest
from denouement.text.sentences import split_sentences

# What people call the fields, in lower case and letters and digits alone.
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
_SHOWN: dict[str, tuple[str, ...]] = {
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
_SURE_CONTEXTS = ("context", "story")  # the others give way to sentences in fields of their own
_PREFIXES = {"expected": ("gold", "expected")}
_GIVEN: dict[str, tuple[str, ...]] = {
    "answer": (
        *("answer", "choice", "preference", "option", "selection", "ending", "category", "pairwise", "comparison"),
        *("pref", "preferred", "better", "winner", "pw"),
    ),
    "reason": ("reason", "why", "explanation", "comment", "justification", "rationale", "reasons", "reasoning"),
}
ROLES = (*_SHOWN, *_GIVEN)
"""What a field can be named as by the caller; with `_N` behind it, for the N-th question of a row."""

_ROLE = re.compile(rf"({'|'.join(ROLES)})(?:_([0-9]{{1,3}}))?")
_NUMBERED = re.compile(r"(.*?[^\d_. -])[_. -]?([0-9]{1,3})", re.ASCII)
_SENTENCE = re.compile(r"(?:input|context)?sentence[_ -]?([0-9]{1,3})(?:[_. -]([0-9]{1,3}))?", re.ASCII | re.IGNORECASE)
_ELEMENT = re.compile(r"(?:context|story|sentences)\[([0-9]{1,3})\]", re.ASCII | re.IGNORECASE)
_TICKS = {"true": True, "on": True, "false": False, "off": False}
_FORM_PARTS = ("on", "label", "labels")  # what Mechanical Turk's own elements put behind a field's name
_NO_VALUES = ("none", "null", "nan")  # what programs write for a cell that is empty
_EXAMPLE = 40


@dataclass(frozen=True)
class Reading:
    """How files of answers are to be read.

    Attributes:
        systems: names for the generator and the people who wrote the right ending, where a file tells only which side
            the generated ending stood on, or the right ending's text.
        columns: by role (`ROLES`, or with a question's number, such as `answer_2`) the field that has it, where its
            name does not tell.
        values: by a text that stands for an answer, such as 1, the answer: A, B, both or neither.
    """

    systems: tuple[str, str]
    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if unknown := sorted(role for role in self.columns if not _ROLE.fullmatch(role)):
            raise UserError(
                f"columns: no role {shortened(unknown)}; roles are {', '.join(ROLES)}, and of the second question of a "
                "row answer_2 and so on"
            )
        if wrong := [text for text, answer in self.values.items() if answer not in ("A", "B", "both", "neither")]:
            raise UserError(
                f"values: {wrong[0]} is to mean {self.values[wrong[0]]}; a value means A, B, both or neither"
            )

    def meant(self, text: str) -> str | None:
        """The answer that a text or a box's name means; None when it is none."""
        named = {key.strip().casefold(): answer for key, answer in self.values.items()}
        return named.get(text.strip().casefold()) or answer_named(text)


@dataclass(frozen=True)
class Record:
    """What one person was shown and answered at once: a row of a file, or what stands for one.

    Attributes:
        line: where it stands: the line of a text file, the number of the record in JSON.
        id: what tells it from others in all files: copies of it have the same.
        shown: by the field's name what was asked about; the places of a list are `name[1]`, `name[2]`, ...
        given: by the field's name what was answered; boxes are `field.box`, ticked with `true` or `on`.
        annotator: an id of the person.
        status: of the table `votes`.
        is_truth: it is the answer that is known to be right, and nobody's vote.
        started_at, submitted_at, decided_at: as in `Answer`.
    """

    line: int
    id: str
    shown: Mapping[str, str]
    given: Mapping[str, str]
    annotator: str
    status: str = "accepted"
    is_truth: bool = False
    started_at: datetime | None = None
    submitted_at: datetime | None = None
    decided_at: datetime | None = None


@dataclass
class Loaded:
    """A file's records before it is known which field holds what.

    Attributes:
        path: the file.
        label: what messages and tables call it.
        records: in their order.
        unusable: the rows that are no record.
        counts: `rows`, and what became of those that are no record.
        notes: what the reader should know, a line each.
        shown_as, given_as: how the file calls what was shown and what was given, in messages.
        line_name: what the number of a record counts: a line, a task, a record.
    """

    path: Path
    label: str
    records: list[Record] = field(default_factory=list)
    unusable: list[Unusable] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    shown_as: str = "field"
    given_as: str = "answered field"

    def refuse(self, line: int, reason: str) -> None:
        """Note a row that is no record."""
        self.unusable.append(Unusable(self.label, line, reason))

    @property
    def shown_names(self) -> list[str]:
        """The names of what was shown, in their order."""
        return list(dict.fromkeys(name for record in self.records for name in record.shown))

    @property
    def given_names(self) -> list[str]:
        """The names of what was answered, in their order."""
        return list(dict.fromkeys(name for record in self.records for name in record.given))


@dataclass(frozen=True)
class Question:
    """The fields of one question of a row; None or empty where there is none.

    Attributes:
        number: `""`, or where a row has several questions the number in the fields' names.
        shown: by role the field; the context may be several.
        answer: the fields that hold the answer: one, or boxes.
        reason: the field that holds the reason.
        is_guessed: whether the fields of the answer were told by their values alone.
    """

    number: str
    shown: Mapping[str, str]
    context: tuple[str, ...]
    answer: tuple[str, ...]
    reason: str | None
    is_guessed: bool = False

    @property
    def taken(self) -> dict[str, tuple[str, ...]]:
        """By role the fields."""
        found = {role: (name,) for role, name in self.shown.items()} | {"context": self.context}
        found["answer"] = self.answer
        return found | ({"reason": (self.reason,)} if self.reason else {})


@dataclass(frozen=True)
class Interpreted:
    """The answers of a file, and which fields they were read from.

    Attributes:
        answers: in the order of the file.
        unusable: rows, or questions of rows, that are none.
        taken: a line a question: which field was taken for what.
        passed_over: by name an example of what stands in a field that was taken for nothing.
        n_truths: records that tell the right answer and are nobody's vote.
    """

    answers: list[Answer]
    unusable: list[Unusable]
    taken: list[str]
    passed_over: dict[str, str]
    n_truths: int


def check_named(files: Sequence[Loaded], reading: Reading) -> None:
    """Make sure that each field that is named stands in at least one of the files.

    Raises:
        UserError: it does not, or no file takes names of fields.
    """
    if (reading.columns or reading.values) and not files:
        raise UserError(
            "columns and values are for files whose fields are known by their names alone (Mechanical Turk, Label "
            "Studio, Potato, Argilla), and there is none; leave them out"
        )
    for role, name in reading.columns.items():
        is_given = _split_role(role)[0] in _GIVEN
        names = [each for file in files for each in (file.given_names if is_given else file.shown_names)]
        if not any(_is_named(each, name) for each in names):
            there = shortened(dict.fromkeys(names)) or "none"
            raise UserError(
                f"{', '.join(file.label for file in files)}: no column {name} for {role}; there are {there}"
            )


def interpret(file: Loaded, reading: Reading) -> Interpreted:
    """Make answers of a file's records.

    Raises:
        UserError: nothing tells which field holds something that is needed; two questions ask about one pair.
    """
    questions = _questions(file, reading)
    answers: list[Answer] = []
    unusable: list[Unusable] = []
    truths: dict[str, str] = {}
    n_truths = 0
    for record in file.records:
        for question in questions:
            try:
                answer = _answer(file.label, record, question, reading)
            except ValueError as error:
                told = f"question {question.number}: {error}" if question.number else str(error)
                unusable.append(Unusable(file.label, record.line, told))
                continue
            if record.is_truth:
                n_truths += 1
                truths[answer.item_id] = answer.choice
            else:
                answers.append(answer)
    answers = [
        replace(answer, expected=truths[answer.item_id]) if answer.item_id in truths else answer for answer in answers
    ]
    taken = {name for question in questions for names in question.taken.values() for name in names}
    return Interpreted(
        answers, unusable, [_taken_text(question) for question in questions], _passed_over(file, taken), n_truths
    )


def _taken_text(question: Question) -> str:
    told = []
    for role, names in question.taken.items():
        guessed = " (guessed from its values)" if role == "answer" and question.is_guessed else ""
        named = f"{names[0]} to {names[-1]}" if role == "context" and len(names) > 2 else ", ".join(names)
        told.append(f"{role} = {named}{guessed}")
    return ("; ".join(told)) if not question.number else f"question {question.number}: {'; '.join(told)}"


def _passed_over(file: Loaded, taken: set[str]) -> dict[str, str]:
    """By name an example of each field that was taken for nothing and holds something; boxes by their field's name."""
    found: dict[str, str] = {}
    for record in file.records:
        for name, value in (*record.shown.items(), *record.given.items()):
            if name in taken or not value or (name in record.given and _TICKS.get(value.lower()) is False):
                continue
            is_box = name in record.given and value.lower() in _TICKS
            group, _, box = name.rpartition(".") if is_box and "." in _bare(name) else (name, "", value)
            found.setdefault(group, box[:_EXAMPLE] + ("..." if len(box) > _EXAMPLE else ""))
    return found


# Which field is which.


def _questions(file: Loaded, reading: Reading) -> list[Question]:
    """The questions that each row of the file answers."""
    given = file.given_names
    numbers, answers, is_guessed = _answer_fields(file, given, reading)
    found = [_question(file, reading, number, answers[number], is_guessed) for number in numbers]
    pairs = Counter((question.shown["ending_a"], question.shown["ending_b"]) for question in found)
    if len(pairs) < len(found):
        twice = [question for question in found if pairs[question.shown["ending_a"], question.shown["ending_b"]] > 1]
        fields = shortened(question.answer[0] for question in twice)
        raise UserError(
            f"{file.path}: {fields} are answers to several questions about the same endings, of which one can be read; "
            f"name it with --column answer={twice[0].answer[0]}"
        )
    return found


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
        for base, number in [_split_role(role)]
        if base == "answer"
    }
    values = {name: {value for each in file.records if (value := each.given.get(name, ""))} for name in given}
    found = {number: fields for number, name in named.items() if (fields := _fields_named(given, name))}
    if found:
        return sorted(found, key=lambda number: int(number or 0)), found, False
    usual = [
        tuple(name for name in given if _key(_parts(name)[0]) == wanted and not _is_reason(name))
        for wanted in _GIVEN["answer"]
    ]
    holding = [fields for fields in usual if any(values[name] for name in fields)]
    boxes = tuple(
        name for name in given if reading.meant(_parts(name)[0]) and values[name] and _are_ticks(values[name])
    )
    if fields := next(iter([*holding, *filter(None, usual)]), ()):
        return [""], {"": (*fields, *boxes)}, False
    numbered: dict[str, list[str]] = {}
    for name in given:
        told = _NUMBERED.fullmatch(_parts(name)[0])
        if told and _key(told[1]) in _GIVEN["answer"] and not _is_reason(name):
            numbered.setdefault(told[2], []).append(name)
    if numbered:
        return sorted(numbered, key=int), {number: tuple(names) for number, names in numbered.items()}, False
    if boxes:
        return [""], {"": boxes}, False
    groups: dict[str, list[str]] = {}
    for name in given:
        groups.setdefault(_parts(name)[0], []).append(name)
    likely = [names for names in groups.values() if _look_like_answers(names, values, reading)]
    if len(likely) == 1:
        return [""], {"": tuple(likely[0])}, True
    there = shortened(f"{name} ({sorted(values[name])[0]})" if values[name] else name for name in given) or "none"
    raise UserError(
        f"{file.path}: no {file.given_as} is known to hold the answer; name it with --column answer=COLUMN, and say "
        f"what its values mean with --value VALUE=ANSWER where they are not A, B, both and neither (there are {there})"
    )


def _look_like_answers(names: Sequence[str], values: Mapping[str, set[str]], reading: Reading) -> bool:
    """Whether all that stands in the fields is an answer, or boxes that are called as answers are."""
    held = {name: values[name] for name in names if values[name] and not _is_reason(name)}
    if not held:
        return False
    return all(
        reading.meant(_parts(name)[-1]) is not None
        if _are_ticks(texts)
        else all(reading.meant(part) is not None for text in texts for part in text.split("|") if part)
        for name, texts in held.items()
    )


def _are_ticks(texts: Iterable[str]) -> bool:
    return all(text.lower() in _TICKS for text in texts)


def _question(file: Loaded, reading: Reading, number: str, answer: tuple[str, ...], is_guessed: bool) -> Question:
    """The fields of one question.

    Raises:
        UserError: nothing tells which field holds something that is needed.
    """
    shown = file.shown_names
    named = {base: name for role, name in reading.columns.items() for base, of in [_split_role(role)] if of == number}
    shared = {base: name for role, name in reading.columns.items() for base, of in [_split_role(role)] if not of}
    found: dict[str, str] = {}
    for role in _SHOWN:
        wanted = named.get(role) or shared.get(role)
        matching = [name for name in shown if wanted and _is_named(name, wanted)] or _usual(shown, role, number)
        if matching:
            found[role] = matching[0]
    context, sentences = found.pop("context", None), _sentences(shown, number)
    is_sure = "context" in shared or "context" in named or (context and _key(_bare(context)) in _SURE_CONTEXTS)
    fields = (context,) if context and (is_sure or not sentences) else sentences
    missing = [role for role in ("ending_a", "ending_b") if role not in found] + ([] if fields else ["context"])
    if not {"system_a", "system_b"} <= set(found) and not {"model_side", "right_ending"} & set(found):
        missing.append("system_a and system_b (or model_side, or right_ending)")
    if missing:
        of = f" of question {number}" if number else ""
        raise UserError(
            f"{file.path}: no {file.shown_as} tells {', '.join(missing)}{of}; name it with --column ROLE=COLUMN (there "
            f"are {shortened(shown) or 'none'})"
        )
    return Question(number, found, fields, answer, _reason_field(file.given_names, named, number, answer), is_guessed)


def _usual(names: Sequence[str], role: str, number: str) -> list[str]:
    """The fields that have a usual name of the role: with the question's number, else without any."""
    known = _SHOWN[role]
    every_usual = {usual for usuals in _SHOWN.values() for usual in usuals}
    numbered = [
        name
        for wanted in known
        for name in names
        if number
        and _key(_bare(name)) not in every_usual
        and (told := _NUMBERED.fullmatch(_bare(name)))
        and told[2] == number
        and _key(told[1]) == wanted
    ]
    plain = [name for wanted in known for name in names if _key(_bare(name)) == wanted]
    prefixed = [name for name in names if _key(_bare(name)).startswith(_PREFIXES.get(role, ("\0",)))]
    return numbered or plain or prefixed


def _sentences(names: Sequence[str], number: str) -> tuple[str, ...]:
    """The fields that hold a sentence of the context each, in their order."""
    found: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        told = _SENTENCE.fullmatch(_bare(name)) or _ELEMENT.fullmatch(_bare(name))
        if told:
            of = told[2] if told.re is _SENTENCE and told[2] else ""
            found.setdefault(of, []).append((int(told[1]), name))
    return tuple(name for _, name in sorted(found.get(number) or found.get("", [])))


def _reason_field(given: Sequence[str], named: Mapping[str, str], number: str, answer: tuple[str, ...]) -> str | None:
    if "reason" in named and (fields := _fields_named(given, named["reason"])):
        return fields[0]
    others = [name for name in given if name not in answer]
    for wanted in _GIVEN["reason"]:
        for name in others:
            told = _NUMBERED.fullmatch(_parts(name)[0])
            of_number = bool(number and told and told[2] == number)
            plain = told[1] if told and of_number else _parts(name)[0]
            if (of_number or not number) and wanted in (_key(plain), _key(_parts(name)[-1])):
                return name
    return None


def _is_reason(name: str) -> bool:
    """Whether the last part of a field's name is a reason's, which may stand under the name of the choice."""
    return len(_parts(name)) > 1 and _key(_parts(name)[-1]) in _GIVEN["reason"]


def _fields_named(names: Sequence[str], wanted: str) -> tuple[str, ...]:
    """The field that the caller named, or the boxes of it."""
    exact = [name for name in names if wanted.lower() in (name.lower(), _bare(name).lower())]
    return tuple(exact or [name for name in names if _is_named(name, wanted)])


def _is_named(name: str, wanted: str) -> bool:
    """Whether `wanted` is this field, or one of which it is a box: with the prefix or without, in any case."""
    bare = _bare(name).split(".")
    full = name.split(".")
    called = {_key(".".join(bare[: place + 1])) for place in range(len(bare))}
    if full != bare:
        called |= {_key(".".join(full[: place + 1])) for place in range(1, len(full))}
    return name.lower() == wanted.lower() or bool(_key(wanted) and _key(wanted) in called)


def _split_role(role: str) -> tuple[str, str]:
    """A role and the number of the question, or `""`."""
    told = _ROLE.fullmatch(role)
    assert told
    return told[1], told[2] or ""


def _bare(name: str) -> str:
    """A field's name without Mechanical Turk's prefix, which its reader writes so."""
    return name.removeprefix("Input.").removeprefix("Answer.")


def _parts(name: str) -> list[str]:
    """The parts of a field's name: the field and its box, without what the form's element puts behind."""
    parts = _bare(name).split(".")
    while len(parts) > 1 and parts[-1].lower() in _FORM_PARTS:
        parts.pop()
    return parts


def _key(name: str) -> str:
    """In lower case, letters and digits alone."""
    return "".join(character for character in name.lower() if character.isalnum())


# What a row says.


def _answer(file: str, record: Record, question: Question, reading: Reading) -> Answer:
    """The answer of one record to one question.

    Raises:
        ValueError: there is none, with the reason.
    """
    if not record.annotator:
        raise ValueError("nothing tells who answered")
    shown = record.shown
    needed = [*question.context, question.shown["ending_a"], question.shown["ending_b"]]
    if empty := [name for name in needed if not shown.get(name)]:
        raise ValueError(f"empty: {', '.join(empty)}")
    context = tuple(sentence for name in question.context for sentence in split_sentences(shown[name]))
    endings = shown[question.shown["ending_a"]], shown[question.shown["ending_b"]]
    sides = _sides(shown, question.shown, endings, reading)
    case = shown.get(question.shown.get("case_id", ""), "")
    return Answer(
        case_id=case or f"case-{digest(context)[:12]}",
        context=context,
        endings=endings,
        systems=sides,
        annotator=record.annotator,
        answer=_chosen({name: record.given.get(name, "") for name in question.answer}, reading),
        reason=(record.given.get(question.reason, "") if question.reason else "") or None,
        status=record.status,
        expected=_expected(shown, question.shown.get("expected"), sides, reading),
        started_at=record.started_at,
        submitted_at=record.submitted_at,
        decided_at=record.decided_at,
        id=digest(record.id, question.number),
        file=file,
        line=record.line,
    )


def _expected(shown: Mapping[str, str], name: str | None, sides: tuple[str, str], reading: Reading) -> str | None:
    """The choice that an attention check asks for; None where the item is none.

    Raises:
        ValueError: a text that is no choice: nobody could pass the check.
    """
    told = shown.get(name, "") if name else ""
    if not told or told in sides:
        return told or None
    side = reading.meant(told)
    if side is None:
        raise ValueError(
            f"{name} is '{told[:40]}', not A, B, both, neither, {' or '.join(sides)}; leave it empty where the item "
            "is no attention check"
        )
    return {"A": sides[0], "B": sides[1]}.get(side, side)


def _sides(
    shown: Mapping[str, str], names: Mapping[str, str], endings: tuple[str, str], reading: Reading
) -> tuple[str, str]:
    """The systems that wrote A and B."""
    if "system_a" in names and "system_b" in names:
        a, b = shown.get(names["system_a"], ""), shown.get(names["system_b"], "")
        if not a or not b:
            raise ValueError(f"empty: {names['system_a'] if not a else names['system_b']}")
        if a == b:
            raise ValueError(f"A and B are both of {a}")
        if problem := like_an_answer((a, b)):
            raise ValueError(problem)
        return a, b
    model, human = reading.systems
    told = shown.get(names.get("model_side", ""), "")
    if (side := reading.meant(told)) in ("A", "B"):
        return (model, human) if side == "A" else (human, model)
    right = shown.get(names.get("right_ending", ""), "")
    if right in endings and endings[0] != endings[1]:
        return (human, model) if right == endings[0] else (model, human)
    name = names.get("model_side") or names["right_ending"]
    raise ValueError(f"{name} does not tell which system wrote A and B")


def _chosen(given: Mapping[str, str], reading: Reading) -> str:
    """A, B, both or neither: from one field, or from the boxes that are ticked.

    Of an old form a field holds the names of all ticked boxes with `|` between them. A and B ticked, and nothing else,
    are both.

    Raises:
        ValueError: none, several, or another text.
    """
    written = [name for name, value in given.items() if value and value.lower() not in _TICKS]
    if len(written) > 1:
        raise ValueError(f"{shortened(written)} answer at once; name one of them with --column answer={written[0]}")
    texts: list[str] = []
    for name, value in given.items():
        if value.lower() in _TICKS:
            texts += [_parts(name)[-1]] if _TICKS[value.lower()] else []
            continue
        told = [text for text in value.split("|") if text.strip()]
        if unclear := [text for text in told if text.strip().lower() in _NO_VALUES and not _is_mapped(text, reading)]:
            raise ValueError(
                f"the answer is '{unclear[0]}', which may be no answer or neither; say what it means with --value "
                f"{unclear[0]}=neither, or leave the row out"
            )
        texts += told
    answers = {text: reading.meant(text) for text in texts}
    if strange := [text for text, answer in answers.items() if not answer]:
        told_text = strange[0][:40]
        raise ValueError(
            f"the answer is '{told_text}', not A, B, both or neither; say what it means with --value {told_text}=ANSWER"
        )
    ticked = {answer for answer in answers.values() if answer}
    if ticked == {"A", "B"}:
        return "both"
    if not ticked:
        raise ValueError("no answer is given")
    if len(ticked) > 1:
        raise ValueError(f"several answers at once: {', '.join(sorted(ticked))}")
    return ticked.pop()


def _is_mapped(text: str, reading: Reading) -> bool:
    return text.strip().casefold() in {key.strip().casefold() for key in reading.values}
