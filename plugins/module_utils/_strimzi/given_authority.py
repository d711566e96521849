# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A CA that the caller brings in a Secret of the type kubernetes.io/tls, as cert-manager and many others keep one."""

from __future__ import annotations

from dataclasses import dataclass

from .._errors import CertificateError, PrivateKeyError, StepError
from .._kube.client import KubeClient
from .._kube.resources import SECRETS
from .._pki.certificates import Chain, parse_certificates, parse_chain
from .._pki.keys import load_key
from .ca_secrets import CURRENT, TLS_CERTIFICATE, TLS_KEY
from .secret_data import entries
from .work import SuppliedAuthority


@dataclass(frozen=True)
class AuthorityReference:
    """The Secret with the CA."""

    namespace: str
    name: str

    @property
    def label(self) -> str:
        return f"Secret {self.namespace}/{self.name}"


def read_authority(client: KubeClient, reference: AuthorityReference) -> SuppliedAuthority:
    """The CA in the Secret; without a key where there is none. Raises StepError, KubeError."""
    found = client.get_or_none(SECRETS, reference.namespace, reference.name)
    data = entries(found)
    if found is None or TLS_CERTIFICATE not in data:
        problem = "does not exist" if found is None else f"has no entry {TLS_CERTIFICATE}"
        raise StepError(
            reference.label,
            problem,
            "Correct secret and namespace of certificate_from; it is to be a Secret of the type kubernetes.io/tls.",
        )
    try:
        chain = _completed(parse_chain(data[TLS_CERTIFICATE]), data.get(CURRENT, b""))
    except CertificateError as error:
        raise StepError(
            f"{reference.label}, entry {TLS_CERTIFICATE}:",
            str(error),
            "Put the CA certificate there in PEM form, its chain after it.",
        ) from None
    try:
        key = load_key(data[TLS_KEY]) if data.get(TLS_KEY) else None
    except PrivateKeyError as error:
        raise StepError(
            f"{reference.label}, entry {TLS_KEY}:", str(error), "Put the key of the CA there, unencrypted."
        ) from None
    return SuppliedAuthority(chain, key)


def _completed(chain: Chain, beside: bytes) -> Chain:
    """The chain with the CA above it, where that lies in an entry of its own, as cert-manager has it. What else lies there says nothing about the CA."""
    try:
        above = parse_certificates(beside)
    except CertificateError:
        return chain
    found = next((one for one in above if one not in chain and chain[-1].signed_by(one)), None)
    return chain if found is None or chain[-1].is_root else (*chain, found)
