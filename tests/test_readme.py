"""The front page cannot lie."""

import doctest
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_what_the_readme_shows_is_so() -> None:
    failed, tried = doctest.testfile(str(README), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 0 and failed == 0
