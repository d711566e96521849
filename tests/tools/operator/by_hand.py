# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps that a person takes by hand while the Kafka resource is paused (docs/operator.md, "Tried by hand")."""

from __future__ import annotations

from typing import Any

from . import certs
from .authorities import UserCa
from .operated_cluster import CERTIFICATE, OperatedCluster, certificates, encode
from .podsets import revision

Object = dict[str, Any]

OPERATOR = "demo-cluster-operator-certs"
HASH, REVISION = "strimzi.io/server-cert-hash", "strimzi.io/revision"


def nodes(cluster: OperatedCluster) -> list[str]:
    """Names of the Kafka pods, which are those of their Secrets."""
    return sorted(cluster.memory.kubelet.nodes)


def _entry(secret: str) -> str:
    return "cluster-operator" if secret == OPERATOR else secret


def issue(cluster: OperatedCluster, secret: str, ca: UserCa, chain: bytes, generation: int) -> None:
    """Another leaf and key from this CA, with the names of the present leaf, in front of the chain."""
    entry, key = _entry(secret), certs.new_leaf_key()
    present = certificates(cluster.entries(secret)[f"{entry}.crt"])[0]
    issued = certs.leaf(present.subject, certs.names_of(present), key, ca.pem, ca.private_key, 365)
    assert issued
    content = {f"{entry}.crt": issued + chain, f"{entry}.key": certs.key_pem(key)}
    cluster.change("secrets", secret, {"data": encode(content)})
    cluster.annotate("secrets", secret, cluster_ca_cert_generation=str(generation))


def chain_again(cluster: OperatedCluster, secret: str, chain: bytes, generation: int) -> None:
    """The same leaf in front of another chain."""
    entry = f"{_entry(secret)}.crt"
    leaf = certs.pem(certificates(cluster.entries(secret)[entry])[0])
    cluster.change("secrets", secret, {"data": encode({entry: leaf + chain})})
    cluster.annotate("secrets", secret, cluster_ca_cert_generation=str(generation))


def stamped(cluster: OperatedCluster, template: Object, generation: int, *, with_revision: bool = True) -> Object:
    """A pod of a StrimziPodSet with the annotations that the operator would compute."""
    marks = template["metadata"]["annotations"]
    name = template["metadata"]["name"]
    marks = {**marks, CERTIFICATE: str(generation), HASH: certs.thumbprint(cluster.entries(name)[f"{name}.crt"])}
    pod = {**template, "metadata": {**template["metadata"], "annotations": marks}}
    return _with(pod, {REVISION: revision(pod)}) if with_revision else pod


def _with(pod: Object, marks: dict[str, str]) -> Object:
    metadata = pod["metadata"]
    return {**pod, "metadata": {**metadata, "annotations": {**metadata["annotations"], **marks}}}


def stamp(
    cluster: OperatedCluster,
    generation: int,
    *,
    with_revision: bool = True,
    not_in_set: frozenset[str] = frozenset(),
    not_live: frozenset[str] = frozenset(),
) -> None:
    """Every Kafka pod in both places, or not in one of them."""
    for pod_set in cluster.api.all("strimzipodsets", "kafka"):
        made = {p["metadata"]["name"]: p for p in pod_set["spec"]["pods"]}
        new = {name: stamped(cluster, pod, generation, with_revision=with_revision) for name, pod in made.items()}
        pods = [made[name] if name in not_in_set else new[name] for name in made]
        cluster.change("strimzipodsets", pod_set["metadata"]["name"], {"spec": {"pods": pods}})
        for name in set(made) - not_live:
            marks = {key: new[name]["metadata"]["annotations"][key] for key in (CERTIFICATE, HASH, REVISION)}
            cluster.change("pods", name, {"metadata": {"annotations": marks}})
