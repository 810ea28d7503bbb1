"""Reads all YAML files as DVC does, as YAML 1.2 with ruamel.yaml, so a stage runs with the values that DVC records.

PyYAML follows YAML 1.1, in which `1e-05` is text, `010` is 8, `off` is false and `12:30` is 750.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.reader import ReaderError

from denouement.errors import UserError
from denouement.files import existing_file

_MOST_SHOWN = 300  # characters of ruamel.yaml's message, which may repeat a whole value


def read_yaml(path: Path, aliases: bool = True) -> Any:
    """The content of the YAML file `path`: dicts, lists, text, numbers, booleans and None; None if it is empty.

    Args:
        path: UTF-8.
        aliases: whether `*name` may repeat what `&name` marks. A few lines of aliases to aliases can expand to more
            than fits into memory.

    Raises:
        UserError: no such file, not UTF-8, not YAML, a key that is given twice, or an alias where none is
            allowed: one line that names the file, and the line and column where they are known.
    """
    try:
        text = existing_file(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: not text in UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    return parse_yaml(text, str(path), aliases)


def parse_yaml(text: str, where: str, aliases: bool = True) -> Any:
    """The content of a text in YAML, which errors call `where`; all else is as in `read_yaml`."""
    try:
        if not aliases:
            _refuse_aliases(YAML(typ="safe").parse(text), where)
        return YAML(typ="safe").load(text)
    except MarkedYAMLError as error:
        problem = error.problem or error.context or "unknown"
        raise _unreadable(where, problem, error.problem_mark or error.context_mark) from error
    except ReaderError as error:  # a character that YAML does not allow
        line = text.count("\n", 0, error.position) + 1
        raise UserError(f"{where}: line {line}: not readable YAML ({error.reason})") from error
    except (YAMLError, ValueError) as error:  # such as an impossible number or date
        raise _unreadable(where, str(error).partition(";")[0]) from error
    except LookupError as error:  # ruamel.yaml's error for `!!bool maybe` and for an empty `!!int`
        raise _unreadable(where, "a value is not what its tag !! says") from error
    except TypeError as error:  # its error for a list of mappings as a key
        raise _unreadable(where, "a key is no text and no number") from error
    except RecursionError as error:
        raise UserError(f"{where}: nested too deeply to be read") from error


def _refuse_aliases(events: Iterable[Any], where: str) -> None:
    for event in events:
        if isinstance(event, AliasEvent):
            raise _unreadable(where, f"*{event.anchor} is an alias: write out what it repeats", event.start_mark)


def _unreadable(where: str, problem: str, mark: Any = None) -> UserError:
    text = " ".join(problem.split())
    text = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
    place = f": line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    return UserError(f"{where}{place}: not readable YAML ({text})")
