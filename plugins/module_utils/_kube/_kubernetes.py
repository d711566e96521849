# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The one place that imports the Kubernetes client, so that its absence is a message and not a traceback."""

from __future__ import annotations

import traceback

MINIMUM_KUBERNETES = "24.2.0"

KUBERNETES_IMPORT_ERROR: str | None = None
try:
    import kubernetes
    import urllib3
    from kubernetes import client as kubernetes_client
    from kubernetes import config as kubernetes_config
    from kubernetes.config.config_exception import ConfigException
except ImportError:
    KUBERNETES_IMPORT_ERROR = traceback.format_exc()

__all__ = [
    "KUBERNETES_IMPORT_ERROR",
    "MINIMUM_KUBERNETES",
    "ConfigException",
    "kubernetes",
    "kubernetes_client",
    "kubernetes_config",
    "urllib3",
]
