"""What a notebook imports from `denouement.cloze`."""

import doctest
import subprocess
import sys

import pytest

from denouement import cloze
from denouement.cloze.evaluation import evaluate


def test_the_example_of_evaluate_runs():
    found = doctest.testmod(evaluate)
    assert found.attempted > 5
    assert found.failed == 0


@pytest.mark.parametrize("name", cloze._PUBLIC)
def test_public_names_are_there(name):
    assert getattr(cloze, name).__name__ == name


def test_a_name_that_is_not_there_is_named():
    with pytest.raises(AttributeError, match=r"module 'denouement\.cloze' has no attribute 'systems_of'"):
        _ = cloze.systems_of


def test_the_registry_alone_loads_no_arrays():
    code = "import sys, denouement.cloze; print(sorted({'numpy', 'pyarrow'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
