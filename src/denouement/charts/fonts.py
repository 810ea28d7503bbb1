"""Fonts for what the usual one lacks: Japanese, Chinese and Korean characters."""

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache

from denouement.console import warn

CHARACTER = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
"""A character that needs such a font: kana, Han, Hangul, their punctuation and full-width forms."""

# Those with most characters first; of the rest, each system has its own.
_FAMILIES = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Source Han Sans",
    "Noto Sans JP",
    "Noto Sans SC",
    "IPAexGothic",
    "IPAGothic",
    "IPAPGothic",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "NanumGothic",
    "Hiragino Sans",
    "PingFang SC",
    "Apple SD Gothic Neo",
    "Arial Unicode MS",
    "Yu Gothic",
    "Meiryo",
    "Microsoft YaHei",
    "SimHei",
    "Malgun Gothic",
)


def families(texts: Iterable[str]) -> list[str]:
    """The fonts to draw these texts with, each for the characters that those before it lack; none: the usual one.

    Where a text needs a font that is not installed, this is said once, however many charts need it.
    """
    if not any(map(CHARACTER.search, texts)):
        return []
    if found := _installed():
        return ["sans-serif", *found]
    _say_that_none_is_installed()
    return []


@cache
def _installed() -> tuple[str, ...]:
    """The families that are installed, also since Matplotlib wrote its list of fonts, in their order."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    def known() -> tuple[str, ...]:
        names = {font.name for font in fontManager.ttflist}
        return tuple(name for name in _FAMILIES if name in names)

    if not known():
        listed = {font.fname for font in fontManager.ttflist}
        for path in sorted({*findSystemFonts()} - listed):
            with suppress(OSError, RuntimeError, ValueError):  # a file that is damaged or no font
                fontManager.addfont(path)
    return known()


@cache
def _say_that_none_is_installed() -> None:
    warn(
        "charts: no font is installed that has Japanese, Chinese or Korean characters, so they are drawn as boxes; "
        "install one, such as the package fonts-noto-cjk or fonts-ipafont of Debian and Ubuntu, and draw them again"
    )
