"""Prefect's flow runs: notes the process of each, and closes those whose process was killed."""

from collections.abc import Iterator

from prefect import runtime
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter, TaskRunFilter
from prefect.client.schemas.objects import FlowRun
from prefect.states import Crashed

from tasks import processes

UNFINISHED = {"type": {"any_": ["PENDING", "RUNNING"]}}
PAGE = 200  # as many as the server returns at once


def name_process() -> None:
    """Tag the current flow run with this process, which nobody knows before a scheduled run starts."""
    with get_client(sync_client=True) as client:
        client.update_flow_run(runtime.flow_run.id, tags=[*runtime.flow_run.tags, processes.this_process()])


def close_dead() -> None:
    """Mark as crashed the flow runs, with their task runs, whose process, of this checkout and host, has ended."""
    dead = Crashed(message="its process was killed")
    with get_client(sync_client=True) as client:
        for run in list(_unfinished(client)):
            if any(map(processes.is_dead, run.tags)):
                tasks = client.read_task_runs(
                    flow_run_filter=FlowRunFilter(id={"any_": [run.id]}),
                    task_run_filter=TaskRunFilter(state=UNFINISHED),
                )
                for task in tasks:
                    client.set_task_run_state(task.id, dead, force=True)
                client.set_flow_run_state(run.id, dead, force=True)


def _unfinished(client: SyncPrefectClient) -> Iterator[FlowRun]:
    offset = 0
    while page := client.read_flow_runs(flow_run_filter=FlowRunFilter(state=UNFINISHED), limit=PAGE, offset=offset):
        yield from page
        offset += PAGE
