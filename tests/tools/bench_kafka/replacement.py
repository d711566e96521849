"""A measured replacement of the CA's key, and the time that it would take with more brokers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.waves import sizes_if_quick

BROKERS = (50, 150, 500)


@dataclass(frozen=True)
class Replacement:
    #: Name of the variant.
    way: str
    #: From the start of the playbook to its end.
    seconds: float
    nodes: int
    #: Seconds of each restart.
    restarts: tuple[float, ...]
    #: Seconds until a node that was told alone to read its certificates again had done so; 0 where no node was told.
    reload: float = 0.0

    @property
    def restarts_per_node(self) -> float:
        return len(self.restarts) / self.nodes

    @property
    def restarting(self) -> float:
        """Seconds for which a node was away. Two nodes are never away at once, so no way can be faster."""
        return sum(self.restarts)

    @property
    def other(self) -> float:
        """Seconds for which all nodes were there: everything but restarts."""
        return self.seconds - self.restarting

    def least_seconds_for(self, brokers: int) -> float:
        """Restarts one after another, each as long as here on average, and reloads as many at a time as they are told.

        Reloads side by side take as long as one alone, where each node has processors of its own.
        """
        waves = len(tuple(sizes_if_quick(brokers)))
        return self.restarting * brokers / self.nodes + self.reload * waves

    def most_seconds_for(self, brokers: int) -> float:
        """The time if everything else grew with the brokers as well; much of it is the same for every cluster."""
        return self.seconds * brokers / self.nodes

    def as_json(self) -> dict[str, Any]:
        return {
            "way": self.way, "seconds": round(self.seconds, 1), "nodes": self.nodes,
            "restarts": len(self.restarts), "restart_seconds": [round(restart, 1) for restart in self.restarts],
            "restarting_seconds": round(self.restarting, 1), "other_seconds": round(self.other, 1),
            "reload_seconds": round(self.reload, 1),
            "for_brokers": {
                str(brokers): {
                    "least_seconds": round(self.least_seconds_for(brokers)),
                    "most_seconds": round(self.most_seconds_for(brokers)),
                }
                for brokers in BROKERS
            },
        }  # fmt: skip


def table(replacements: Sequence[Replacement]) -> str:
    """All replacements beside each other; the hours for more brokers reach from restarts and reloads alone to everything."""
    head = ("way", "seconds", "restarts", "of them s", "other s", *(f"{brokers} brokers, h" for brokers in BROKERS))
    rows = [head, *(_row(replacement) for replacement in replacements)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    )


def _row(replacement: Replacement) -> tuple[str, ...]:
    hours = (
        f"{replacement.least_seconds_for(brokers) / 3600:.1f} to {replacement.most_seconds_for(brokers) / 3600:.1f}"
        for brokers in BROKERS
    )
    return (
        replacement.way,
        f"{replacement.seconds:.0f}",
        str(len(replacement.restarts)),
        f"{replacement.restarting:.0f}",
        f"{replacement.other:.0f}",
        *hours,
    )
