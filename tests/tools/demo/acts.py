"""The rotations that the demo shows: to a CA of the cluster's own, or to one whose key an issuer keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..cluster.bed_cluster import BedCluster
from ..cluster.binaries import find_cert_manager
from ..support.outside_authority import CORPORATE, of_cert_manager, set_up_cert_manager
from .keys import Keeper, cert_manager_keeper, cluster_keeper

_KEPT = "act"


@dataclass(frozen=True)
class Act:
    #: The name of the act and of the folder of its reports.
    name: str
    #: The words that announce it.
    about: str
    #: Before anything is shown; raises MissingTool.
    prepare: Callable[[], object]
    #: Beside the cluster, before the rotation.
    set_up: Callable[[BedCluster], object]
    #: The variables of the rotation.
    variables: Callable[[BedCluster], Mapping[str, object]]
    #: The keeper of the CA's key at the end.
    keeper: Callable[[BedCluster], Keeper]


INTERNAL = Act(
    "demo", "to a CA that this collection makes", lambda: None, lambda _cluster: None, lambda _cluster: {}, cluster_keeper
)  # fmt: skip
CERT_MANAGER = Act(
    "demo-cert-manager",
    "to a CA of cert-manager, which keeps its key",
    find_cert_manager,
    set_up_cert_manager,
    lambda cluster: of_cert_manager(cluster).moving,
    lambda cluster: cert_manager_keeper(cluster, CORPORATE),
)
ACTS = {"internal": INTERNAL, "cert-manager": CERT_MANAGER}


def remember(act: Act, cluster: BedCluster) -> None:
    """Keeps the act's name beside the cluster, for the next run of the demo."""
    (cluster.bed.folder / _KEPT).write_text(act.name)


def remembered(cluster: BedCluster) -> Act:
    """The act that the demo has shown on this cluster."""
    name = (cluster.bed.folder / _KEPT).read_text()
    return next(act for act in ACTS.values() if act.name == name)
