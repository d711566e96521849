"""The modules that are mutated, and the tests that have to notice it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..checks.places import ROOT
from .targets import PACKAGES, NotMutated, modules, suites_for

GATES = "plugins/module_utils/_trust/gates"


def test_without_a_wish_everything_that_decides_what_is_safe() -> None:
    found = modules()
    for package in PACKAGES:
        assert {module for module in found if module.is_relative_to(package)}
    assert Path(GATES, "gates.py") in found
    assert not [module for module in found if not (ROOT / module).read_text().strip()]


def test_a_file_a_folder_and_each_module_once() -> None:
    path = Path(GATES, "gates.py")
    assert modules([str(path)]) == (path,)
    folder = modules([GATES])
    assert path in folder
    assert {module.parent for module in folder} == {Path(GATES)}
    assert modules([GATES, str(path)]) == folder


@pytest.mark.parametrize("path", ["plugins/modules/strimzi_ca.py", f"{GATES}/nothing.py", "/etc/passwd", "nowhere"])
def test_lines_that_are_not_mutated(path: str) -> None:
    with pytest.raises(NotMutated, match="no file or folder of"):
        modules([path])


def test_the_nearest_tests_come_first() -> None:
    room, elsewhere, rest = suites_for(Path(GATES, "gates.py"), ROOT)
    assert Path("tests/unit/_trust/gates/test_removal.py") in room
    assert Path("tests/unit/_trust/gates/test_verifiers.py") in elsewhere
    assert Path("tests/unit/_trust/test_duration.py") in rest
    package = {file.relative_to(ROOT) for file in (ROOT / "tests/unit/_trust").rglob("test_*.py")}
    assert {*room, *elsewhere, *rest} == package
    assert len((*room, *elsewhere, *rest)) == len(package)


def test_a_group_without_a_test_is_left_out(tmp_path: Path) -> None:
    assert suites_for(Path(GATES, "gates.py"), tmp_path) == ()
