"""Runs a flow at the times of a schedule, and when a run of it is started on the Prefect page."""

from typing import Any

from prefect import Flow
from prefect.client.schemas.schedules import CronSchedule

from denouement.errors import UserError
from tasks import servers


def check_cron(cron: str) -> None:
    """Raise a UserError for what is no schedule."""
    try:
        CronSchedule(cron=cron)
    except ValueError as error:
        raise UserError(f"--cron {cron!r}: must be minute, hour, day, month, weekday, such as '0 3 * * *'") from error


def serve(flow: Flow[..., Any], name: str, cron: str, port: int, parameters: dict[str, Any] | None = None) -> None:
    """Run a flow until Ctrl-C, one run at a time.

    Args:
        flow: the flow.
        name: of the deployment.
        cron: when: minute, hour, day, month, weekday.
        port: of the Prefect pages that are started.
        parameters: of the scheduled runs.

    Raises:
        UserError: this is no schedule.
    """
    check_cron(cron)
    with servers.prefect_server(port) as url:
        print(f"Prefect pages: {servers.page(url)}/deployments. Runs: {cron}. Ctrl-C ends both.", flush=True)
        flow.serve(name=name, cron=cron, parameters=parameters, limit=1, print_starting_message=False)
