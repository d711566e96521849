# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Vault among the kinds of issuers: its options, and its issuer (docs/issuers/vault.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..._errors import CertificateError, OptionsError, PrivateKeyError, ServerFailure
from ..._pki.certificates import parse_chain
from ..._pki.keys import load_key
from ..kind import CA_CERTIFICATE, NAME, URL, IssuerKind, refuse_others
from .settings import (
    VaultAppRole,
    VaultIssuer,
    VaultKubernetes,
    VaultLogin,
    VaultTlsCertificate,
    VaultToken,
    VaultTokenSecret,
)

if TYPE_CHECKING:
    from ..._strimzi.apply.work import Work
    from ..issuer import Issuer
    from ..pending.requests import StoredRequest

_MOUNT = "pki"
#: The options of each way to log in.
_READ_BY_LOGIN = {
    "token": frozenset({"mount", "token", "token_from"}),
    "approle": frozenset({"mount", "role_id", "secret_id"}),
    "kubernetes": frozenset({"mount", "role", "jwt"}),
    "cert": frozenset({"mount", "role", "certificate", "private_key"}),
}
#: An AppRole may need no secret_id.
_NEEDED_BY_LOGIN = {"approle": ("role_id",), "kubernetes": ("role", "jwt"), "cert": ("certificate", "private_key")}
_LOGIN: Mapping[str, Mapping[str, Any]] = {
    "type": {"type": "str", "choices": [*_READ_BY_LOGIN], "default": "token"},
    "mount": {"type": "str"},
    "token": {"type": "str", "no_log": True},
    "token_from": {
        "type": "dict",
        "no_log": False,
        "options": {
            "secret": {"type": "str", "required": True, "no_log": False},
            "namespace": {"type": "str"},
            "key": {"type": "str", "default": VaultTokenSecret.entry, "no_log": False},
        },
    },
    "role_id": {"type": "str"},
    "secret_id": {"type": "str", "no_log": True},
    "role": {"type": "str"},
    "jwt": {"type": "str", "no_log": True},
    "certificate": {"type": "str"},
    "private_key": {"type": "str", "no_log": True},
}


def _read(options: Mapping[str, Any]) -> VaultIssuer:
    if "default" in (options["name"], options["linked_by"]):
        raise OptionsError(
            "issuer:",
            "'default' may be another issuer of the mount tomorrow",
            "Give the name or the id of the issuer, as vault list -detailed <mount>/issuers shows it.",
        )
    trusted = options["ca_certificate"]
    return VaultIssuer(
        options["url"], options["mount"] or _MOUNT, options["role"], options["name"], _read_login(options["login"]),
        options["vault_namespace"] or "", trusted.encode("utf-8") if trusted else None, options["linked_by"] or "",
    )  # fmt: skip


def _read_login(options: Mapping[str, Any]) -> VaultLogin:
    refuse_others("issuer.login:", options, _READ_BY_LOGIN, _LOGIN)
    for name in _NEEDED_BY_LOGIN.get(options["type"], () if options["token_from"] else ("token",)):
        if not (options[name] or "").strip():
            raise OptionsError(
                "issuer.login:", f"{name} is empty",
                "Look where it comes from, such as a variable of the environment that is not set."
            )  # fmt: skip
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


def _connect(settings: VaultIssuer, work: Work, stored: Iterable[StoredRequest]) -> Issuer:
    from .issuer import VaultPki

    return VaultPki(settings, work.clock, lambda named: _token_in(named, work), work.renew_lease)


def _token_in(named: VaultTokenSecret, work: Work) -> str:
    from ..._kube.resources import SECRETS
    from ..._strimzi.secret_data import entries

    namespace = named.namespace or work.scope.namespace
    stored = work.client.get_or_none(SECRETS, namespace, named.secret)
    token = entries(stored).get(named.entry, b"").decode("latin-1").strip()
    if not token:
        problem = "does not exist" if stored is None else f"has no token in its entry {named.entry}"
        raise ServerFailure(
            f"Secret {namespace}/{named.secret}", problem, "Put a token there, or correct token_from of issuer.login."
        )
    return token


VAULT = IssuerKind(
    name="vault",
    settings=(VaultIssuer,),
    connect=_connect,
    read=_read,
    options={
        **NAME,
        **URL,
        "mount": {"type": "str", "default": _MOUNT},
        "role": {"type": "str"},
        "vault_namespace": {"type": "str"},
        "linked_by": {"type": "str"},
        **CA_CERTIFICATE,
        "login": {
            "type": "dict",
            "options": _LOGIN,
            "mutually_exclusive": [("token", "token_from")],
            "required_if": [
                ("type", "token", ("token", "token_from"), True),
                ("type", "approle", ("role_id", "secret_id")),
                ("type", "kubernetes", ("role", "jwt")),
                ("type", "cert", ("certificate", "private_key")),
            ],
        },
    },
    needed=("name", "url", "role", "login"),
)
