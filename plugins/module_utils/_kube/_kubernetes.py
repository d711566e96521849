# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The one place that imports the Kubernetes client. If it is absent, a message says so instead of a traceback.

The package of the library imports all of its parts, whichever of them is imported here.
"""

from __future__ import annotations

import traceback

#: The oldest release in which no_proxy, a kubeconfig from a dictionary and persistent tokens are known to work.
MINIMUM_KUBERNETES = "24.2.0"

KUBERNETES_IMPORT_ERROR: str | None = None
try:
    import kubernetes
    import urllib3
    import websocket  # comes with the Kubernetes client, which uses it for the same
    from kubernetes.client.configuration import Configuration
    from kubernetes.client.rest import RESTClientObject
    from kubernetes.config import load_incluster_config
    from kubernetes.config.config_exception import ConfigException
    from kubernetes.config.kube_config import KubeConfigLoader, KubeConfigMerger
    from urllib3._collections import HTTPHeaderDict  # urllib3 1.26 offers it nowhere else
    from yaml import YAMLError
except ImportError:
    KUBERNETES_IMPORT_ERROR = traceback.format_exc()
    # The names must exist. Without them, the import of any module of this package would fail before a message can say
    # why.
    kubernetes = urllib3 = websocket = Configuration = RESTClientObject = None  # type: ignore[assignment]
    load_incluster_config = KubeConfigLoader = KubeConfigMerger = None
    ConfigException = HTTPHeaderDict = YAMLError = None  # type: ignore[assignment,misc]

__all__ = [
    "KUBERNETES_IMPORT_ERROR",
    "MINIMUM_KUBERNETES",
    "ConfigException",
    "Configuration",
    "HTTPHeaderDict",
    "KubeConfigLoader",
    "KubeConfigMerger",
    "RESTClientObject",
    "YAMLError",
    "kubernetes",
    "load_incluster_config",
    "urllib3",
    "websocket",
]
