"""Comparing two things on a machine that does other things as well: in turns, and the middle of all pairs."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from statistics import median

Run = Callable[[], float]


def alternate(ours: Run, baseline: Run, rounds: int) -> list[tuple[float, float]]:
    """The results of both, pair by pair. The order changes from pair to pair: the second run finds warm caches."""
    pairs = []
    for number in range(rounds):
        if number % 2:
            second = baseline()
            pairs.append((ours(), second))
        else:
            first = ours()
            pairs.append((first, baseline()))
    return pairs


def ratio(pairs: list[tuple[float, float]]) -> float:
    """The median of the pairs' ratios: a load that comes and goes meets both halves of a pair."""
    return median(ours / baseline for ours, baseline in pairs)


def seconds(work: Callable[[], object]) -> float:
    """How long it takes, in seconds."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def processor_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of the processes that it starts and waits for: what else the machine does adds little to them."""
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime - begun.ru_utime + ended.ru_stime - begun.ru_stime
