"""Looking at many users: how long each takes, and how much memory they need."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from ..cluster.bed import ROOT
from .measurement import Measurement, Wanted
from .pairs import alternate, ratio

FEW, MANY = 1_000, 10_000
ROUNDS = 3


def look(number: int) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.many_users", str(number)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def measure() -> Iterator[Measurement]:
    few, many = look(FEW), look(MANY)
    yield Measurement("users-memory-10000-vs-1000", many["peak"] / few["peak"], Wanted.AT_MOST, 2.0)
    pairs = alternate(lambda: look(MANY)["seconds"] / MANY, lambda: look(FEW)["seconds"] / FEW, ROUNDS)
    yield Measurement("users-time-each-10000-vs-1000", ratio(pairs), Wanted.AT_MOST, 1.2)
