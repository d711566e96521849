# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The checks of a certificate that an issuer returned. No other code sees it before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from .._pki.certificates import CertificateError, Chain
from .._pki.keys import PrivateKey
from .._pki.path_constraints import constraint_problem
from .._pki.paths import validate_path
from .._strimzi.errors import LeafRefused
from .issuer import IssuedCertificate
from .subjects import LeafSubject


def not_made(secret: str, why: CertificateError) -> LeafRefused:
    """secret: where the certificate would have been stored; why: what keeps it from being made at all."""
    return LeafRefused(
        f"No certificate can be made for Secret {secret}: {why}.",
        "Correct the name or the date that this is about; nothing was written to this Secret.",
    )


def refuse(
    issued: IssuedCertificate, subject: LeafSubject, key: PrivateKey, issuer: Chain, at: datetime, secret: str
) -> None:
    """Raises LeafRefused where this certificate must not be used; secret: where it would be stored."""
    problems = list(refusals(issued, subject, key, issuer, at))
    if problems:
        raise LeafRefused(
            f"The certificate issued for Secret {secret} is refused: {'; '.join(problems)}.",
            "Correct the issuer; nothing was written to this Secret.",
        )


def refusals(
    issued: IssuedCertificate, subject: LeafSubject, key: PrivateKey, issuer: Chain, at: datetime
) -> Iterator[str]:
    """The reasons why this certificate must not be used; none where it may be. issuer: the CA that was asked, and what lies
    above it: a client may trust that alone.
    """
    leaf = issued.leaf
    if not key.matches(leaf):
        yield "it does not carry the requested public key"
    if leaf.subject_der != subject.distinguished_name.der:
        yield f"its subject is {leaf.subject}"
    if leaf.subject_alternative_names != subject.names:
        yield "its alternative names are not the requested ones"
    if leaf.is_ca:
        yield "it is a CA certificate"
    result = validate_path((leaf, *issued.chain), issuer[:1], at=at)
    if problem := result.reason or constraint_problem(leaf, issuer):
        yield problem
