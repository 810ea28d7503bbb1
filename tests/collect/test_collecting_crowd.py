"""Tables 2 and 5 of a small collection, worked out by hand."""

from collect.collected import all_confirmed, endings

from denouement.collect.crowd import crowd_of, crowd_table
from denouement.collect.description import Collection, collection_from
from denouement.collect.exported import CollectedWork
from denouement.collect.work import as_table
from denouement.present.cells import written

PAID = collection_from(
    {"name": "kitchen", "stories": {"payment": {"piece": 0.26}}, "endings": {"payment": {"piece": 0.1}}}, "C.yaml"
)


def stories():
    """Two approved ones of Ada in 1 and 3 minutes, one of Ben in 6; one rejected of Cem, one approved of nobody."""
    given = [("Ada", "approved", 1), ("Ada", "approved", 3), ("Ben", "approved", 6), ("Cem", "rejected", 50)]
    rows = [
        {"story_id": f"s{at}", "sentences": ["A.", "B."], "writer": writer, "status": status, "minutes": minutes}
        for at, (writer, status, minutes) in enumerate([*given, (None, "approved", 99)])
    ]
    return as_table("collected_stories", rows)


def shown(work: CollectedWork, collection: Collection) -> dict[str, list[str]]:
    table = crowd_table(crowd_of(work, collection, None), collection.currency)
    return {row[0]: [*map(written, row[1:])] for row in table.rows}


def test_stories_and_pairs_stand_beside_the_paper():
    pairs = endings(3, writer="Ada", minutes=0.5)
    found = shown(CollectedWork(stories(), pairs, all_confirmed(pairs)), PAID)
    assert found == {
        "handed in": ["5", "49,895", "3", "13,500"],
        "approved or confirmed": ["4", "49,255", "-", "3,744"],
        "writers": ["2", "932", "1", "282"],
        "by one writer, mean": ["1.50", "52.84", "3.00", "47.80"],
        "by one writer, most": ["2", "3,057", "3", "1,461"],
        "minutes for one, mean of writers": ["4.00", "4.80", "0.50", "-"],  # of Ada's 2 and Ben's 6
        "minutes for one, median of writers": ["4.00", "2.16", "0.50", "-"],
        "payment for one, cents": ["26.0", "26.0", "10.0", "10.0"],
    }


def test_what_is_not_known_is_a_dash():
    pairs = endings(2, writer=None)
    found = shown(CollectedWork(None, pairs, all_confirmed(pairs)), Collection())
    assert found["writers"] == ["-", "282"]
    assert found["minutes for one, mean of writers"] == ["-", "-"]
    assert found["payment for one, cents"] == ["-", "10.0"]
