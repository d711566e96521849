# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How a server of Vault is reached: its URL, TLS that is always verified, and a proxy (docs/issuers/vault.md, "The
connection").
"""

from __future__ import annotations

import re
import ssl
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from .._errors import NoMemoryFiles, UnusablePair, VaultFailure
from .._kube._kubernetes import urllib3
from .._kube.memory_files import present
from .._pki.certificates import encode_certificates
from .._strimzi.issuer_settings import VaultIssuer, VaultTlsCertificate

_LOOPBACK = re.compile(r"localhost|127(?:\.\d+){3}|::1")


def checked_url(url: str) -> str:
    """Raises VaultFailure. The URL is not quoted: it may hold a password."""
    base = url.rstrip("/")
    try:
        parts = urlsplit(base)
        usable = bool(parts.hostname) and not (parts.username or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(not one.isprintable() or one.isspace() for one in base):
        raise VaultFailure("The url of Vault", "is not a URL of a server", "Give url as https://HOST:8200.")
    if parts.scheme != "https" and not is_on_this_machine(base):
        raise VaultFailure(
            f"The url {base}",
            "has no TLS: tokens would be sent unencrypted, and any host on the way could answer",
            "Give a url that begins with https://.",
        )
    return base


def is_on_this_machine(url: str) -> bool:
    """A proxy of Vault on this machine, such as its agent, has TLS of its own."""
    parts = urlsplit(url)
    return parts.scheme == "http" and _LOOPBACK.fullmatch(parts.hostname or "") is not None


def tls_context(settings: VaultIssuer) -> ssl.SSLContext:
    # The library knows which of the two, it or OpenSSL, compares names and addresses in each of its versions.
    context: ssl.SSLContext = urllib3.util.ssl_.create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        if settings.ca_certificate is None:
            context.load_default_certs()
        else:
            context.load_verify_locations(cadata=settings.ca_certificate.decode("ascii"))
    except (ssl.SSLError, UnicodeDecodeError):
        raise VaultFailure(
            "What is given as the CA of Vault's own certificate", "is no certificate in PEM form", "Correct it."
        ) from None
    if isinstance(settings.login, VaultTlsCertificate):
        _present(context, settings.login)
    return context


def _present(context: ssl.SSLContext, login: VaultTlsCertificate) -> None:
    try:
        present(context, encode_certificates(login.chain) + login.key.reveal(), "vault")
    except NoMemoryFiles:
        raise VaultFailure(
            "This system",
            "has no memory files (memfd_create), so the key that logs in to Vault cannot be used without "
            "writing it to a disk",
            "Run this task on Linux, or log in in another way.",
        ) from None
    except UnusablePair:
        raise VaultFailure(
            "The certificate and the key that log in to Vault",
            "are no usable pair",
            "Give the key of this certificate.",
        ) from None


def pool(base: str, context: ssl.SSLContext) -> Any:
    """With the proxy that the environment names for this server (HTTPS_PROXY, NO_PROXY), if there is one. What has no TLS
    does not leave this machine.
    """
    proxies = getproxies()
    proxy = proxies.get("https") or proxies.get("all")
    if not proxy or is_on_this_machine(base) or proxy_bypass(urlsplit(base).netloc):
        return urllib3.PoolManager(ssl_context=context, cert_reqs="CERT_REQUIRED")
    given = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    host = given.netloc.rpartition("@")[2]
    headers = {}
    if given.username is not None:
        user = f"{unquote(given.username)}:{unquote(given.password or '')}"
        headers = urllib3.make_headers(proxy_basic_auth=user)
    try:
        return urllib3.ProxyManager(
            f"{given.scheme}://{host}", proxy_headers=headers, ssl_context=context, cert_reqs="CERT_REQUIRED"
        )
    except (urllib3.exceptions.HTTPError, ValueError):
        raise VaultFailure(
            f"The proxy {host} that the environment names for Vault",
            "cannot be used",
            "Set HTTPS_PROXY to a proxy that speaks HTTP, or add Vault to NO_PROXY.",
        ) from None
