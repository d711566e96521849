# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What comes back from an issuer is never believed: everything is checked before anything else sees it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import IssuedCertificate
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import LeafSubject
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_path


def refusals(
    issued: IssuedCertificate, subject: LeafSubject, key: PrivateKey, anchor: Certificate, at: datetime
) -> Iterator[str]:
    """Why this certificate must not be used; nothing when it may."""
    leaf = issued.leaf
    if not key.matches(leaf):
        yield "it does not carry the requested public key"
    if leaf.subject_der != subject.distinguished_name.der:
        yield f"its subject is {leaf.subject}"
    if leaf.subject_alternative_names != subject.names:
        yield "its alternative names are not the requested ones"
    if leaf.is_ca:
        yield "it is a CA certificate"
    result = validate_path((leaf, *issued.chain), (anchor,), at=at)
    if not result.valid:
        yield result.reason
