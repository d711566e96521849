# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates that steps would make, for tests that look at what comes of a decision."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import CertificateToCome
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.authority_order import AuthorityOrder
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority

from ...tools.support.certificates import YEAR, Entity, key, make
from .authorities import INTERMEDIATE, NEW, OLD, RENEWED, THIRD, link_of, name_of, stored_chain
from .builders import prepared

#: By their fingerprints; those that a step makes come to them.
_KNOWN = {name_of(one): one for one in (OLD, RENEWED, NEW, THIRD, INTERMEDIATE)}
_NUMBERED = {1: NEW, 2: THIRD}


class MadeHere:
    """Implements ``StandIn``: OLD is renewed as RENEWED and replaced by NEW, NEW by THIRD, others by others.

    beside: more CAs that can issue.
    """

    def __init__(self, *beside: Entity) -> None:
        for one in beside:
            _remembered(one)

    def authority(self, order: AuthorityOrder) -> PreparedAuthority:
        replaced = _KNOWN[order.replaces[0].fingerprint] if order.replaces else None
        if order.goal is Goal.RENEW and replaced is not None:
            return _as_to_come(prepared(_renewed(replaced)), renews=True)
        following = _next(order.generation)
        if not (order.links is not None and replaced):
            return _as_to_come(prepared(following), renews=False)
        linked = prepared(following, link_of(following, replaced), link_of(replaced, following))
        return _as_to_come(linked, renews=False)

    def leaf(self, issuer: Chain) -> Certificate:
        return stored_chain(_KNOWN[issuer[0].fingerprint])[0]


def _as_to_come(authority: PreparedAuthority, *, renews: bool) -> PreparedAuthority:
    """As a plan has a CA that the run will make."""
    made, *above = authority.chain
    return replace(authority, chain=(CertificateToCome(made.der, renews=renews), *above))


@cache
def _renewed(old: Entity) -> Entity:
    if old == OLD:
        return RENEWED
    name = old.certificate.subject.partition(",")[0].removeprefix("CN=")
    return _remembered(make(name, old.key, path_length=1, end=old.certificate.not_after + YEAR))


@cache
def _next(generation: int) -> Entity:
    if generation in _NUMBERED:
        return _NUMBERED[generation]
    return _remembered(make(f"cluster-ca v{generation}", key(30 + generation), path_length=1))


def _remembered(made: Entity) -> Entity:
    _KNOWN[name_of(made)] = made
    return made
