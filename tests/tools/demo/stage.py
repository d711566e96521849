"""Where the demo plays: real Kafka nodes where the machine can run them, simulated pods elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from ...kafka import needs
from ...kafka.bed import KafkaBed
from ..cluster.bed import Bed
from ..cluster.bed_cluster import BedCluster
from ..cluster.cache import MissingTool

NAME = "demo"


@dataclass(frozen=True)
class Stage:
    cluster: BedCluster
    #: Why there are no real nodes; empty when there are.
    why_simulated: str = ""


def _real() -> BedCluster:
    return BedCluster(KafkaBed(NAME), real_pods=True)


def left() -> BedCluster:
    """The cluster that an earlier demo left running, or one that does not run."""
    real = _real()
    return real if (real.bed.folder / "network").exists() else BedCluster(Bed(NAME))


def start() -> Stage:
    """With real nodes, or with simulated pods where something is missing for these. Raises MissingTool for both."""
    reason = needs.reason_to_skip()
    if not reason:
        real = _real()
        try:
            real.start(interval=5)
        except MissingTool as missing:
            reason = str(missing).splitlines()[0]
        else:
            return Stage(real)
    simulated = BedCluster(Bed(NAME))
    simulated.start()
    return Stage(simulated, reason)
