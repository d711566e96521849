"""The certificates behind the numbers: real ones, so that the gates validate real paths."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from functools import cache

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.authorities import (
    DistinguishedName,
    cross_certify,
    issue_root,
    renew_root,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKey,
    generate_key,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.leaves import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain

NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)
YEAR = timedelta(days=365)

#: The CA in use at the start, its successor with a new key, an unrelated CA that is trusted too, the CA in use
#: renewed with the same key, and the successor's key certified by the CA in use.
OLD, NEW, OTHER, RENEWED, BRIDGE = range(5)

#: Which leaves a CA validates besides its own: those of the CA with the same name and key.
_SIGNER = {OLD: OLD, RENEWED: OLD, NEW: NEW, OTHER: OTHER, BRIDGE: NEW}


def accepts(trusted: frozenset[int], authority: int, alone: bool = False, *, go: bool = False) -> bool:
    """Whether a leaf of this CA validates under these anchors; written down, not computed by what is tested.

    alone: it is presented without the chain of its CA, which matters to a bridge only. go: for a Go program, which
    looks at the path length of the CA in use at the start.
    """
    keys = {_SIGNER[anchor] for anchor in trusted}
    return _SIGNER[authority] in keys or (authority == BRIDGE and not alone and not go and OLD in keys)


def signer(authority: int) -> int:
    return _SIGNER[authority]


@cache
def _key(number: int) -> PrivateKey:
    return generate_key(KeySpec(KeyAlgorithm.ECDSA, 256))


@cache
def certificate(authority: int) -> Certificate:
    begin = NOW - timedelta(days=30)
    if authority == RENEWED:
        return renew_root(certificate(OLD), _key(OLD), not_before=NOW - timedelta(days=1), validity=YEAR)
    if authority == BRIDGE:
        return cross_certify(certificate(NEW), certificate(OLD), _key(OLD), not_before=begin, validity=YEAR)
    name = DistinguishedName(f"cluster-ca v{authority}")
    # The operator's own allow no CA below them, those made here one.
    return issue_root(name, _key(authority), not_before=begin, validity=YEAR, path_length=0 if authority == OLD else 1)


def chain(authority: int) -> Chain:
    """As ``ca.crt`` holds it."""
    return (certificate(BRIDGE), certificate(OLD)) if authority == BRIDGE else (certificate(authority),)


@cache
def leaf(authority: int, slot: int) -> Certificate:
    """A leaf that a bridge has issued is not the one that its CA would issue."""
    subject = DistinguishedName(f"demo-kafka-{slot}", organization="io.strimzi")
    return sign_leaf(
        _key(10 + slot).public_key,
        subject,
        [f"demo-kafka-{slot}.kafka.svc"],
        certificate(authority),
        _key(signer(authority)),
        not_before=NOW - timedelta(hours=1),
        validity=YEAR,
    )


@cache
def number_of(fingerprint: str | None) -> int | None:
    """The number of a CA; None for no CA."""
    if fingerprint is None:
        return None
    return next(number for number in _SIGNER if certificate(number).fingerprint == fingerprint)


def numbers_of(fingerprints: frozenset[str]) -> frozenset[int]:
    return frozenset(number for number in map(number_of, fingerprints) if number is not None)


def fingerprints_of(numbers: frozenset[int]) -> frozenset[str]:
    return frozenset(certificate(number).fingerprint for number in numbers)
