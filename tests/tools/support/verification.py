# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificate paths as OpenSSL, Go programs and JVMs see them. OpenSSL answers; nothing of the collection is used."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime, time, timedelta, timezone
from functools import lru_cache
from itertools import islice, permutations

from cryptography.exceptions import InvalidSignature
from cryptography.x509 import BasicConstraints
from OpenSSL import crypto

from ..cluster.tls import bare_anchor
from ..operator import certs

Certificates = tuple[crypto.X509, ...]
#: Orders in which a client may load what it trusts: all of them for as many entries as a flow makes.
_ORDERS = 24
_END = b"-----END CERTIFICATE-----"
_ALWAYS = datetime.min.replace(tzinfo=timezone.utc)


def verifies(presented: bytes, trusted: bytes, *, jvm: bool = True) -> bool:
    """Whether the presented chain is accepted under one of these anchors, at the time of the operator double: Go programs
    and JVMs try each. A JVM applies neither the path length nor the dates of an anchor itself (docs/operator.md, "Path lengths")."""
    now = certs.now()
    return _verifies_on(presented, trusted, jvm, _end_of_day(now)) and _has_begun(presented, now)


def rests_on_ended(presented: bytes, trusted: bytes) -> bool:
    """Whether each of these CAs under which a JVM accepts the presented chain has ended: Go programs and OpenSSL have refused it since then."""
    return _rests_on_ended(presented, trusted, _end_of_day(certs.now()))


def refused_by_a_client(presented: bytes, entries: Collection[bytes]) -> str:
    """The kind of client that loads every one of these entries and refuses the presented chain; empty if none does.

    Go programs and JVMs find their way whatever else there is. OpenSSL takes the first certificate with the issuer's name
    and does not try another (docs/operator.md, "Link certificates").
    """
    loadable = tuple(sorted(entry for entry in entries if _loads(entry)))
    everything = b"".join(loadable)
    if not verifies(presented, everything):
        return "a JVM"
    if rests_on_ended(presented, everything):
        return ""
    if not verifies(presented, everything, jvm=False):
        return "a Go program"
    return "" if _verifies_in_any_order(presented, loadable, _end_of_day(certs.now())) else "an OpenSSL client"


def allows_none_below(authority: bytes) -> bool:
    """Whether the path length of this CA forbids any CA below it."""
    constraints = parse(authority)[0].to_cryptography().extensions.get_extension_for_class(BasicConstraints)
    return constraints.value.path_length == 0


def _end_of_day(now: datetime) -> date:
    """Paths are validated once a day. Whether they have begun is looked at by the second."""
    return (now + timedelta(days=1)).date()


def _has_begun(presented: bytes, now: datetime) -> bool:
    return _begin(presented) <= now


@lru_cache(maxsize=50_000)
def _begin(presented: bytes) -> datetime:
    """The begin of the certificate that begins last."""
    begins = (certificate.to_cryptography().not_valid_before_utc for certificate in parse(presented))
    return max(begins, default=_ALWAYS)


@lru_cache(maxsize=200_000)
def _verifies_on(presented: bytes, trusted: bytes, jvm: bool, day: date) -> bool:
    chain = parse(presented)
    return bool(chain) and any(_verifies_under(chain, anchor, jvm, day) for anchor in parse(trusted))


@lru_cache(maxsize=200_000)
def _rests_on_ended(presented: bytes, trusted: bytes, day: date) -> bool:
    chain = parse(presented)
    return bool(chain) and all(
        _is_over(anchor, day) or not _verifies_under(chain, anchor, True, day) for anchor in parse(trusted)
    )


@lru_cache(maxsize=200_000)
def _verifies_under(chain: Certificates, anchor: crypto.X509, jvm: bool, day: date) -> bool:
    # A JVM goes no further than to what has the name and the key of an anchor, and looks at anchors from there.
    behind = (sent for sent in chain[1:] if jvm and _issued(sent, anchor) and not _is_twin(sent, anchor))
    known = _undated(anchor) if jvm and _is_over(anchor, day) and chain[0] != anchor else anchor
    return _verifies(chain, (known, *behind), True, day)


@lru_cache(maxsize=200_000)
def _is_over(certificate: crypto.X509, day: date) -> bool:
    return certificate.to_cryptography().not_valid_after_utc.date() < day


@lru_cache(maxsize=1000)
def _undated(anchor: crypto.X509) -> crypto.X509:
    return crypto.X509.from_cryptography(bare_anchor(anchor.to_cryptography()))


@lru_cache(maxsize=50_000)
def _verifies_in_any_order(presented: bytes, entries: tuple[bytes, ...], day: date) -> bool:
    known = parse(b"".join(entries))
    partial = not all(_leads_to_a_root(parse(entry)[-1], known) for entry in entries)
    orders = islice(permutations(entries), _ORDERS)
    return all(_verifies(parse(presented), parse(b"".join(order)), partial, day) for order in orders)


def _leads_to_a_root(certificate: crypto.X509, known: Certificates) -> bool:
    """Where it does not, a client that trusts it has to allow partial chains. Of a link certificate the CA itself is known."""
    subject = certificate.to_cryptography().subject
    same = (authority for authority in known if authority.to_cryptography().subject == subject)
    return any(_issued(certificate, authority) for authority in known) or any(
        _issued(authority, authority) for authority in same
    )


def _verifies(chain: Certificates, trusted: Certificates, partial: bool, day: date) -> bool:
    store = crypto.X509Store()
    store.set_time(datetime.combine(day, time()))
    if partial:
        store.set_flags(crypto.X509StoreFlags.PARTIAL_CHAIN)
    for certificate in trusted:
        store.add_cert(certificate)
    try:
        crypto.X509StoreContext(store, chain[0], list(chain[1:])).verify_certificate()
    except crypto.X509StoreContextError:
        return False
    return True


@lru_cache(maxsize=200_000)
def _issued(certificate: crypto.X509, issuer: crypto.X509) -> bool:
    try:
        certificate.to_cryptography().verify_directly_issued_by(issuer.to_cryptography())
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


@lru_cache(maxsize=200_000)
def _is_twin(certificate: crypto.X509, anchor: crypto.X509) -> bool:
    both = [one.to_cryptography() for one in (certificate, anchor)]
    first, second = ((one.subject, one.public_key()) for one in both)
    return first == second


def _loads(pem: bytes) -> bool:
    try:
        return bool(parse(pem))
    except crypto.Error:
        return False


@lru_cache(maxsize=50_000)
def parse(pem: bytes) -> Certificates:
    """A certificate is the same object in every file that it stands in: what is remembered of a pair is remembered by the objects."""
    return tuple(
        _parse_one(block[block.index(b"-----BEGIN") :] + _END) for block in pem.split(_END) if b"-----BEGIN" in block
    )


@lru_cache(maxsize=50_000)
def _parse_one(block: bytes) -> crypto.X509:
    return crypto.load_certificate(crypto.FILETYPE_PEM, block)
