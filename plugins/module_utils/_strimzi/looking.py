# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A look at the running nodes: which listeners to ask, and with which certificates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from .._handshake.listener import Inquiry
from .._handshake.probes import make_stranger
from .._trust.ledger.enrolment import as_seen
from .._trust.model.listeners import ObservedListener
from .._trust.model.snapshot import Component, Pod
from . import names
from .listener_addresses import listeners_of
from .live import Endpoint, observe_listeners, probe_of
from .names import CaKind
from .observe import Observation
from .pods import has_role
from .user_listeners import user_listeners
from .work import PortOpener

#: Listeners whose truststore is the trust bundle of the cluster CA (docs/operator.md, "Who trusts what"), by the role
#: that has them.
_INTERNAL = {names.CONTROLLER_ROLE_LABEL: 9090, names.BROKER_ROLE_LABEL: 9091}


def look_at(
    observation: Observation, open_port: PortOpener, *, now: datetime, seconds: float
) -> tuple[ObservedListener, ...]:
    """Ask every TLS listener of every node. seconds: for all of them together. Failures become part of the
    observations.
    """
    return observe_listeners(open_port, endpoints_of(observation), _inquiry(observation, now), seconds=seconds)


def endpoints_of(observation: Observation) -> tuple[Endpoint, ...]:
    """Every listener that can be asked about the CA."""
    if observation.scope.ca is CaKind.CLIENTS:
        return _of_users(observation)
    user = _user_ports(observation.kafka or {})
    found: list[Endpoint] = []
    for pod in observation.snapshot.nodes.pods:
        if pod.component is Component.KAFKA:
            found += _of_node(pod, observation.pods[pod.name], user)
    return tuple(found)


def _of_users(observation: Observation) -> tuple[Endpoint, ...]:
    """The listeners to which the operator gives the clients CA (docs/operator.md, "Who trusts what")."""
    ports = [listener.port for listener in user_listeners(observation.kafka or {}) if listener.managed]
    return tuple(
        Endpoint(pod.name, pod.uid, port, running=_runs(pod))
        for pod in observation.snapshot.nodes.pods
        for port in ports
    )


def _of_node(pod: Pod, found: Mapping[str, Any], user: tuple[int, ...]) -> list[Endpoint]:
    internal = [port for role, port in _INTERNAL.items() if has_role(found, role)]
    own = user if has_role(found, names.BROKER_ROLE_LABEL) else ()
    return [
        *(Endpoint(pod.name, pod.uid, port, running=_runs(pod)) for port in internal),
        *(Endpoint(pod.name, pod.uid, port, verifies=False, running=_runs(pod)) for port in own),
    ]


def _runs(pod: Pod) -> bool:
    return pod.ready and not pod.terminating


def _user_ports(kafka: Mapping[str, Any]) -> tuple[int, ...]:
    """Ports of the TLS listeners that present the node's own certificate; a certificate of the user is not of the
    cluster CA.
    """
    return tuple(
        int(listener["port"])
        for listener in listeners_of(kafka)
        if listener.get("tls") and not (listener.get("configuration") or {}).get("brokerCertChainAndKey")
    )


def _inquiry(observation: Observation, now: datetime) -> Inquiry:
    """The inquiry about every CA that is trusted, about to be trusted, or was."""
    ledger = as_seen(observation.snapshot)
    authorities = [*(e.certificate for e in ledger.entries), *(removed.certificate for removed in ledger.removed)]
    keys = observation.secret(observation.scope.ca_key_secret)
    probes = {one.fingerprint: probe for one in authorities if (probe := probe_of(one, keys, now)) is not None}
    return Inquiry(authorities, probes, authorities, make_stranger(now=now))
