# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Reading Secrets with the certificates of users (docs/operator.md, "Users").

The PKCS#12 file beside a certificate contains the same certificate, or an earlier certificate: the User Operator and
this collection make the file with the certificate, and the User Operator never looks at it again. A User Operator
without PKCS#12 files stores an empty certificate if it cannot sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..._errors import CertificateError, KeystoreError, PrivateKeyError
from ..._kube.resources import FIELD_MANAGER, managers_of, owns
from ..._pki.certificates import Certificate, Chain, parse_certificates, readable_certificates
from ..._pki.keys import load_stored_key
from ..._trust.model.clients import NamedSecret
from ..cluster.ca_secrets import CURRENT
from ..cluster.clients import data_changed
from ..names import USER_CERTIFICATE, USER_KEY, USER_KEYSTORE, USER_PASSWORD
from ..secret_data import entries
from ..user_certificate import ClientsCa, SecretKind, UserCertificate

_PAIR, _FILE = (USER_CERTIFICATE, USER_KEY), (USER_KEYSTORE, USER_PASSWORD)
#: The User Operator's name as a writer, as the API server notes it (docs/operator.md, "Users").
_USER_OPERATOR = "strimzi-user-operator"
#: The last writers of certificate and file if the two make a pair. Each of the two programs writes both in one request
#: if there is a file. If there is none the User Operator makes it of the present certificate.
_TOGETHER = ((_USER_OPERATOR, _USER_OPERATOR), (FIELD_MANAGER, FIELD_MANAGER), (FIELD_MANAGER, _USER_OPERATOR))


def read_clients_ca(secret: Mapping[str, Any] | None) -> ClientsCa:
    """The clients CA of its certificate Secret. An unreadable entry is left out: the operator refuses the whole Secret
    then, and says so.
    """
    data = {key: value for key, value in entries(secret).items() if key.endswith(".crt")}
    chains = (readable_certificates(data[key]) for key in sorted(data))
    return ClientsCa(tuple(chain[0] for chain in chains if chain), data.get(CURRENT, b""))


def read_user_secret(
    secret: Mapping[str, Any], kind: SecretKind = SecretKind.OF_USER, *, opening: bool = True
) -> UserCertificate:
    """The certificate in a Secret as the User Operator writes it. With ``opening``, the PKCS#12 file is opened if
    nothing else shows its content.
    """
    data = entries(secret)
    return _read(secret, data, USER_CERTIFICATE, data.get(USER_KEY, b""), kind, opening)


def read_certificate(secret: Mapping[str, Any], entry: str, kind: SecretKind) -> UserCertificate:
    """The certificate in an entry of a Secret, with its chain. If there is an entry for its private key, the key has to
    belong to it.
    """
    data = entries(secret)
    return _read(secret, data, entry, data.get(f"{entry.removesuffix('.crt')}.key"), kind, opening=True)


def _read(
    secret: Mapping[str, Any], data: Mapping[str, bytes], entry: str, key: bytes | None, kind: SecretKind, opening: bool
) -> UserCertificate:
    """The record of an entry. The content of the private key is None if the Secret need not contain one."""
    metadata, unreadable = secret["metadata"], ""
    chain: Chain = ()
    try:
        chain = parse_certificates(data.get(entry, b""))
    except CertificateError as error:
        unreadable = str(error)
    key_beside, key_problem = _read_key(key) if chain and key is not None else ("", "")
    has_keystore = entry == USER_CERTIFICATE and USER_KEYSTORE in data
    needs_opening = has_keystore and bool(chain) and is_to_be_opened(secret)
    return UserCertificate(
        NamedSecret(str(metadata.get("namespace") or ""), str(metadata["name"]), entry), kind, chain,
        is_empty=not data.get(entry), unreadable=unreadable, key_beside=key_beside, key_problem=key_problem,
        changed_at=data_changed(secret), version=metadata.get("resourceVersion"), stored_ca=_intern(data.get(CURRENT)),
        has_keystore=has_keystore, needs_opening=needs_opening,
        opening_problem=why_stale(secret, chain[0]) if needs_opening and opening else None,
    )  # fmt: skip


def _read_key(content: bytes) -> tuple[str, str]:
    """SHA-256 of the public half of a private key, or the reason why the key cannot be used."""
    try:
        return load_stored_key(content).public_key_sha256, ""
    except PrivateKeyError as error:
        return "", str(error)


def is_to_be_opened(secret: Mapping[str, Any]) -> bool:
    """Whether only opening the PKCS#12 file shows its content. A file written together with the certificate stays
    closed: opening ten thousand takes too long.
    """
    return not _is_of_the_pair(secret)


def why_stale(secret: Mapping[str, Any], leaf: Certificate) -> str:
    """Why the opened PKCS#12 file may contain another certificate, without a full stop; empty if it contains this
    certificate and its key.
    """
    # Imported only when a PKCS#12 file is opened.
    from ..._pki.keystores import certificate_in_pkcs12

    data = entries(secret)
    try:
        certificate_sha256 = certificate_in_pkcs12(data[USER_KEYSTORE], data.get(USER_PASSWORD, b""))
    except KeystoreError as error:
        return f"its {USER_KEYSTORE} {error}"
    if certificate_sha256 == leaf.sha256:
        return ""
    return f"its {USER_KEYSTORE} contains another certificate than its {USER_CERTIFICATE}"


def _is_of_the_pair(secret: Mapping[str, Any]) -> bool:
    """Whether the API server has noted that the file was made of the present certificate and key."""
    pair, file = (_writers_of(entries, secret) for entries in (_PAIR, _FILE))
    return any(certificate in pair and keystore in file for certificate, keystore in _TOGETHER)


def _writers_of(entries: tuple[str, ...], secret: Mapping[str, Any]) -> frozenset[str]:
    """The programs that have written each of these entries last."""
    managers = (one for one in managers_of(secret) if all(owns(one, ("data", entry)) for entry in entries))
    return frozenset(str(manager.get("manager")) for manager in managers)


@lru_cache(maxsize=64)
def _intern(content: bytes | None) -> bytes | None:
    """The same object for the same content: it lies beside the certificate of every user."""
    return content
