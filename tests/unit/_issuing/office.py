# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with a leaf in every Secret that has one, ready to be issued again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issue import issue_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import (
    component_leaves,
    node_leaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.subjects import names_of_services
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves

from ...tools.operator import clusters
from ...tools.support.certificates import NOW, YEAR, Entity, key, make
from .._strimzi.bench import SCOPE, Bench, pem, pod, recorded, secret

CA, OLD = make("cluster-ca v1", key(1), path_length=0), make("cluster-ca v0", key(2))
NODES = ("demo-kafka-0", "demo-kafka-1")
LEAVES = [*component_leaves("demo"), *(node_leaf("demo", name) for name in NODES)]
BY_SECRET = {leaf.secret: leaf for leaf in LEAVES}
#: The names that the operator wants in leaves of nodes; addresses of the platform included, which no manifest tells.
NODE_NAMES = frozenset({"demo-kafka-bootstrap", "lb.example", "192.0.2.4", "2001:db8::4"})
BEFORE = {"strimzi.io/cluster-ca-cert-generation": "3"}


def names_of(secret_name: str) -> frozenset[str]:
    if BY_SECRET[secret_name].component is Component.KAFKA:
        return NODE_NAMES
    return names_of_services(BY_SECRET[secret_name].component, SCOPE, "cluster.local")


def office(ca: Entity = CA) -> Bench:
    """Leaves of OLD are stored; ``ca`` issues."""
    bench = Bench()
    bench.create("kafkas", clusters.kafka("demo", "kafka"))
    bench.authority(ca, old=OLD)
    for leaf in LEAVES:
        name = DistinguishedName(leaf.common_name)
        stored = sign_leaf(
            key(50).public_key, name, names_of(leaf.secret), OLD.certificate, OLD.key, not_before=NOW - YEAR / 2,
            validity=YEAR,
        )  # fmt: skip
        labels = {"strimzi.io/name": "demo-kafka"} if leaf.component is Component.KAFKA else {}
        data = {f"{leaf.entry}.crt": pem(stored), f"{leaf.entry}.key": key(50).reveal(), "custom-9094.crt": b"theirs"}
        bench.create("secrets", secret(leaf.secret, data, BEFORE, labels))
    for name in NODES:
        bench.create("pods", pod(name))
    return bench


def order(*secrets: str, issuer: Entity = CA, generation: int = 4) -> IssueLeaves:
    return IssueLeaves(secrets=secrets, issuer=(issuer.certificate,), generation=generation, phase=Phase.USE)


def issue(bench: Bench, *secrets: str, generation: int = 4, **settings: Any) -> list[Action]:
    """Issues these by the CA in use."""
    step = replace(order(*secrets, generation=generation), issuer=bench.observe().snapshot.ca.current)
    return recorded(issue_leaves, step, bench.observe(), bench.work(**settings))


def presented(bench: Bench, secret_name: str) -> Chain:
    """The leaf and the certificates behind it, as this Secret contains them."""
    return parse_certificates(bench.data(secret_name)[f"{BY_SECRET[secret_name].entry}.crt"])
