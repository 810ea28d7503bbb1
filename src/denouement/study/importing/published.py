"""`qualitative_evaluation_results.csv`, the answers that Mori et al. 2019 published: a row an answer, no annotators."""

from collections import Counter
from collections.abc import Sequence

from denouement.schemas import UNNAMED_ANNOTATOR
from denouement.study.importing.answers import ImportedAnswer, answer_named, digest
from denouement.study.importing.records import FileRead
from denouement.text.sentences import split_sentences

COLUMNS = (
    *("InputStoryid", "context", "optionA", "optionB", "answer"),  # without these a row is no answer
    *("reason", "RightEnding", "model1", "answer_correspondence"),
)

STUDY = "mori_2019"


def is_published(names: Sequence[str]) -> bool:
    """Whether these are the columns of the published file, in any order and case."""
    return sorted(name.lower() for name in names) == sorted(name.lower() for name in COLUMNS)


def read_published(file: FileRead, systems: tuple[str, str]) -> list[ImportedAnswer]:
    """The answers of the file; rows that are none are refused.

    `model1` says on which side the generated ending is. The file has no annotators: every answer gets an id of its own.
    Two equal rows with a reason are one answer written twice; without a reason they may be of two people.

    Args:
        file: the file to read.
        systems: names for the generator and for the human endings.
    """
    answers = []
    seen: Counter[str] = Counter()
    for line, row in file.rows():
        cells = {name.lower(): cell for name, cell in row.items()}
        identity = digest(*(cells[name.lower()] for name in COLUMNS))
        seen[identity] += 1
        number = 1 if cells["reason"].strip() else seen[identity]
        if problem := _problem(cells):
            file.refuse(line, problem)
            continue
        sides = systems if cells["model1"].strip().upper() == "A" else systems[::-1]
        answer = answer_named(cells["answer"])
        assert answer
        answers.append(
            ImportedAnswer(
                case_id=cells["inputstoryid"].strip(),
                context=tuple(split_sentences(cells["context"])),
                endings=(cells["optiona"].strip(), cells["optionb"].strip()),
                systems=(sides[0], sides[1]),
                annotator=f"{UNNAMED_ANNOTATOR}{identity[:12]}{f'-{number}' if number > 1 else ''}",
                answer=answer,
                reason=cells["reason"].strip() or None,
                id=digest(identity, number),
                file=file.source.label,
                line=line,
            )
        )
    return answers


def _problem(cells: dict[str, str]) -> str | None:
    """Why a row is no answer; None where it is one."""
    empty = [name for name in COLUMNS[:5] if not cells[name.lower()].strip()]
    if empty:
        return f"empty: {', '.join(empty)}"
    if not (answer := answer_named(cells["answer"])):
        return f"answer is '{cells['answer']}', not A, B, both or neither"
    side = cells["model1"].strip().upper()
    if side not in ("A", "B"):
        return f"model1 is '{cells['model1']}', not A or B, so nothing says which system wrote which ending"
    right = cells["optionb" if side == "A" else "optiona"].strip()
    if cells["rightending"].strip() != right:
        return f"model1 is {side}, but RightEnding is not the other option"
    said = cells["answer_correspondence"].strip().lower()
    meant = {"A": "generated", "B": "human"} if side == "A" else {"A": "human", "B": "generated"}
    if said and said != meant.get(answer, answer):
        return f"answer_correspondence is '{said}', but answer {answer} is {meant.get(answer, answer)}"
    return None
