"""Prefect tasks: each names the files of a stage, calls the stage, and logs to MLflow what came out.

Importing this package chooses where Prefect keeps its records, and keeps all tools quiet and off the network. It must
come before `import prefect`, which reads the variables only once. A variable that is already set keeps its value.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

# The library beside these tasks, not the one that is installed: an experiment of DVC runs in a copy of the checkout.
sys.path.insert(0, str(ROOT / "src"))

from denouement.layout import Layout  # noqa: E402 - of that library

LAYOUT = Layout()  # relative to the project's root, from which every command is run

# Independent stages run two at a time, each on half of the cores, however many cores are idle: with another number of
# threads, sums are added in another order, and a seed no longer gives the same weights. More threads than cores wait
# for each other, which made training five times slower.
SIDE_BY_SIDE = 2
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

ENVIRONMENT = {
    "DO_NOT_TRACK": "1",
    "DVC_NO_ANALYTICS": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "3",  # a quarter of a minute; with MLflow's 7, a lost server costs five minutes
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",  # only the pages are served, in half the memory
    "MLFLOW_TRACKING_URI": f"sqlite:///{ROOT / 'mlflow.db'}",
    "OMP_NUM_THREADS": str(max(1, CORES // SIDE_BY_SIDE)),
    "PREFECT_HOME": str(ROOT / ".prefect"),
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    # several temporary servers that start on a slow machine need more than Prefect's 20 seconds
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",
    # an error is raised, and whoever ran the flow prints it once; the Prefect pages keep the whole log
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
}

for _name, _value in ENVIRONMENT.items():
    os.environ.setdefault(_name, _value)
