"""Whatever people do, in whatever order and however late, the counts of the items hold."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
import sqlalchemy as sa
from crowd import design, pairs, ready
from hypothesis import given, settings
from hypothesis import strategies as st

from denouement.study.store import Store, open_store
from denouement.study.store.models import assignments, items

PEOPLE, ITEMS, K, LEASE = 4, 3, 2, 10
NUMBERS = count()

STEPS = st.lists(
    st.tuples(
        st.sampled_from(("next", "next", "next", "submit", "submit", "submit", "withdraw", "exclude")),
        st.integers(0, PEOPLE - 1),
        st.integers(0, 5),  # which of the assignments this person ever had
        st.sampled_from((0, 1, 6, 11)),  # minutes that pass before
    ),
    max_size=40,
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path = tmp_path_factory.mktemp("course") / "studies.db"
    with closing(open_store(f"sqlite:///{path}")) as store:
        yield store


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_any_course_keeps_the_counts(kept: Store, steps):
    study = f"course_{next(NUMBERS)}"
    kept.create(design(name=study, answers_per_item=K, lease_minutes=LEASE), pairs(ITEMS))
    keys = [ready(kept, f"p{n}", study) for n in range(PEOPLE)]
    had: list[list] = [[] for _ in keys]
    told: list[dict] = [{} for _ in keys]  # what each person was told of each assignment
    left: set[int] = set()
    now = datetime(2026, 3, 1, tzinfo=UTC)
    for step, person, which, minutes in steps:
        now += timedelta(minutes=minutes)
        if step == "next":
            assignment = kept.next(keys[person], now=now)
            assert not (assignment and person in left)
            if assignment:
                assert assignment.expires_at > now
                assert assignment.id not in told[person]
                if assignment.id not in [each.id for each in had[person]]:
                    assert assignment.item.id not in [each.item.id for each in had[person]]
                    had[person].append(assignment)
        elif step == "submit" and which < len(had[person]):
            assignment = had[person][which]
            outcome = kept.submit(keys[person], assignment.id, "A", now=now)
            if person in left:
                assert outcome.status == "refused"
            elif assignment.id in told[person]:
                assert outcome.status == "duplicate"
            else:
                assert outcome.status in ("accepted", "surplus")
                told[person][assignment.id] = (assignment.item.id, outcome.status)
        elif step == "withdraw":
            assert kept.withdraw(keys[person], now=now) == len(told[person])
            told[person] = {}
            left.add(person)
        elif step == "exclude":
            assert kept.exclude(study, kept.annotator(keys[person]).id) == len(told[person])
            told[person] = {token: (item, "excluded") for token, (item, _) in told[person].items()}
            left.add(person)
        check_counts(kept, study, told)


def check_counts(store: Store, study: str, told) -> None:
    answers = store.answers(study)
    expected = Counter(pair for each in told for pair in each.values())
    assert Counter((answer.item.id, answer.status) for answer in answers) == expected
    with store._engine.connect() as connection:
        rows = connection.execute(sa.select(items).where(items.c.study_id == store._study(study).id)).all()
        for row in rows:
            held = sa.select(sa.func.count()).where(assignments.c.item_id == row.id, assignments.c.state == "open")
            assert row.accepted == expected[row.item_id, "accepted"]
            assert row.taken == row.accepted + connection.scalar(held) <= K
