"""The names of generators: the section `generators` of `params.yaml`, in which several may be of one kind."""

import re
from collections.abc import Mapping
from typing import Any

from denouement.errors import UserError
from denouement.generators import GENERATORS

_FORM = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TAKEN = {
    **dict.fromkeys(("human_right", "human_wrong", "right", "wrong", "rocstories"), "endings that people wrote"),
    **dict.fromkeys(("preset", "common"), "a section of train in params.yaml"),
}


def kinds(section: Mapping[str, Any], where: str) -> dict[str, str]:
    """The kind of each generator that the graph names.

    Args:
        section: by name an entry such as `{kind: seq2seq, reads: data/corpus/stories.parquet}`.
        where: the name of the section in error messages.

    Raises:
        UserError: an entry that is no section or lacks a key, an unknown kind, or as `check_name`.
    """
    found = {}
    for name, entry in section.items():
        if not isinstance(entry, Mapping) or not {"kind", "reads"} <= entry.keys():
            kind = name if name in GENERATORS else "seq2seq"
            raise UserError(f"{where}.{name}: must be like {{kind: {kind}, reads: data/corpus/stories.parquet}}")
        if entry["kind"] not in GENERATORS:
            raise UserError(f"{where}.{name}.kind: no generator {entry['kind']!r}; there are {', '.join(GENERATORS)}")
        check_name(name, entry["kind"], f"{where}.{name}")
        found[name] = entry["kind"]
    return found


def check_name(name: object, kind: str, where: str) -> None:
    """Refuse a name that means something else already, or that no file and no table can bear.

    Args:
        name: of a generator.
        kind: its row in the registry.
        where: what the name is of, in error messages.

    Raises:
        UserError: such a name.
    """
    if not isinstance(name, str) or not _FORM.fullmatch(name):
        raise UserError(f"{where}: a name is 1 to 40 of a-z, 0-9 and _, the first a letter, not {name!r}")
    if name in GENERATORS and name != kind:
        raise UserError(f"{where}: {name} is the name of another kind of generator; choose another name")
    if taken := _TAKEN.get(name):
        raise UserError(f"{where}: {name} means {taken}; choose another name")
