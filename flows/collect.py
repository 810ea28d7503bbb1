"""A running collection as files of the graph: `python -m flows.collect NAME [--cron "0 2 * * *"]`."""

import click
from prefect import flow

from tasks import flow_runs, graph, schedule, servers
from tasks.alone import only_one
from tasks.collect import export_collection
from tasks.command import INTERRUPTED, errors_as_lines, port_option


@flow(flow_run_name="collect {name}")
def collect(name: str) -> None:
    """Export a collection of the store that DENOUEMENT_STUDY_STORE names into data/raw/collected/NAME.

    Args:
        name: of the collection.

    Raises:
        UserError: there is nothing to export, or a reproduction or a DVC command runs in this checkout.
    """
    flow_runs.name_process()
    with only_one(), graph.undisturbed():
        export_collection(name)


@click.command()
@click.argument("name")
@click.option("--cron", help="Do so again and again: minute, hour, day, month, weekday.  [default: once, now]")
@port_option("--port", 4200, "Prefect")
def main(name: str, cron: str | None, port: int) -> None:
    """Export the collection NAME into data/raw/collected/NAME, for `make run` and `make serve`.

    DENOUEMENT_STUDY_STORE is the URL of its store; without it, sqlite:///studies.db. Files whose content stays the same
    are not touched, so that the graph runs again only on what is new.
    """
    if cron is not None:
        with errors_as_lines():
            schedule.serve(collect, name, cron, port, {"name": name})
        return
    with errors_as_lines(INTERRUPTED), servers.prefect_server(port):
        collect(name)


if __name__ == "__main__":
    main()
