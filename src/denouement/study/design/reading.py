"""Reads a study's file as a `Design`, or names all its mistakes in one message; reads back a stored design.

The rules on values apply to new files. Only the form of a stored design is checked (`from_json`), so that the
stricter rules of a later version do not stop a running study.
"""

import dataclasses
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from denouement.errors import UserError
from denouement.files import existing_file
from denouement.schemas import shortened
from denouement.settings import build, collect
from denouement.study.design.description import Design
from denouement.study.design.known_items import clear_cases, clear_endings
from denouement.study.design.names import HUMAN_RIGHT, HUMAN_WRONG, Kind
from denouement.study.design.scales import SCALES, named_scales
from denouement.study.languages import ENGLISH, Texts, languages, texts
from denouement.study.reasons import ELEMENTS
from denouement.yaml_files import read_yaml

Described = TypeVar("Described")

_MOST_BYTES = 1 << 20  # of a study's file; texts and checks of a large study are some kilobytes
_MOST_SHOWN = 300  # characters of a mistake, which may contain a whole value


class DesignError(UserError):
    """All mistakes in a file that describes a study or a collection; as text they are one line, joined by `; `."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = mistakes


def read_design(path: Path, written: Collection[str] | None = None) -> Design:
    """The design that the YAML file `path` holds.

    Args:
        path: the file.
        written: the systems that have endings, without the human ones; None where these are not known.

    Raises:
        UserError: no such file, or a file that is too large or no YAML.
        DesignError: all mistakes.
    """
    return design_from(read_description(path, "study"), str(path), written)


def read_description(path: Path, of: str) -> Any:
    """The content of the YAML file `path` that describes a study or a collection; `of` says which, for messages.

    Raises:
        UserError: no such file, or a file that is too large or no YAML.
    """
    if existing_file(path).stat().st_size > _MOST_BYTES:
        raise UserError(f"{path}: larger than {_MOST_BYTES:,} bytes, so it is no {of}'s file")
    return read_yaml(path, aliases=False)


def design_from(section: Mapping[str, Any] | None, where: str, written: Collection[str] | None = None) -> Design:
    """The design that the keys of `section` describe, with values as YAML has them.

    Args:
        section: the keys.
        where: the name of the section in messages.
        written: as in `read_design`.

    Raises:
        DesignError: all mistakes, each with `where` and its key.
    """
    if isinstance(section, Mapping):
        section = _with_named_parts(section)
    more: list[str] = []
    if written is not None and isinstance(section, Mapping):
        more = [f"{where}.{text}" for text in _not_written(section.get("systems"), written)]
    return described(Design, section, where, more)


def described(
    kind: type[Described], section: Mapping[str, Any] | None, where: str, more: Sequence[str] = ()
) -> Described:
    """The dataclass that `settings.collect` makes of a section.

    Args:
        kind: the dataclass.
        section: its keys.
        where: the name of the section in messages.
        more: mistakes that are known already.

    Raises:
        DesignError: all mistakes, each with `where` and its key.
    """
    try:
        made, mistakes = collect(kind, section, where)
    except RecursionError as error:
        raise UserError(f"{where}: nested too deep to be read") from error
    mistakes += more
    if made is None or mistakes:
        raise DesignError([text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..." for text in mistakes])
    return made


def _not_written(systems: Any, written: Collection[str]) -> Iterator[str]:
    """The mistake that some of the systems have no endings."""
    named = [system for system in systems if isinstance(system, str)] if isinstance(systems, list | tuple) else []
    if lacking := [each for each in dict.fromkeys(named) if each not in {*written, HUMAN_RIGHT, HUMAN_WRONG}]:
        yield (
            f"systems: no ending of {shortened(lacking)}; the endings tables hold "
            f"{shortened(sorted(written)) or 'none'}: correct the name, or name its table with --endings"
        )


def to_json(design: Design) -> str:
    """The design as one line of JSON, which `from_json` reads."""
    return json.dumps(dataclasses.asdict(design), ensure_ascii=False, sort_keys=True)


def from_json(text: str, where: str = "stored design") -> Design:
    """The design that `to_json` of this version or an earlier one wrote. Only its form is checked.

    Raises:
        UserError: a key or a kind that this version does not know.
    """
    try:
        stored = json.loads(text)
        if isinstance(stored, dict) and not isinstance(stored.get("training", []), list):
            stored["training"] = [stored["training"]] if stored["training"] else []  # there was one item, or None
        return build(Design, stored, where)
    except UserError as error:
        raise UserError(f"{error}; the study is of another version of this package: use that one") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: damaged ({error}); restore the database from a copy") from error


def _with_named_parts(section: Mapping[str, Any]) -> dict[str, Any]:
    """`section` with what `true` and names mean: scales, practice items, boxes of reasons, `skip: true`."""
    section = dict(section)
    language = section.get("language")
    say = texts(language if language in languages() else ENGLISH)
    reason = section.get("reason")
    if isinstance(reason, Mapping) and isinstance(boxes := reason.get("boxes"), bool):
        section["reason"] = {**reason, "boxes": list(ELEMENTS) if boxes else []}
    if isinstance(skip := section.get("skip"), bool):
        section["skip"] = {} if skip else None
    scales = section.get("scales")
    if isinstance(scales, str | list):
        section["scales"] = [
            scale for each in ([scales] if isinstance(scales, str) else scales) for scale in _named(each, say)
        ]
    training = section.get("training")
    if isinstance(training, bool) or training is None or isinstance(training, Mapping):
        training = [training] if training else []
    if isinstance(training, list):
        section["training"] = [_practice(each, section, say) for each in training]
    return section


def _named(scale: Any, say: Texts) -> Collection[Any]:
    """The scales of a name; for an unknown name a scale without a text, since its mistake lists the known names."""
    if not isinstance(scale, str):
        return [scale]
    return named_scales(scale, say) if scale in SCALES else [{"name": scale}]


def _practice(given: Any, section: Mapping[str, Any], say: Texts) -> Any:
    """A practice item; the package's own for `true`, and for a section without a story."""
    if given is True:
        given = {}
    if not isinstance(given, Mapping) or {"context", "endings"} & set(given):
        return given
    story, kind = clear_cases(say)[0], str(section.get("kind", "pair"))
    systems = section.get("systems")
    n_shown = section.get("n_shown") or (len(systems) if isinstance(systems, list | tuple) else 0)
    endings = list(clear_endings(story, kind, n_shown if isinstance(n_shown, int) else 0, say))
    feedback = say(f"design.feedback.{kind}") if kind in get_args(Kind) else ""
    words = {"feedback": feedback, "feedback_right": feedback}
    return {"context": list(story.context), "endings": endings, **words, **given}
