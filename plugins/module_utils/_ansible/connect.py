# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""From options to a client; tests replace this module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from .._kube.client import KubeClient
from .._kube.connection import connect

if TYPE_CHECKING:
    from .._strimzi.names import ClusterNames
    from .._strimzi.work import PortOpener


def client_for(options: Mapping[str, Any], warn: Callable[[str], None]) -> KubeClient:
    """warn: is told what makes the connection unsafe. Raises ConnectionOptionsError."""
    transport = connect(options)
    for caution in transport.cautions:
        warn(caution)
    return KubeClient(transport)


def direct_opener_for(client: KubeClient, scope: ClusterNames) -> PortOpener:
    """Opens ports of the cluster's pods by their addresses. Raises KubeError."""
    # Imported only where direct access was asked for.
    from .._kube.direct_ports import DirectPorts

    return DirectPorts(client, scope.namespace, scope.selector)


def port_opener_for(options: Mapping[str, Any], namespace: str) -> PortOpener:
    """Opens ports of pods through the API server. Raises ConnectionOptionsError."""
    # Imported only when a look is taken, because most calls take none.
    from .._kube.port_forward import open_port

    return partial(open_port, connect(options), namespace)
