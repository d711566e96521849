# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The security between the processes of a cluster, as the Cluster Operator configures it (docs/operator.md, "Security
between processes").

Listeners for clients have their own configuration, and this changes nothing about them: they present the leaf of their
node, and verify users by the clients CA.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ClusterSecurity:
    """The connections between the processes of a cluster: nodes, the Cluster Operator, Entity Operator, Cruise Control
    and Kafka Exporter.
    """

    #: Whether these connections speak TLS: the server presents its leaf, and the client verifies it by the cluster CA.
    has_tls: bool = True
    #: Whether the server also verifies the client, by the same CA. Only then can a handshake show the server's trusted
    #: CAs.
    verifies_clients: bool = True
    #: Why the security of these connections is unknown, as a sentence without its subject, the Kafka resource; empty if
    #: it is known.
    problem: str = ""

    def presents(self, *, serves: bool) -> bool:
        """Whether a process presents its leaf to other processes of the cluster: a server does if there is TLS, a
        client if the server verifies it.
        """
        return self.has_tls and (serves or self.verifies_clients)

    @property
    def may_ask(self) -> bool:
        """Whether a handshake may ask a port between processes: a port without TLS answers a handshake with a stack
        trace in the log of its node.
        """
        return self.has_tls and not self.problem

    @property
    def shows_trust(self) -> bool:
        """Whether handshakes show which CAs nodes trust."""
        return self.verifies_clients and self.may_ask


#: Each side of a connection presents its leaf, as in every release of Strimzi unless the resource says otherwise.
MUTUAL_TLS = ClusterSecurity()
#: The remedy if the security of these connections is unknown.
HOW_TO_KNOW = (
    "Where the operator has yet to reconcile the resource, let it. Look for a release of the collection that knows "
    "these types; until then renew and replace CAs as Strimzi says for them."
)
