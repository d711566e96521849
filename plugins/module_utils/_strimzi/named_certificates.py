# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Certificates by which clients log in, in Secrets that a person has named: copies of those of users, and others that the User Operator
did not issue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from .._errors import CertificateError, Forbidden
from .._kube.client import KubeClient
from .._kube.resources import SECRETS
from .._pki.certificates import mentions_certificates, parse_certificates
from .._trust.model.named import NamedSecret
from .readers import Reader
from .secret_data import entries
from .user_secrets import ClientsCa, UserCertificate, read_certificate


@dataclass(frozen=True)
class NamedCertificate:
    """secret: with the entry in which the certificate lies. remedy: where it cannot be read, what helps. is_kept: whether no option has named
    it, and it is left of the time in which the User Operator issued the user's certificates.
    """

    secret: NamedSecret
    certificate: UserCertificate
    remedy: str = ""
    readers: tuple[Reader, ...] = ()
    is_kept: bool = False


def read_named(
    client: KubeClient, secrets: Sequence[NamedSecret], clients_ca: ClientsCa, now: datetime
) -> tuple[NamedCertificate, ...]:
    """All that these Secrets hold; one without a certificate where there is none, or where that cannot be told. Raises KubeError."""
    return tuple(found for secret in secrets for found in _read(client, secret, clients_ca, now))


def _read(client: KubeClient, named: NamedSecret, clients_ca: ClientsCa, now: datetime) -> Iterator[NamedCertificate]:
    try:
        secret = client.get_or_none(SECRETS, named.namespace, named.name)
    except Forbidden as error:
        yield NamedCertificate(named, UserCertificate(problem=str(error).rstrip(".")), error.remedy)
        return
    if secret is None:
        yield NamedCertificate(named, UserCertificate(problem="it does not exist"))
        return
    data = entries(secret)
    wanted = [named.entry] if named.entry else [entry for entry in sorted(data) if _may_be_a_clients(data[entry])]
    if not wanted:
        yield NamedCertificate(named, UserCertificate(problem="it holds no certificate of a client in PEM form"))
    for entry in wanted:
        key = data.get(f"{entry.removesuffix('.crt')}.key")
        found = read_certificate(secret, entry, key, clients_ca, now)
        # A renewal with the same key changes nothing for a certificate that this collection does not issue anew: it is one of the CA in use.
        yield NamedCertificate(replace(named, entry=entry), replace(found, beside=clients_ca.current))


def _may_be_a_clients(content: bytes) -> bool:
    """Certificates of CAs may lie beside it. Content that cannot be read counts, so that a person sees to it."""
    if not mentions_certificates(content):
        return False
    try:
        return not parse_certificates(content)[0].is_ca
    except CertificateError:
        return True
