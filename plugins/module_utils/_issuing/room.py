# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether everything that is to be asked for finds room: requests, keys and certificates of all leaves of a component lie in two Secrets
until they are used, and none is used before all are there. Known beforehand, so that no issuer is asked in vain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._errors import StepError
from .._pki.certificates import Chain
from .._pki.keys import KeyAlgorithm, KeySpec
from .._strimzi.leaf_requests import entries_of
from .._strimzi.leaves import LeafSecret
from .._strimzi.observe import Observation
from .._strimzi.secret_data import size
from .._strimzi.secret_room import MAKE_ROOM
from .._trust.model.names import counted
from .._trust.preconditions.cluster import SECRET_LIMIT
from .entities import subject_for
from .external import External
from .issuer import Issuer
from .subjects import LeafSubject

#: Bytes of the record of a request beside its names: digests, times, the name of an object.
_RECORD_BYTES = 430
#: Bytes of a certificate, without subject, names, key and signature: validity, serial number, key identifiers, usages.
_BARE_BYTES = 260
#: Bytes of a certificate signing request, without the same.
_BARE_REQUEST_BYTES = 10


def foresee_room(
    leaves: Sequence[LeafSecret], authority: Chain, issuer: Issuer, key: KeySpec, observation: Observation
) -> None:
    """leaves: of one component, all that are to be asked for. Raises StepError."""
    if not leaves:
        return
    scope, component = observation.scope, leaves[0].component
    subjects = {leaf.secret: subject_for(leaf, observation) for leaf in leaves}
    answers = {name: _answer_bytes(subject, authority, issuer, key) for name, subject in subjects.items()}
    keys = dict.fromkeys(subjects, _key_bytes(key))
    for secret, added in (
        (scope.issuing_secret(component.value), answers),
        (scope.next_keys_secret(component.value), keys),
    ):
        kept = _without(observation.secrets.get(secret), added)
        wanted = kept + sum(len(name) + count for name, count in added.items())
        if wanted > SECRET_LIMIT:
            fitting = max(0, (SECRET_LIMIT - kept) * len(added) // max(1, wanted - kept))
            raise StepError(
                f"Secret {scope.namespace}/{secret}",
                f"has room for about {fitting} of {counted(len(added), 'certificate')} that are to "
                f"come: they take about {wanted} bytes until they are used, and Kubernetes allows {SECRET_LIMIT}",
                f"Nothing was asked for. {MAKE_ROOM}",
            )


def _without(secret: Mapping[str, Any] | None, leaves: Iterable[str]) -> int:
    """Bytes of a Secret without the entries of these leaves, which are written anew."""
    if secret is None:
        return 0
    replaced = {entry for leaf in leaves for entry in entries_of(leaf)}
    left = {entry: value for entry, value in (secret.get("data") or {}).items() if entry not in replaced}
    return size({"data": left})


def _answer_bytes(subject: LeafSubject, authority: Chain, issuer: Issuer, key: KeySpec) -> int:
    """Certificate with its chain, and the record beside it. Where a person carries requests, a run removes the request as soon as it takes
    the certificate, so that at most one of the two lies there.
    """
    own = _subject_bytes(subject) + _public_key_bytes(key)
    leaf = _pem_bytes(_BARE_BYTES + own + len(authority[0].subject_der) + _signature_bytes(*authority[0].key_type))
    chain = leaf + sum(len(one.pem) for one in authority)
    if isinstance(issuer, External):
        request = _pem_bytes(_BARE_REQUEST_BYTES + own + _signature_bytes(key.algorithm.value, key.size))
        return max(_RECORD_BYTES + request, chain)
    return _RECORD_BYTES + chain


def _subject_bytes(subject: LeafSubject) -> int:
    name = subject.distinguished_name
    return len(name.common_name) + len(name.organization or "") + sum(len(one) + 2 for one in subject.names)


def _public_key_bytes(key: KeySpec) -> int:
    return key.size // 8 + 38 if key.algorithm is KeyAlgorithm.RSA else key.size // 4 + 27


def _signature_bytes(algorithm: str, size_: int) -> int:
    """The length of a signature; of an ECDSA signature, the greatest that it can have."""
    return size_ // 8 if algorithm == KeyAlgorithm.RSA.value else size_ // 4 + 9


def _key_bytes(key: KeySpec) -> int:
    """PKCS#8 in PEM form. An RSA key holds its factors and their inverses beside modulus and exponent."""
    return _pem_bytes(key.size * 9 // 16 + 70 if key.algorithm is KeyAlgorithm.RSA else key.size // 2 + 14)


def _pem_bytes(der: int) -> int:
    """The length in PEM form: with lines of 64 characters, and the two lines that say what it is."""
    encoded = (der + 2) // 3 * 4
    return encoded + encoded // 64 + 56
