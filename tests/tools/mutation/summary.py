"""The summary of a run: how many mutants the tests noticed, and which of the others are known as equivalent, by their lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .equivalents import EQUIVALENTS, Equivalent
from .session import Mutant
from .targets import CODE

#: Per cent of the mutants, without those argued to be equivalent, that tests have to notice.
THRESHOLD = 95.0


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
        tried = self.killed + len(self.survivors)
        return 100.0 * self.killed / tried if tried else 100.0

    @property
    def passes(self) -> bool:
        return self.percentage >= THRESHOLD and not self.untrue

    def __str__(self) -> str:
        tried = self.killed + len(self.survivors)
        return f"{self.percentage:5.1f} %  {self.killed} of {tried} killed, {self.equivalent} equivalent"


def summarise(mutants: Sequence[Mutant], known: Iterable[Equivalent] = EQUIVALENTS) -> Summary:
    """known: mutants argued to be equivalent; mutants of modules that were not mutated do not matter here."""
    modules = {str(mutant.module.relative_to(CODE)) for mutant in mutants}
    about = [equivalent for equivalent in known if equivalent.module in modules]
    argued = {(equivalent.module, equivalent.before, after) for equivalent in about for after in equivalent.after}
    alive = [mutant for mutant in mutants if not mutant.is_killed]
    survivors = tuple(mutant for mutant in alive if _key(mutant) not in argued)
    killed = sum(mutant.is_killed for mutant in mutants)
    return Summary(killed, survivors, len(alive) - len(survivors), tuple(_untrue(argued, mutants)))


def _key(mutant: Mutant) -> tuple[str, str, str]:
    return str(mutant.module.relative_to(CODE)), mutant.before, mutant.after


def _untrue(argued: set[tuple[str, str, str]], mutants: Sequence[Mutant]) -> Iterator[str]:
    """A line may stand in several places of a module: one of its mutants that survives is enough."""
    made, alive = {_key(mutant) for mutant in mutants}, {_key(mutant) for mutant in mutants if not mutant.is_killed}
    for module, before, after in sorted(argued - alive):
        why = "a test kills it" if (module, before, after) in made else "there is no such mutant"
        yield f"{module}: '{before}' as '{after}' is listed as equivalent, but {why}"
