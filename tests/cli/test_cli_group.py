"""The group of commands: each is imported when it is called for."""

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from denouement.cli import COMMANDS, main


def test_every_command_of_the_table_is_there_under_its_name():
    context = click.Context(main)
    commands = {name: main.get_command(context, name) for name in COMMANDS}
    assert len(commands) >= 5
    assert {name for name, command in commands.items() if command is None or command.name != name} == set()
    assert set(COMMANDS) <= set(main.list_commands(context))


def test_help_lists_all_commands_and_imports_nothing_heavy():
    code = (
        "import sys\nfrom denouement.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'pydantic', 'scipy', 'sqlalchemy', 'torch'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name in main.list_commands(click.Context(main)):
        assert f"\n  {name} " in done.stdout


def test_one_command_imports_no_other():
    code = (
        "import sys\nfrom denouement.cli import COMMANDS, main\n"
        "main(['ingest', '--help'], standalone_mode=False)\n"
        "assert 'denouement.cli.corpus' in sys.modules\n"
        "others = {module for module in COMMANDS.values() if module != 'denouement.cli.corpus'}\n"
        "assert not others & set(sys.modules), others & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["ingst", "corpus", ""])
def test_a_command_that_is_none_is_refused(name):
    result = CliRunner().invoke(main, [name])
    assert result.exit_code == 2
    assert "No such command" in result.stderr
