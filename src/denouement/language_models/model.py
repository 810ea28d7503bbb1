"""A causal language model, loaded: its network, its tokenizer, and how texts become tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch

from denouement.errors import UserError, first_line, lacks_memory
from denouement.language_models.source import INSTALL, Source, find

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Precision = Literal["float32", "bfloat16"]


@dataclass(frozen=True)
class LanguageModel:
    """A causal language model.

    Attributes:
        source: its files.
        network: takes token ids and gives logits; in evaluation mode.
        tokenizer: of the model.
        start: the token that begins a text of which nothing is known.
    """

    source: Source
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    start: int

    @property
    def device(self) -> torch.device:
        """Where the network's weights are."""
        return self.network.device

    @property
    def ends(self) -> set[int]:
        """The tokens that end a text."""
        of_tokenizer, of_network = self.tokenizer.eos_token_id, self.network.generation_config.eos_token_id
        listed = of_network if isinstance(of_network, list) else [of_network]
        return {each for each in (self.start, of_tokenizer, *listed) if isinstance(each, int)}

    def tokens(self, text: str) -> list[int]:
        """The token ids of a text, without special ones."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return ids


@dataclass(frozen=True)
class Pair:
    """A text and its continuation as tokens.

    Attributes:
        ids: of both, joined before they were split into tokens.
        n_context: how many of them are the text's.
    """

    ids: Sequence[int]
    n_context: int


def load(given: str, *, precision: Precision = "float32", device: str = "cpu") -> LanguageModel:
    """Load a language model; see `source.find`.

    Args:
        given: a folder, a GGUF file, or the name of a packaged model.
        precision: of the weights in memory and of the products.
        device: of PyTorch's, such as cpu or cuda:0.

    Raises:
        UserError: no such model, a missing package, files that are damaged or of an unknown architecture.
    """
    source = find(given)
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        if source.gguf:
            import accelerate  # noqa: F401 - transformers reads GGUF with these two
            import gguf  # noqa: F401
    except ImportError as error:
        raise UserError(f"{error.name} is missing, which reads language models: install it with `{INSTALL}`") from error
    of_gguf = {"gguf_file": source.gguf.name} if source.gguf else {}
    try:
        with _quiet_loading():
            tokenizer = AutoTokenizer.from_pretrained(source.folder, local_files_only=True, **of_gguf)
            network = AutoModelForCausalLM.from_pretrained(
                source.folder,
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                dtype=getattr(torch, precision),
                **of_gguf,
            )
    except Exception as error:  # tokenizers raises no narrower class, safetensors one of its own
        if lacks_memory(error):
            raise
        raise UserError(f"{given}: cannot be loaded ({first_line(error)})") from error
    return LanguageModel(source, network.eval().to(device), tokenizer, _start(tokenizer))


def pair(model: LanguageModel, context: str, continuation: str) -> Pair:
    """A text and its continuation as tokens.

    Both are split into tokens together, and those of the text alone are then its part, as lm-evaluation-harness does
    it (`TemplateLM._encode_pair`). Of an empty text the part is the token `start`.
    """
    if not context:
        return Pair([model.start, *model.tokens(continuation)], 1)
    ids, n_context = model.tokens(context + continuation), len(model.tokens(context))
    return Pair(ids, min(n_context, len(ids) - 1))


def _start(tokenizer: PreTrainedTokenizerBase) -> int:
    # SmolLM2 names <|im_start|> as its first token, which begins a turn of a chat; its texts began with this one
    of_text = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    if isinstance(of_text, int) and of_text != tokenizer.unk_token_id:
        return of_text
    first = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    if not isinstance(first, int):
        raise UserError("the tokenizer has neither a first nor a last token, so it cannot begin a text")
    return first


@contextmanager
def _quiet_loading() -> Iterator[None]:
    """Hide what transformers prints while it reads weights."""
    from transformers.utils import logging

    shown, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(level)  # type: ignore[no-untyped-call]
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
