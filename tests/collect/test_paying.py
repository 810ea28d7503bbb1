"""Payments worked out by hand."""

from decimal import Decimal

import pytest

from denouement.collect.description import collection_from
from denouement.collect.paying import DoneWork, PersonPayment, payments, write_payments

COLLECTION = collection_from(
    {
        "name": "kitchen",
        "currency": "EUR",
        "stories": {"payment": {"piece": 0.26, "bonus": 0.1}},
        "endings": {"payment": {"piece": 0.1}},
        "verification": True,
        "filter": True,
    },
    "C.yaml",
)


def test_the_steps_of_a_person_are_added_up():
    work = [
        DoneWork("w2", "endings", 3, seconds=30.1),
        DoneWork("w1", "stories", 3, bonuses=2, seconds=100),
        DoneWork("w1", "endings", 2, seconds=20),
        DoneWork("w1", "verification", 7, seconds=3),  # for which nothing is paid
    ]
    assert payments(work, COLLECTION) == [
        PersonPayment("w1", 12, Decimal("2.1"), Decimal("0.98"), Decimal("0.2")),
        PersonPayment("w2", 3, Decimal("0.5"), Decimal("0.3"), Decimal(0)),
    ]
    assert payments(work, COLLECTION)[0].total == Decimal("1.18")
    assert payments([], COLLECTION) == []
    with pytest.raises(ValueError, match="must be one of stories"):
        payments([DoneWork("w", "painting", 1)], COLLECTION)


def test_the_list_is_harmless_in_a_spreadsheet(tmp_path):
    paid = payments([DoneWork("=1+1", "stories", 1, seconds=60)], COLLECTION)
    write_payments(tmp_path / "payments.csv", paid, COLLECTION.currency)
    assert (tmp_path / "payments.csv").read_text().splitlines() == [
        "person,pieces,minutes,amount,bonus,total,currency",
        "'=1+1,1,1.0,0.26,0.00,0.26,EUR",
    ]
