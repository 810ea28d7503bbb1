"""Networks that do not fit into memory: refused before they are made if possible, else reported in one line."""

import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import torch

from denouement.errors import UserError, lacks_memory
from denouement.generators.neural.settings import NeuralSettings, TrainingSettings


def check_size(make: Callable[[], torch.nn.Module], settings: NeuralSettings) -> None:
    """Refuse a network that this machine cannot hold.

    The system may promise more memory than it has, and kill the process later.

    Args:
        make: makes the network on the current device; here on PyTorch's device `meta`, which holds no numbers.
        settings: of the network.

    Raises:
        UserError: the weights need more than the free memory; where the CPU trains, the weights together with their
            gradients and Adam's two means.
    """
    on_cpu = settings.accelerator == "cpu" or not torch.cuda.is_available()
    try:
        with torch.device("meta"):
            needed = (4.0 if on_cpu else 1.0) * sum(weights.nbytes for weights in make().parameters())
    except (RuntimeError, TypeError, OverflowError):  # more elements than PyTorch can count
        needed = math.inf
    free = _free_memory()
    if needed > free:
        size = "it takes more than can be counted" if needed == math.inf else f"it takes {needed / 1e9:,.0f} GB"
        raise UserError(
            f"{_sizes(settings, 'units', 'layers')}: does not fit in memory ({size}, {free / 1e9:,.0f} GB are free); "
            "lower it"
        )


@contextmanager
def reported_if_short(settings: TrainingSettings) -> Iterator[None]:
    """Report in one line that the CPU's or a GPU's memory ran out, and name the settings that could be lower.

    Raises:
        UserError: it ran out.
    """
    try:
        yield
    except Exception as error:
        if not lacks_memory(error):
            raise
        sizes = _sizes(settings, "units", "layers", "batch_size", "batch_tokens")
        raise UserError(f"{sizes}: does not fit in memory; lower one of them") from error


def _sizes(settings: TrainingSettings, *names: str) -> str:
    """Those of the named settings that this kind of generator has, such as `units: 512, layers: 2`."""
    return ", ".join(f"{name}: {getattr(settings, name)}" for name in names if hasattr(settings, name))


def _free_memory() -> float:
    """Free bytes on Linux; elsewhere the bytes of all memory, or infinity where the system does not say."""
    with suppress(OSError):
        memory = Path("/proc/meminfo").read_text(encoding="ascii")
        if found := re.search(r"^MemAvailable: *(\d+) kB", memory, re.MULTILINE):
            return 1024.0 * int(found[1])
    with suppress(AttributeError, ValueError, OSError):
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return math.inf
