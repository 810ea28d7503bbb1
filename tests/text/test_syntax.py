import hashlib
import threading
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from denouement.errors import UserError
from denouement.text import syntax
from denouement.text.syntax import LONGEST, NoParserError, Parse, parse

RAN = "Tom ran home."
SENTENCES = [RAN, "She didn't eat it.", "The dog was fed by Ann.", "He left. She stayed."]


@pytest.fixture
def counted(monkeypatch):
    """The sentences that the parser itself was given."""
    seen = []
    real = syntax._documents
    monkeypatch.setattr(syntax, "_documents", lambda texts: (seen.extend(texts), real(texts))[1])
    return seen


def test_a_sentence_parsed_by_hand():
    assert parse([RAN], None)[RAN] == Parse(
        words=("Tom", "ran", "home", "."),
        lemmas=("Tom", "run", "home", "."),
        tags=("NNP", "VBD", "RB", "."),
        pos=("PROPN", "VERB", "ADV", "PUNCT"),
        heads=(1, 1, 1, 1),
        relations=("nsubj", "ROOT", "advmod", "punct"),
    )


def test_columns_belong_together_and_heads_lie_inside():
    for each in parse(SENTENCES, None).values():
        sizes = {len(each.words), len(each.lemmas), len(each.tags), len(each.pos), len(each.heads), len(each.relations)}
        assert len(sizes) == 1
        assert all(0 <= head < len(each.words) for head in each.heads)
        assert [h == i for i, h in enumerate(each.heads)] == [relation == "ROOT" for relation in each.relations]


def test_a_parse_does_not_depend_on_what_it_is_parsed_with():
    together = parse(SENTENCES, None)
    for sentence in SENTENCES:
        assert parse([sentence], None)[sentence] == together[sentence]


def test_spaces_do_not_matter():
    assert parse(["Tom \n ran  home. "], None)["Tom \n ran  home. "] == parse([RAN], None)[RAN]


def test_each_sentence_is_parsed_once_ever(tmp_path: Path, counted):
    cache = tmp_path / "deep" / "parses.parquet"
    first = parse([*SENTENCES[:2], *SENTENCES[:2]], cache)
    again = parse(SENTENCES, cache)
    assert counted == SENTENCES
    assert again == parse(SENTENCES, None)
    assert all(again[sentence] == first[sentence] for sentence in SENTENCES[:2])


def test_only_what_was_asked_for_comes_back(tmp_path: Path):
    parse(SENTENCES, tmp_path / "p.parquet")
    assert list(parse([RAN], tmp_path / "p.parquet")) == [RAN]
    assert parse([], tmp_path / "p.parquet") == {}


def test_the_cache_is_the_same_in_whatever_order_it_grew(tmp_path: Path):
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    parse(SENTENCES, one)
    for sentence in reversed(SENTENCES):
        parse([sentence], other)
    assert hashlib.sha256(one.read_bytes()).digest() == hashlib.sha256(other.read_bytes()).digest()


def test_the_parses_of_another_parser_are_not_used(tmp_path: Path, counted, monkeypatch):
    cache = tmp_path / "p.parquet"
    parse([RAN], cache)
    monkeypatch.setattr(syntax, "parser_version", lambda: "another one 2.0")
    parse(["She stayed."], cache)
    parse([RAN], cache)
    assert counted == [RAN, "She stayed.", RAN]
    assert pq.read_schema(cache).metadata[b"parser"] == b"another one 2.0"


def test_a_damaged_cache_is_said_and_replaced(tmp_path: Path, capsys):
    cache = tmp_path / "p.parquet"
    cache.write_bytes(b"PAR1 no more")
    assert parse([RAN], cache)[RAN].words
    assert "parsed anew" in capsys.readouterr().err
    assert pq.read_table(cache)["sentence"].to_pylist() == [RAN]


@pytest.mark.parametrize("odd", ["", " \n ", "word " * 200_000, "a" * (LONGEST + 1)])
def test_what_cannot_be_parsed_is_empty_and_counted(odd: str, tmp_path: Path, capsys):
    for _ in range(2):  # parsed, then read
        parses = parse([odd, RAN], tmp_path / "p.parquet")
        assert parses[odd] == Parse()
        assert parses[RAN].words
        assert "1 of 2 sentences cannot be parsed" in capsys.readouterr().err


def test_a_sentence_that_breaks_the_parser_does_not_cost_the_others(monkeypatch, capsys):
    class Brittle:
        real = syntax._pipeline()

        def __call__(self, text):
            if "She" in text:
                raise RuntimeError("no parse")
            return self.real(text)

        def pipe(self, texts, batch_size):
            return map(self, texts)

    monkeypatch.setattr(syntax, "_pipeline", Brittle)
    parses = parse(SENTENCES, None)
    assert [bool(parses[sentence].words) for sentence in SENTENCES] == [True, False, True, False]
    assert "2 of 4 sentences" in capsys.readouterr().err


def test_two_runs_may_share_a_cache(tmp_path: Path):
    cache = tmp_path / "p.parquet"
    parse([RAN], None)  # the pipeline is loaded
    results = {}
    runs = [
        threading.Thread(target=lambda share=share: results.update(parse(SENTENCES[share : share + 2], cache)))
        for share in range(3)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert results == parse(SENTENCES, None)
    assert set(pq.read_table(cache)["sentence"].to_pylist()) <= set(SENTENCES)
    assert parse(SENTENCES, cache) == results


def test_many_sentences_are_parsed_the_same_by_other_processes(monkeypatch, tmp_path: Path, counted):
    told = [f"{name} didn't find \u201c{thing}\u201d ." for name in ("Tom", "Ann") for thing in range(200)] + [" "]
    here = parse(told, None)
    counted.clear()
    monkeypatch.setattr(syntax, "_FEWEST", 2)
    monkeypatch.setattr(syntax, "_BATCH", 64)
    assert parse(told, tmp_path / "p.parquet") == here
    assert parse(told, tmp_path / "p.parquet") == here
    assert counted == []


def test_a_process_that_ends_is_one_line(monkeypatch):
    monkeypatch.setattr(syntax, "_FEWEST", 2)
    monkeypatch.setattr(syntax, "sys", SimpleNamespace(executable="/bin/false"))
    with pytest.raises(UserError, match="a process that parses has ended"):
        parse(SENTENCES, None)


def test_without_a_parser_it_says_how_to_get_one(monkeypatch):
    monkeypatch.setattr(syntax, "PACKAGES", ("no_such_parser",))
    with pytest.raises(NoParserError, match="pip install no_such_parser"):
        parse([RAN], None)
