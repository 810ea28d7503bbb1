import pytest

from denouement.text.wordnet import NoWordNetError, Relations, find_wordnet, read_events

# event > party, race; process (physical) > growth; process (paper): no kind of event; thing > stone.
# To race derives from race; the first sense of stone is a thing, its second one an event.
FILES = {
    "index.noun": "event n 1 1 ~ 1 1 00000001\nparty n 1 1 @ 1 1 00000002\nrace n 1 1 @ 1 1 00000003\n"
    "process n 2 1 ~ 2 1 00000008 00000004\ngrowth n 1 1 @ 1 1 00000005\nthing n 1 1 ~ 1 1 00000006\n"
    "stone n 2 1 @ 2 1 00000007 00000002\nsummons n 1 1 @ 1 1 00000009\n",
    "data.noun": "  1 a line of the licence\n"
    "00000001 03 n 01 event 0 001 ~ 00000002 n 0000 | what happens\n"
    "00000002 04 n 02 party 0 stone 0 001 @ 00000001 n 0000 | people | meet\n"
    "00000003 04 n 01 race 0 001 @ 00000002 n 0000 | a run\n"
    "00000004 22 n 02 process 0 physical_process 0 000 | changes\n"
    "00000005 22 n 01 growth 0 001 @ 00000004 n 0000 | getting larger\n"
    "00000006 03 n 01 thing 0 000 | a thing\n"
    "00000007 17 n 01 stone 0 001 @ 00000006 n 0000 | a stone\n"
    "00000008 10 n 01 process 1 000 | a paper\n"
    "00000009 10 n 01 summons 0 001 @ 00000008 n 0000 | a paper\n",
    "index.verb": "race v 1 1 + 1 1 00000001\nrun v 1 1 + 1 1 00000001\nstone v 1 1 + 1 1 00000002\n",
    "data.verb": "00000001 38 v 02 race 0 run 0 001 + 00000003 n 0101 01 + 02 00 | go fast\n"
    "00000002 35 v 01 stone 0 001 + 00000007 n 0101 01 + 02 00 | throw at\n",
}


@pytest.fixture
def database(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_events_are_nouns_below_event_or_process_and_verbs_derived_from_them(database):
    found = read_events(find_wordnet(database))
    assert found.nouns == {"event", "party", "race", "growth"}  # the first sense of process here is the paper
    assert found.verbs == {"race"}  # the link is of the word race, not of run, which stands in the same synset
    # by any sense: stone by its second one, process and summons by the paper
    assert found.spelled == found.nouns | {"stone", "process", "summons"}


def test_events_of_wordnet_itself(monkeypatch):
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    try:
        folder = find_wordnet()
    except NoWordNetError as error:
        pytest.skip(str(error))
    found = read_events(folder)
    assert {"time", "race", "accident", "growth"} <= found.nouns
    assert {"go", "get", "decide", "buy"} <= found.verbs
    assert not {"house", "doctor", "cat", "money", "mother"} & found.nouns
    assert {"go", "get", "house", "doctor", "cat", "hand"} <= found.spelled
    assert not {"decide", "buy", "money", "mother"} & found.spelled


def test_a_folder_without_wordnet_is_an_error_that_says_how_to_get_it(tmp_path, monkeypatch):
    with pytest.raises(NoWordNetError, match=r"lacks index.noun, .*apt-get install wordnet-base.*--wordnet"):
        find_wordnet(tmp_path)
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    with pytest.raises(NoWordNetError, match="no WordNet database"):
        find_wordnet()


def test_damaged_files_are_one_line(database):
    (database / "data.noun").write_text("nonsense\n")
    with pytest.raises(NoWordNetError, match="no WordNet database") as caught:
        read_events(database)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("lines", [1, 2])
def test_a_file_that_ends_too_early_is_refused_and_nothing_is_lost_silently(database, name, lines):
    (database / name).write_text("".join(FILES[name].splitlines(keepends=True)[:-lines]))
    with pytest.raises(NoWordNetError, match="or a damaged one") as caught:
        read_events(database)
    assert "\n" not in str(caught.value)


def test_lemmas_are_near_by_their_most_frequent_senses(database):
    relations = Relations(database)
    assert relations.near("race") == {"race", "party", "stone", "run"}  # above: party, stone; derived: race, run
    assert relations.near("event") == {"event", "party", "stone"}
    assert relations.near("growth") == {"growth", "process", "physical_process"}
    assert relations.near("unknown") == {"unknown"}


def test_relations_need_the_database(tmp_path):
    with pytest.raises(NoWordNetError, match="no WordNet database"):
        Relations(tmp_path)
