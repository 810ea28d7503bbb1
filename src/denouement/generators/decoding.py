"""How the words of an ending are chosen: the settings of decoding."""

import typing
from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal

from denouement.errors import UserError

Method = Literal["greedy", "beam", "sample"]

MOST_ENDINGS = 1_000_000


def _option(
    help: str,
    method: Method | None = None,
    *,
    default: object,
    strict: bool = True,
    bounds: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """What the command line needs to know about a field of `Decoding`.

    Args:
        help: its effect in a few words.
        method: the only method that uses it; None: all methods do.
        default: the field's default in words.
        strict: whether the field must keep its default with another method.
        bounds: the least and the largest value that the command line takes.
    """
    return {"help": help, "method": method, "default": default, "strict": strict, "bounds": bounds}


@dataclass(frozen=True)
class Decoding:
    """How endings are chosen. A setting of another method than `method` must keep its default.

    Each field is also an option of the command line, which its metadata describe (`described`).

    >>> print(Decoding(method="sample", top_p=0.9))
    sample, top_p 0.9, seed 1

    Attributes:
        method: `greedy`, the likeliest word each time; `beam`, the likeliest endings that a beam of partial endings
            finds; `sample`, words drawn at random by their probability.
        beam_width: partial and finished endings kept for each context (beam). Width 1 is greedy decoding.
        length_penalty: alpha of Wu et al. (2016), equation 14 without the coverage term: finished endings are ranked by
            `log_prob / ((5 + n_tokens) / 6) ** alpha` (beam). 0 ranks by probability; more favours longer endings.
        temperature: divides the log-probabilities before drawing (sample). Below 1 sharpens, above 1 flattens.
        top_p: draw from the likeliest words that together hold at least this probability (sample; Holtzman et al.
            2020, section 3.1), measured after temperature and `top_k`; words as likely as the last one are kept too.
            1 keeps all.
        top_k: draw from this many likeliest words (sample; Fan et al. 2018). None keeps all.
        no_repeat_ngram: no sequence of this many words appears twice in an ending. None allows it.
        min_length: words before the ending may end.
        max_length: words after which it is ended.
        seed: of the draws (sample).
    """

    method: Method = field(default="greedy", metadata=_option("Method.", default="greedy"))
    beam_width: int = field(default=5, metadata=_option("Partial endings kept for each context.", "beam", default=5))
    length_penalty: float = field(default=0.0, metadata=_option("Above 0 favours longer endings.", "beam", default=0))
    temperature: float = field(default=1.0, metadata=_option("Below 1 favours likely words.", "sample", default=1))
    top_p: float = field(
        default=1.0,
        metadata=_option("Draw from the likeliest words that together have this share.", "sample", default=1),
    )
    top_k: int | None = field(
        default=None, metadata=_option("Draw from this many likeliest words.", "sample", default="all")
    )
    no_repeat_ngram: int | None = field(
        default=None, metadata=_option("Have no sequence of this many words twice.", default="allowed")
    )
    min_length: int = field(default=1, metadata=_option("Least number of words in an ending.", default=1))
    max_length: int = field(default=30, metadata=_option("Most words in an ending.", default=30))
    seed: int = field(
        default=1, metadata=_option("Seed of the draws.", "sample", default=1, strict=False, bounds=(0, 2**32 - 1))
    )

    def __str__(self) -> str:
        """The method, the setting that it always needs, and all settings that differ from their defaults, in words."""
        always = {"beam": "beam_width", "sample": "seed"}.get(self.method)
        named = [each.name for each in fields(self)[1:] if each.name == always or each.name in self.changed]
        return ", ".join([self.method, *(f"{name} {getattr(self, name):g}" for name in named)])

    @property
    def changed(self) -> list[str]:
        """The settings that differ from their defaults."""
        return [setting.name for setting in fields(self) if getattr(self, setting.name) != setting.default]

    def __post_init__(self) -> None:
        if self.method not in typing.get_args(Method):
            raise ValueError(f"method: must be greedy, beam or sample, not {self.method!r}")
        for setting in fields(self):
            owner = setting.metadata["method"] or self.method
            is_default = getattr(self, setting.name) == setting.default
            if owner != self.method and setting.metadata["strict"] and not is_default:
                raise ValueError(f"{setting.name}: belongs to method {owner}, but method is {self.method}")
        _require(1 <= self.beam_width <= 1000, "beam_width", "from 1 to 1000", self.beam_width)
        _require(0 <= self.length_penalty <= 10, "length_penalty", "from 0 to 10", self.length_penalty)
        # Within these limits float32 holds all quotients by it, even that of the log-probability of a forced END.
        _require(1e-9 <= self.temperature <= 1e9, "temperature", "from 1e-9 to 1e9", self.temperature)
        _require(0 < self.top_p <= 1, "top_p", "above 0 and at most 1", self.top_p)
        _require(self.top_k is None or self.top_k >= 1, "top_k", "at least 1", self.top_k)
        _require(self.no_repeat_ngram is None or self.no_repeat_ngram >= 1, "no_repeat_ngram", "at least 1",
                 self.no_repeat_ngram)  # fmt: skip
        _require(self.min_length >= 0, "min_length", "0 or more", self.min_length)
        _require(1 <= self.max_length <= 10_000, "max_length", "from 1 to 10000", self.max_length)
        _require(self.min_length <= self.max_length, "min_length", f"at most max_length, {self.max_length}",
                 self.min_length)  # fmt: skip

    def check_count(self, n: int) -> None:
        """Raise a UserError unless this decoding can give `n` endings for one context."""
        if n < 1:
            raise UserError(f"n: must be at least 1, not {n}")
        if n > MOST_ENDINGS:
            raise UserError(f"n: must be at most {MOST_ENDINGS:,}, not {n}")
        if self.method == "greedy" and n > 1:
            raise UserError(f"greedy decoding gives one ending, not {n}: decode with sample or beam for several")
        if self.method == "beam" and n > self.beam_width:
            raise UserError(f"a beam of width {self.beam_width} gives at most as many endings, not {n}: widen it")


def described(setting: "Field[Any]", usual: Decoding) -> str:
    """The help of a field of `Decoding`, such as `Partial endings kept for each context.  [beam; default: 5]`.

    Args:
        setting: the field.
        usual: what a command does without `--decode`; where a method is named, the field's own default holds.
    """
    owner, default, of_usual = setting.metadata["method"], setting.metadata["default"], getattr(usual, setting.name)
    if of_usual != setting.default:
        default = of_usual if setting.name == "method" else f"{of_usual:g} without --decode, else {default}"
    return f"{setting.metadata['help']}  [{f'{owner}; ' if owner else ''}default: {default}]"


def _require(holds: bool, key: str, wanted: str, found: object) -> None:
    if not holds:
        raise ValueError(f"{key}: must be {wanted}, not {found}")


SAMPLED = Decoding("sample", temperature=0.7, top_k=40)
"""How `denouement complete` decodes without --decode with a generator that knows no beam."""

USUAL = Decoding("beam", length_penalty=1, no_repeat_ngram=3)
"""How `denouement complete` decodes without --decode; docs/decoding.md has the measurement."""
