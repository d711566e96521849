# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Addresses that the platform gives to listeners: of load balancers in Services, and of OpenShift in Routes. The operator puts them into the
leaves of brokers (docs/operator.md, "Node names", 6 and 8).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from .._kube.client import KubeClient
from .names import ClusterNames
from .resources import ROUTES, SERVICES

Object = Mapping[str, Any]
#: The host name, or else the IP address, by the type of the listener and the name of its Service or Route.
Addresses: TypeAlias = Mapping[tuple[str, str], str]
_KINDS = {"loadbalancer": SERVICES, "route": ROUTES}
#: Types of listeners to which the platform gives addresses.
ADDRESSED = frozenset(_KINDS)


def listener_addresses(client: KubeClient, scope: ClusterNames, kafka: Object | None) -> Addresses:
    """Nothing is asked for where no listener has any. Raises KubeError."""
    types = {listener["type"] for listener in listeners_of(kafka)}
    found = {}
    for kind in sorted(types & ADDRESSED):
        for one in client.list(_KINDS[kind], scope.namespace, label_selector=scope.selector).items:
            if address := _address(one):
                found[kind, str(one["metadata"]["name"])] = address
    return found


def listeners_of(kafka: Object | None) -> list[Object]:
    return list((((kafka or {}).get("spec") or {}).get("kafka") or {}).get("listeners") or [])


def _address(one: Object) -> str:
    """Of the first entry, as the operator takes it; empty where there is none yet."""
    status = one.get("status") or {}
    entries = status.get("ingress") or (status.get("loadBalancer") or {}).get("ingress") or [{}]
    return str(entries[0].get("host") or entries[0].get("hostname") or entries[0].get("ip") or "")
