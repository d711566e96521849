"""Command lines of the control plane, kwok and the audit log."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

AUDIT_POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    users: [system:apiserver]
  - level: Metadata
"""
#: For programs in Go: garbage is collected less often than by default, as a bed lives for minutes and collecting takes a part of its CPU time.
_SELDOM = {"GOGC": "400"}


@dataclass(frozen=True)
class Addresses:
    #: The address at which the API server listens.
    api: str = "127.0.0.1"
    #: The range of ClusterIPs.
    services: str = "10.96.0.0/16"
    #: The names in its certificate.
    certified: tuple[str, ...] = ("localhost", "127.0.0.1")


def etcd(binaries: dict[str, Path], folder: Path, ports: dict[str, int]) -> dict[str, Any]:
    client, peer = (f"http://127.0.0.1:{ports[name]}" for name in ("etcd", "etcd-peer"))
    command = [
        str(binaries["etcd"]), f"--data-dir={folder}/etcd", f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}", "--unsafe-no-fsync", "--log-level=warn",
    ]  # fmt: skip
    return {"name": "etcd", "command": command, "environment": _SELDOM}


def api_server(
    binaries: dict[str, Path], folder: Path, ports: dict[str, int], addresses: Addresses, *, mounts_tokens: bool
) -> dict[str, Any]:
    """mounts_tokens: whether each pod gets the token of its ServiceAccount."""
    command = [
        str(binaries["kube-apiserver"]), f"--etcd-servers=http://127.0.0.1:{ports['etcd']}",
        f"--bind-address={addresses.api}", f"--advertise-address={addresses.api}", f"--secure-port={ports['api']}",
        f"--tls-cert-file={folder}/server.crt", f"--tls-private-key-file={folder}/server.key",
        f"--token-auth-file={folder}/tokens.csv", "--authorization-mode=RBAC", "--anonymous-auth=false",
        f"--service-account-key-file={folder}/sa.pub", f"--service-account-signing-key-file={folder}/sa.key",
        "--service-account-issuer=https://kubernetes.default.svc", f"--service-cluster-ip-range={addresses.services}",
        "--endpoint-reconciler-type=none", *(() if mounts_tokens else ("--disable-admission-plugins=ServiceAccount",)),
        f"--audit-policy-file={folder}/audit-policy.yaml", f"--audit-log-path={folder}/audit.log",
        f"--cert-dir={folder}/apiserver", "--kubelet-preferred-address-types=InternalIP",
        f"--kubelet-client-certificate={folder}/server.crt", f"--kubelet-client-key={folder}/server.key",
    ]  # fmt: skip
    return {"name": "kube-apiserver", "command": command, "environment": _SELDOM}


def controllers(binaries: dict[str, Path], folder: Path) -> list[dict[str, Any]]:
    kubeconfig = f"{folder}/kubeconfig"
    manager = [
        str(binaries["kube-controller-manager"]), f"--kubeconfig={kubeconfig}", "--leader-elect=false",
        f"--service-account-private-key-file={folder}/sa.key", f"--root-ca-file={folder}/ca.crt", "--secure-port=0",
        "--kube-api-qps=200", "--kube-api-burst=400",
    ]  # fmt: skip
    scheduler = [
        str(binaries["kube-scheduler"]), f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--secure-port=0",
        "--kube-api-qps=200", "--kube-api-burst=400",
    ]  # fmt: skip
    return [
        {"name": "kube-controller-manager", "command": manager, "environment": _SELDOM},
        {"name": "kube-scheduler", "command": scheduler, "environment": _SELDOM},
    ]


def kwok(binaries: dict[str, Path], folder: Path, ports: dict[str, int]) -> dict[str, Any]:
    """Every node of the cluster is simulated."""
    command = [
        str(binaries["kwok"]), f"--kubeconfig={folder}/kubeconfig", "--manage-all-nodes",
        f"--config={folder}/stages.yaml", f"--server-address=127.0.0.1:{ports['kwok']}",
        "--node-lease-duration-seconds=40",
    ]  # fmt: skip
    return {"name": "kwok", "command": command, "environment": {"HOME": str(folder)}}


def stages(source: str, start_milliseconds: int) -> str:
    """kwok's stages, with a delay before a pod is Ready: a process takes some time to start."""
    marker = "  name: pod-ready\nspec:\n"
    if marker not in source:
        raise ValueError("kwok's pod-ready stage is not as expected")
    return source.replace(marker, f"{marker}  delay:\n    durationMilliseconds: {start_milliseconds}\n")
