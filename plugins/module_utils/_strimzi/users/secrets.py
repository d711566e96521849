# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The certificate of a user as its Secret holds it, and its faults (docs/operator.md, "Users"). Only facts
are kept: there may be ten thousand Secrets, and each holds a private key.

The PKCS#12 file beside it holds that certificate, or an earlier certificate: the User Operator and this collection make the
file with the certificate, and the User Operator never looks at it again. A User Operator that makes no PKCS#12 files
stores an empty certificate where it cannot sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from ..._errors import CertificateError, KeystoreError, PrivateKeyError
from ..._kube.resources import FIELD_MANAGER, managers_of, owns
from ..._pki.certificates import Certificate, Chain, parse_certificates, readable_certificates
from ..._pki.keys import load_stored_key
from ..._pki.paths import validate_path
from ..clients import data_changed
from ..cluster.ca_secrets import CURRENT
from ..names import USER_CERTIFICATE, USER_KEY, USER_KEYSTORE, USER_PASSWORD
from ..secret_data import entries

_PAIR, _FILE = (USER_CERTIFICATE, USER_KEY), (USER_KEYSTORE, USER_PASSWORD)
#: The User Operator's name as a writer, as the API server notes it (docs/operator.md, "Users").
_USER_OPERATOR = "strimzi-user-operator"
#: The last writers of certificate and file that make a pair. Each of the two programs writes both in one request where
#: a file exists; where none exists the User Operator makes it of the present certificate.
_TOGETHER = ((_USER_OPERATOR, _USER_OPERATOR), (FIELD_MANAGER, FIELD_MANAGER), (FIELD_MANAGER, _USER_OPERATOR))
REMEDY = (
    f"Remove the entries {USER_KEYSTORE} and {USER_PASSWORD} from its Secret: the User Operator makes both again. Where its key is none of RSA, annotate the "
    f"Secret strimzi.io/force-renew=true instead; with Strimzi 0.51, remove the entry {USER_CERTIFICATE} too"
)
#: The same where no operator writes the Secret.
REMEDY_ELSEWHERE = f"Make {USER_KEYSTORE} and {USER_PASSWORD} again of {USER_CERTIFICATE} and {USER_KEY}, or remove both entries where no program reads them"


#: Of a file that only opening it tells of, and that was not opened.
UNOPENED = f"its {USER_KEYSTORE} has not been opened"


def is_to_be_opened(secret: Mapping[str, Any]) -> bool:
    """Whether only opening the file shows what it holds. A file that was written together with the certificate stays
    closed: opening ten thousand takes too long.
    """
    return USER_KEYSTORE in entries(secret) and not _is_of_the_pair(secret)


def why_stale(secret: Mapping[str, Any], leaf: Certificate) -> str:
    """Why the file, which is opened, may hold something else, without a full stop; empty where it holds the certificate and its key."""
    # Imported only where a keystore is opened.
    from ..._pki.keystores import certificate_in_pkcs12

    data = entries(secret)
    try:
        found = certificate_in_pkcs12(data[USER_KEYSTORE], data.get(USER_PASSWORD, b""))
    except KeystoreError as error:
        return f"its {USER_KEYSTORE} {error}"
    return "" if found == leaf.sha256 else f"its {USER_KEYSTORE} holds another certificate than its {USER_CERTIFICATE}"


def _is_of_the_pair(secret: Mapping[str, Any]) -> bool:
    """Whether the API server has noted that the file was made of the certificate and the key that are there."""
    pair, file = (_writers_of(entries, secret) for entries in (_PAIR, _FILE))
    return any(certificate in pair and keystore in file for certificate, keystore in _TOGETHER)


def _writers_of(entries: tuple[str, ...], secret: Mapping[str, Any]) -> frozenset[str]:
    """The programs that have written each of these entries last."""
    found = (one for one in managers_of(secret) if all(owns(one, ("data", entry)) for entry in entries))
    return frozenset(str(manager.get("manager")) for manager in found)


_UNLIKE = "its ca.crt is not that of the clients CA, so the User Operator issues it again as soon as it looks"


@dataclass(frozen=True)
class ClientsCa:
    """The clients CA as brokers and the User Operator see it."""

    #: The first certificate of each entry.
    anchors: tuple[Certificate, ...]
    #: The bytes of ``ca.crt``.
    stored: bytes

    @property
    def current(self) -> Certificate | None:
        return next(iter(readable_certificates(self.stored)), None)


@dataclass(frozen=True)
class UserCertificate:
    """The certificate in the Secret of a user."""

    #: The certificate itself; None where there is none, or it is unreadable.
    leaf: Certificate | None = None
    #: The CA of the cluster under which it is valid; None where there is none.
    authority: Certificate | None = None
    #: Whether the Secret has a PKCS#12 file too.
    keystore: bool = False
    #: The time of the last change of the Secret; None where the API server has not recorded it.
    changed_at: datetime | None = None
    #: The fault of the certificate, as a sentence without a full stop.
    problem: str = ""
    #: The CA in the entry ``ca.crt`` of the Secret; None where there is none.
    ca_beside: Certificate | None = None
    #: Whether the private key in the Secret belongs to the certificate.
    has_key: bool = False
    #: Whether the entry ``ca.crt`` has the bytes of the CA in use. Else the User Operator issues another certificate.
    is_current: bool = False
    #: The reason why the PKCS#12 file may hold another certificate, without a full stop; empty where it
    #: holds this certificate.
    keystore_doubt: str = ""
    #: Whether the certificate is unreadable.
    is_unreadable: bool = False
    #: The labels that the Secret has lost and by which the User Operator finds it, as "<name>=<value>".
    unlabelled: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        return self.leaf.subject if self.leaf is not None else ""

    @property
    def sha256(self) -> str:
        return self.leaf.sha256 if self.leaf is not None else ""

    @property
    def not_after(self) -> datetime | None:
        return self.leaf.not_after if self.leaf is not None else None

    @property
    def is_spoilt(self) -> bool:
        """Whether no program can log in with the stored certificate, and the User Operator does not issue it again by itself."""
        return self.is_unreadable or (self.is_current and not (self.authority and self.has_key))


@dataclass(frozen=True)
class _StoredCertificate:
    """A certificate as it is stored, whichever CA is in use."""

    #: The certificate and the CAs behind it; empty where it cannot be read.
    chain: Chain
    #: When the Secret changed last.
    changed_at: datetime | None
    #: Why it cannot be read, or its private key is not its own.
    problem: str

    def judged(self, clients_ca: ClientsCa, now: datetime) -> UserCertificate:
        if not self.chain:
            return UserCertificate(changed_at=self.changed_at, problem=self.problem, is_unreadable=True)
        # Brokers run on a JVM: a CA that has ended goes on, until it is removed.
        found = validate_path(self.chain, clients_ca.anchors, at=now)
        return UserCertificate(
            self.chain[0], found.path[-1] if found.valid else None, changed_at=self.changed_at,
            problem=self.problem or _refused(found.reason), has_key=not self.problem,
        )  # fmt: skip


@dataclass(frozen=True)
class StoredUser:
    """The content of a user's Secret, without anything secret."""

    #: The certificate in ``user.crt``.
    certificate: _StoredCertificate
    #: Its ``ca.crt``; None where it has none.
    ca_beside: bytes | None
    #: Whether a PKCS#12 file lies beside it.
    keystore: bool
    #: Why the PKCS#12 file may hold another certificate; empty where it holds this certificate, or there is no file.
    keystore_doubt: str
    #: Whether only opening the file tells that.
    needs_opening: bool
    #: Whether it has a certificate in ``user.crt``, readable or not: the Secret of a user with a password has none.
    has_certificate: bool

    @property
    def unopened(self) -> StoredUser:
        """As if its file had not been opened."""
        return replace(self, keystore_doubt=UNOPENED) if self.needs_opening else self

    @property
    def is_unopened(self) -> bool:
        return self.keystore_doubt == UNOPENED

    def judged(self, clients_ca: ClientsCa, now: datetime) -> UserCertificate:
        """As it counts while this is the clients CA."""
        found = self.certificate.judged(clients_ca, now)
        if not self.certificate.chain:
            return found
        # The User Operator compares bytes; a line feed is enough.
        is_current = self.ca_beside == clients_ca.stored
        return replace(
            found, keystore=self.keystore, problem=found.problem or ("" if is_current else _UNLIKE), keystore_doubt=self.keystore_doubt,
            ca_beside=next(iter(readable_certificates(self.ca_beside or b"")), None), is_current=is_current,
        )  # fmt: skip


def read_clients_ca(secret: Mapping[str, Any] | None) -> ClientsCa:
    """An entry that cannot be read is left out: the operator refuses the whole Secret then, and says so."""
    data = {key: value for key, value in entries(secret).items() if key.endswith(".crt")}
    chains = (readable_certificates(data[key]) for key in sorted(data))
    return ClientsCa(tuple(chain[0] for chain in chains if chain), data.get(CURRENT, b""))


def read_user_secret(secret: Mapping[str, Any], clients_ca: ClientsCa, now: datetime) -> UserCertificate:
    """The certificate in a Secret as the User Operator writes it."""
    return stored_user(secret).judged(clients_ca, now)


def stored_user(secret: Mapping[str, Any], opening: bool = True) -> StoredUser:
    """The content of a Secret as the User Operator writes it. With ``opening``, its PKCS#12 file is opened where only that tells what it holds."""
    data = entries(secret)
    found = _stored(secret, data, USER_CERTIFICATE, data.get(USER_KEY, b""))
    tells_inside = bool(found.chain) and is_to_be_opened(secret)
    stored = StoredUser(
        found, _intern(data.get(CURRENT)), USER_KEYSTORE in data, "", tells_inside, bool(data.get(USER_CERTIFICATE))
    )
    return (
        replace(stored, keystore_doubt=why_stale(secret, found.chain[0]))
        if tells_inside and opening
        else stored.unopened
    )


def read_certificate(
    secret: Mapping[str, Any], entry: str, key: bytes | None, clients_ca: ClientsCa, now: datetime
) -> UserCertificate:
    """The certificate in an entry, with its chain. The private key that is to belong to it is None where none lies beside it."""
    return _stored(secret, entries(secret), entry, key).judged(clients_ca, now)


def _stored(secret: Mapping[str, Any], data: Mapping[str, bytes], entry: str, key: bytes | None) -> _StoredCertificate:
    changed = data_changed(secret)
    try:
        chain = parse_certificates(data.get(entry, b""))
    except CertificateError as error:
        return _StoredCertificate((), changed, f"its {entry} cannot be read: {error}")
    return _StoredCertificate(chain, changed, "" if key is None else _check_key(key, chain[0]))


@lru_cache(maxsize=64)
def _intern(content: bytes | None) -> bytes | None:
    """The same object for the same content, which lies beside the certificate of every user."""
    return content


def _check_key(content: bytes, leaf: Certificate) -> str:
    try:
        key = load_stored_key(content)
    except PrivateKeyError as error:
        return f"its private key cannot be used: {error}"
    return "" if leaf.is_for(key) else "its private key does not belong to its certificate"


def _refused(reason: str) -> str:
    return f"brokers refuse its certificate: {reason}" if reason else ""


_CONTAINER, _SETTING = "user-operator", "STRIMZI_PKCS12_KEYSTORE_GENERATION"
#: Stands for a setting that the container takes from a ConfigMap or a Secret, which no call reads.
_UNKNOWN = "unknown"


def why_users_are_paused(pods: Iterable[Mapping[str, Any]], elsewhere: Sequence[str] = ()) -> str:
    """Why it may see no user while key and certificate of the CA do not match, as a sentence; empty where it may.

    The pods belong to the Entity Operator; where there is none it may start at any moment. User Operators of namespaces ``elsewhere`` have pods that are
    unknown.
    """
    settings = list(_settings(pods))
    would = "would store an empty certificate for every user that it looks at between the two writes of the switch"
    if not settings or _UNKNOWN in settings:
        return f"No User Operator runs that shows whether it makes PKCS#12 files; an operator that does not {would}."
    if any(setting != "true" for setting in settings):
        return f"The User Operator makes no PKCS#12 files, and {would}."
    if elsewhere:
        return f"The collection cannot see whether the User Operator of {', '.join(elsewhere)} makes PKCS#12 files; an operator that does not {would}."
    return ""


def _settings(pods: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The setting of each User Operator; Strimzi's default where it is not set."""
    for pod in pods:
        for container in (pod.get("spec") or {}).get("containers") or ():
            if container.get("name") == _CONTAINER:
                told = (
                    _UNKNOWN if variable.get("valueFrom") else variable.get("value")
                    for variable in container.get("env") or () if variable.get("name") == _SETTING
                )  # fmt: skip
                yield str(next(told, None) or "true").lower()
