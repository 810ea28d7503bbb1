"""From cases and endings to the items of a study."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from denouement.errors import UserError
from denouement.schemas import preferred_release, shortened
from denouement.study.design.description import Design
from denouement.study.design.items import Item, digest
from denouement.study.design.known_items import KnownItem, clear_cases, clear_endings
from denouement.study.design.mistakes import n_different
from denouement.study.design.names import CHECK_SYSTEMS, HUMAN_RIGHT, HUMAN_WRONG, RANKED, Kind
from denouement.study.design.showing import shown, unusable
from denouement.study.languages import texts


def make_items(design: Design, cases: pa.Table, endings: Sequence[pa.Table]) -> tuple[list[Item], dict[str, int]]:
    """The items of a study: those to judge by case and pair, then its checks, then its practice items.

    Args:
        design: the study's design.
        cases: a table `cloze`, or `stories` as `corpus.cases.with_human_endings` reads it.
        endings: tables with the columns `endings.COLUMNS`; of several endings of a system for a case the first counts,
            and so does the first of several wrong endings of a case.

    Returns:
        The items, and counts: `cases` used, `items` to judge, `checks`, `training`, and what was left out:
        `cases_without_endings` (a system wrote no usable one, or no label says which human ending is the right one),
        `identical_endings` (pairs that read the same, or orders in which two sentences do), `further_endings`.
        `cases_for_all_items` is the number of cases that would give as many items as if none were identical; it is
        missing where the table has too few. `mended_SYSTEM` counts items in which the ending of this system is not
        shown as it was written (`shown`). Where there are any, `contexts_empty` and `contexts_not_shown` count cases,
        and `endings_empty` and `endings_not_shown` endings, that were left out as `unusable`.

    Raises:
        UserError: no case of the split and release, a system without any ending, too few cases, or no item.
    """
    cases, left_out = _with_usable_contexts(_chosen_cases(design, cases))
    written, further, unusable_endings = _endings_by_system(design, cases, endings)
    left_out += unusable_endings
    ids = cases["case_id"].to_pylist()
    contexts = dict(zip(ids, cases["context"].to_pylist(), strict=True))
    drawn = sorted(ids, key=lambda case_id: digest(design.cases.seed, case_id))
    complete = [case_id for case_id in drawn if all(case_id in written[system] for system in design.systems)]
    wanted = design.cases.n if design.cases.n is not None else len(complete)
    if len(complete) < wanted:
        raise UserError(
            f"cases.n: {wanted:,} cases are asked for, but only {len(complete):,} of {len(ids):,} have an ending of "
            f"each of {', '.join(design.systems)}; ask for fewer"
        )
    groups = _groups(design)

    def of_case(case_id: str) -> Iterator[tuple[Item | None, list[str]]]:
        """Each item of a case, or None where two texts read the same, and the systems whose endings are mended."""
        context = tuple(map(shown, contexts[case_id]))
        its = {system: shown(written[system][case_id]) for system in design.systems}
        for systems in groups(case_id, its):
            texts = tuple(its[system] for system in systems)
            chosen_from = (*context, *texts) if design.kind == "order" else texts
            if n_different(chosen_from) < len(chosen_from):
                yield None, []
            else:
                changed = [system for system in systems if its[system] != written[system][case_id]]
                yield _item(design.kind, case_id, context, systems, texts), changed

    made = [each for case_id in complete[:wanted] for each in of_case(case_id)]
    items = [item for item, _ in made if item]
    mended = Counter(system for _, changed in made for system in changed)
    for_all, n_items = wanted, len(items)
    for case_id in complete[wanted:]:
        if n_items >= len(made):
            break
        for_all, n_items = for_all + 1, n_items + sum(item is not None for item, _ in of_case(case_id))
    if not items:
        raise UserError("no item is left: the sentences to choose from read the same; name other systems")
    checks = check_items(design)
    training = training_items(design)
    counts = {
        "cases": wanted,
        "items": len(items),
        "checks": len(checks),
        "training": len(training),
        "cases_without_endings": len(ids) - len(complete),
        "identical_endings": len(made) - len(items),
        "further_endings": further,
        **left_out,
    }
    if len(items) < len(made) <= n_items:
        counts["cases_for_all_items"] = for_all
    counts |= {f"mended_{system}": mended[system] for system in sorted(mended)}
    return [*items, *checks, *training], counts


def _groups(design: Design) -> Callable[[str, Mapping[str, str]], Sequence[tuple[str, ...]]]:
    """A function that says whose endings of a case are shown together.

    It gets the case and its endings by system. Where fewer endings than there are systems are shown at once, those
    shown least so far are chosen, so that all are shown equally often; the rest is drawn with the seed of the cases.
    An ending that reads like one that is shown already is passed over where there are others.
    """
    if design.kind == "pair":
        return lambda _case, _texts: design.pairs
    if design.kind not in RANKED:
        return lambda _case, _texts: [(system,) for system in design.systems]
    n_shown, times = design.n_shown or len(design.systems), Counter[str]()

    def drawn(case_id: str, texts: Mapping[str, str]) -> list[tuple[str, ...]]:
        waiting = sorted(texts, key=lambda system: (times[system], digest(design.cases.seed, case_id, system)))
        chosen: list[str] = []
        for system in waiting:
            if len(chosen) < n_shown and n_different([texts[each] for each in (*chosen, system)]) > len(chosen):
                chosen.append(system)
        if len(chosen) == n_shown:
            times.update(chosen)
        else:
            chosen = waiting[:n_shown]  # two of them read the same, so the item is left out
        return [tuple(system for system in design.systems if system in chosen)]

    return drawn


def check_items(design: Design) -> list[Item]:
    """The attention checks of a design; none where their rate is 0."""
    if not design.checks.rate:
        return []
    say = texts(design.language)
    known = design.checks.items or tuple(
        KnownItem(story.context, clear_endings(story, design.kind, design.n_shown or 0, say))
        for story in clear_cases(say)[1:]
    )
    return [_known(design, item, f"check_{number}", is_check=True) for number, item in enumerate(known, 1)]


def training_items(design: Design) -> list[Item]:
    """The practice items of a design, in their order."""
    names = ["training"] if len(design.training) == 1 else [f"training_{n}" for n in range(1, len(design.training) + 1)]
    return [_known(design, item, name, is_training=True) for item, name in zip(design.training, names, strict=True)]


def _known(
    design: Design, known: KnownItem, case_id: str, *, is_check: bool = False, is_training: bool = False
) -> Item:
    systems = CHECK_SYSTEMS[: len(known.endings)]
    if design.kind == "pair":
        expected = {"first": systems[0], "second": systems[-1]}.get(known.expected or "first", known.expected)
    elif design.kind == "rating":
        expected = json.dumps({scale.name: known.values[scale.name] for scale in design.scales}, sort_keys=True)
    elif design.kind in RANKED:
        expected = json.dumps(_expected_ranks(design.kind, len(systems), known.expected == "order"))
    else:
        expected = json.dumps(list(range(len(known.context) + 1)))
    texts = tuple(map(shown, known.context)), tuple(map(shown, known.endings))
    return _item(design.kind, case_id, texts[0], systems, texts[1], is_check, is_training, expected)


def _expected_ranks(kind: Kind, n: int, all_known: bool) -> list[int | None]:
    """The right ranks of a known item, whose endings are in their order; only the best is known, or all are."""
    if not all_known:
        return [1, *[None] * (n - 1)]
    return [1, *[2] * (n - 2), 3] if kind == "best_worst" else list(range(1, n + 1))


def _item(
    kind: Kind,
    case_id: str,
    context: tuple[str, ...],
    systems: tuple[str, ...],
    endings: tuple[str, ...],
    is_check: bool = False,
    is_training: bool = False,
    expected: str | None = None,
) -> Item:
    item_id = digest(kind, case_id, context, systems, endings)
    return Item(item_id, case_id, kind, context, systems, endings, is_check, is_training, expected)


def _chosen_cases(design: Design, cases: pa.Table) -> pa.Table:
    """The cases of the design's split and release; of those in several languages, the ones in the study's language."""
    wanted = design.cases
    of_split = cases.filter(pc.equal(cases["split"], wanted.split))
    present = set(pc.unique(of_split["release"]).to_pylist())
    release = wanted.release or preferred_release(present)
    if release not in present:
        found = sorted({f"{row['release']} {row['split']}" for row in cases.select(["release", "split"]).to_pylist()})
        asked = " ".join(filter(None, (wanted.release, wanted.split)))
        raise UserError(f"cases: none of {asked}; the table holds {', '.join(found) or 'none'}")
    chosen = of_split.filter(pc.equal(of_split["release"], release))
    languages = sorted(pc.unique(chosen["language"]).to_pylist())
    if len(languages) == 1:
        return chosen
    if design.language not in languages:
        raise UserError(
            f"cases: those of {release} {wanted.split} are in {', '.join(languages)}, and the study's language is "
            f"{design.language}; give it one of these"
        )
    return chosen.filter(pc.equal(chosen["language"], design.language))


def _with_usable_contexts(cases: pa.Table) -> tuple[pa.Table, Counter[str]]:
    """The cases of which every sentence can be shown, and counts of the others."""
    counts = Counter[str]()
    usable = []
    for context in cases["context"].to_pylist():
        problems = {problem for sentence in context or [""] if (problem := unusable(sentence))}
        counts.update(f"contexts_{problem}" for problem in sorted(problems)[:1])
        usable.append(not problems)
    return cases.filter(pa.array(usable, pa.bool_())), counts


def _endings_by_system(
    design: Design, cases: pa.Table, tables: Sequence[pa.Table]
) -> tuple[dict[str, Mapping[str, str]], int, Counter[str]]:
    """The endings of each system by case, how many more a system wrote for a case, and counts of unusable ones."""
    written: dict[str, dict[str, str]] = {system: {} for system in design.systems}
    ids = set(cases["case_id"].to_pylist())
    further = 0
    counts = Counter[str]()
    for case_id, system, text in (*_human_endings(cases), *_generated_endings(tables)):
        if system not in written or case_id not in ids:
            continue
        if problem := unusable(text):
            counts[f"endings_{problem}"] += 1
        elif case_id in written[system]:
            further += 1
        else:
            written[system][case_id] = text
    if lacking := [system for system in design.systems if not written[system]]:
        found = sorted({system for table in tables for system in pc.unique(table["system"]).to_pylist()})
        left_out = f" ({counts.total():,} are empty or cannot be shown)" if counts else ""
        raise UserError(
            f"systems: no ending of {', '.join(lacking)} for any of the cases{left_out}; the endings tables hold "
            f"{shortened(found) or 'none'}: name their tables with --endings, or leave the system out"
        )
    return dict(written), further, counts


def _human_endings(cases: pa.Table) -> Iterator[tuple[str, str, str]]:
    for case in cases.filter(pc.is_valid(cases["right_ending"])).to_pylist():
        for number, ending in enumerate(case["endings"], 1):
            yield case["case_id"], HUMAN_RIGHT if number == case["right_ending"] else HUMAN_WRONG, ending


def _generated_endings(tables: Sequence[pa.Table]) -> Iterator[tuple[str, str, str]]:
    for table in tables:
        yield from zip(*(table[name].to_pylist() for name in ("case_id", "system", "ending")), strict=True)
