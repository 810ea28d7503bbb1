"""Of which kind each generator of the graph is. A module of its own: what imports it depends on the registry's rows."""

from denouement.generators import names
from tasks.params import FILE, section


def kinds() -> dict[str, str]:
    """By the name of each generator in `params.yaml` its kind, a row of the registry.

    Raises:
        UserError: as `tasks.params.section`, and as `denouement.generators.names.kinds`.
    """
    return names.kinds(section("generators"), f"{FILE}: generators")
