# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The certificate of a user as its Secret holds it, and what is wrong with it (docs/operator.md, "Users").

Only facts are kept: there may be ten thousand Secrets, and each holds a private key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from .._pki.certificates import Certificate, CertificateError, Chain, parse_certificates
from .._pki.keys import PrivateKeyError, load_stored_key
from .._pki.paths import validate_path
from .ca_secrets import CURRENT
from .copy_age import data_changed
from .keystore_files import why_stale
from .names import USER_CERTIFICATE, USER_KEY, USER_KEYSTORE
from .secret_data import entries


@dataclass(frozen=True)
class ClientsCa:
    """The clients CA as brokers and the User Operator see it. anchors: of every entry the first certificate. stored: the bytes of
    ``ca.crt``.
    """

    anchors: tuple[Certificate, ...]
    stored: bytes

    @property
    def current(self) -> Certificate | None:
        return next(iter(_read(self.stored)), None)


@dataclass(frozen=True)
class UserCertificate:
    """authority: the CA of the cluster under which it is valid; None where there is none. keystore: whether a PKCS#12 file lies
    beside it. stale: why that may hold something else, without a full stop. changed_at: when the Secret changed last, where the API server has recorded it.
    problem: what is wrong, as a sentence without a full stop. beside: the CA in its ``ca.crt``; None where there is none.
    is_unreadable: whether it cannot be read. unlabelled: the labels that the Secret has lost and by which the User Operator finds it, as "<name>=<value>".
    has_key: whether the private key beside it is that of the certificate. is_current: whether ``ca.crt`` has the bytes of the CA in
    use, without which the User Operator issues anew.
    """

    subject: str = ""
    issuer: str = ""
    sha256: str = ""
    not_after: datetime | None = None
    authority: Certificate | None = None
    keystore: bool = False
    changed_at: datetime | None = None
    problem: str = ""
    beside: Certificate | None = None
    has_key: bool = False
    is_current: bool = False
    stale: str = ""
    is_unreadable: bool = False
    unlabelled: tuple[str, ...] = ()

    @property
    def is_spoilt(self) -> bool:
        """Whether no program can log in with what is stored, and the User Operator does not issue it anew by itself."""
        return self.is_unreadable or (self.is_current and not (self.authority and self.has_key))


def read_clients_ca(secret: Mapping[str, Any] | None) -> ClientsCa:
    """An entry that cannot be read is left out: the operator refuses the whole Secret then, and says so."""
    data = {key: value for key, value in entries(secret).items() if key.endswith(".crt")}
    chains = (_read(data[key]) for key in sorted(data))
    return ClientsCa(tuple(chain[0] for chain in chains if chain), data.get(CURRENT, b""))


def read_user_secret(secret: Mapping[str, Any], clients_ca: ClientsCa, now: datetime) -> UserCertificate:
    """The certificate in a Secret as the User Operator writes it."""
    data = entries(secret)
    found = read_certificate(secret, USER_CERTIFICATE, data.get(USER_KEY, b""), clients_ca, now)
    leaf = next(iter(_read(data.get(USER_CERTIFICATE, b""))), None)
    if leaf is None:
        return found
    return replace(
        found, keystore=USER_KEYSTORE in data, problem=found.problem or _unlike(data, clients_ca),
        stale=why_stale(secret, leaf),
        beside=next(iter(_read(data.get(CURRENT, b""))), None), is_current=_is_current(data, clients_ca),
    )  # fmt: skip


def read_certificate(
    secret: Mapping[str, Any], entry: str, key: bytes | None, clients_ca: ClientsCa, now: datetime
) -> UserCertificate:
    """The certificate in an entry, with its chain. key: the private key that is to belong to it; None where none lies beside it."""
    changed = data_changed(secret["metadata"])
    try:
        chain = parse_certificates(entries(secret).get(entry, b""))
    except CertificateError as error:
        problem = f"its {entry} cannot be read: {error}"
        return UserCertificate(changed_at=changed, problem=problem, is_unreadable=True)
    # Brokers run on a JVM: a CA that has ended goes on, until somebody removes it.
    found = validate_path(chain, clients_ca.anchors, at=now, dated_anchors=False)
    leaf, wrong = chain[0], "" if key is None else _wrong_key(key, chain[0])
    return UserCertificate(
        leaf.subject, leaf.issuer, leaf.sha256, leaf.not_after, found.path[-1] if found.valid else None,
        changed_at=changed, problem=wrong or _refused(found.reason), has_key=not wrong,
    )  # fmt: skip


def _wrong_key(content: bytes, leaf: Certificate) -> str:
    try:
        key = load_stored_key(content)
    except PrivateKeyError as error:
        return f"its private key cannot be used: {error}"
    return "" if key.matches(leaf) else "its private key does not belong to its certificate"


def _refused(reason: str) -> str:
    return f"brokers refuse its certificate: {reason}" if reason else ""


def _is_current(data: Mapping[str, bytes], clients_ca: ClientsCa) -> bool:
    """The User Operator compares bytes; a line feed is enough."""
    return data.get(CURRENT) == clients_ca.stored


def _unlike(data: Mapping[str, bytes], clients_ca: ClientsCa) -> str:
    if _is_current(data, clients_ca):
        return ""
    return "its ca.crt is not that of the clients CA, so the User Operator issues it anew as soon as it looks"


def _read(content: bytes) -> Chain:
    try:
        return parse_certificates(content)
    except CertificateError:
        return ()
