"""The reproduction on a schedule: `python -m flows.serve --cron "0 3 * * *"`, until Ctrl-C."""

import click

from flows.reproduce import reproduce
from tasks import schedule
from tasks.command import errors_as_lines, port_option


@click.command()
@click.option("--cron", default="0 3 * * *", show_default=True, help="When to run: minute, hour, day, month, weekday.")
@port_option("--port", 4200, "Prefect")
def main(cron: str, port: int) -> None:
    """Reproduce the graph on a schedule, and when a run is started on the Prefect page, one run at a time."""
    with errors_as_lines():
        schedule.serve(reproduce, "scheduled", cron, port)


if __name__ == "__main__":
    main()
