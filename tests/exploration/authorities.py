"""The certificates behind the numbers: real ones, so that the gates validate real paths."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from functools import cache, partial

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import (
    DistinguishedName,
    cross_certify,
    issue_root,
    renew_root,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKey,
    generate_key,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import sign_leaf

NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)
YEAR = timedelta(days=365)
#: The deadline of nodes that may keep the certificates that they were started with until they restart for another reason.
DEADLINE = NOW + timedelta(hours=1)
#: By the time of the next look clients have had all of their time to read a CA.
PUBLISHED = NOW - timedelta(hours=1)

#: The CA in use at the start, its successor with a new key, an unrelated CA that is trusted too, the CA in use
#: renewed with the same key, an intermediate CA of an unknown root, and an intermediate CA of the CA in use.
OLD, NEW, OTHER, RENEWED, SUPPLIED, BELOW = range(6)
_UNKNOWN_ROOT = 9

#: The first CA with the same name and key, for each CA: CAs with the same signer validate each other's leaves.
_SIGNER = {OLD: OLD, RENEWED: OLD, NEW: NEW, OTHER: OTHER, SUPPLIED: SUPPLIED, BELOW: BELOW}


def accepts(trusted: frozenset[int], authority: int, linked: bool = False, *, go: bool = False) -> bool:
    """Whether a leaf of this CA validates under these anchors; written down, not computed by what is tested.

    linked: it is presented with a link certificate of the CA in use at the start. go: for a Go program, which looks at
    the path length of that CA: the renewed one allows it.
    """
    keys = {_SIGNER[anchor] for anchor in trusted}
    return _SIGNER[authority] in keys or (linked and (RENEWED in trusted if go else OLD in keys))


def signer(authority: int) -> int:
    return _SIGNER[authority]


@cache
def _key(number: int) -> PrivateKey:
    return generate_key(KeySpec(KeyAlgorithm.ECDSA, 256))


@cache
def certificate(authority: int) -> Certificate:
    begin = NOW - timedelta(days=30)
    if authority == RENEWED:
        return renew_root(certificate(OLD), _key(OLD), not_before=NOW - timedelta(days=1), validity=YEAR, path_length=1)
    if authority == SUPPLIED:
        return cross_certify(
            _root("Supplied CA", SUPPLIED), _unknown_root(), _key(_UNKNOWN_ROOT), not_before=begin, validity=YEAR
        )
    if authority == BELOW:
        return cross_certify(
            _root("Intermediate CA", BELOW), certificate(OLD), _key(OLD), not_before=begin, validity=YEAR
        )
    return _root(f"cluster-ca v{authority}", authority)


def _root(name: str, number: int) -> Certificate:
    # The operator's own CA allows no CA below it, the CAs made here allow one.
    length = 0 if number == OLD else 1
    begin = NOW - timedelta(days=30)
    return issue_root(DistinguishedName(name), _key(number), not_before=begin, validity=YEAR, path_length=length)


@cache
def _unknown_root() -> Certificate:
    return _root("Unknown Root", _UNKNOWN_ROOT)


@cache
def link() -> Certificate:
    """The key of the successor, certified by the CA in use at the start."""
    begin = NOW - timedelta(days=30)
    return cross_certify(certificate(NEW), certificate(OLD), _key(OLD), not_before=begin, validity=YEAR)


@cache
def link_back() -> Certificate:
    """The key of the CA in use at the start, certified by the successor."""
    begin = NOW - timedelta(days=30)
    return cross_certify(certificate(OLD), certificate(NEW), _key(NEW), not_before=begin, validity=YEAR)


def chain(authority: int) -> Chain:
    """The CA and what is above it, as ``ca.crt`` contains it."""
    above = {SUPPLIED: (_unknown_root,), BELOW: (partial(certificate, OLD),)}
    return (certificate(authority), *(issuer() for issuer in above.get(authority, ())))


@cache
def leaf(authority: int, slot: int, serial: int = 0) -> Certificate:
    """serial: tells apart the leaves that one CA issues for one slot, one after the other."""
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
