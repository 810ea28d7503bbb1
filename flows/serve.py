"""The reproduction on a schedule: `python -m flows.serve --cron "0 3 * * *"`, until Ctrl-C."""

import click
from prefect.client.schemas.schedules import CronSchedule

from denouement.errors import UserError
from flows.reproduce import reproduce
from tasks import servers
from tasks.command import errors_as_lines, port_option

NAME = "scheduled"


@click.command()
@click.option("--cron", default="0 3 * * *", show_default=True, help="When to run: minute, hour, day, month, weekday.")
@port_option("--port", 4200, "Prefect")
def main(cron: str, port: int) -> None:
    """Reproduce the graph on a schedule, and when a run is started on the Prefect page, one run at a time."""
    with errors_as_lines():
        _check(cron)
        with servers.prefect_server(port) as url:
            print(f"Prefect pages: {servers.page(url)}/deployments. Runs: {cron}. Ctrl-C ends both.", flush=True)
            reproduce.serve(name=NAME, cron=cron, limit=1, print_starting_message=False)


def _check(cron: str) -> None:
    try:
        CronSchedule(cron=cron)
    except ValueError as error:
        raise UserError(f"--cron {cron!r}: must be minute, hour, day, month, weekday, such as '0 3 * * *'") from error


if __name__ == "__main__":
    main()
