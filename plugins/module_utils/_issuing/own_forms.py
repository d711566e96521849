# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The forms in which a Secret of the caller's own holds a certificate: PEM, and what programs in Java or with one file for all of it read."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from .._errors import StepError
from .._pki.certificates import Chain, encode_certificates, parse_certificates
from .._pki.keys import PrivateKey
from .._pki.keystores import jks_keystore, jks_truststore, pkcs12_keystore, pkcs12_truststore
from .._strimzi.names import FORMS
from .._strimzi.observe import Observation
from .._strimzi.secret_data import annotation


class Form(str, Enum):
    """A form in which programs read the certificate with its key, beside the PEM entries of each."""

    PKCS12 = "pkcs12"
    JKS = "jks"
    COMBINED = "combined"


#: The ends of the entries of these forms, after the common name: one Secret may hold several certificates.
_SUFFIXES = {
    Form.PKCS12: (".p12", ".truststore.p12"), Form.JKS: (".jks", ".truststore.jks"), Form.COMBINED: (".pem",),
}  # fmt: skip


@dataclass(frozen=True)
class OwnCertificate:
    """names: alternative names. renew_before: how long before its end it is renewed, at most half of its life. forms: further ones."""

    secret: str
    common_name: str
    names: frozenset[str]
    renew_before: timedelta
    forms: frozenset[Form] = frozenset()

    @property
    def pem_entries(self) -> tuple[str, str, str]:
        """Of the certificate with its chain, its key, and the trusted CAs."""
        return f"{self.common_name}.crt", f"{self.common_name}.key", "ca.crt"

    @property
    def password_entry(self) -> str:
        return f"{self.common_name}.password"

    def entries_of(self, forms: frozenset[Form]) -> tuple[str, ...]:
        """The entries of these forms, without that of the password."""
        return tuple(sorted(f"{self.common_name}{suffix}" for form in forms for suffix in _SUFFIXES[form]))


def password_of(wanted: OwnCertificate, present: Mapping[str, bytes], observation: Observation) -> bytes:
    """The password of the keystores: the one that is there, or a new one; empty where none is needed."""
    if not wanted.forms & {Form.PKCS12, Form.JKS}:
        return b""
    found = present.get(wanted.password_entry)
    if found is None:
        return secrets.token_urlsafe(24).encode("ascii")
    if not (found and found.isascii() and found.decode("ascii").isprintable()):
        raise StepError(
            f"Secret {observation.scope.namespace}/{wanted.secret}:",
            f"entry {wanted.password_entry}, the password of its keystores, is empty or "
            "holds other characters than printable ones of ASCII, such as the end of a line",
            "Put another password there, or remove the entry; a new password is made then.",
        )
    return found


def encode_forms(
    wanted: OwnCertificate, chain: Chain, key: PrivateKey, trusted: bytes, password: bytes, now: datetime
) -> dict[str, bytes]:
    name = wanted.common_name
    aliases = {one.fingerprint: one for one in parse_certificates(trusted)}
    data = {wanted.password_entry: password} if password else {}
    if Form.PKCS12 in wanted.forms:
        data |= {
            f"{name}.p12": pkcs12_keystore(name, key, chain, password),
            f"{name}.truststore.p12": pkcs12_truststore(aliases, password),
        }
    if Form.JKS in wanted.forms:
        data |= {
            f"{name}.jks": jks_keystore(name, key, chain, password, now),
            f"{name}.truststore.jks": jks_truststore(aliases, password, now),
        }
    if Form.COMBINED in wanted.forms:
        data[f"{name}.pem"] = key.reveal() + encode_certificates(chain)
    return data


def records_of(stored: Any) -> dict[str, str]:
    """The records of further forms, by common names; none where they cannot be read."""
    try:
        found = json.loads(annotation(stored, FORMS) or "{}")
    except ValueError:
        return {}
    return {str(name): str(record) for name, record in found.items()} if isinstance(found, dict) else {}


def record_of(wanted: OwnCertificate, present: Mapping[str, bytes]) -> str:
    """A digest of the entries in further forms and of all that they are made of; empty where none is wanted. To open keystores takes long, and
    where one was spoilt or the certificate beside it was changed, the digest is another.
    """
    if not wanted.forms:
        return ""
    digest = hashlib.sha256()
    for name in (*wanted.pem_entries, wanted.password_entry, *wanted.entries_of(wanted.forms)):
        content = present.get(name, b"")
        digest.update(f"{name}/{len(content)}/".encode() + content)
    return digest.hexdigest()
