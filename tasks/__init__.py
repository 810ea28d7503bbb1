"""Prefect tasks: load, one call into the library, save, log to MLflow. No logic.

Importing this package chooses where Prefect keeps its records and keeps all tools quiet and off the network. It must
come before `import prefect`, which reads the variables only once; a variable that is already set is left alone.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

# The library beside these tasks, not the one that is installed: an experiment of DVC runs in a copy of the checkout.
sys.path.insert(0, str(ROOT / "src"))

# Independent stages run two at a time, each on its half of the cores. That is fixed rather than left to what is idle:
# another number of threads adds in another order, and a seed would no longer give the same weights again. More threads
# than cores would also wait for each other: training was five times slower so.
SIDE_BY_SIDE = 2
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

ENVIRONMENT = {
    "DO_NOT_TRACK": "1",
    "DVC_NO_ANALYTICS": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "3",  # a quarter of a minute; 7 take five minutes to find that a server is gone
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",  # the pages alone: half the memory
    "MLFLOW_TRACKING_URI": f"sqlite:///{ROOT / 'mlflow.db'}",
    "OMP_NUM_THREADS": str(max(1, CORES // SIDE_BY_SIDE)),
    "PREFECT_HOME": str(ROOT / ".prefect"),
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    # several temporary servers starting on a slow machine need more than the 20 seconds they get
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",
    # what fails is raised, and printed once by whoever ran the flow; the Prefect pages keep the whole log
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
}

for _name, _value in ENVIRONMENT.items():
    os.environ.setdefault(_name, _value)
