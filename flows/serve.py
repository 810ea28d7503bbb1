"""The reproduction on a schedule: `python -m flows.serve --cron "0 3 * * *"`, until Ctrl-C."""

import click

from flows.reproduce import reproduce
from tasks import servers
from tasks.command import told_in_one_line

NAME = "scheduled"


@click.command()
@click.option("--cron", default="0 3 * * *", show_default=True, help="When to run: minute, hour, day, month, weekday.")
@click.option("--port", type=int, default=4200, show_default=True, help="Of the Prefect pages, if they are not up yet.")
def main(cron: str, port: int) -> None:
    """Reproduce the graph on a schedule, and whenever it is told to on the Prefect page, one run at a time."""
    with told_in_one_line(), servers.prefect_server(port) as url:
        print(f"Prefect pages: {servers.page(url)}/deployments. Runs: {cron}. Ctrl-C ends both.", flush=True)
        reproduce.serve(name=NAME, cron=cron, limit=1, print_starting_message=False)


if __name__ == "__main__":
    main()
