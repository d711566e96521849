# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A look at brokers: which clients CAs each accepts on the listeners on which users log in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from .._handshake.listener import Inquiry
from .._handshake.probes import make_stranger
from .._kube.client import KubeClient
from .._kube.resources import PODS, SECRETS
from .._trust.model.listeners import ObservedListener
from . import names
from .live import Endpoint, observe_listeners, probe_of
from .names import CaKind, ClusterNames
from .owners import read_owners
from .pods import has_role, is_final, is_ready
from .user_listeners import user_listeners
from .user_secrets import ClientsCa
from .wanted_nodes import node_pools
from .work import PortOpener


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
    """Ask every managed listener of every broker about each clients CA. seconds: for all of them together. Raises KubeError; other
    failures become part of the observations.
    """
    ports = [listener.port for listener in user_listeners(kafka) if listener.managed]
    if not ports:
        return ()
    endpoints = [
        Endpoint(str(pod["metadata"]["name"]), str(pod["metadata"]["uid"]), port, running=is_ready(pod))
        for pod in _brokers(client, scope, kafka) for port in ports
    ]  # fmt: skip
    stored = client.get_or_none(SECRETS, scope.namespace, scope.of(CaKind.CLIENTS).ca_key_secret)
    probes = {one.fingerprint: probe for one in clients_ca.anchors if (probe := probe_of(one, stored, now))}
    inquiry = Inquiry(clients_ca.anchors, probes, clients_ca.anchors, make_stranger(now=now))
    return observe_listeners(open_port, endpoints, inquiry, seconds=seconds)


def _brokers(client: KubeClient, scope: ClusterNames, kafka: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Running ones, by name."""
    selector = f"{scope.selector},{names.NAME_LABEL}={scope.node_name_label}"
    pods = client.list(PODS, scope.namespace, label_selector=selector).items
    owners = read_owners(client, scope, kafka, node_pools(client, scope))
    running = (pod for pod in pods if owners.component_of(pod) and not is_final(pod))
    brokers = (pod for pod in running if has_role(pod, names.BROKER_ROLE_LABEL))
    return sorted(brokers, key=lambda pod: str(pod["metadata"]["name"]))
