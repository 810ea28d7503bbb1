"""DVC experiments that run in a copy of the checkout: `dvc exp run --temp` and `--queue`."""

import os
import shlex
from pathlib import Path

from denouement.errors import UserError
from tasks import LAYOUT, ROOT


def check_files() -> None:
    """Make sure that the copy has the user's files, which git ignores, so that DVC does not copy them by itself.

    Without them the stages would read the sample corpus instead.

    Raises:
        UserError: a file under data/raw of the checkout is not in the copy; says which option of DVC copies it.
    """
    checkout = Path(os.environ.get("DVC_ROOT", ROOT))  # DVC sets it for every stage to the checkout, never to the copy
    missing = _files(checkout / LAYOUT.raw) - _files(ROOT / LAYOUT.raw)
    if missing:
        places = sorted({str(LAYOUT.raw / path.parts[0]) for path in missing})
        options = " ".join(f"--copy-paths {shlex.quote(place)}" for place in places)
        raise UserError(
            f"{checkout / LAYOUT.raw}: this experiment runs in a copy of the checkout that lacks {len(missing)} of the "
            f"files there, and would read others instead: give `dvc exp run` neither --temp nor --queue, or "
            f"add {options}"
        )


def _files(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
