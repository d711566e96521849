# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The answers of the listeners of running nodes at one moment, and the nodes without an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..._pki.certificates import Chain

#: The port of a controller for nodes and operators, and the port of brokers for each other (Strimzi,
#: ``KafkaCluster.CONTROLPLANE_PORT`` and ``REPLICATION_PORT``).
CONTROL_PLANE, REPLICATION = 9090, 9091


@dataclass(frozen=True)
class ObservedListener:
    """The answers of one listener."""

    #: Name of the pod.
    pod: str
    #: UID of the pod, because another pod can get its name.
    uid: str
    #: Port of the listener.
    port: int
    #: The chain as the listener sent it. None: no handshake has shown it, and ``failure`` gives the reason.
    presents: Chain | None = None
    #: Fingerprints of the CAs that it trusts, as handshakes have shown.
    accepts: frozenset[str] = frozenset()
    #: Fingerprints of the CAs that it refuses, as handshakes have shown.
    refuses: frozenset[str] = frozenset()
    #: By the fingerprint of a CA, the reason why handshakes do not show whether the listener trusts it.
    doubts: Mapping[str, str] = field(default_factory=dict)
    #: The kind of evidence.
    source: str = ""
    #: The reason for the lack of a chain, as a sentence.
    failure: str = ""
    #: Whether it verifies clients by the cluster's CAs.
    verifies: bool = True
    #: Fingerprints of the CAs in the list of names from the listener, if CAs with other keys have the same name and no
    #: key for a probe is in the cluster.
    shared: frozenset[str] = frozenset()
    #: Whether the API server refuses connections to the listener whatever its process does. Then no handshake can show
    #: anything.
    barred: bool = False

    @property
    def is_silent(self) -> bool:
        """Whether it has said nothing at all."""
        return self.presents is None and not self.accepts and not self.refuses


@dataclass(frozen=True)
class Unanswered:
    """A node without an answer: its certificate and its trusted CAs are unknown."""

    #: The name of its pod.
    pod: str
    #: UID of its pod.
    uid: str
    #: The machine of the pod; empty if it is unknown.
    worker: str
    #: Its state, and the outcome of the connection, without a full stop.
    reason: str

    @property
    def sentence(self) -> str:
        """Its name, worker and cause, as a part of a sentence."""
        where = f" on worker {self.worker}" if self.worker else ""
        return f"{self.pod}{where} ({self.reason})"
