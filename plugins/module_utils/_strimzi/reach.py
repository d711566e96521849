# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How a client of the cluster is known: by the address that it connects to, or by the CAs that it trusts.

Every name by which a node can be reached and verified is in its certificate: of Services, Routes, load balancers, alternative names and advertised
hosts (docs/operator.md, "Node names"). The operator reports further addresses in the status of the Kafka resource, as those of node ports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .._pki.certificates import Certificate
from .._trust.model.ledger import Ledger
from .._trust.model.snapshot import CaSecrets, Component, StoredLeaf
from .names import ClusterNames


@dataclass(frozen=True)
class Reach:
    """hosts: the names and addresses of nodes, in lower case. authorities: the CAs of the cluster, each with those above it."""

    scope: ClusterNames
    hosts: frozenset[str] = frozenset()
    authorities: tuple[Certificate, ...] = ()

    def leads_here(self, bootstrap: str | None) -> bool:
        """Whether one of these addresses, with ports and separated by commas, is one of the cluster."""
        return any(map(self._is_ours, map(_host, (bootstrap or "").split(","))))

    def is_trusted_by(self, anchors: Iterable[Certificate] | None) -> bool:
        """Whether a CA of the cluster is among these, or one with its name and key."""
        return any(one.is_twin_of(anchor) for anchor in anchors or () for one in self.authorities)

    def _is_ours(self, host: str) -> bool:
        """A Service of the cluster counts in each form that Kubernetes resolves."""
        labels = host.split(".")
        at_home = len(labels) == 1 or labels[1] == self.scope.namespace or labels[2:3] == [self.scope.namespace]
        named = at_home and any(label.startswith(f"{self.scope.cluster}-kafka-") for label in labels[:2])
        return named or host in self.hosts or f"*.{host.partition('.')[2]}" in self.hosts


def reach_of(
    scope: ClusterNames,
    kafka: Mapping[str, Any] | None,
    leaves: Iterable[StoredLeaf],
    ca: CaSecrets,
    ledger: Ledger | None,
) -> Reach:
    """How clients of this cluster are known."""
    names = (
        name
        for leaf in leaves
        if leaf.component is Component.KAFKA and leaf.chain
        for name in leaf.chain[0].subject_alternative_names
    )
    chains = (
        ca.current, *ca.others.values(), *(one.chain for one in ca.prepared), *(one.chain for one in (ledger.entries if ledger else ())),
    )  # fmt: skip
    authorities = dict.fromkeys(certificate for chain in chains for certificate in chain)
    return Reach(scope, frozenset(map(str.lower, (*names, *_reported(kafka)))), tuple(authorities))


def _reported(kafka: Mapping[str, Any] | None) -> Iterator[str]:
    for listener in ((kafka or {}).get("status") or {}).get("listeners") or ():
        for address in listener.get("addresses") or ():
            yield str(address.get("host") or "")


def _host(address: str) -> str:
    return address.strip().rpartition(":")[0].strip("[]").lower()
