"""What Story Cloze systems learn from and look things up in. Each is made once, when the first system needs it."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from denouement.corpus.cases import n_endings
from denouement.errors import UserError

if TYPE_CHECKING:
    from denouement.text.syntax import Parses

Made = TypeVar("Made")

_TEXTS = ["context", "endings", "question"]


class MissingResourceError(UserError):
    """A system lacks something that it needs. The message, which the system's row shows, says how to give it."""


@dataclass
class Resources:
    """What an evaluation may learn from and look things up in.

    Attributes:
        stories: the table `stories` to learn from, without those that are also among the scored cases.
        corpora: further texts (plain text or Parquet) whose verbs and events are counted.
        word_vectors: a file of word vectors in the text format of GloVe or word2vec.
        encoders: by name the options of each sentence encoder to try.
        embeddings: a table of sentence vectors, looked in before a sentence is encoded.
        generators: checkpoints of trained generators.
        choosers: checkpoints of trained choosers, which scores of endings ask.
        preferences: files of preference models, which scores of endings ask.
        language_model: the folder, GGUF file or name of a language model.
        cache: the folder of what is kept between runs (parses, trained systems); None keeps nothing.
        seed: of everything random.
        notes: what was replaced by a rule of thumb, and how often; see `ClozeSystem.score`.
    """

    stories: pa.Table | None = None
    corpora: Sequence[Path] = ()
    word_vectors: Path | None = None
    encoders: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"minilm": {}, "glove": {}})
    embeddings: Path | None = None
    generators: Sequence[Path] = ()
    choosers: Sequence[Path] = ()
    preferences: Sequence[Path] = ()
    language_model: str | None = None
    cache: Path | None = None
    seed: int = 1
    notes: Counter[str] = field(default_factory=Counter)
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def of_another_system(self) -> "Resources":
        """A copy with notes of its own, which shares all that was made already."""
        other = dataclasses.replace(self, notes=Counter())
        other._made = self._made
        return other

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` returns. It is called once for each `key`, and folds and systems share its result."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def once_a_case(self, key: Hashable, cases: pa.Table, make: Callable[[pa.Table], Sequence[Made]]) -> list[Made]:
        """What `make` returns for each of `cases`; it is called once for a case, even if several tables have it.

        Args:
            key: what is made.
            cases: of the table `cloze`.
            make: returns one result for each case, which must not depend on the other cases of the table.
        """
        made: dict[Hashable, Made] = self.once(key, dict)
        rows = cases.select(_TEXTS).to_pylist()
        texts = [(tuple(row["context"]), tuple(row["endings"]), row["question"]) for row in rows]
        new = [at for at, text in enumerate(texts) if text not in made]
        if new:
            made |= zip((texts[at] for at in new), make(cases.take(pa.array(new, pa.int64()))), strict=True)
        return [made[text] for text in texts]

    def once_an_ending(self, key: Hashable, cases: pa.Table, make: Callable[[pa.Table], Sequence[Made]]) -> list[Made]:
        """As `once_a_case`, but `make` returns a result for each of `base.endings(cases)`, and so does this."""

        def by_case(new: pa.Table) -> list[Sequence[Made]]:
            made = iter(make(new))
            return [list(islice(made, n)) for n in n_endings(new).tolist()]

        return [each for of_case in self.once_a_case(key, cases, by_case) for each in of_case]

    def need_stories(self, system: str) -> pa.Table:
        """The stories.

        Raises:
            MissingResourceError: there are none.
        """
        if self.stories is None or not self.stories.num_rows:
            raise MissingResourceError(f"{system} learns from stories: give them with --stories")
        return self.stories

    def word_vectors_named(self, *, of_file: bool) -> str:
        """The name of the word vectors that a system reads: those of the file given, or the packaged ones."""
        return (
            f"vectors of {self.word_vectors.name}" if of_file and self.word_vectors else "GloVe 6B vectors, pretrained"
        )

    def lacks(self, system: str, *, stories: bool = False, parser: bool = False) -> list[str]:
        """The things that a system needs and that are missing, each as a sentence that says how to give it."""
        from denouement.text import syntax

        lacks = []
        try:
            if stories:
                self.need_stories(system)
        except MissingResourceError as error:
            lacks.append(str(error))
        try:
            if parser:
                syntax.parser_version()
        except syntax.NoParserError as error:
            lacks.append(str(error))
        return lacks

    def learned_from(self, system: str) -> tuple[list[list[str]], list[list[str]]]:
        """The sentences of the stories of the splits train and validation.

        Raises:
            MissingResourceError: there are none of the split train with two sentences or more.
        """
        stories = self.need_stories(system)
        training, validation = (
            stories.filter(pc.equal(stories["split"], split))["sentences"].to_pylist()
            for split in ("train", "validation")
        )
        if not any(len(story) > 1 for story in training):
            raise MissingResourceError(f"{system} learns from stories of the split train, and --stories has none")
        return training, validation

    def parse(self, sentences: Sequence[str]) -> "Parses":
        """The parses of `sentences`, each parsed once however many systems ask, and kept in `cache`.

        Raises:
            MissingResourceError: no parser is installed.
        """
        from denouement.text import syntax

        try:
            return syntax.parse(sentences, self.cache / "parses.parquet" if self.cache else None)
        except syntax.NoParserError as error:
            raise MissingResourceError(str(error)) from error
