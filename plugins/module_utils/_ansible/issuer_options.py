# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The issuer that the options name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from .._errors import CertificateError, OptionsError, PrivateKeyError
from .._pki.certificates import parse_chain
from .._pki.keys import load_key
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
    VaultTokenSecret,
)
from .arguments import FLOW
from .limits import MOST_DAYS

_OPTIONS: Mapping[str, Any] = FLOW.options["issuer"]["options"]
#: The options that each type of issuer reads.
_READ = {
    "external": frozenset[str](),
    "cert_manager": frozenset({"name", "kind", "group", "resource"}),
    "vault": frozenset({"name", "url", "mount", "role", "vault_namespace", "linked_by", "ca_certificate", "login"}),
}
_READ_BY_CERTIFICATES = frozenset({"validity_days", "renew_before_days"})
_READ_BY_LOGIN = {
    "token": frozenset({"token", "token_from"}),
    "approle": frozenset({"role_id", "secret_id"}),
    "kubernetes": frozenset({"role", "jwt"}),
    "cert": frozenset({"role", "certificate", "private_key"}),
}
_NEEDED = {"cert_manager": ("name",), "vault": ("name", "url", "role")}


def issuer_settings(options: Mapping[str, Any] | None) -> IssuerSettings:
    """options: the value of ``issuer``; None: no issuer is named, and requests wait for a person or a tool. Raises
    OptionsError.
    """
    if options is None:
        return ExternalIssuer()
    _require_of_one_type(options)
    if options["type"] == "external":
        return ExternalIssuer()
    if options["type"] == "cert_manager":
        named = CertManagerIssuer(options["name"], options["kind"], options["group"])
        return named if options["resource"] == "CertificateRequest" else _certificates(named, options)
    if "default" in (options["name"], options["linked_by"]):
        raise OptionsError(
            "issuer:",
            "'default' may be another issuer of the mount tomorrow",
            "Give the name or the id of the one that is meant, as vault list -detailed <mount>/issuers shows it.",
        )
    trusted = options["ca_certificate"]
    return VaultIssuer(
        options["url"], options["mount"], options["role"], options["name"], _login(options["login"]),
        options["vault_namespace"] or "", trusted.encode("utf-8") if trusted else None, options["linked_by"] or "",
    )  # fmt: skip


def _require_of_one_type(options: Mapping[str, Any]) -> None:
    """Raises OptionsError where an option is given that this type does not read, or an empty one that it needs."""
    kind = options["type"]
    read = _READ[kind] | (_READ_BY_CERTIFICATES if _is_by_certificates(options) else frozenset())
    for name in _OPTIONS:
        if name != "type" and name not in read and _is_given(options, name, _OPTIONS):
            cause, remedy = _of_another(name, options)
            raise OptionsError("issuer:", cause, f"{remedy}, or leave {name} out.")
    for name in _NEEDED.get(kind, ()):
        if not options[name]:
            raise OptionsError(
                "issuer:", f"{name} is empty", f"Name the issuer that is to be asked, as {kind} needs it."
            )


def _is_by_certificates(options: Mapping[str, Any]) -> bool:
    return bool(options["type"] == "cert_manager" and options["resource"] == "Certificate")


def _is_given(options: Mapping[str, Any], name: str, known: Mapping[str, Any]) -> bool:
    """Whether the value is another than that of an option which is left out; what is empty is not given."""
    return bool(options[name]) and options[name] != known[name].get("default")


def _of_another(name: str, options: Mapping[str, Any]) -> tuple[str, str]:
    """The cause, with the type that is given and those with which this option would count; and the beginning of the remedy."""
    if name in _READ_BY_CERTIFICATES:
        return f"{name} counts with resource=Certificate of cert_manager only", "Give this type and resource"
    types = " or ".join(kind for kind, read in _READ.items() if name in read)
    return f"{name} counts with type={types} only, and type is {options['type']}", "Give the type that is meant"


def _certificates(named: CertManagerIssuer, options: Mapping[str, Any]) -> CertManagerCertificates:
    validity, renew_before = options["validity_days"], options["renew_before_days"]
    if not 0 < renew_before < validity:
        raise OptionsError(
            "issuer:",
            f"renew_before_days is {renew_before} and validity_days is {validity}",
            "Give it between 1 and less than those.",
        )
    if validity > MOST_DAYS:
        raise OptionsError("issuer:", f"validity_days is {validity}", f"Give {MOST_DAYS} or less.")
    return CertManagerCertificates(named, timedelta(days=validity), timedelta(days=renew_before))


def _require_of_one_login(options: Mapping[str, Any]) -> None:
    """Raises OptionsError. No value is quoted: most are credentials."""
    kind, known = options["type"], _OPTIONS["login"]["options"]
    for name in known:
        if name in ("type", "mount", *_READ_BY_LOGIN[kind]) or not _is_given(options, name, known):
            continue
        types = " or ".join(other for other, read in _READ_BY_LOGIN.items() if name in read)
        raise OptionsError(
            "issuer.login:",
            f"{name} counts with type={types} only, and type is {kind}",
            f"Give the type that is meant, or leave {name} out.",
        )


def _login(options: Mapping[str, Any]) -> VaultLogin:
    _require_of_one_login(options)
    mount = {"mount": options["mount"]} if options["mount"] else {}
    if options["type"] == "token":
        named = options["token_from"]
        return (
            VaultTokenSecret(named["secret"], named["key"], named["namespace"] or "")
            if named
            else VaultToken(options["token"])
        )
    if options["type"] == "approle":
        return VaultAppRole(options["role_id"], options["secret_id"], **mount)
    if options["type"] == "kubernetes":
        return VaultKubernetes(options["role"], options["jwt"], **mount)
    try:
        chain = parse_chain(options["certificate"].encode("utf-8"))
        key = load_key(options["private_key"].encode("utf-8"))
    except (CertificateError, PrivateKeyError) as error:
        raise OptionsError(
            "issuer.login:", str(error), "Give certificate and private_key in PEM form, unencrypted."
        ) from None
    return VaultTlsCertificate(chain, key, options["role"] or "", **mount)
