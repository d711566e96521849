"""The modules that are mutated, and the tests that have to notice it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..checks.places import ROOT

CODE, TESTS = Path("plugins/module_utils"), Path("tests/unit")
#: The packages that decide what is safe.
PACKAGES = (CODE / "_trust", CODE / "_pki")


class NotMutated(Exception):
    """Somebody asked for a file that no mutation run is about."""


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


def suites_for(module: Path, root: Path) -> tuple[Path, ...]:
    """The suites that run one after the other until a test fails: the tests of the module's own name, which notice most and
    take a second, then all of its package.
    """
    below = module.relative_to(CODE)
    own = TESTS / below.with_name(f"test_{below.name}")
    return (*([own] if (root / own).is_file() else []), TESTS / below.parts[0])
