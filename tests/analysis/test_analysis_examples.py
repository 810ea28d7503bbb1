import doctest
import importlib
import pkgutil

from denouement import analysis


def test_examples_in_docstrings_give_what_they_say():
    names = [module.name for module in pkgutil.walk_packages(analysis.__path__, "denouement.analysis.")]
    tried = 0
    for name in names:
        failed, attempted = doctest.testmod(importlib.import_module(name))
        assert not failed, name
        tried += attempted
    assert tried > 15, f"{tried} examples in {len(names)} modules"
