"""The parts of tests and mutants."""

from __future__ import annotations

from .parts import is_in_part


def test_each_is_in_one_part_and_a_part_has_about_its_share() -> None:
    names = [f"plugins/module_utils/_pki/paths.py core/AddNot {number}" for number in range(2400)]
    parts = [[name for name in names if is_in_part(name, f"{number}/24")] for number in range(1, 25)]
    assert sorted(name for part in parts for name in part) == sorted(names)
    assert all(50 <= len(part) <= 150 for part in parts)


def test_the_whole_is_one_part() -> None:
    assert is_in_part("any test", "1/1")
