"""Speeds side by side: `python -m benchmarks [PART ...]`.

A part is a module of this package, its name without a leading underscore, with a function `measure() -> list[Row]`. It
times this package and the plain way to do the same, in turns, on one machine, in a process of its own.
"""
