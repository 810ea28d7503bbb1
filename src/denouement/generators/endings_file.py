"""Endings made elsewhere: a file of them, as a generator that looks contexts up.

So the endings of any other program, or of people, are in the same tables, figures and studies as those of this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch

from denouement import settings as settings_module
from denouement.console import warn
from denouement.corpus import keys
from denouement.corpus.endings import MadeEnding, read_made_elsewhere
from denouement.errors import UserError
from denouement.generators.base import BEST, Context, Ending, Generator, GeneratorSettings, OnEpoch, check_contexts
from denouement.generators.checkpoints import save_generator
from denouement.generators.copying import digests, without_epochs
from denouement.generators.decoding import Decoding
from denouement.generators.history import Counts, History
from denouement.schemas import read_table, shortened


@dataclass(frozen=True)
class EndingsFileSettings(GeneratorSettings):
    """Settings of `EndingsFile`.

    Attributes:
        file: of endings: Parquet, CSV or JSON Lines with a column ending, and context, sentence1, ... or case_id.
        system: whose endings, where the file has those of several; null: it has those of one.
        cases: table cloze that has the contexts of the case ids, for a file without contexts.
        missing: what happens to a context that the file lacks: refuse, or skip: it gets no ending, which is said.
    """

    file: str = ""
    system: str | None = None
    cases: str | None = None
    missing: Literal["refuse", "skip"] = "refuse"

    @property
    def reads(self) -> str:
        """See `GeneratorSettings`."""
        return self.file


class EndingsFile(Generator):
    """The endings that a file has for a context, in the order of the file, or of its column rank or score.

    Contexts are compared by their letters and digits. The endings are kept in the checkpoint, so the file is read once.
    Settings of decoding are refused, and there are no probabilities.
    """

    name: ClassVar[str] = "endings_file"
    settings_class: ClassVar[type[GeneratorSettings]] = EndingsFileSettings

    settings: EndingsFileSettings

    def __init__(
        self, settings: EndingsFileSettings, contexts: npt.NDArray[np.int64], endings: list[list[str]]
    ) -> None:
        """Make a generator that knows the endings of N contexts, by the digests of these (`copying.digests`)."""
        self.settings = settings
        self._contexts = contexts
        self._endings = endings
        self._places = {digest: place for place, digest in enumerate(contexts.tolist())}

    @classmethod
    def fit(
        cls,
        settings: EndingsFileSettings,
        stories: Path,
        folder: Path,
        *,
        embeddings: Path | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> History:
        """See `Generator`. It learns from no stories."""
        if not settings.file:
            raise UserError(f"{cls.name} needs the setting file: name the file of endings")
        path = Path(settings.file)
        rows = _of_system(path, read_made_elsewhere(path), settings.system)
        told = _contexts_of(path, rows, settings.cases)
        endings = _by_context(path, rows, told)
        save_generator(cls(settings, np.array([*endings], np.int64), [*endings.values()]), folder / BEST)
        return without_epochs(cls.name, Counts(0, 0))

    def checkpoint(self) -> dict[str, Any]:
        """See `Generator`."""
        return {
            "generator": {"name": self.name, "kind": self.kind, "settings": asdict(self.settings)},
            "file": {"contexts": torch.from_numpy(self._contexts), "endings": self._endings},
        }

    @classmethod
    def restore(cls, checkpoint: Mapping[str, Any], device: str) -> EndingsFile:
        """See `Generator`. It always works on the CPU; `device` is ignored."""
        settings = settings_module.build(EndingsFileSettings, checkpoint["generator"]["settings"], "settings")
        contexts, endings = checkpoint["file"]["contexts"].numpy(), checkpoint["file"]["endings"]
        if contexts.dtype != np.int64 or contexts.shape != (len(endings),):
            raise TypeError("its contexts are not those of its endings")
        if not all(isinstance(few, list) and few and all(isinstance(text, str) for text in few) for few in endings):
            raise TypeError("its endings are no texts")
        return cls(settings, contexts, endings)

    def expect(self, contexts: Sequence[Context]) -> None:
        """See `Generator`: count the contexts that the file lacks, and say so or refuse them."""
        check_contexts(contexts)
        lacking = [context for context, found in zip(contexts, self._found(contexts), strict=True) if not found]
        if not lacking:
            return
        what = (
            f"{self.settings.file}: has no ending for {len(lacking):,} of {len(contexts):,} contexts, the first "
            f"{' '.join(lacking[0])!r:.120}"
        )
        if len(lacking) == len(contexts):
            raise UserError(f"{what}: it is of other contexts; choose them by --release and --split")
        if self.settings.missing == "refuse":
            raise UserError(f"{what}: add them, or set missing to skip")
        warn(f"{what}; they get none, as missing: skip says")

    def write(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        """See `Generator`.

        Raises:
            UserError: as there; a context that the file lacks, unless the setting `missing` is `skip`: it gets none.
        """
        self.check(decoding or Decoding(), n)
        check_contexts(contexts)
        found = self._found(contexts)
        if self.settings.missing == "refuse" and not all(found):
            lacking = " ".join(contexts[found.index([])])
            raise UserError(f"{self.settings.file}: has no ending for the context {lacking!r:.120}")
        return [[Ending(text) for text in endings[:n]] for endings in found]

    def _found(self, contexts: Sequence[Context]) -> list[list[str]]:
        wanted = digests(pa.table({"context": pa.array(contexts, pa.list_(pa.string()))})).tolist()
        return [self._endings[self._places[digest]] if digest in self._places else [] for digest in wanted]


def _of_system(path: Path, rows: list[MadeEnding], system: str | None) -> list[MadeEnding]:
    """The rows of one system."""
    systems = list(dict.fromkeys(row.system for row in rows))
    if system is None:
        if len(systems) > 1:
            listed = shortened(str(each) for each in systems)
            raise UserError(f"{path}: holds endings of {listed}; choose one with the setting system")
        return rows
    if system not in systems:
        listed = shortened(str(each) for each in systems if each is not None)
        raise UserError(f"{path}: holds no endings of system {system}, but of {listed or 'no named one'}")
    return [row for row in rows if row.system == system]


def _contexts_of(path: Path, rows: Sequence[MadeEnding], cases: str | None) -> list[str | None]:
    """The text of the context of each row; None where the cases do not have its id."""
    if all(row.context is not None for row in rows):
        return [row.context for row in rows]
    if cases is None:
        raise UserError(f"{path}: has case ids without contexts; name the table cloze that has them: setting cases")
    table = read_table(Path(cases), "cloze")
    by_id: dict[str, str] = {}
    for case_id, context in zip(table["case_id"].to_pylist(), table["context"].to_pylist(), strict=True):
        if by_id.setdefault(case_id, " ".join(context)) != " ".join(context):
            raise UserError(f"{cases}: case {case_id} has two contexts; give {path} a column context instead")
    return [row.context or by_id.get(row.case_id or "") for row in rows]


def _by_context(path: Path, rows: Sequence[MadeEnding], contexts: Sequence[str | None]) -> dict[int, list[str]]:
    """By the digest of each context its endings, in their order; says what is left out.

    Raises:
        UserError: nothing is left.
    """
    texts = pa.array([context or "" for context in contexts], pa.string())
    of_row = digests(pa.table({keys.COLUMN: pa.chunked_array([keys.normalised(texts)])})).tolist()
    words = keys.normalised(pa.array([row.ending for row in rows], pa.string())).to_pylist()
    found: dict[int, list[str]] = {}
    unknown, empty, twice = [], [], []
    for place in sorted(range(len(rows)), key=lambda place: rows[place].order):
        endings = found.get(of_row[place], [])
        if contexts[place] is None:
            unknown.append(rows[place].where)
        elif not words[place]:
            empty.append(rows[place].where)
        elif (ending := " ".join(rows[place].ending.split())) in endings:
            twice.append(rows[place].where)
        else:
            found[of_row[place]] = [*endings, ending]
    for what, places in (
        ("endings of cases that the table of cases lacks", unknown),
        ("empty endings", empty),
        ("endings that their context has already", twice),
    ):
        if places:
            warn(f"{path}: {len(places):,} {what} are left out, the first in {_first(places)}")
    if not found:
        raise UserError(f"{path}: no ending is left; see the warnings")
    return found


def _first(places: Iterable[str]) -> str:
    """Of places such as `line 12` the first in the file."""
    return min(places, key=lambda place: int(place.rpartition(" ")[2]))
