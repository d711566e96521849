"""The summary of a run: how many mutants the tests noticed, and which of the others are known as equivalent, by their lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from .equivalents import LISTED
from .mutant import Mutant
from .session import Tried
from .targets import CODE

#: Per cent of the mutants, without those argued to be equivalent, that tests have to notice.
THRESHOLD = 95.0
#: Of a normal distribution 95 % are within so many standard deviations.
_DEVIATIONS = 1.96


@dataclass(frozen=True)
class Summary:
    #: Mutants that a test noticed.
    killed: int
    #: Mutants that no test noticed.
    survivors: tuple[Mutant, ...]
    #: Mutants that no test can notice.
    equivalent: int
    #: Sentences about entries of the list of equivalent mutants that are not true.
    untrue: tuple[str, ...] = ()

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
        return self.percentage >= THRESHOLD and not self.untrue

    @property
    def _tried(self) -> int:
        return self.killed + len(self.survivors)

    def __str__(self) -> str:
        return f"{self.percentage:5.1f} %  {self.killed} of {self._tried} killed, {self.equivalent} equivalent"


def summarise(tried: Sequence[Tried], *, all_made: bool, known: Iterable[tuple[str, str, str]] = LISTED) -> Summary:
    """all_made: whether these are all mutants of their modules, and no part of them. known: mutants argued to be equivalent."""
    argued = set(known)
    alive = [one.mutant for one in tried if not one.is_killed]
    survivors = tuple(mutant for mutant in alive if mutant.key not in argued)
    killed = sum(one.is_killed for one in tried)
    untrue = tuple(_untrue(argued, tried, all_made=all_made))
    return Summary(killed, survivors, len(alive) - len(survivors), untrue)


def rooms(tried: Sequence[Tried]) -> Mapping[str, Sequence[Tried]]:
    """The mutants of each folder."""
    found: defaultdict[str, list[Tried]] = defaultdict(list)
    for one in tried:
        found[str(one.mutant.module.parent.relative_to(CODE))].append(one)
    return found


def _untrue(argued: set[tuple[str, str, str]], tried: Sequence[Tried], *, all_made: bool) -> Iterator[str]:
    """A line may stand in several places of a module: one of its mutants that survives is enough."""
    made, alive = {one.mutant.key for one in tried}, {one.mutant.key for one in tried if not one.is_killed}
    modules = {module for module, _before, _after in made}
    for module, before, after in sorted(argued - alive):
        if module in modules and all_made:
            why = "a test kills it" if (module, before, after) in made else "there is no such mutant"
            yield f"{module}: '{before}' as '{after}' is listed as equivalent, but {why}"
