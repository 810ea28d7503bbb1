"""What a judge is asked: each question of a study about each of its pairs, in both orders."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from denouement.answers import QuestionAsked, questions_asked, questions_of
from denouement.errors import UserError
from denouement.provenance import rows_digest
from denouement.schemas import BETTER
from denouement.study.design.description import Design
from denouement.study.design.questions import CODES, Choices
from denouement.study.languages import ENGLISH, texts

ORDERS = (1, 2)
"""In which order a pair is shown: 1 as the table `items` has it, 2 the other way round."""


@dataclass(frozen=True)
class PairAsked:
    """A pair of endings as a judge reads it.

    Attributes:
        study, item_id, case_id, is_check: as the table `items` has them.
        context: the story's sentences before the ending.
        systems, endings: of side A and side B.
        order: one of `ORDERS`.
        question: the name of what is asked.
    """

    study: str
    item_id: str
    case_id: str
    is_check: bool
    context: tuple[str, ...]
    systems: tuple[str, str]
    endings: tuple[str, str]
    order: int
    question: str


@dataclass(frozen=True)
class Questionnaire:
    """What a study asks about pairs, as people read it.

    Attributes:
        study: its name.
        instructions: what people read before the first pair.
        questions: by name, all with their words.
        options: the answers to choose from, of A, B, both and neither.
    """

    study: str
    instructions: str
    questions: Mapping[str, QuestionAsked]
    options: tuple[str, ...]


def of_design(design: Design) -> Questionnaire:
    """What a study of this design asks. Of a graded study that is a forced choice: A or B, without how much better.

    Raises:
        UserError: it asks about no pairs.
    """
    if design.kind != "pair":
        raise UserError(f"study {design.name}: is of kind {design.kind}; a judge answers studies of kind pair")
    return Questionnaire(design.name, design.instructions, design.questions_asked(), _options(design.choices or "ties"))


def of_votes(votes: pa.Table, study: str | None, choices: Choices, words: Mapping[str, str]) -> Questionnaire:
    """What was asked in a study of a table `votes`.

    The words of the questions are those in the table's metadata, else those of `words`; without either, `better` is
    asked in our own words. The instructions are always ours: the table has none.

    Args:
        votes: the table `votes`.
        study: which study; None is the only one.
        choices: what people could choose from.
        words: what was asked, by the question's name.

    Raises:
        UserError: no such study, or several; the words of a question are not known, or are others.
    """
    studies = votes["study"].unique().to_pylist()
    if study is None and len(studies) != 1:
        raise UserError(f"the table of votes holds {', '.join(studies) or 'no study'}: name one with --study")
    if study is not None and study not in studies:
        raise UserError(f"--study {study}: the table of votes holds {', '.join(studies) or 'no study'}")
    study = study or studies[0]
    names = questions_of(votes.filter(pc.equal(votes["study"], study)))
    if strange := set(words) - set(names):
        raise UserError(f"--words {min(strange)}: no such question; study {study} asked {', '.join(names)}")
    say = texts(ENGLISH)
    usual = say("design.question.pair")
    known = questions_asked(votes).get(study, {})
    asked = {}
    for name in names:
        of_table = known.get(name, QuestionAsked(None, name == BETTER))
        if of_table.words and words.get(name, of_table.words) != of_table.words:
            raise UserError(f"--words {name}: people were asked in other words: {of_table.words}")
        found = of_table.words or words.get(name) or (usual if name == BETTER else None)
        if not found:
            raise UserError(f"question {name}: its words are not in the table; give them with --words {name}=TEXT")
        asked[name] = replace(of_table, words=found)
    is_ours = all(each.words == usual for each in asked.values())
    key = f"pair{'' if is_ours else '_own'}{'' if choices == 'ties' else '_forced'}"
    return Questionnaire(study, say(f"design.instructions.{key}"), asked, _options(choices))


def pairs_asked(items: pa.Table, questionnaire: Questionnaire, limit: int | None = None) -> Iterator[PairAsked]:
    """What a judge is asked about the items of a study: practice items are left out, attention checks are not.

    Args:
        items: the table `items`; those of other studies are passed over.
        questionnaire: of the study.
        limit: the first so many items alone, checks left out; None: all.
    """
    n = 0
    for row in items.to_pylist():
        if row["study"] != questionnaire.study or row["kind"] != "pair" or row["is_training"]:
            continue
        if limit is not None and (row["is_check"] or n == limit):
            continue
        n += 1
        for order in ORDERS:
            a, b = (0, 1) if order == 1 else (1, 0)
            for question in questionnaire.questions if not row["is_check"] else [next(iter(questionnaire.questions))]:
                yield PairAsked(
                    study=row["study"],
                    item_id=row["item_id"],
                    case_id=row["case_id"],
                    is_check=row["is_check"],
                    context=tuple(row["context"]),
                    systems=(row["systems"][a], row["systems"][b]),
                    endings=(row["endings"][a], row["endings"][b]),
                    order=order,
                    question=question,
                )


def items_digest(items: pa.Table, ids: set[tuple[str, str]]) -> str:
    """The digest of the texts of these items, by study and id, and of whose they are."""
    return rows_digest(
        (row["study"], row["item_id"], row["case_id"], *row["context"], "", *row["systems"], *row["endings"])
        for row in items.to_pylist()
        if (row["study"], row["item_id"]) in ids
    )


def _options(choices: Choices) -> tuple[str, ...]:
    return CODES["ties" if choices == "ties" else "forced"]
