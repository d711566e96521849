"""cert-manager's own controllers beside the API server of a bed."""

from __future__ import annotations

from typing import Any

from .bed import Bed
from .binaries import find_cert_manager

#: By the names that cert-manager gives them. The approver is a process of its own: in production it can be left out too.
CONTROLLERS = (
    "issuers", "clusterissuers", "certificaterequests-issuer-ca", "certificaterequests-issuer-selfsigned",
    "certificaterequests-issuer-vault", "certificates-trigger", "certificates-key-manager", "certificates-request-manager",
    "certificates-issuing", "certificates-readiness", "certificates-revision-manager",
)  # fmt: skip
APPROVER = "certificaterequests-approver"
#: Where the Secrets of ClusterIssuers are.
CLUSTER_RESOURCES = "cert-manager"


def start_cert_manager(bed: Bed, approving: str) -> None:
    """Its kinds and its controllers, once; requests are approved in this namespace, and in those of other calls. Raises MissingTool."""
    folder = find_cert_manager()
    command = [str(folder / "cert-manager"), f"--kubeconfig={bed.kubeconfig}"]

    def step(name: str, *arguments: str) -> dict[str, Any]:
        return {"name": name, "command": [*command, *arguments]}

    name = "cert-manager"
    controllers = step(name, f"--cluster-resource-namespace={CLUSTER_RESOURCES}", *CONTROLLERS)
    bed.add(
        sorted((folder / "crds").glob("*.yaml")),
        *(() if bed.has_step(name) else (controllers,)),
        step(f"{name}-approver-{approving}", f"--namespace={approving}", APPROVER),
    )
