"""The summary of a run: how many mutants the tests noticed, and which of the others are known as equivalent, by their lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

from .equivalents import LISTED
from .session import Tried
from .targets import CODE

#: The module, the line and the changed line of a mutant.
_Key: TypeAlias = tuple[str, str, str]
#: Per cent of the mutants, without those argued to be equivalent, that tests have to notice.
THRESHOLD = 95.0
#: Of a normal distribution 95 % are within so many standard deviations.
_DEVIATIONS = 1.96


@dataclass(frozen=True)
class Summary:
    #: Mutants that a test noticed.
    killed: int
    #: Mutants that no test noticed.
    survived: int
    #: Mutants that no test can notice.
    equivalent: int

    @property
    def percentage(self) -> float:
        return 100.0 * self.killed / self._tried if self._tried else 100.0

    @property
    def interval(self) -> tuple[float, float]:
        """Of what these mutants are a sample, the percentage is between these two, with a probability of 95 % (Wilson)."""
        if not self._tried:
            return 0.0, 100.0
        share, square = self.percentage / 100, _DEVIATIONS**2 / self._tried
        middle = share + square / 2
        around = _DEVIATIONS * sqrt(share * (1 - share) / self._tried + square / self._tried / 4)
        return 100 * (middle - around) / (1 + square), 100 * (middle + around) / (1 + square)

    @property
    def passes(self) -> bool:
        return self.percentage >= THRESHOLD

    @property
    def _tried(self) -> int:
        return self.killed + self.survived

    def __str__(self) -> str:
        return f"{self.percentage:5.1f} %  {self.killed} of {self._tried} killed, {self.equivalent} equivalent"


def summarise(tried: Sequence[Tried], known: Set[_Key] = LISTED) -> Summary:
    """known: mutants argued to be equivalent."""
    killed = sum(one.is_killed for one in tried)
    equivalent = sum(not one.is_killed and one.mutant.key in known for one in tried)
    return Summary(killed, len(tried) - killed - equivalent, equivalent)


def rooms(tried: Sequence[Tried]) -> Mapping[str, Sequence[Tried]]:
    """The mutants of each folder."""
    found: defaultdict[str, list[Tried]] = defaultdict(list)
    for one in tried:
        found[str(one.mutant.module.parent.relative_to(CODE))].append(one)
    return found


def untrue(tried: Iterable[Tried], known: Set[_Key] = LISTED) -> Iterator[str]:
    """Sentences about entries of the list of equivalent mutants that are not true. tried: all mutants of their modules.

    A line may stand in several places of a module: one of its mutants that survives is enough.
    """
    results: defaultdict[_Key, list[bool]] = defaultdict(list)
    for one in tried:
        results[one.mutant.key].append(one.is_killed)
    modules = {module for module, _before, _after in results}
    for module, before, after in sorted(known):
        killed = results.get((module, before, after), [])
        if module in modules and all(killed):
            why = "a test kills it" if killed else "there is no such mutant"
            yield f"{module}: '{before}' as '{after}' is listed as equivalent, but {why}"
