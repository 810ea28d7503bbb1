"""What people are paid for a collection."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from denouement.collect.description import STEPS, Collection
from denouement.files import atomic_write
from denouement.spreadsheets import csv_bytes

_CENT = Decimal("0.01")
_COLUMNS = ("person", "pieces", "minutes", "amount", "bonus", "total", "currency")


@dataclass(frozen=True)
class DoneWork:
    """What a person did in a step.

    Attributes:
        step: one of `STEPS`.
        pieces: how many stories, reviews, pairs of endings or answers were accepted.
        bonuses: how many of them are to get a bonus.
        seconds: the time that they took.
    """

    person: str
    step: str
    pieces: int
    bonuses: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class PersonPayment:
    """What a person gets for the work of all steps; exact amounts in the collection's currency."""

    person: str
    pieces: int
    minutes: Decimal
    amount: Decimal
    bonus: Decimal

    @property
    def total(self) -> Decimal:
        """The amount with the bonus."""
        return self.amount + self.bonus


def payments(work: Iterable[DoneWork], collection: Collection) -> list[PersonPayment]:
    """A payment for each person who did anything, sorted by person; minutes have one decimal.

    Raises:
        ValueError: a step that there is not.
    """
    of_person: dict[str, list[DoneWork]] = defaultdict(list)
    for each in work:
        if each.step not in STEPS:
            raise ValueError(f"step: must be one of {', '.join(STEPS)}, not {each.step!r}")
        of_person[each.person].append(each)
    return [
        PersonPayment(
            person=person,
            pieces=sum(each.pieces for each in done),
            minutes=_minutes(done),
            amount=sum((collection.payment(each.step).amount(each.pieces) for each in done), Decimal(0)),
            bonus=sum((collection.payment(each.step).amount(0, each.bonuses) for each in done), Decimal(0)),
        )
        for person, done in sorted(of_person.items())
    ]


def payments_csv(paid: Iterable[PersonPayment], currency: str, bom: bool = False) -> bytes:
    """Payments as CSV for a spreadsheet; see `spreadsheets.csv_bytes`."""
    rows = [
        {
            **vars(each),
            **{name: _with_cents(getattr(each, name)) for name in ("amount", "bonus", "total")},
            "currency": currency,
        }
        for each in paid
    ]
    return csv_bytes(_COLUMNS, rows, bom)


def write_payments(path: Path, paid: Iterable[PersonPayment], currency: str) -> None:
    """Write `payments_csv` to a file, atomically.

    Raises:
        UserError: the file cannot be written.
    """
    with atomic_write(path) as beside:
        beside.write_bytes(payments_csv(paid, currency))


def _with_cents(amount: Decimal) -> Decimal:
    """The same amount with two decimals, or as many as it has."""
    return amount.quantize(_CENT) if amount == amount.quantize(_CENT) else amount.normalize()


def _minutes(done: Iterable[DoneWork]) -> Decimal:
    seconds = sum((Decimal(str(each.seconds)) for each in done), Decimal(0))
    return (seconds / 60).quantize(Decimal("0.1"), ROUND_HALF_UP)
