"""Warnings and JSON on the command's outputs."""

import json
from datetime import UTC, datetime

from denouement.console import print_json, warn


def test_a_time_in_a_document_is_iso_8601(capsys):
    print_json({"at": datetime(2026, 1, 31, 12, tzinfo=UTC)})
    assert json.loads(capsys.readouterr().out) == {"at": "2026-01-31T12:00:00+00:00"}


def test_a_warning_is_one_line_whatever_is_in_it(capsys):
    warn("a file\nnamed \x1b[31mso\udcff")
    assert capsys.readouterr().err == "warning: a file\\nnamed \\x1b[31mso\\udcff\n"
