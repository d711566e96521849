"""Tries mutants: whether a unit test notices each of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from ..checks.places import ROOT
from . import forking, replacing
from .mutant import CannotMutate, Mutant
from .targets import package_for, suites_for

#: The plugins limit the CPU time of tests: seconds on a clock say little where others use the machine.
_OPTIONS = ("-q", "-x", "--no-header", "--tb=no", "-p", "pytest_timeout", "-m", "not long", "--timeout=0")
#: Plugins that these tests do not use, and smallest examples, would take much of the time that a mutant takes.
_FAST = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HYPOTHESIS_PROFILE": "mutation"}


@dataclass(frozen=True)
class Tried:
    mutant: Mutant
    #: Whether a test failed, or did not end in time.
    is_killed: bool


def try_all(mutants: Sequence[Mutant], jobs: int) -> Iterator[Tried]:
    """Tries every mutant. jobs: how many at a time. Raises CannotMutate."""
    for package, found in groupby(mutants, key=lambda mutant: package_for(mutant.module)):
        of_package = list(found)
        results = _fork(package, of_package, jobs)
        counts = ", ".join(f"{results.count(result)} {result}" for result in forking.RESULTS)
        print(f"{package}, in forks: {counts}", flush=True)
        unknown = [mutant for mutant, result in zip(of_package, results, strict=True) if result == forking.UNKNOWN]
        replaced = dict(zip(unknown, _replace(package, unknown, jobs), strict=True))
        for mutant, result in zip(of_package, results, strict=True):
            yield Tried(mutant, replaced.get(mutant, result) == forking.NOTICED)


def _fork(package: Path, mutants: Sequence[Mutant], jobs: int) -> Sequence[str]:
    """How each mutant fared in a fork that has imported everything."""
    asked = [{"module": str(mutant.module), "begin": mutant.begin, "source": mutant.source} for mutant in mutants]
    return _ask(package, forking.__name__, forking.VARIABLE, jobs, asked)


def _replace(package: Path, mutants: Sequence[Mutant], jobs: int) -> Sequence[str]:
    """How each mutant fared in a fork that imports the mutated module and all tests."""
    asked = []
    for mutant in mutants:
        suites = [list(map(str, files)) for files in suites_for(mutant.module, ROOT)]
        asked.append({"module": str(mutant.module), "source": mutant.source, "suites": suites})
    return _ask(package, replacing.__name__, replacing.VARIABLE, jobs, asked) if asked else []


def _ask(
    package: Path, plugin: str, variable: str, jobs: int, mutants: Sequence[Mapping[str, object]]
) -> Sequence[str]:
    """The plugin's result for each mutant."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "mutants.json")
        file.write_text(json.dumps({"jobs": jobs, "mutants": mutants}))
        (written := file.with_suffix(".results")).touch()
        done = subprocess.run(
            [sys.executable, "-m", "pytest", str(package), *_OPTIONS, "-p", plugin],
            cwd=ROOT,
            env={**os.environ, **_FAST, variable: str(file)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        results = dict(map(str.split, written.read_text().splitlines()))
        if len(results) < len(mutants):
            raise CannotMutate(f"{package}:\n{done.stdout[-4000:]}")
        return [results[str(number)] for number in range(len(mutants))]
