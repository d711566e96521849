"""The answers that the nodes of a cluster would give if they were asked: what their processes really loaded, not what is annotated.

Unlike the rest of this package it speaks the collection's language, so only the tests of flows import it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import limit_of_handshake
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.response_time import (
    CONVERSATION,
    PROMPT,
    ResponseTime,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import usable_key
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.listeners import AT_MOST, endpoints_of
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.specified_listeners import (
    user_listeners,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.enrolment import as_seen
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Pod

from .checker import entries
from .memory_cluster import MemoryCluster
from .signing_office import secrets_of

_ROLES = {"controller": 9090, "broker": 9091}


@dataclass
class Answers:
    """For ``NodeAccess.look_live``."""

    memory: MemoryCluster
    #: Names of pods that do not answer; one_port: on the first of their ports alone.
    silent: set[str] = field(default_factory=set)
    #: Ports of pods (UIDs) that present what is stored now, whatever else the process presents.
    served: set[tuple[str, int]] = field(default_factory=set)
    one_port: bool = False
    #: Called before each look, for what happens meanwhile.
    before: Callable[[], None] = field(default=lambda: None)
    #: The number of looks.
    asked: int = 0
    #: How long the API server takes for an answer, as the call that asks has measured it.
    response_time: ResponseTime = PROMPT

    def __call__(self, observation: Observation) -> tuple[ObservedListener, ...]:
        self.asked += 1
        self.before()
        ledger = as_seen(observation.snapshot)
        known = [
            *(entry.certificate for entry in ledger.entries),
            *(removed.certificate for removed in ledger.removed_cas),
        ]
        nodes = [pod for pod in observation.snapshot.nodes.pods if pod.component is Component.KAFKA]
        self._check_ports(observation)
        about_users = observation.scope.ca is CaKind.CLIENTS
        users = [listener.port for listener in user_listeners(observation.kafka or {}) if listener.managed]
        ports = {pod.name: users if about_users else self._ports(pod) for pod in nodes}
        is_too_slow = self._take_time(len([port for name in ports for port in ports[name]]), len(known))
        hanging = {name: ports[name][:1] if self.one_port else ports[name] for name in self.silent & ports.keys()}
        return tuple(
            self._answer(pod, port, known, about_users, hangs=is_too_slow or port in hanging.get(pod.name, ()))
            for pod in nodes
            for port in ports[pod.name]
        )

    def _take_time(self, listeners: int, probes: int) -> bool:
        """Lets the time for handshakes through a slow API server pass; whether one takes longer than the call has for
        it.
        """
        if not self.memory.answer_takes:
            return False
        takes, limit = CONVERSATION * self.memory.answer_takes, limit_of_handshake(self.response_time)
        rounds = math.ceil(listeners / AT_MOST) * (1 + probes)
        self.memory.pass_by(rounds * min(takes, limit))
        return takes > limit

    def _check_ports(self, observation: Observation) -> None:
        """No call may shake hands with a port that speaks no TLS: its node would log a stack trace."""
        asked = {endpoint.port for endpoint in endpoints_of(observation)}
        plain = asked & set(_ROLES.values()) if not self.memory.kubelet.security.has_tls else set()
        assert not plain, f"a handshake on ports without TLS: {plain}"

    def _ports(self, pod: Pod) -> list[int]:
        """The internal listeners by the roles of the node, and the listeners for clients that have read their leaf
        again; without TLS between nodes the listeners of brokers for clients.
        """
        found = self.memory.api.find("pods", self.memory.namespace, pod.name)
        labels = found["metadata"]["labels"] if found else {}
        if not self.memory.kubelet.security.has_tls:
            kafka = self.memory.api.find("kafkas", self.memory.namespace, self.memory.cluster) or {}
            is_broker = labels.get("strimzi.io/broker-role") == "true"
            return (
                [port["port"] for port in kafka["spec"]["kafka"]["listeners"] if port.get("tls")] if is_broker else []
            )
        internal = [port for role, port in _ROLES.items() if labels.get(f"strimzi.io/{role}-role") == "true"]
        return [*internal, *sorted(port for uid, port in self.served if uid == pod.uid and port not in internal)]

    def _answer(
        self, pod: Pod, port: int, known: list[Certificate], about_users: bool, *, hangs: bool
    ) -> ObservedListener:
        process = self.memory.kubelet.processes.get(pod.uid)
        if process is None or hangs or (about_users and not process.users):
            return ObservedListener(pod.name, pod.uid, port, failure=f"port {port}: no answer")
        verifies = about_users or self.memory.kubelet.security.verifies_clients
        accepted, refused, shared = (
            self._verdicts(known, process.users if about_users else process.trusted) if verifies else [frozenset()] * 3
        )
        shown = self.memory.kubelet.stored_leaf(pod.name) if (pod.uid, port) in self.served else process.presented[0][1]
        chain, doubts = (
            parse_certificates(shown),
            dict.fromkeys(shared, f"port {port}: names it, and others"),
        )
        return ObservedListener(
            pod.name,
            pod.uid,
            port,
            chain,
            accepted,
            refused,
            doubts,
            "handshake with TLSv1.2",
            verifies=verifies,
            shared=shared,
        )

    def _verdicts(self, known: list[Certificate], trusted: bytes) -> list[frozenset[str]]:
        """The fingerprints of the CAs that a listener accepts, that it refuses, and that it names together with others."""
        accepted = {authority.fingerprint for authority in known if _accepts(trusted, authority)}
        shared = {authority.fingerprint for authority in known if self._tells_a_name(authority, known, trusted)}
        refused = {authority.fingerprint for authority in known} - accepted - shared
        return [frozenset(found) for found in (accepted - shared, refused, shared)]

    def _tells_a_name(self, authority: Certificate, known: list[Certificate], trusted: bytes) -> bool:
        """Whether the listener names a CA that several may be, and there is no key to make a probe with."""
        same = [certificate for certificate in known if certificate.subject_der == authority.subject_der]
        named = any(certificate.subject_der == authority.subject_der for certificate in parse_certificates(trusted))
        return (
            named and len({certificate.public_key_sha256 for certificate in same}) > 1 and not self._is_here(authority)
        )

    def _is_here(self, authority: Certificate) -> bool:
        """Whether its private key lies in a Secret of the namespace."""
        texts = [
            text
            for secret in secrets_of(self.memory)
            for name, text in entries(secret).items()
            if name.endswith(".key")
        ]
        return any(authority.is_for(usable) for text in texts if (usable := usable_key(text)) is not None)


def _accepts(trusted: bytes, authority: Certificate) -> bool:
    """By name and key, as path validation finds an anchor."""
    return any(
        (anchor.subject_der, anchor.public_key_sha256) == (authority.subject_der, authority.public_key_sha256)
        for anchor in parse_certificates(trusted)
    )
