"""From records to answers, with the fields that they were read from and those that were passed over."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from denouement.schemas import shortened
from denouement.study.importing.answers import ImportedAnswer, Unusable, digest
from denouement.study.importing.fields import QuestionFields, questions_of
from denouement.study.importing.records import Loaded, Reading, Record
from denouement.study.importing.roles import TICKS, bare_name, parts_of
from denouement.study.results.agreement import like_an_answer
from denouement.text.sentences import split_sentences

_NO_VALUES = ("none", "null", "nan")  # what programs write for a cell that is empty
_EXAMPLE = 40


@dataclass(frozen=True)
class Interpreted:
    """The answers of a file, and which fields they were read from.

    Attributes:
        answers: in the order of the file.
        unusable: rows, or questions of rows, that are no answer.
        taken: a line a question: which field was taken for which role.
        passed_over: an example of the content of each field that was not used, by its name.
        truths: answers that are known to be right, and are nobody's vote; `expected` is its choice.
    """

    answers: list[ImportedAnswer]
    unusable: list[Unusable]
    taken: list[str]
    passed_over: dict[str, str]
    truths: list[ImportedAnswer]


def interpret(file: Loaded, reading: Reading) -> Interpreted:
    """Make answers of a file's records.

    Raises:
        UserError: a field that is needed cannot be recognised.
    """
    questions = questions_of(file, reading)
    answers: list[ImportedAnswer] = []
    unusable: list[Unusable] = []
    truths: list[ImportedAnswer] = []
    for record in file.records:
        for question in questions:
            try:
                answer = _answer(file.source.label, record, question, reading)
            except ValueError as error:
                problem = f"question {question.number}: {error}" if question.number else str(error)
                unusable.append(Unusable(file.source.label, record.line, problem))
                continue
            if record.is_truth:
                truths.append(replace(answer, expected=answer.choice if question.is_first else None))
            else:
                answers.append(answer)
    taken = {name for question in questions for names in question.taken.values() for name in names}
    return Interpreted(
        answers, unusable, [_taken_text(question) for question in questions], _passed_over(file, taken), truths
    )


def _taken_text(question: QuestionFields) -> str:
    roles = []
    for role, names in question.taken.items():
        guessed = " (guessed from its values)" if role == "answer" and question.is_guessed else ""
        named = f"{names[0]} to {names[-1]}" if role == "context" and len(names) > 2 else ", ".join(names)
        roles.append(f"{role} = {named}{guessed}")
    return f"question {question.number}: {'; '.join(roles)}" if question.number else "; ".join(roles)


def _passed_over(file: Loaded, taken: set[str]) -> dict[str, str]:
    """An example of each field that was not used, unless a used field has its content; boxes by their field's name."""
    found: dict[str, str] = {}
    for record in file.records:
        read = {record.shown.get(name) for name in taken}
        for name, value in (*record.shown.items(), *record.given.items()):
            if name in taken or not value or (name in record.shown and value in read):
                continue
            if name in record.given and TICKS.get(value.lower()) is False:
                continue
            is_box = name in record.given and value.lower() in TICKS
            group, _, box = name.rpartition(".") if is_box and "." in bare_name(name) else (name, "", value)
            found.setdefault(group, box[:_EXAMPLE] + ("..." if len(box) > _EXAMPLE else ""))
    return found


def _answer(file: str, record: Record, question: QuestionFields, reading: Reading) -> ImportedAnswer:
    """The answer of one record to one question.

    Raises:
        ValueError: there is none; the message says why.
    """
    if not record.annotator:
        raise ValueError("no annotator's id")
    shown = record.shown
    needed = [*question.context, question.shown["ending_a"], question.shown["ending_b"]]
    if empty := [name for name in needed if not shown.get(name)]:
        raise ValueError(f"empty: {', '.join(empty)}")
    context = tuple(sentence for name in question.context for sentence in split_sentences(shown[name]))
    endings = shown[question.shown["ending_a"]], shown[question.shown["ending_b"]]
    sides = _sides(shown, question.shown, endings, reading)
    case = shown.get(question.shown.get("case_id", ""), "")
    return ImportedAnswer(
        case_id=case or f"case-{digest(context)[:12]}",
        context=context,
        endings=endings,
        systems=sides,
        annotator=record.annotator,
        answer=_chosen({name: record.given.get(name, "") for name in question.answer}, reading),
        reason=(record.given.get(question.reason, "") if question.reason else "") or None,
        status=record.status,
        expected=_expected(shown, question.shown.get("expected"), sides, reading) if question.is_first else None,
        question=question.asked,
        started_at=record.started_at,
        submitted_at=record.submitted_at,
        decided_at=record.decided_at,
        id=digest(record.id, question.number),
        file=file,
        line=record.line,
    )


def _expected(shown: Mapping[str, str], name: str | None, sides: tuple[str, str], reading: Reading) -> str | None:
    """The choice that an attention check asks for; None where the item is no check.

    Raises:
        ValueError: a text that is no choice, so that nobody could pass the check.
    """
    text = shown.get(name, "") if name else ""
    if not text or text in sides:
        return text or None
    side = reading.meant(text)
    if side is None:
        raise ValueError(
            f"{name} is '{text[:40]}', not A, B, both, neither, {' or '.join(sides)}; leave it empty where the item "
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
    if (side := reading.meant(shown.get(names.get("model_side", ""), ""))) in ("A", "B"):
        return (model, human) if side == "A" else (human, model)
    right = shown.get(names.get("right_ending", ""), "")
    if right in endings and endings[0] != endings[1]:
        return (human, model) if right == endings[0] else (model, human)
    name = names.get("model_side") or names["right_ending"]
    raise ValueError(f"{name} does not say which system wrote A and B")


def _chosen(given: Mapping[str, str], reading: Reading) -> str:
    """A, B, both or neither: from one field, or from the boxes that are ticked.

    A field of an old form holds the names of all ticked boxes with `|` between them. A and B ticked, and nothing else,
    mean both.

    Raises:
        ValueError: no answer, several answers, or a text that is no answer.
    """
    written = [name for name, value in given.items() if value and value.lower() not in TICKS]
    if len(written) > 1:
        raise ValueError(f"{shortened(written)} answer at once; name one of them with --column answer={written[0]}")
    texts: list[str] = []
    for name, value in given.items():
        if value.lower() in TICKS:
            texts += [parts_of(name)[-1]] if TICKS[value.lower()] else []
            continue
        parts = [text for text in value.split("|") if text.strip()]
        if unclear := [text for text in parts if text.strip().lower() in _NO_VALUES and not _is_mapped(text, reading)]:
            raise ValueError(
                f"the answer is '{unclear[0]}', which may be no answer or neither; say what it means with --value "
                f"{unclear[0]}=neither, or leave the row out"
            )
        texts += parts
    answers = {text: reading.meant(text) for text in texts}
    if strange := [text for text, answer in answers.items() if not answer]:
        text = strange[0][:40]
        raise ValueError(
            f"the answer is '{text}', not A, B, both or neither; say what it means with --value {text}=ANSWER"
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
