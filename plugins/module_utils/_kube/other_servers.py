# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Connections with servers beside the API server, which get secrets of their own: Vault, and identity providers."""

from __future__ import annotations

import re
import ssl
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from .._errors import TransportError
from .._tls.contexts import to_proxy
from ._kubernetes import urllib3
from .network import for_pool

_LOOPBACK = re.compile(r"localhost|127(?:\.\d+){3}|::1")


def is_on_this_machine(url: str) -> bool:
    """A proxy on this machine, such as the agent of Vault, has TLS of its own."""
    parts = urlsplit(url)
    return parts.scheme == "http" and _LOOPBACK.fullmatch(parts.hostname or "") is not None


def is_safe(url: str) -> bool:
    """Whether a secret may be sent to this URL: over TLS, or on this machine."""
    return urlsplit(url).scheme == "https" or is_on_this_machine(url)


def pool_of_environment(url: str, context: ssl.SSLContext) -> Any:
    """Connections with this server, through the proxy that the environment names for it (HTTPS_PROXY, NO_PROXY), if it
    names any. A connection without TLS stays on this machine. Raises TransportError.
    """
    settings: dict[str, Any] = {"ssl_context": for_pool(context), "cert_reqs": "CERT_REQUIRED"}
    proxies = getproxies()
    proxy = proxies.get("https") or proxies.get("all")
    if not proxy or is_on_this_machine(url) or proxy_bypass(urlsplit(url).netloc):
        return urllib3.PoolManager(**settings)
    host, headers = proxy.rpartition("@")[2], {}
    try:
        given = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        host = given.netloc.rpartition("@")[2]
        if given.username is not None:
            user = f"{unquote(given.username)}:{unquote(given.password or '')}"
            headers = urllib3.make_headers(proxy_basic_auth=user)
        if given.scheme == "https":
            settings["proxy_ssl_context"] = for_pool(to_proxy())
        return urllib3.ProxyManager(f"{given.scheme}://{host}", proxy_headers=headers, **settings)
    except (urllib3.exceptions.HTTPError, ValueError):
        raise TransportError(
            f"the proxy {host} that the environment names cannot be used",
            sent=False,
            transient=False,
            remedy="Set HTTPS_PROXY to a proxy that speaks HTTP, or add this server to NO_PROXY.",
        ) from None
