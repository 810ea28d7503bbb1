"""Prefect flows: one module a DVC stage, `reproduce` for the whole graph, `serve` for the schedule, `pages` to look."""

import os
import signal
import sys

import tasks as tasks  # first of all, since Prefect reads its settings when it is imported


def _end(*_: object) -> None:
    os.write(sys.stderr.fileno(), b"interrupted\n")
    os._exit(130)


if sys.argv[0] == "-m":  # run as a program, whose imports take seconds: Ctrl-C is one line meanwhile too
    signal.signal(signal.SIGINT, _end)
