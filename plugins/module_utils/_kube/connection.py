# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""From the options and environment names of kubernetes.core to a transport.

Order: option, then environment (K8S_AUTH_*), then kubeconfig file, then the in-cluster service account.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._kube._kubernetes import (
    ConfigException,
    kubernetes_client,
    kubernetes_config,
    urllib3,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.transport import HttpTransport

#: Option name -> environment variable, as kubernetes.core has them.
ENVIRONMENT = {
    "kubeconfig": "K8S_AUTH_KUBECONFIG",
    "context": "K8S_AUTH_CONTEXT",
    "host": "K8S_AUTH_HOST",
    "api_key": "K8S_AUTH_API_KEY",
    "username": "K8S_AUTH_USERNAME",
    "password": "K8S_AUTH_PASSWORD",
    "validate_certs": "K8S_AUTH_VERIFY_SSL",
    "ca_cert": "K8S_AUTH_SSL_CA_CERT",
    "client_cert": "K8S_AUTH_CERT_FILE",
    "client_key": "K8S_AUTH_KEY_FILE",
    "proxy": "K8S_AUTH_PROXY",
    "no_proxy": "K8S_AUTH_NO_PROXY",
    "persist_config": "K8S_AUTH_PERSIST_CONFIG",
    "impersonate_user": "K8S_AUTH_IMPERSONATE_USER",
    "impersonate_groups": "K8S_AUTH_IMPERSONATE_GROUPS",
}
_PROXY_HEADER_PREFIX = "K8S_AUTH_PROXY_HEADERS_"
_FALSE = frozenset({"0", "false", "no", "off", "n", "f"})

#: Seconds for one request; watches set their own.
REQUEST_TIMEOUT = 60.0


class ConnectionOptionsError(Exception):
    """The options do not lead to an API server."""


def resolve_options(options: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """The options in effect; empty strings count as unset, as surveys send them."""
    resolved = {}
    for name, variable in ENVIRONMENT.items():
        value = options.get(name)
        if value in (None, "", [], {}):
            value = environment.get(variable) or None
        if value is not None:
            resolved[name] = value
    for name in ("validate_certs", "persist_config"):
        if isinstance(resolved.get(name), str):
            resolved[name] = resolved[name].strip().lower() not in _FALSE
    if isinstance(resolved.get("impersonate_groups"), str):
        resolved["impersonate_groups"] = [g.strip() for g in resolved["impersonate_groups"].split(",") if g.strip()]
    headers = options.get("proxy_headers") or _proxy_headers(environment)
    if headers:
        resolved["proxy_headers"] = headers
    return resolved


def _proxy_headers(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        key[len(_PROXY_HEADER_PREFIX) :].lower(): value
        for key, value in environment.items()
        if key.startswith(_PROXY_HEADER_PREFIX)
    }


def connect(options: Mapping[str, Any]) -> HttpTransport:
    """Raises ConnectionOptionsError."""
    resolved = resolve_options(options, os.environ)
    configuration = _load(resolved)
    _override(configuration, resolved)
    api = kubernetes_client.ApiClient(configuration)
    return HttpTransport(api, _impersonation(resolved), REQUEST_TIMEOUT)


def _load(options: Mapping[str, Any]) -> Any:
    """The base configuration: a given host, a kubeconfig (file or content), or the pod's service account."""
    configuration = kubernetes_client.Configuration()
    kubeconfig, context = options.get("kubeconfig"), options.get("context")
    try:
        if isinstance(kubeconfig, Mapping):
            kubernetes_config.load_kube_config_from_dict(
                dict(kubeconfig), context=context, client_configuration=configuration,
                persist_config=bool(options.get("persist_config")),
            )  # fmt: skip
        elif kubeconfig or context:
            _load_file(configuration, kubeconfig, context, options)
        elif not options.get("host"):
            _load_default(configuration, options)
    except ConfigException as error:
        raise ConnectionOptionsError(
            f"No Kubernetes API server to talk to: {error}. Set kubeconfig and context, or host with api_key."
        ) from None
    return configuration


def _load_file(configuration: Any, path: Any, context: Any, options: Mapping[str, Any]) -> None:
    name = os.path.expanduser(str(path)) if path else None
    if name and not os.path.exists(name):
        raise ConnectionOptionsError(f"The kubeconfig file {name} does not exist. Correct the option kubeconfig.")
    kubernetes_config.load_kube_config(
        config_file=name, context=context, client_configuration=configuration,
        persist_config=bool(options.get("persist_config")),
    )  # fmt: skip


def _load_default(configuration: Any, options: Mapping[str, Any]) -> None:
    if os.environ.get("KUBERNETES_SERVICE_HOST") and not os.environ.get("KUBECONFIG"):
        kubernetes_config.load_incluster_config(client_configuration=configuration)
        return
    _load_file(configuration, None, None, options)


def _override(configuration: Any, options: Mapping[str, Any]) -> None:
    """Single options win over the kubeconfig."""
    if options.get("host"):
        configuration.host = str(options["host"]).rstrip("/")
    if options.get("api_key"):
        configuration.api_key = {"authorization": f"Bearer {options['api_key']}"}
    if options.get("username"):
        pair = f"{options['username']}:{options.get('password') or ''}".encode()
        configuration.api_key = {"authorization": f"Basic {base64.b64encode(pair).decode('ascii')}"}
    if "validate_certs" in options:
        configuration.verify_ssl = options["validate_certs"]
        if not options["validate_certs"]:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    files = {"ca_cert": "ssl_ca_cert", "client_cert": "cert_file", "client_key": "key_file"}
    for option, attribute in files.items():
        if options.get(option):
            setattr(configuration, attribute, os.path.expanduser(str(options[option])))
    if options.get("proxy"):
        configuration.proxy = options["proxy"]
        headers = options.get("proxy_headers")
        if headers:
            configuration.proxy_headers = urllib3.util.make_headers(**dict(headers))
    if options.get("no_proxy"):
        configuration.no_proxy = options["no_proxy"]
    configuration.retries = False


def _impersonation(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    user, groups = options.get("impersonate_user"), options.get("impersonate_groups") or []
    if groups and not user:
        raise ConnectionOptionsError("impersonate_groups needs impersonate_user.")
    headers = [("Impersonate-User", str(user))] if user else []
    return [*headers, *(("Impersonate-Group", str(group)) for group in groups)]
