# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The listeners that a Kafka resource specifies: their ports, their addresses, and the listeners for users with
certificates (docs/operator.md, "What each process trusts", "Users").

The platform gives addresses to listeners: of load balancers in Services, and of OpenShift in Routes. The operator puts
them into the leaves of brokers (docs/operator.md, "Node names", 6 and 8).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..._kube.client import KubeClient
from ..names import ROUTES, SERVICES, ClusterNames

Object = Mapping[str, Any]
#: The host name, or else the IP address, by the type of the listener and the name of its Service or Route.
Addresses: TypeAlias = Mapping[tuple[str, str], str]
_KINDS = {"loadbalancer": SERVICES, "route": ROUTES}
#: Types of listeners to which the platform gives addresses.
ADDRESSED = frozenset(_KINDS)


def listener_addresses(client: KubeClient, scope: ClusterNames, kafka: Object | None) -> Addresses:
    """The addresses of the listeners. Sends no request if no listener has such an address. Raises KubeError."""
    types = {listener["type"] for listener in listeners_of(kafka)}
    addresses = {}
    for kind in sorted(types & ADDRESSED):
        for item in client.list(_KINDS[kind], scope.namespace, label_selector=scope.selector).items:
            if address := _address(item):
                addresses[kind, str(item["metadata"]["name"])] = address
    return addresses


def listeners_of(kafka: Object | None) -> list[Object]:
    return list((((kafka or {}).get("spec") or {}).get("kafka") or {}).get("listeners") or [])


def own_ports(kafka: Object) -> tuple[int, ...]:
    """Ports of the TLS listeners that present the node's own certificate to clients. A certificate of the user is not
    of the cluster CA.
    """
    return tuple(
        int(listener["port"])
        for listener in listeners_of(kafka)
        if listener.get("tls") and not (listener.get("configuration") or {}).get("brokerCertChainAndKey")
    )


def _address(listener: Object) -> str:
    """The address of the first entry, as the operator takes it; empty if there is none yet."""
    status = listener.get("status") or {}
    entries = status.get("ingress") or (status.get("loadBalancer") or {}).get("ingress") or [{}]
    return str(entries[0].get("host") or entries[0].get("hostname") or entries[0].get("ip") or "")


#: With authentication of the first type, the operator gives a listener the clients CA. With the second type, the Kafka
#: resource says which CAs the listener trusts.
_MANAGED, _CUSTOM = "tls", "custom"
#: Whether such a listener asks for certificates: mostly it does not if it lets users in by OAuth or a password.
_ASKS, _NEVER = "ssl.client.auth", "none"


@dataclass(frozen=True)
class UserListener:
    """A listener of the Kafka resource."""

    #: The name of the listener in the Kafka resource.
    name: str
    #: The port at which nodes listen.
    port: int
    #: Its type, such as ``internal``.
    kind: str
    #: Whether the operator gives it the clients CA.
    managed: bool

    @property
    def label(self) -> str:
        """Its name as people read it."""
        return f"listener {self.name} ({self.port}, authentication {_MANAGED if self.managed else _CUSTOM})"

    @property
    def identifier(self) -> str:
        """Its name in the settings of a node, in lower case (docs/operator.md, "Reload")."""
        return f"{self.name.lower()}-{self.port}"


def user_listeners(kafka: Mapping[str, Any]) -> tuple[UserListener, ...]:
    """The listeners that can ask a client for a certificate."""
    listeners = []
    for listener in listeners_of(kafka):
        authentication = listener.get("authentication") or {}
        managed = authentication.get("type") == _MANAGED
        if listener.get("tls") and (managed or _asks_by_configuration(authentication)):
            listeners.append(UserListener(str(listener["name"]), int(listener["port"]), str(listener["type"]), managed))
    return tuple(listeners)


def _asks_by_configuration(authentication: Mapping[str, Any]) -> bool:
    """Whether the Kafka resource has it ask for certificates: the operator adds nothing to this configuration."""
    asks = (authentication.get("listenerConfig") or {}).get(_ASKS, _NEVER)
    return authentication.get("type") == _CUSTOM and str(asks).lower() != _NEVER
