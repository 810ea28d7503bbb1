"""Prefect flows: one module for each DVC stage, `reproduce` for the whole graph, `serve` for the schedule, `pages`."""

import os
import signal
import sys

import tasks as tasks  # first, since Prefect reads its settings when it is imported


def _end(*_: object) -> None:
    os.write(sys.stderr.fileno(), b"interrupted\n")
    os._exit(130)


if sys.argv[0] == "-m":  # run as a program: its imports take seconds, during which Ctrl-C is one line too
    signal.signal(signal.SIGINT, _end)
