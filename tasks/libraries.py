"""The versions of the libraries that stages compute with: `python -m tasks.libraries` writes the installed ones.

`libraries.yaml` holds them, and each stage lists those it uses among its params in `dvc.yaml`. So DVC marks as
stale what was computed with another version, and machines with different versions do not share results by mistake.
"""

from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from denouement.errors import UserError
from denouement.files import write_text
from denouement.yaml_files import read_yaml

FILE = Path("libraries.yaml")


def check() -> None:
    """Make sure that the installed versions are those of `libraries.yaml`.

    Raises:
        UserError: some are not; or no such file, or a damaged one.
    """
    noted = _noted()
    installed = {name: _installed(name) for name in noted}
    if other := [name for name in noted if installed[name] != noted[name]]:
        listed = ", ".join(f"{name} {installed[name] or 'is missing'} ({noted[name]} there)" for name in other)
        raise UserError(
            f"installed libraries differ from {FILE}: {listed}; install requirements.lock, or write the installed "
            "versions there with `python -m tasks.libraries`, which makes the stages that compute with them stale"
        )


def write_installed() -> None:
    """Write the installed versions of all libraries in `libraries.yaml` there, and keep its comment.

    Raises:
        UserError: as `check`, or a library that is not installed.
    """
    noted = _noted()
    installed = {name: _installed(name) for name in noted}
    if missing := [name for name, version in installed.items() if version is None]:
        raise UserError(f"{FILE}: {', '.join(missing)} is not installed; install requirements.lock first")
    text = FILE.read_text(encoding="utf-8")
    comment = [line for line in text.splitlines() if line.startswith("#")]
    write_text(FILE, "\n".join([*comment, *(f"{name}: '{version}'" for name, version in installed.items())]) + "\n")


def _noted() -> dict[str, str]:
    content = read_yaml(FILE)
    if not isinstance(content, Mapping):
        raise UserError(f"{FILE}: not lines of `library: 'version'`; restore it with git checkout {FILE}")
    return {str(name): str(version) for name, version in content.items()}


def _installed(name: str) -> str | None:
    """The installed version without its local part, such as `+cpu`, which says for what it was built; None: missing."""
    try:
        return metadata.version(name).partition("+")[0]
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    from tasks.command import errors_as_lines

    with errors_as_lines():
        write_installed()
