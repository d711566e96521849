# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""From options to a client; tests replace this module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from .._errors import OptionsError
from .._kube.client import KubeClient
from .._kube.connection import connect
from .arguments import AUTH
from .redaction import without_exec_values

if TYPE_CHECKING:
    from .._kube.http_transport import HttpTransport
    from .._strimzi.names import ClusterNames
    from .._strimzi.work import PortOpener


def client_for(options: Mapping[str, Any], warn: Callable[[str], None]) -> KubeClient:
    """A client of the API server that these options name. warn: takes each sentence about an unsafe connection. Raises OptionsError."""
    transport = _connected(options)
    for caution in transport.cautions:
        warn(caution)
    return KubeClient(transport)


def opener_for(params: Mapping[str, Any], client: KubeClient, scope: ClusterNames) -> PortOpener:
    """Opens ports of pods in the way that the options say. Raises KubeError, OptionsError."""
    if params.get("pod_access") == "direct":
        return direct_opener_for(client, scope)
    return port_opener_for(connection_options(params), scope.namespace)


def connection_options(params: Mapping[str, Any]) -> dict[str, Any]:
    """The options about the connection, of all that a module has."""
    return {name: params.get(name) for name in AUTH.options}


def direct_opener_for(client: KubeClient, scope: ClusterNames) -> PortOpener:
    """Opens ports of the cluster's pods by their addresses. Raises KubeError."""
    # Imported only where direct access was asked for.
    from .._kube.direct_ports import DirectPorts

    return DirectPorts(client, scope.namespace, scope.selector)


def port_opener_for(options: Mapping[str, Any], namespace: str) -> PortOpener:
    """Opens ports of pods through the API server. Raises OptionsError."""
    # Imported only when a look is taken, because most calls take none.
    from .._kube.port_forward import open_port

    return partial(open_port, _connected(options), namespace)


def _connected(options: Mapping[str, Any]) -> HttpTransport:
    """Raises OptionsError. The text of one can come from an exec plugin, which quotes its own arguments."""
    try:
        return connect(options)
    except OptionsError as error:
        cause = without_exec_values(error.cause, options.get("kubeconfig"))
        raise OptionsError(error.object, cause, error.remedy) from None
