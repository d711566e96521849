# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The internal issuer keeps to what every issuer keeps to."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import InternalIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import subject_of
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import BACKDATED
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component

from ...support.certificates import NOW, Entity, key, make
from ...support.issuer_contract import WEEK, Counterpart, IssuerContract
from ...support.link_contract import LinkContract

ROOT = make("root", key(1))
CA = make("cluster-ca v0", key(2), ROOT, path_length=0)


class Internal:
    """Signs at once, by a fixed clock."""

    authority: Chain = (CA.certificate, ROOT.certificate)
    issuer = InternalIssuer(authority, CA.key, NOW, WEEK)

    def now(self) -> datetime:
        return NOW


def signed(authority: Entity) -> Certificate:
    subject = subject_of(Component.ENTITY_OPERATOR, "one", frozenset())
    request = build_request(subject.distinguished_name, subject.names, key(3))
    return InternalIssuer((authority.certificate,), authority.key, NOW, WEEK).sign(request).leaf


@pytest.mark.parametrize("age", [WEEK, BACKDATED])
def test_a_leaf_is_dated_back_and_lives_as_long_from_now_on(age: timedelta) -> None:
    leaf = signed(make("cluster-ca v0", key(2), begin=NOW - age))
    assert (leaf.not_before, leaf.not_after) == (NOW - BACKDATED, NOW + WEEK)


def test_a_leaf_begins_and_ends_with_its_ca() -> None:
    authority = make("cluster-ca v0", key(2), begin=NOW - BACKDATED / 2, end=NOW + WEEK / 2)
    leaf = signed(authority)
    assert (leaf.not_before, leaf.not_after) == (authority.certificate.not_before, authority.certificate.not_after)


class TestInternalIssuer(IssuerContract, LinkContract):
    @pytest.fixture
    def counterpart(self) -> Counterpart:
        return Internal()
