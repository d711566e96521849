# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The settings of an issuer of Vault or OpenBao."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..._pki.certificates import Chain
from ..._pki.keys import PrivateKey
from ..._strimzi.issuer_settings import IssuerSettings


@dataclass(frozen=True, repr=False)
class VaultToken:
    """A token that the caller already has."""

    #: The token; spaces and line ends around it do not count.
    token: str


@dataclass(frozen=True)
class VaultTokenSecret:
    """The Secret with a token for Vault."""

    #: The name of the Secret.
    secret: str
    #: The key of the entry with the token.
    entry: str = "token"
    #: The namespace of the Secret; empty for the namespace of the cluster.
    namespace: str = ""


@dataclass(frozen=True, repr=False)
class VaultAppRole:
    """The login by Vault's auth method AppRole."""

    #: The RoleID of the role.
    role_id: str
    #: A SecretID of the role; it may end after a time or a number of logins.
    secret_id: str
    #: The path of the auth method, without ``auth/``.
    mount: str = "approle"


@dataclass(frozen=True, repr=False)
class VaultKubernetes:
    """The login by Vault's auth method Kubernetes."""

    #: The role of the auth method.
    role: str
    #: The token of a ServiceAccount.
    jwt: str
    #: The path of the auth method, without ``auth/``.
    mount: str = "kubernetes"


@dataclass(frozen=True, repr=False)
class VaultTlsCertificate:
    """The login by Vault's auth method TLS certificates."""

    #: The client certificate, and what lies above it.
    chain: Chain
    #: The private key of the client certificate.
    key: PrivateKey
    #: The role of the auth method; if it is empty, Vault takes a role that fits the certificate.
    role: str = ""
    #: The path of the auth method, without ``auth/``.
    mount: str = "cert"


VaultLogin: TypeAlias = VaultToken | VaultTokenSecret | VaultAppRole | VaultKubernetes | VaultTlsCertificate


@dataclass(frozen=True, repr=False)
class VaultIssuer(IssuerSettings):
    """An issuer of a PKI mount of Vault or OpenBao (CA abstraction, "type: vault")."""

    #: URL of the server, without ``/v1``.
    url: str
    #: Mount of the PKI secrets engine.
    mount: str
    #: Role of the PKI secrets engine.
    role: str
    #: Name or id of the issuer, as the default issuer of a mount can change.
    issuer_ref: str
    #: How a call logs in to the server.
    login: VaultLogin
    #: Namespace of Vault Enterprise or OpenBao; empty for the root namespace.
    namespace: str = ""
    #: PEM of the CAs that verify the certificate of the server; None for the CAs of the system.
    ca_certificate: bytes | None = None
    #: Name or id of the issuer of the CA in use, which has to certify the CA of this issuer; empty if this issuer
    #: certifies the CA after its own.
    linked_by: str = ""
