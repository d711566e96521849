# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CAs of these tests, and the chains in which nodes present their leaves."""

from __future__ import annotations

from functools import cache
from itertools import count

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import cross_certify
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, Chain

from ...tools.support.certificates import DAY, NOW, YEAR, Entity, key, make
from ...tools.support.certificates import leaf as issue_leaf

#: The CA in use, its renewal with the same key, and CAs with keys (and so names) of their own.
OLD = make("cluster-ca v0", key(0), path_length=1)
RENEWED = make("cluster-ca v0", key(0), path_length=1, end=NOW + 2 * YEAR)
#: As the operator makes it: OLD renews it.
SHORT = make("cluster-ca v0", key(0), path_length=0)
#: A renewal that JVMs and OpenSSL do not take for one.
IDENTIFIED = make("cluster-ca v0", key(0), path_length=1, subject_identifier=b"its own")
NEW = make("cluster-ca v1", key(1), path_length=1)
THIRD = make("cluster-ca v2", key(2), path_length=1)
EXPIRED = make("cluster-ca v3", key(3), end=NOW - DAY)
EARLY = make("cluster-ca v4", key(4), begin=NOW + DAY)
#: Another key under the name of OLD.
IMPOSTOR = make("cluster-ca v0", key(5))
#: A CA below a root of its own.
ROOT = make("Corporate Root", key(6))
INTERMEDIATE = make("Corporate Issuing CA", key(7), ROOT)


def chain_of(authority: Entity, *above: Entity) -> Chain:
    return (authority.certificate, *(one.certificate for one in above))


@cache
def link_of(new: Entity, old: Entity) -> Certificate:
    """The link certificate: name and key of the new CA, certified by the old one."""
    return cross_certify(new.certificate, old.certificate, old.key, not_before=NOW - DAY, validity=YEAR)


def linked_form(new: Entity, old: Entity) -> Chain:
    """The form in which nodes present leaves of the new CA then: issuer first, what they send behind it after that."""
    return (link_of(new, old), old.certificate)


@cache
def linked_chain(new: Entity, old: Entity) -> Chain:
    """A leaf of the new CA as nodes present it to processes that know only the old one."""
    return (issue_leaf(new), link_of(new, old))


@cache
def stored_chain(issuer: Entity) -> Chain:
    return (issue_leaf(issuer), issuer.certificate)


@cache
def around(authority: Entity) -> tuple[Entity, Entity]:
    """A CA whose fingerprint sorts before that of this CA, and one behind it: fingerprints have no order that means
    anything.
    """
    found: dict[bool, Entity] = {}
    for number in count():
        if len(found) == 2:
            break
        other = make(f"another CA {number}", key(2), path_length=1)
        found.setdefault(name_of(other) > name_of(authority), other)
    return found[False], found[True]


#: A leaf that ends in this second; and a leaf that goes on, with a CA behind it that has ended.
ENDING = (issue_leaf(OLD, begin=NOW - YEAR, end=NOW), OLD.certificate)
BELOW_ENDED = (issue_leaf(OLD), EXPIRED.certificate)


def name_of(authority: Entity) -> str:
    return authority.certificate.fingerprint


def names_of(*authorities: Entity) -> frozenset[str]:
    return frozenset(map(name_of, authorities))
