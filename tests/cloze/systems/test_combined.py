import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze.base import ClozeSystem, Scores, choices, load_system
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.cloze.systems import combined
from denouement.cloze.systems.combined import LastSentences
from denouement.encoders import ENCODERS
from denouement.errors import UserError
from denouement.text.syntax import Parse, Parses


class Unparsed(Resources):
    """No sentence can be parsed."""

    def parse(self, sentences: Sequence[str]) -> Parses:
        return dict.fromkeys(sentences, Parse())


def stories() -> pa.Table:
    rows = [
        {
            "story_id": str(number),
            "title": None,
            "sentences": ["Tom ran."] * 4 + ["It was over."],
            "source": "rocstories",
            "split": "train",
        }
        for number in range(4)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


def cases(n: int, start: int = 0) -> pa.Table:
    """The right ending has an even number, and is first and second by turns."""
    rows = []
    for number in range(start, start + n):
        right, wrong = f"Then {2 * number}.", f"Then {2 * number + 1}."
        rows.append(
            {
                "case_id": str(number),
                "context": [f"Tom ran {number}."] * 4,
                "endings": [right if number % 3 else wrong, wrong if number % 3 else right],
                "language": "en",
                "right_ending": 1 if number % 3 else 2,
                "release": "v1.0",
                "split": "validation",
            }
        )
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


@dataclass
class Parity(ClozeSystem):
    """Knows about even numbers what only `share` of the cases let it say."""

    name: ClassVar[str] = "parity"
    share: float = 1.0

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        scores = []
        for row in cases.to_pylist():
            numbers = [int(ending.split()[1].rstrip(".")) for ending in row["endings"]]
            knows = numbers[0] % 100 < 100 * self.share
            scores.append([float(knows and number % 2 == 0) for number in numbers])
        return {"": np.array(scores)}


class Pretrained(Parity):
    """Its variant `mean` reads something pretrained, its variant `sum` does not."""

    name: ClassVar[str] = "pretrained"

    def reads_pretrained(self, variant: str, resources: Resources) -> bool:
        return variant == "mean"

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        return {"mean": super().score(cases, resources)[""], "sum": np.zeros((cases.num_rows, 2))}


class Missing(Parity):
    name: ClassVar[str] = "missing"

    def prepare(self, resources: Resources) -> None:
        raise MissingResourceError("it reads minds: give some with --minds")


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> dict[str, ClozeSystem]:
    """The systems that are combined, to be filled by a test."""
    found: dict[str, ClozeSystem] = {}
    monkeypatch.setattr(combined, "SYSTEMS", found)
    monkeypatch.setattr(combined, "load_system", found.__getitem__)
    return found


def fitted(resources: Resources) -> ClozeSystem:
    system = load_system("combined", {"n_folds": 2, "min_count": 2})
    system.prepare(resources)
    system.fit(cases(40), resources)
    return system


def test_learns_whom_to_trust(others: dict[str, ClozeSystem]) -> None:
    others["parity"] = Parity()
    resources = Unparsed(stories=stories())
    unseen = cases(20, start=40)
    scores = fitted(resources).score(unseen, resources)
    assert list(scores) == [""]
    assert (choices(scores[""]) == unseen["right_ending"].to_numpy()).all()


def test_nothing_pretrained_without_asking(others: dict[str, ClozeSystem]) -> None:
    unseen = cases(20, start=40)
    right = unseen["right_ending"].to_numpy()
    others["weak"] = Parity(share=0.3)
    alone = Unparsed(stories=stories())
    without = fitted(alone).score(unseen, alone)
    others["pretrained"] = Pretrained()
    both = Unparsed(stories=stories())
    scores = fitted(both).score(unseen, both)
    assert list(scores) == ["", "pretrained"]
    assert scores[""] == pytest.approx(without[""])
    assert (choices(scores["pretrained"]) == right).mean() > (choices(scores[""]) == right).mean()


def test_every_encoder_is_known_as_pretrained_or_not() -> None:
    system = load_system("embedding_cosine")
    assert {name for name in ENCODERS if not system.reads_pretrained(f"{name} mean", Resources())} == {
        "glove",
        "skip_thoughts",
    }


def test_a_system_without_its_resource_is_named_once(others: dict[str, ClozeSystem]) -> None:
    others |= {"missing": Missing(), "parity": Parity()}
    resources = Unparsed(stories=stories())
    fitted(resources)
    fitted(resources)
    notes = {text: n for text, n in resources.notes.items() if text.startswith("combined")}
    assert notes == {"combined: without missing, as it reads minds: give some with --minds": 1}


def test_needs_stories_and_enough_cases(others: dict[str, ClozeSystem]) -> None:
    with pytest.raises(MissingResourceError, match="combined learns from stories"):
        load_system("combined").prepare(Resources())
    resources = Unparsed(stories=stories())
    system = load_system("combined")
    system.prepare(resources)
    with pytest.raises(UserError, match="at least 10 labelled cases"):
        system.fit(cases(9), resources)


@pytest.mark.parametrize("option", ["min_count", "n_folds"])
def test_options_out_of_range(option: str) -> None:
    with pytest.raises(UserError, match=option):
        load_system("combined", {option: 0})


def test_last_sentences_read_otherwise() -> None:
    model = LastSentences([["Tom ran far .", "Tom was happy ."]] * 3)
    assert model.log_odds("happy") == pytest.approx(math.log((3 + 1) / (0.5 * 3 + 1)))
    assert model.log_odds("ran") == pytest.approx(math.log(1 / (0.5 * 3 + 1)))
    assert model.log_odds("tom") == pytest.approx(0)
    assert model.log_odds("never seen") == 0
    last, other = model.features("Tom was happy ."), model.features("Tom ran far .")
    assert last["words log-odds of sentence"] > 0 > other["words log-odds of sentence"]
    assert last["words greatest log-odds"] == pytest.approx(model.log_odds("happy"))
    assert last["words log-prob"] == pytest.approx(other["words log-prob"])  # as usual as each other
    assert all(np.isfinite(list(model.features("").values())))
