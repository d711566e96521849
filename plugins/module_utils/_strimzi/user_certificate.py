# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The record of one certificate of a user, and its standing with the clients CA.

The reading of a Secret makes the record once. A call keeps the record between its looks, judges it by the clients CA of
each look, and shows it in its result. The record contains facts alone: there may be ten thousand Secrets, and each
contains a private key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import lru_cache

from .._pki.certificates import Certificate, Chain, readable_certificates
from .._pki.paths import validate_path
from .._trust.model.clients import NamedSecret
from .names import USER_CERTIFICATE, USER_KEY, USER_KEYSTORE, USER_PASSWORD

_UNLIKE = "its ca.crt is not that of the clients CA, so the User Operator issues it again as soon as it looks"
_REMEDY = (
    f"Remove the entries {USER_KEYSTORE} and {USER_PASSWORD} from its Secret: the User Operator makes both again. "
    "Where its key is none of RSA, annotate the Secret strimzi.io/force-renew=true instead; with Strimzi 0.51, remove "
    f"the entry {USER_CERTIFICATE} too"
)
#: The remedy if no operator writes the Secret.
_REMEDY_ELSEWHERE = (
    f"Make {USER_KEYSTORE} and {USER_PASSWORD} again of {USER_CERTIFICATE} and {USER_KEY}, or remove both entries "
    "where no program reads them"
)


@dataclass(frozen=True)
class ClientsCa:
    """The clients CA as brokers and the User Operator see it."""

    #: The first certificate of each entry.
    anchors: tuple[Certificate, ...]
    #: The bytes of ``ca.crt``.
    stored: bytes

    @property
    def current(self) -> Certificate | None:
        return _first_certificate(self.stored)


@lru_cache(maxsize=64)
def _first_certificate(content: bytes) -> Certificate | None:
    """The first certificate of a PEM text; None if a certificate in it is unreadable. The same text lies beside the
    certificate of every user.
    """
    return next(iter(readable_certificates(content)), None)


class SecretKind(Enum):
    """The kind of a Secret with the certificate of a user."""

    #: The User Operator writes it for a KafkaUser, and issues the certificate in it again.
    OF_USER = "of a user"
    #: No option names it, and it is left of the time in which the User Operator issued the user's certificates.
    LEFT = "left"
    #: An option names it.
    NAMED = "named"
    #: The Access Operator copies the Secret of a user into it.
    COPY = "copy"


@dataclass(frozen=True)
class UserCertificate:
    """The certificate in a Secret. ``judged_by`` sets the last four fields; until then no CA validates it."""

    #: The Secret, and its entry with the certificate.
    secret: NamedSecret
    #: The kind of the Secret.
    kind: SecretKind
    #: The certificate and the CAs behind it; empty if there is no readable certificate.
    chain: Chain = ()
    #: The reason why there is no certificate to read, without a full stop: no Secret, no permission, or no entry.
    absence: str = ""
    #: The way to the permission to read the Secret; empty if the permission is there.
    remedy: str = ""
    #: Whether the Secret has no such entry, or an empty entry: the Secret of a user with a password has none.
    is_empty: bool = False
    #: The reason why the entry cannot be read, without a full stop.
    unreadable: str = ""
    #: SHA-256 of the public half of the private key in the Secret; empty if there is no usable key.
    key_beside: str = ""
    #: The reason why the private key in the Secret cannot be used, without a full stop. A Secret named by an option
    #: needs no key.
    key_problem: str = ""
    #: The time of the last change of the Secret; None if the API server has not recorded it.
    changed_at: datetime | None = None
    #: The resource version of the Secret; None if a write may not rest on it, because the User Operator's labels do not
    #: mark the Secret.
    version: str | None = None
    #: The bytes of its entry ``ca.crt``; None if there is none.
    stored_ca: bytes | None = None
    #: Whether the Secret has a PKCS#12 file too.
    has_keystore: bool = False
    #: Whether only opening the PKCS#12 file shows whether it contains this certificate.
    needs_opening: bool = False
    #: The reason why the opened PKCS#12 file may contain another certificate, without a full stop; empty if it contains
    #: this certificate, None if no look has opened it.
    opening_problem: str | None = None
    #: The labels that the Secret has lost and by which the User Operator finds it, as "<name>=<value>".
    lost_labels: tuple[str, ...] = ()
    #: The CA of the cluster under which the certificate is valid; None if there is none.
    authority: Certificate | None = None
    #: The reason why brokers refuse the certificate, without a full stop.
    refusal: str = ""
    #: The CA that tells the issuer among several CAs with one key; None if there is none.
    ca_beside: Certificate | None = None
    #: Whether the entry ``ca.crt`` has the bytes of the CA in use. Else the User Operator issues another certificate.
    is_current: bool = False

    @property
    def leaf(self) -> Certificate | None:
        return self.chain[0] if self.chain else None

    @property
    def subject(self) -> str:
        return self.chain[0].subject if self.chain else ""

    @property
    def sha256(self) -> str:
        return self.chain[0].sha256 if self.chain else ""

    @property
    def not_after(self) -> datetime | None:
        return self.chain[0].not_after if self.chain else None

    @property
    def label(self) -> str:
        """Its place in messages. A KafkaUser has one certificate, so its Secret is enough."""
        return replace(self.secret, entry=None).label if self.kind is SecretKind.OF_USER else self.secret.label

    @property
    def has_key(self) -> bool:
        """Whether no private key in the Secret contradicts the certificate, and a user's Secret contains its key."""
        if not self.chain or self.key_problem:
            return False
        return self.key_beside in ("", self.chain[0].public_key_sha256)

    @property
    def problem(self) -> str:
        """The fault of the certificate, without a full stop; empty if it has none."""
        if self.absence:
            return self.absence
        if self.unreadable:
            return f"its {self.secret.entry} cannot be read: {self.unreadable}"
        if self.key_problem:
            return f"its private key cannot be used: {self.key_problem}"
        if not self.has_key:
            return "its private key does not belong to its certificate"
        if self.refusal:
            return f"brokers refuse its certificate: {self.refusal}"
        return _UNLIKE if self.kind is SecretKind.OF_USER and not self.is_current else ""

    @property
    def is_spoilt(self) -> bool:
        """Whether no program can log in with the stored certificate, and the User Operator does not issue it again by
        itself.
        """
        return bool(self.unreadable) or (self.is_current and not (self.authority and self.has_key))

    @property
    def keystore_doubt(self) -> str:
        """The reason why the PKCS#12 file may contain another certificate, without a full stop; empty if it contains
        this certificate, or there is no file.
        """
        if not self.needs_opening:
            return ""
        return f"its {USER_KEYSTORE} has not been opened" if self.opening_problem is None else self.opening_problem

    @property
    def keystore_remedy(self) -> str:
        """The way to end the doubt about the PKCS#12 file, without a full stop."""
        return _REMEDY if self.kind is SecretKind.OF_USER else _REMEDY_ELSEWHERE

    def judged_by(self, clients_ca: ClientsCa, now: datetime) -> UserCertificate:
        """The record as it counts while this is the clients CA."""
        if not self.chain:
            return self
        # Brokers run on a JVM, which goes on trusting a CA that has ended, until the CA is removed.
        path = validate_path(self.chain, clients_ca.anchors, at=now)
        # A renewal with the same key changes nothing for a certificate that neither the User Operator nor this
        # collection issues again: it is a certificate of the CA in use.
        is_reissued = self.kind is SecretKind.OF_USER
        return replace(
            self, authority=path.path[-1] if path.valid else None, refusal=path.reason,
            ca_beside=_first_certificate(self.stored_ca or b"") if is_reissued else clients_ca.current,
            # The User Operator compares bytes: a line feed makes a difference.
            is_current=self.stored_ca == clients_ca.stored,
        )  # fmt: skip
