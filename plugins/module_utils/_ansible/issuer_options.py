# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The issuer that the options name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from .._pki.certificates import CertificateError, parse_chain
from .._pki.keys import PrivateKeyError, load_key
from .._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
    ExternalIssuer,
    IssuerSettings,
    VaultAppRole,
    VaultIssuer,
    VaultKubernetes,
    VaultLogin,
    VaultTlsCertificate,
    VaultToken,
)
from .errors import OptionsError
from .limits import MOST_DAYS


def issuer_settings(options: Mapping[str, Any] | None) -> IssuerSettings:
    """options: the value of ``issuer``; None: nobody is named, and requests wait for a person or a tool. Raises
    OptionsError.
    """
    if options is None or options["type"] == "external":
        return ExternalIssuer()
    if options["type"] == "cert_manager":
        named = CertManagerIssuer(options["name"], options["kind"], options["group"])
        return named if options["resource"] == "CertificateRequest" else _certificates(named, options)
    trusted = options["ca_certificate"]
    return VaultIssuer(
        options["url"], options["mount"], options["role"], options["name"], _login(options["login"]),
        options["vault_namespace"] or "", trusted.encode("utf-8") if trusted else None, options["linked_by"] or "",
    )  # fmt: skip


def _certificates(named: CertManagerIssuer, options: Mapping[str, Any]) -> CertManagerCertificates:
    validity, renew_before = options["validity_days"], options["renew_before_days"]
    if not 0 < renew_before < validity:
        raise OptionsError(
            f"issuer: renew_before_days is {renew_before} and validity_days is {validity}. Give it between 1 and less than those."
        )
    if validity > MOST_DAYS:
        raise OptionsError(f"issuer: validity_days is {validity}. Give {MOST_DAYS} or less.")
    return CertManagerCertificates(named, timedelta(days=validity), timedelta(days=renew_before))


def _login(options: Mapping[str, Any]) -> VaultLogin:
    mount = {"mount": options["mount"]} if options["mount"] else {}
    if options["type"] == "token":
        return VaultToken(options["token"])
    if options["type"] == "approle":
        return VaultAppRole(options["role_id"], options["secret_id"], **mount)
    if options["type"] == "kubernetes":
        return VaultKubernetes(options["role"], options["jwt"], **mount)
    try:
        chain = parse_chain(options["certificate"].encode("utf-8"))
        key = load_key(options["private_key"].encode("utf-8"))
    except (CertificateError, PrivateKeyError) as error:
        raise OptionsError(
            f"issuer.login: {error}. Give certificate and private_key in PEM form, unencrypted."
        ) from None
    return VaultTlsCertificate(chain, key, options["role"] or "", **mount)
