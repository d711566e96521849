"""The modules that are mutated, and the tests that have to notice it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..checks.places import ROOT

CODE, TESTS = Path("plugins/module_utils"), Path("tests/unit")
#: The packages that decide what is safe.
PACKAGES = (CODE / "_trust", CODE / "_pki")


class NotMutated(Exception):
    """The command named a file that no mutation run is about."""


def modules(asked: Sequence[str] = (), root: Path = ROOT) -> tuple[Path, ...]:
    """The modules in these files and folders, below the work tree; all of them where nothing is asked for."""
    found = [module for path in asked or map(str, PACKAGES) for module in _below(path, root)]
    return tuple(dict.fromkeys(found))


def _below(asked: str, root: Path) -> Iterator[Path]:
    path = Path(asked)
    files = sorted((root / path).rglob("*.py")) if (root / path).is_dir() else [root / path]
    inside = not path.is_absolute() and any(path.is_relative_to(package) for package in PACKAGES)
    if not inside or not all(file.is_file() for file in files):
        raise NotMutated(f"{asked} is no file or folder of {', '.join(map(str, PACKAGES))}")
    yield from (file.relative_to(root) for file in files if file.stat().st_size)


def package_for(module: Path) -> Path:
    """The folder with all tests of the module's package."""
    return TESTS / module.relative_to(CODE).parts[0]


def suites_for(module: Path, root: Path) -> tuple[tuple[Path, ...], ...]:
    """The test files of the module's package, in groups: those of its room that import the module; others that import it, and the others of its room; and
    the rest.
    """
    below = module.relative_to(CODE)
    imported = f"{'.'.join(below.with_suffix('').parts)} import"
    groups: tuple[list[Path], ...] = ([], [], [])
    for file in sorted((root / package_for(module)).rglob("test_*.py")):
        is_near = (file.parent == root / TESTS / below.parent, imported in file.read_text())
        groups[is_near.count(False)].append(file.relative_to(root))
    return tuple(tuple(group) for group in groups if group)
