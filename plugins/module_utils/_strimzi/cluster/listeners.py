# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A look at the running nodes: which listeners to ask and with which certificates, their presented chains and their
trusted CAs. Brokers also show which clients CAs each accepts on the listeners for users. A bounded number of pods
answers at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..._handshake.listener import (
    KAFKA_PROMPT,
    Inquiry,
    ListenerObservation,
    Probe,
    collect,
    make_probe,
    make_untrusted_probe,
    observe_listener,
)
from ..._handshake.tls import ByteStream, Deadline
from ..._kube.client import KubeClient
from ..._kube.resources import PODS, SECRETS
from ..._kube.response_time import CONVERSATION, PROMPT, ResponseTime
from ..._pki.certificates import Certificate
from ..._trust.evidence.parties import listener_name
from ..._trust.ledger.enrolment import as_seen
from ..._trust.model.components import Component
from ..._trust.model.listeners import CONTROL_PLANE, REPLICATION, ObservedListener
from ..._trust.model.security import ClusterSecurity
from ..._trust.model.snapshot import Pod
from .. import names
from ..names import CaKind, ClusterNames
from .ca_secrets import key_of
from .node_pools import node_pools
from .observe import Observation
from .pods import has_role, is_final, is_ready, read_owners
from .specified_listeners import own_ports, user_listeners

if TYPE_CHECKING:
    from ..._kube.pod_access import PortOpener
    from ..user_certificate import ClientsCa

#: Connections through the API server at the same time: each connection is a stream on the API server and on the node.
AT_MOST = 16


@dataclass(frozen=True)
class Endpoint:
    """A listener of a pod that exists now."""

    #: Name of the pod.
    pod: str
    #: UID of the pod.
    uid: str
    #: Port of the listener.
    port: int
    #: A request for the listener to answer; with TLS 1.3 only an answer shows whether it has accepted a certificate.
    prompt: bytes = KAFKA_PROMPT
    #: Whether the listener verifies clients by the CAs of the cluster, so handshakes can show its trusted CAs.
    verifies: bool = True
    #: Whether the pod is Ready and stays. Only then is a refused connection by the API server a sign of a barred
    #: listener.
    running: bool = True


def probe_of(authority: Certificate, key_secret: Mapping[str, Any] | None, now: datetime) -> Probe | None:
    """A probe of this CA; None if the cluster does not keep its key. Then only the list of accepted CAs is evidence."""
    key = key_of(authority, key_secret)
    return None if key is None else make_probe(authority, key, now=now)


def observe_listeners(
    open_port: PortOpener,
    endpoints: Sequence[Endpoint],
    inquiry: Inquiry,
    *,
    seconds: float,
    response_time: ResponseTime = PROMPT,
    at_most: int = AT_MOST,
) -> tuple[ObservedListener, ...]:
    """An observation for each endpoint, in their order. It takes so many seconds for all of them together if the API
    server answers at once, and more with this response time. List the pods again afterwards (``answers_of_running``).
    """
    # Each of the simultaneous connections has its share of the endpoints, one after the other.
    limit = response_time.within(seconds, CONVERSATION * inquiry.questions * math.ceil(len(endpoints) / at_most))
    jobs = {endpoint: _job(open_port, endpoint, inquiry, response_time) for endpoint in endpoints}
    observations = collect(jobs, at_most=at_most, deadline=Deadline.after(limit))
    return tuple(_observed(endpoint, seen, limit) for endpoint, seen in observations.items())


def _job(
    open_port: PortOpener, endpoint: Endpoint, inquiry: Inquiry, response_time: ResponseTime
) -> Callable[[Deadline], ListenerObservation]:
    def opening(timeout: float) -> AbstractContextManager[ByteStream]:
        return open_port(endpoint.pod, endpoint.port, timeout=timeout)

    own_inquiry = inquiry if endpoint.verifies else inquiry.of_no_authority()
    return lambda deadline: observe_listener(
        opening, own_inquiry, deadline=deadline, prompt=endpoint.prompt, response_time=response_time
    )


def _observed(endpoint: Endpoint, seen: ListenerObservation | None, seconds: float) -> ObservedListener:
    party = listener_name(endpoint.port)
    if seen is None:
        why = f"the run did not finish its questions to {party} within the {round(seconds, 1):g} s for all listeners"
        return ObservedListener(endpoint.pod, endpoint.uid, endpoint.port, failure=why, verifies=endpoint.verifies)
    return ObservedListener(
        endpoint.pod,
        endpoint.uid,
        endpoint.port,
        seen.presented,
        seen.trusts,
        seen.distrusts,
        {name: f"{party}: {verdict.evidence}" for name, verdict in seen.verdicts.items() if not verdict.trust.is_known},
        f"handshake with {seen.version}" if seen.version else "",
        f"{party}: {seen.failure}" if seen.failure else "",
        endpoint.verifies,
        seen.shares,
        seen.barred and endpoint.running,
    )


#: Listeners with the trust bundle of the cluster CA as truststore (docs/operator.md, "What each process trusts"), by
#: the role of their nodes.
_INTERNAL = {names.CONTROLLER_ROLE_LABEL: CONTROL_PLANE, names.BROKER_ROLE_LABEL: REPLICATION}


def look_at(
    observation: Observation, open_port: PortOpener, *, now: datetime, seconds: float, response_time: ResponseTime
) -> tuple[ObservedListener, ...]:
    """Ask every TLS listener of every node, with the limit as for ``observe_listeners``. Failures become part of the
    observations.
    """
    inquiry = _inquiry(observation, now)
    return observe_listeners(
        open_port, endpoints_of(observation), inquiry, seconds=seconds, response_time=response_time
    )


def endpoints_of(observation: Observation) -> tuple[Endpoint, ...]:
    """Every listener that presents certificates of the CA, or shows whether it accepts the CA."""
    if observation.scope.ca is CaKind.CLIENTS:
        return _of_users(observation)
    user, security = own_ports(observation.kafka or {}), observation.snapshot.security
    endpoints: list[Endpoint] = []
    for pod in observation.snapshot.nodes.pods:
        if pod.component is Component.KAFKA:
            endpoints += _of_node(pod, observation.pods[pod.name], user, security)
    return tuple(endpoints)


def _of_users(observation: Observation) -> tuple[Endpoint, ...]:
    """The listeners with the clients CA from the operator (docs/operator.md, "What each process trusts")."""
    ports = [listener.port for listener in user_listeners(observation.kafka or {}) if listener.managed]
    return tuple(
        Endpoint(pod.name, pod.uid, port, running=_runs(pod))
        for pod in observation.snapshot.nodes.pods
        for port in ports
    )


def _of_node(pod: Pod, stored: Mapping[str, Any], user: tuple[int, ...], security: ClusterSecurity) -> list[Endpoint]:
    """The endpoints of a node, without ports that have no TLS: a handshake there would only leave a stack trace in the
    log of the node.
    """
    internal = [port for role, port in _INTERNAL.items() if security.may_ask and has_role(stored, role)]
    own = user if has_role(stored, names.BROKER_ROLE_LABEL) else ()
    return [
        *(Endpoint(pod.name, pod.uid, port, verifies=security.shows_trust, running=_runs(pod)) for port in internal),
        *(Endpoint(pod.name, pod.uid, port, verifies=False, running=_runs(pod)) for port in own),
    ]


def _runs(pod: Pod) -> bool:
    return pod.ready and not pod.terminating


def _inquiry(observation: Observation, now: datetime) -> Inquiry:
    """The inquiry about every CA that is trusted, is about to be trusted, or was trusted."""
    ledger = as_seen(observation.snapshot)
    authorities = [*(e.certificate for e in ledger.entries), *(removed.certificate for removed in ledger.removed_cas)]
    keys = observation.secret(observation.scope.ca_key_secret)
    probes = {
        authority.fingerprint: probe
        for authority in authorities
        if (probe := probe_of(authority, keys, now)) is not None
    }
    return Inquiry(authorities, probes, authorities, make_untrusted_probe(now=now))


def look_at_user_listeners(
    client: KubeClient,
    scope: ClusterNames,
    kafka: Mapping[str, Any],
    clients_ca: ClientsCa,
    open_port: PortOpener,
    *,
    now: datetime,
    seconds: float,
) -> tuple[ObservedListener, ...]:
    """Ask every managed listener of every broker about each clients CA, with the limit as for ``observe_listeners``.
    Raises KubeError; other failures become part of the observations.
    """
    ports = [listener.port for listener in user_listeners(kafka) if listener.managed]
    if not ports:
        return ()
    endpoints = [
        Endpoint(str(pod["metadata"]["name"]), str(pod["metadata"]["uid"]), port, running=is_ready(pod))
        for pod in _brokers(client, scope, kafka) for port in ports
    ]  # fmt: skip
    stored = client.get_or_none(SECRETS, scope.namespace, scope.of(CaKind.CLIENTS).ca_key_secret)
    probes = {anchor.fingerprint: probe for anchor in clients_ca.anchors if (probe := probe_of(anchor, stored, now))}
    inquiry = Inquiry(clients_ca.anchors, probes, clients_ca.anchors, make_untrusted_probe(now=now))
    return observe_listeners(open_port, endpoints, inquiry, seconds=seconds, response_time=client.response_time)


def _brokers(client: KubeClient, scope: ClusterNames, kafka: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Running brokers, by name."""
    selector = f"{scope.selector},{names.NAME_LABEL}={scope.node_name_label}"
    pods = client.list(PODS, scope.namespace, label_selector=selector).items
    owners = read_owners(client, scope, kafka, node_pools(client, scope))
    running = (pod for pod in pods if owners.component_of(pod) and not is_final(pod))
    brokers = (pod for pod in running if has_role(pod, names.BROKER_ROLE_LABEL))
    return sorted(brokers, key=lambda pod: str(pod["metadata"]["name"]))
