"""A causal language model, loaded: its network, its tokenizer, and how texts become tokens."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import torch
from torch import nn

from denouement.console import note, progress
from denouement.errors import UserError, first_line, lacks_memory
from denouement.language_models.source import INSTALL, ModelFiles, find

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Precision = Literal["float32", "bfloat16"]
"""`bfloat16`: weights and products are in it; what layers add up, and the output layer, are in float32 still."""


@dataclass(frozen=True)
class LanguageModel:
    """A causal language model.

    Attributes:
        source: its files.
        network: takes token ids and gives logits; in evaluation mode. It is called inside `running`.
        tokenizer: of the model.
        start: the token that begins a text of which nothing is known.
        before: tokens that the tokenizer puts before every text, often none.
    """

    source: ModelFiles
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    start: int
    before: Sequence[int] = ()

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

    @cached_property
    def never_first(self) -> torch.Tensor:
        """bool [tokens]: those that no text begins with, which are line breaks and what is no text, such as its end."""
        decoded = self.tokenizer.batch_decode(
            [[token] for token in range(len(self.tokenizer))],
            skip_special_tokens=True,
            clean_up_tokenization_spaces=False,
        )
        is_never = [not text or text.lstrip(" ").startswith("\n") for text in decoded]
        for token in self.ends:
            is_never[token] = True
        return torch.tensor(is_never)

    @cached_property
    def layers(self) -> nn.ModuleList:
        """The layers between the embeddings and the output layer.

        Raises:
            UserError: an architecture in which they are not found.
        """
        n_layers = self.network.config.get_text_config().num_hidden_layers
        for child in self.network.base_model.modules():
            if isinstance(child, nn.ModuleList) and len(child) == n_layers:
                return child
        raise UserError(f"{self.source.given}: the layers of its architecture are not found")

    @cached_property
    def window(self) -> int | None:
        """How many tokens it can read at once; None where it does not say."""
        config = self.network.config.get_text_config()
        # a mask over all tokens is no window that slides, so no more are read than the window holds
        limits = [getattr(config, name, None) for name in ("max_position_embeddings", "sliding_window")]
        return min((limit for limit in limits if limit), default=None)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Inside it the network may be called, without gradients and in the precision in which it was loaded."""
        mixed = self.network.dtype == torch.bfloat16
        with torch.inference_mode(), torch.autocast(self.device.type, torch.bfloat16, enabled=mixed):
            yield

    def mask(self, sees: torch.Tensor) -> torch.Tensor:
        """The mask that networks take, on their device.

        Args:
            sees: which tokens see which, bool [rows, queries, keys].
        """
        least = (
            torch.finfo(torch.float32).min if self.network.dtype == torch.float32 else torch.finfo(torch.bfloat16).min
        )
        mask = torch.zeros(sees.shape, dtype=self.network.dtype).masked_fill_(~sees, least)
        return mask[:, None].to(self.device)

    def tokens(self, text: str) -> list[int]:
        """The token ids of a text, without special ones."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids, without special ones."""
        text = self.tokenizer.decode([*ids], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return str(text)


@dataclass(frozen=True)
class Pair:
    """A text and its continuation as tokens.

    Attributes:
        ids: of both, joined before they were split into tokens.
        n_context: how many of them are the text's.
    """

    ids: Sequence[int]
    n_context: int


def load(given: str, *, precision: Precision = "float32", device: str = "auto") -> LanguageModel:
    """Load a language model; see `source.find`.

    Args:
        given: a folder, a GGUF file, or the name of a packaged model.
        precision: of the weights in memory and of the products.
        device: of PyTorch's, such as cpu or cuda:0; `auto` is a GPU where there is one.

    Raises:
        UserError: no such model, a missing package, files that are damaged, or an architecture that is unknown or
            does not read rows as `rows` makes them.
    """
    source = find(given)
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        if source.gguf:
            import accelerate  # noqa: F401 - transformers reads GGUF with these two
            import gguf  # noqa: F401
    except ImportError as error:
        raise UserError(f"{error.name} is missing, which reads language models: install it with {INSTALL}") from error
    of_gguf = {"gguf_file": source.gguf.name} if source.gguf else {}
    try:
        with _quiet_loading(source):
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
    if precision == "bfloat16":
        _keep_sums_exact(network)
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    network.train(False)
    network.to(torch.device(device))  # type: ignore[arg-type]
    model = LanguageModel(source, network, tokenizer, _start(tokenizer), _before(tokenizer))
    _check_rows(model)
    return model


def pair(model: LanguageModel, context: str, continuation: str) -> Pair:
    """A text and its continuation as tokens.

    Both are split into tokens together, and those of the text alone are then its part, as lm-evaluation-harness does
    it (`TemplateLM._encode_pair`). Of an empty text the part is the token `start`.

    Raises:
        UserError: the continuation is empty.
    """
    if not continuation:
        raise UserError("an empty continuation has no likelihood and no state")
    if not context:
        return Pair([model.start, *model.tokens(continuation)], 1)
    ids, n_context = model.tokens(context + continuation), len(model.tokens(context))
    return Pair([*model.before, *ids], len(model.before) + min(n_context, len(ids) - 1))


def _start(tokenizer: PreTrainedTokenizerBase) -> int:
    # SmolLM2 names <|im_start|> as its first token, which begins a turn of a chat; its texts began with this one
    of_text = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    if isinstance(of_text, int) and of_text != tokenizer.unk_token_id:
        return of_text
    first = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    if not isinstance(first, int):
        raise UserError("the tokenizer has neither a first nor a last token, so it cannot begin a text")
    return first


def _before(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    ids: list[int] = tokenizer.encode("a")
    return ids[: ids.index(tokenizer.encode("a", add_special_tokens=False)[0])]


class _ExactOutput(nn.Module):
    """The output layer with products in float32: bfloat16 has logits of 20 in steps of 0.125."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.weight = nn.Parameter(layer.weight.detach().float(), requires_grad=False)
        self.bias = None if layer.bias is None else nn.Parameter(layer.bias.detach().float(), requires_grad=False)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        with torch.autocast(states.device.type, enabled=False):
            return nn.functional.linear(states.float(), self.weight, self.bias)


def output_layer(network: PreTrainedModel) -> nn.Linear:
    """The layer that makes logits of states."""
    layer: nn.Linear = network.get_output_embeddings()  # type: ignore[no-untyped-call]
    return layer


def _keep_sums_exact(network: PreTrainedModel) -> None:
    """Let a network of bfloat16 add in float32 what its layers give, and make its logits in it."""
    network.get_input_embeddings().register_forward_hook(lambda layer, given, state: state.float())
    exact = _ExactOutput(output_layer(network))
    network.set_output_embeddings(exact)  # type: ignore[no-untyped-call]


def _check_rows(model: LanguageModel) -> None:
    """Refuse architectures that do not heed the masks and positions of `rows`: what they read would be another text."""
    a, b, c, d = (token % len(model.tokenizer) for token in (17, 18, 19, 20))
    sees = torch.ones((4, 4), dtype=torch.bool).tril()
    sees[3, 2] = False  # the last token continues the first two, beside the third
    with model.running():
        try:
            alone = model.network(input_ids=_ids(model, a, b, d), use_cache=False).logits[0, -1].float()
            beside = model.network(
                input_ids=_ids(model, a, b, c, d),
                position_ids=_ids(model, 0, 1, 2, 2),
                attention_mask=model.mask(sees[None]),
                use_cache=False,
            ).logits[0, -1].float()  # fmt: skip
            after = model.network(input_ids=_ids(model, a, b, c, d), use_cache=False).logits[0, -1].float()
        except (TypeError, ValueError, RuntimeError) as error:
            raise UserError(f"{model.source.given}: cannot be read ({first_line(error)})") from error
    if (beside - alone).abs().max() > 0.1 * (after - alone).abs().max():
        kind = model.network.config.model_type
        raise UserError(f"{model.source.given}: models of type {kind} cannot be used: they take no masks of their own")


def _ids(model: LanguageModel, *ids: int) -> torch.Tensor:
    return torch.tensor([ids], device=model.device)


@contextmanager
def _quiet_loading(source: ModelFiles) -> Iterator[None]:
    """Hide what transformers prints while it reads weights; a GGUF file, which takes long, has a bar or a line."""
    from transformers import modeling_gguf_pytorch_utils as of_gguf
    from transformers.utils import logging

    names = vars(of_gguf)
    shown, level, bar = logging.is_progress_bar_enabled(), logging.get_verbosity(), names["tqdm"]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    # it is drawn where standard error is no terminal too, and is no bar of `logging`
    names["tqdm"] = lambda tensors, **_: progress(tensors, f"loading {source.given}", unit="tensors")
    if source.gguf and not sys.stderr.isatty():
        note(f"loading {source.given}")
    try:
        yield
    finally:
        names["tqdm"] = bar
        logging.set_verbosity(level)
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
