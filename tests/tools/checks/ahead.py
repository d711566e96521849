"""The parts of a test bed, prepared beside the environment that its commands run in. Standard library only."""

from __future__ import annotations

from contextlib import suppress

from ...kafka import needs
from ...kafka.parts import real_parts
from ..cluster.cache import MissingTool
from ..cluster.parts import simulated_parts

#: A bed with real nodes; the same, or one with simulated nodes where no real node can run; none.
REAL, ANY, NONE = "real", "any", "none"


def prepare_bed(which: str) -> None:
    """A missing tool is left to the command: it says so, or does without."""
    with suppress(MissingTool):
        if which != NONE and not needs.reason_to_skip():
            real_parts()
        elif which == ANY:
            simulated_parts()
