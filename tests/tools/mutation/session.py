"""Tries mutants: whether a unit test notices each of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from ..checks.places import ROOT
from . import forking, replacing
from .mutant import CannotMutate, Mutant
from .targets import package_for, suites_for

#: A test takes seconds, ten times as many on a busy machine: one that takes more never ends.
_OPTIONS = ("-q", "-x", "--no-header", "--tb=no", "-p", "pytest_timeout", "-m", "not long", "--timeout=120")
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
        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(_confirm, of_package, results)


def _fork(package: Path, mutants: Sequence[Mutant], jobs: int) -> Sequence[str]:
    """How each mutant fared in a fork."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "mutants.json")
        asked = [{"module": str(mutant.module), "begin": mutant.begin, "source": mutant.source} for mutant in mutants]
        file.write_text(json.dumps({"jobs": jobs, "mutants": asked}))
        done = _pytest([package], forking.__name__, {forking.VARIABLE: str(file)})
        if done.returncode:
            raise CannotMutate(f"{package}:\n{done.stdout[-4000:]}")
        return [str(result) for result in json.loads(file.read_text())]


def _confirm(mutant: Mutant, result: str) -> Tried:
    """Runs all tests in a new process where forks did not tell."""
    if result != forking.UNKNOWN:
        return Tried(mutant, result == forking.NOTICED)
    *nearest, package = suites_for(mutant.module, ROOT)
    with TemporaryDirectory() as folder:
        changed = Path(folder, "changed.py")
        changed.write_text(mutant.source)
        replaced = {replacing.VARIABLE: f"{mutant.module}={changed}"}
        killed = any(_fails(suites, replaced) for suites in (nearest, [package]) if suites)
    return Tried(mutant, killed)


def _fails(suites: Sequence[Path], replaced: Mapping[str, str]) -> bool:
    done = _pytest(suites, replacing.__name__, replaced)
    if done.returncode not in (0, 1, 2):  # passed, failed, or could not be collected
        raise CannotMutate(done.stdout[-4000:])
    return done.returncode != 0


def _pytest(suites: Sequence[Path], plugin: str, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", *map(str, suites), *_OPTIONS, "-p", plugin],
        cwd=ROOT,
        env={**os.environ, **_FAST, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
