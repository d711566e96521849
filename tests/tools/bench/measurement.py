"""The result of a benchmark: one line with a figure, and whether it is as good as wanted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Wanted(Enum):
    """On which side of its target a figure should be."""

    AT_LEAST = "at least"
    AT_MOST = "at most"


@dataclass(frozen=True)
class Measurement:
    name: str
    value: float
    wanted: Wanted
    target: float
    #: The unit of the figure; empty for a ratio and a count.
    unit: str = ""

    @property
    def good(self) -> bool:
        """Judged by the digits that are shown, so that no line contradicts itself."""
        value, target = round(self.value, 2), round(self.target, 2)
        return value >= target if self.wanted is Wanted.AT_LEAST else value <= target

    def line(self) -> str:
        shown = (f"{number:.2f}{self.unit}" for number in (self.value, self.target))
        return " ".join(["BENCH", self.name, *shown, "ok" if self.good else "short"])
