"""What several scores look up: vectors of texts and parses, each made once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from denouement.cloze.resources import MissingResourceError, Resources
from denouement.console import warn
from denouement.encoders.base import Vectors, load_encoder
from denouement.encoders.embeddings import EmbeddingTable, RememberedVectors, SentenceVectors
from denouement.errors import UserError
from denouement.metrics.base import Values
from denouement.schemas import shortened
from denouement.text.syntax import Parse


@dataclass
class OfEncoder:
    """The options of a score that reads an encoder's vectors.

    Attributes:
        encoder: its name in the registry.
        encoder_options: its own options.
    """

    encoder: str = "minilm"
    encoder_options: dict[str, Any] = field(default_factory=dict)

    def files(self, resources: Resources) -> Sequence[str]:
        """What the vectors depend on."""
        return [load_encoder(self.encoder, **self.encoder_options).fingerprint]

    def vectors(self, texts: Sequence[str], resources: Resources) -> Vectors:
        """Vectors [texts, dimension]; from the table `embeddings` where that is the encoder's and has the text.

        Raises:
            UserError: the encoder cannot be loaded.
        """
        return self.remembered(resources)(texts)

    def remembered(self, resources: Resources) -> RememberedVectors:
        """The vectors of texts that all scores share which read the same encoder with the same options."""

        def make() -> RememberedVectors:
            table = EmbeddingTable.open(resources.embeddings) if resources.embeddings else None
            own = table if table and table.encoder == self.encoder else None
            return RememberedVectors(SentenceVectors(self.encoder, self.encoder_options, own))

        return resources.once(("text vectors", self.encoder, repr(self.encoder_options)), make)


def parses(texts: Sequence[str], resources: Resources) -> Mapping[str, Parse]:
    """The parses of texts, each parsed once.

    Raises:
        MissingResourceError: no parser is installed.
    """
    known: dict[str, Parse] = resources.once("parses of scored texts", dict)
    if new := [text for text in dict.fromkeys(texts) if text not in known]:
        known.update(resources.parse(new))
    return known


def of_files(name: str, option: str, paths: Sequence[Path], score: Callable[[Path], Values]) -> dict[str, Values]:
    """The values that each file gives, by score: `name`, a blank, and the file's name without its ending.

    A file that cannot score these endings does not stop the others: a warning says why.

    Raises:
        UserError: two files of one name, or one that cannot be used at all.
        MissingResourceError: no file can score these endings.
    """
    if len({path.stem for path in paths}) < len(paths):
        raise UserError(f"{option}: two files have one name among {shortened(map(str, paths))}; rename one of them")
    found, refused = {}, []
    for path in paths:
        try:
            found[f"{name} {path.stem}"] = score(path)
        except MissingResourceError as error:
            refused.append(str(error))
    if not found:
        raise MissingResourceError("; ".join(refused))
    for why in refused:
        warn(why)
    return found
