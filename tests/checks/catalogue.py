"""Every check, in the order in which they start: what takes long or is waited for comes first."""

from __future__ import annotations

from .check import Check, docker_reason
from .environments import CannotPrepare
from .pythons import PAIRS, Pair, available_pairs

_UNITS = ("pytest", "tests/unit", "--numprocesses=2")
#: The collection's Python below the collections root, as mypy and import-linter name it.
_MODULE_UTILS = "ansible_collections.trustops.strimzi.plugins.module_utils"


def checks() -> list[Check]:
    """All checks for this machine. Raises CannotPrepare when no supported Python is here."""
    pairs = available_pairs()
    if not pairs:
        raise CannotPrepare(f"none of Python {', '.join(pair.python for pair in PAIRS)} is here")
    main = pairs[0]
    return [*_with_the_bed(main)[:1], *_without_a_bed(main), *_with_the_bed(main)[1:], *_other_pairs(pairs)]


def _script(name: str, *arguments: str) -> tuple[str, ...]:
    return ("python", "-m", f"tests.checks.{name}", *arguments)


def _without_a_bed(main: Pair) -> list[Check]:
    return [
        Check("unit", "unit and property tests", main, (_UNITS,)),
        Check("sanity", "all ansible-test sanity tests, none ignored", main, (_script("sanity"),)),
        Check("types", "mypy --strict on module_utils", main, (("mypy", "--package", _MODULE_UTILS),)),
        Check("style", "ruff", main, (("ruff", "check"), ("ruff", "format", "--check"))),
        Check("layers", "import-linter", main, (("lint-imports", "--no-cache"),)),
        Check("yaml", "yamllint", main, (("yamllint", "--strict", "."),)),
        Check("shell", "shellcheck", main, (_script("shell"),)),
        Check("changelog", "antsibull-changelog lint", main, (("antsibull-changelog", "lint"),)),
        Check("action-group", "meta/runtime.yml names every module", main, (_script("action_group"),)),
        Check("docs", "antsibull-docs lint", main, (_script("docs"),)),
        Check("ansible-lint", "ansible-lint, profile production", main, (_script("lint"),)),
        Check("ee", "execution environment metadata", main, (_script("execution_environment"),)),
        Check("importer", "galaxy-importer on the built collection", main, (_script("importer"),)),
    ]


def _with_the_bed(main: Pair) -> list[Check]:
    molecule = ("molecule", "test", "--scenario-name")
    bed = ("bed",)
    return [
        Check("bed", "build what the test bed is made of", main, (("python", "-m", "tests.cluster", "build"),)),
        Check("api", "API tier", main, (("pytest", "tests/api"),), after=bed, shares="bed"),
        Check("molecule", "scenario default", main, ((*molecule, "default"),), after=bed, shares="bed"),
        Check("molecule-given", "scenario given", main, ((*molecule, "given"),), after=bed, shares="bed"),
        Check("molecule-kind", "scenario kind", main, ((*molecule, "kind"),), reason_to_skip=docker_reason),
    ]


def _other_pairs(pairs: tuple[Pair, ...]) -> list[Check]:
    found: list[Check] = []
    for pair in PAIRS:
        if pair in pairs[:1]:
            continue
        here = pair in pairs
        why = "" if here else f"no Python {pair.python} in the PATH or among pyenv's versions"
        for name, command in (("unit", _UNITS), ("sanity", _script("sanity"))):
            about = f"{name} with Python {pair.python}"
            found.append(Check(f"{name}-{pair.python}", about, pair, (command,), reason_to_skip=lambda why=why: why))
    return found
