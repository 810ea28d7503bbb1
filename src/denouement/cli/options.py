"""What several commands read from their options."""

from collections.abc import Collection, Sequence

from denouement.errors import UserError


def named_values(
    option: str, words: Sequence[str], example: str, names: Collection[str] = (), last_sign: bool = False
) -> dict[str, str]:
    """The values of a repeatable option that is given as NAME=VALUE, by name.

    Args:
        option: its name, such as `--column`.
        words: what was given.
        example: what a message shows as right.
        names: those that are allowed; all where there are none.
        last_sign: whether the last `=` divides, so that names may contain one; else the first does.

    Raises:
        UserError: a word without a name, an `=` or a value, an unknown name, or two values for one name.
    """
    values: dict[str, str] = {}
    for word in words:
        name, sign, value = word.rpartition("=") if last_sign else word.partition("=")
        if not (name and sign and value.strip()) or (names and name not in names):
            known = f"; names are {', '.join(names)}" if names else ""
            raise UserError(f"{option} {word}: must be like {example}{known}")
        if values.setdefault(name, value) != value:
            raise UserError(f"{option} {word}: {name} is given twice")
    return values
