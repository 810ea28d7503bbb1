"""The tests that people pass before a step."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from denouement.collecting.qualification import Attempt, Qualification, attempt
from denouement.collecting.store.base import CollectionBase, StoredCollection
from denouement.errors import UserError
from denouement.study.store.base import moment
from denouement.study.store.models import admissions, annotators, attempts
from denouement.study.store.people import person_with, update

Standing = Literal["passed", "test", "failed"]


class Qualifying(CollectionBase):
    """Keeps the attempts at tests."""

    def attempts(self, key: str, step: str) -> list[Attempt]:
        """This person's attempts at the test of a step, the first one first; none where the step has no test.

        Raises:
            UserError: a key that is no one's, or no such step.
        """
        with self._reading() as connection:
            person = person_with(connection, key)
            of = self._collection(person.study, connection)
            test = _test(of, step)
            return _attempts(connection, person, step, test) if test else []

    def attempt(
        self,
        key: str,
        step: str,
        judged: Mapping[int, bool],
        now: datetime | None = None,
        made_before: int | None = None,
    ) -> Attempt:
        """Mark and keep an attempt at the test of a step; one after a passed or after the last one changes nothing.

        A person who has failed the test of every step that they may do is `screened_out`.

        Args:
            key: the person's key.
            step: the step.
            judged: by the place of an item, from 0, whether the person calls it acceptable.
            now: the time.
            made_before: how many attempts there were when the items were shown; where others were made since, as when
                a form is sent twice at once, this one changes nothing. None: any number.

        Returns:
            The attempt; the last one that is kept where nothing was changed.

        Raises:
            UserError: a key that is no one's, or a step without a test.
        """
        at = moment(now)

        def job(connection: sa.Connection) -> Attempt:
            person = person_with(connection, key)
            of = self._collection(person.study, connection)
            test = _test(of, step)
            if test is None:
                raise UserError(f"{step}: this step has no test")
            if person.state not in ("answering", "done"):
                raise UserError("agree to take part first, then take the test")
            earlier = _attempts(connection, person, step, test)
            is_late = made_before is not None and len(earlier) != made_before
            if earlier and (is_late or earlier[-1].passed or not earlier[-1].attempts_left):
                return earlier[-1]
            made = attempt(test, judged, earlier)
            row = {"annotator_id": person.pk, "step": step, "place": len(earlier) + 1, "made_at": at}
            kept = {str(place): value for place, value in judged.items()}
            connection.execute(attempts.insert().values(**row, judged=kept, passed=made.passed))
            may = list(connection.scalars(sa.select(admissions.c.step).where(admissions.c.annotator_id == person.pk)))
            is_out = bool(may) and all(standing(connection, of, person, each) == "failed" for each in may)
            update(connection, person.pk, seen_at=at, **({"state": "screened_out"} if is_out else {}))
            return made

        return self._write(job)


def standing(connection: sa.Connection, of: StoredCollection, person: Any, step: str) -> Standing:
    """Whether a person has passed the test of a step, which a step without a test needs none of."""
    test = _test(of, step)
    if test is None:
        return "passed"
    made = _attempts(connection, person, step, test)
    if not made:
        return "test"
    return "passed" if made[-1].passed else "test" if made[-1].attempts_left else "failed"


def failures(connection: sa.Connection, of: StoredCollection) -> Counter[str]:
    """By step how many people failed its test and have no attempt left."""
    n_passed = sa.func.sum(sa.case((attempts.c.passed, 1), else_=0))
    unpassed = (
        sa.select(attempts.c.step, sa.func.count().label("n"))
        .join(annotators, annotators.c.id == attempts.c.annotator_id)
        .where(annotators.c.study_id == of.id)
        .group_by(attempts.c.annotator_id, attempts.c.step)
        .having(n_passed == 0)
    )
    tests = {step: test for step in of.design.of_people if (test := _test(of, step))}
    made = connection.execute(unpassed).all()
    return Counter(row.step for row in made if row.n >= tests[row.step].attempts)


def _test(of: StoredCollection, step: str) -> Qualification | None:
    described = of.design.of_people.get(step)
    if described is None:
        raise UserError(f"{step}: is no step of collection {of.name}; it has {', '.join(of.design.of_people)}")
    return getattr(described, "qualification", None)


def _attempts(connection: sa.Connection, person: Any, step: str, test: Qualification) -> list[Attempt]:
    there = sa.select(attempts.c.judged).where(attempts.c.annotator_id == person.pk, attempts.c.step == step)
    found: list[Attempt] = []
    for judged in connection.scalars(there.order_by(attempts.c.place)):
        found.append(attempt(test, {int(place): value for place, value in judged.items()}, found))
    return found
