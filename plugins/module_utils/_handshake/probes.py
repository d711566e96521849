# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Probes: certificates that are shown to a process to see whether it trusts their CA."""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from .._pki._cryptography import serialization
from .._pki.authorities import DistinguishedName, issue_root
from .._pki.building import BACKDATED
from .._pki.certificates import Certificate
from .._pki.keys import KeyAlgorithm, KeySpec, PrivateKey, generate_key
from .._pki.leaves import sign_leaf

#: The subject of probes, as it appears in the log of a broker. Components have O=io.strimzi and users a CN alone, so it
#: is neither.
SUBJECT = DistinguishedName("CA trust probe (no user)", "trustops.strimzi")
_STRANGER = DistinguishedName("Untrusted CA", "trustops.strimzi")
#: How long a probe is valid: long enough for a slow run. It begins when a leaf that is made now does, so that a node whose clock is further
#: behind refuses it as it would refuse that leaf. Probes are not stored.
_AFTER = timedelta(hours=1)
_KEY = KeySpec(KeyAlgorithm.ECDSA, 256)


@dataclass(frozen=True)
class Probe:
    """A certificate that gives no rights, loaded for either version of TLS. For use by many threads."""

    certificate: Certificate
    tls12: ssl.SSLContext
    tls13: ssl.SSLContext


def make_probe(authority: Certificate, key: PrivateKey, *, now: datetime) -> Probe:
    """A probe of this CA. Raises CertificateError when ``key`` is not its key."""
    own = generate_key(_KEY)
    leaf = sign_leaf(
        own.public_key, SUBJECT, (), authority, key, not_before=now - BACKDATED, validity=BACKDATED + _AFTER
    )  # fmt: skip
    contexts = [_context(version) for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)]
    _load(contexts, leaf, own)
    return Probe(leaf, *contexts)


def make_stranger(*, now: datetime) -> Probe:
    """A probe of a CA that is made here and that no process can trust. A process that accepts it does not verify
    certificates.
    """
    key = generate_key(_KEY)
    root = issue_root(_STRANGER, key, not_before=now - BACKDATED, validity=BACKDATED + _AFTER)
    return make_probe(root, key, now=now)


def _context(version: ssl.TLSVersion) -> ssl.SSLContext:
    """A context that does not verify the other side, because its certificates are what is to be observed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = context.maximum_version = version
    return context


def _load(contexts: Sequence[ssl.SSLContext], own: Certificate, key: PrivateKey) -> None:
    """Load the key. The ssl module reads keys from files only, so the file is encrypted with a password that is not
    stored.
    """
    password = secrets.token_hex(32)
    sealed = serialization.load_pem_private_key(key.reveal(), None).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(password.encode()),
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "probe.pem"
        path.write_bytes(own.pem + sealed)
        for context in contexts:
            context.load_cert_chain(path, password=password)
