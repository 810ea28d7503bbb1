"""The load generator of the benchmark, small: it fills every item, and sees what is not as it must be."""

import pytest

from benchmarks import study as load
from denouement.study.store import open_store


@pytest.mark.slow
def test_the_load_fills_each_item_exactly(monkeypatch: pytest.MonkeyPatch):
    sizes = {"ANNOTATORS": 8, "ITEMS": 16, "ANSWERS_PER_ITEM": 3, "PACED_RATE": 16, "PACED_SECONDS": 1}
    for name, value in sizes.items():
        monkeypatch.setattr(load, name, value)
    checked = []
    monkeypatch.setattr(load, "check", lambda *told, check=load.check: checked.append(told[1]) or check(*told))
    assert len(load.measure()) == 2
    assert checked == [48]


def test_too_few_and_too_many_answers_are_seen(tmp_path, monkeypatch: pytest.MonkeyPatch):
    from crowd import crowd, design, pairs

    store = open_store(f"sqlite:///{tmp_path / 'studies.db'}")
    store.create(design(name="load", answers_per_item=2), pairs(2))
    monkeypatch.setattr("crowd.ready", lambda opened, name: opened.consent(opened.enter("load", name).key).key)
    monkeypatch.setattr(load, "ITEMS", 2)
    crowd(store, ["p", "q"])
    monkeypatch.setattr(load, "ANSWERS_PER_ITEM", 2)
    load.check(tmp_path, 4)
    for k, confirmed in ((1, 4), (3, 4), (2, 5)):
        monkeypatch.setattr(load, "ANSWERS_PER_ITEM", k)
        with pytest.raises(RuntimeError):
            load.check(tmp_path, confirmed)
