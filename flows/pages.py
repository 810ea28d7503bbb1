"""The Prefect and the MLflow pages on local ports: `python -m flows.pages`, until Ctrl-C."""

import signal

import click

from tasks import servers, tracking
from tasks.command import errors_as_lines, port_option


@click.command()
@port_option("--prefect-port", 4200, "Prefect")
@port_option("--mlflow-port", 5000, "MLflow")
def main(prefect_port: int, mlflow_port: int) -> None:
    """Open the pages, print their addresses, and keep them open."""
    with (
        errors_as_lines(),
        servers.prefect_server(prefect_port) as prefect_url,
        servers.mlflow_pages(mlflow_port) as mlflow_url,
    ):
        print(f"Prefect, the flows:        {servers.page(prefect_url)}")
        print(f"MLflow, the table of runs: {tracking.runs_page(mlflow_url)}")
        print(f"Stages run meanwhile by plain `dvc repro` show up too: export PREFECT_API_URL={prefect_url}")
        print("Starting a run from Prefect's page needs `make serve`, which also runs the graph every night.")
        print("Ctrl-C closes both.", flush=True)
        signal.pause()


if __name__ == "__main__":
    main()
