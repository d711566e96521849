"""The parts of a bed, prepared side by side. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .binaries import COMPONENTS, find_components, find_simulator
from .crds import find_crds
from .side_by_side import both
from .versions import STRIMZI


@dataclass(frozen=True)
class Parts:
    #: Programs by component, and what belongs to them.
    files: dict[str, Path]
    #: The files with the CRDs, each with one.
    crds: list[Path]


def simulated_parts(strimzi: str = STRIMZI) -> Parts:
    """The parts of a bed with simulated nodes and the CRDs of this release of Strimzi. Raises MissingTool."""
    return Parts(*both(_programs, partial(find_crds, strimzi)))


def _programs() -> dict[str, Path]:
    # They are made one after the other: a compiler has work for all processors.
    return {**find_components(COMPONENTS), **find_simulator()}
