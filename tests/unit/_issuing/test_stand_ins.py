# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates for forecasts are what the steps would make, and nothing of them is kept."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.stand_ins import StandIns
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import AuthorityUnavailable

from .office import CA, OLD, office
from .test_linked_leaves import PREPARE


def test_they_are_what_the_steps_would_make() -> None:
    bench = office(OLD)
    before = len(bench.api.writes)
    stand_ins = StandIns(bench.observe(), bench.work())
    made = stand_ins.authority(PREPARE)
    assert made.link is not None
    assert made.link.signed_by(OLD.certificate)
    assert made.link.is_twin_of(made.chain[0])
    assert made.key == made.chain[0].public_key_sha256
    leaf = stand_ins.leaf(made.chain)
    assert leaf.signed_by(made.chain[0])
    assert not leaf.is_ca
    assert len(bench.api.writes) == before


def test_half_way_the_key_of_the_next_ca_lies_beside_that_of_the_ca_in_use() -> None:
    bench = office(OLD)
    bench.carry_out(PREPARE)
    (made,) = bench.observe().snapshot.ca.prepared
    stand_ins = StandIns(bench.observe(), bench.work())
    assert stand_ins.leaf(made.chain).signed_by(made.chain[0])
    assert stand_ins.leaf((OLD.certificate,)).signed_by(OLD.certificate)


def test_without_the_key_there_is_nothing_to_say() -> None:
    bench = office(OLD)
    with pytest.raises(AuthorityUnavailable, match=r"key of CN=cluster-ca v1.* is not in Secret kafka/demo-cluster-ca"):
        StandIns(bench.observe(), bench.work()).leaf((CA.certificate,))


def test_none_begins_after_the_moment_that_is_forecast_from() -> None:
    """However long the nodes were asked in between: the forecast's gates go by that moment."""
    bench = office(OLD)
    seen = bench.observe()
    bench.clock.seconds += 60
    stand_ins = StandIns(seen, bench.work())
    made = stand_ins.authority(PREPARE)
    assert made.link is not None
    certificates = (*made.chain, made.link, stand_ins.leaf(made.chain))
    assert max(certificate.not_before for certificate in certificates) <= seen.snapshot.now
