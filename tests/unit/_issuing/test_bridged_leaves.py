# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves under a bridge: presented with their chain by everybody, and the operator's own kept as it is."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.carry_out import carry_out_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.stand_ins import StandIns
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    KeepLeaves,
    PrepareAuthority,
    Promote,
    Withdraw,
)
from ansible_collections.trustops.strimzi.tests.unit._strimzi.bench import Bench

from .office import BY_SECRET, OLD, issue, office

OWN = "demo-cluster-operator-certs"
PREPARE = PrepareAuthority(Goal.REPLACE_KEY, (OLD.certificate,), 1, bridged=True)


def under_a_bridge() -> Bench:
    bench = office(OLD)
    bench.carry_out(PREPARE)
    (made,) = bench.observe().snapshot.ca.prepared
    bench.carry_out(Promote(made.fingerprint, 4, bridged=True))
    return bench


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_everybody_presents_what_stands_above_the_bridge(secret: str) -> None:
    bench = under_a_bridge()
    issue(bench, secret)
    presented = parse_certificates(bench.data(secret)[f"{BY_SECRET[secret].entry}.crt"])
    assert presented[1:] == bench.observe().snapshot.ca.current
    assert presented[0].signed_by(presented[1])
    assert presented[1].signed_by(OLD.certificate)


def test_a_kept_leaf_only_counts_as_one_of_the_next_generation() -> None:
    bench = office(OLD)
    before = bench.find("secrets", OWN)["data"]
    (action,) = carry_out_leaves(KeepLeaves((OWN,), 4), bench.observe(), bench.work())
    assert OWN in str(action)
    assert bench.find("secrets", OWN)["data"] == before
    assert bench.annotation("secrets", OWN, "cluster-ca-cert-generation") == "4"


def test_a_dry_run_keeps_nothing() -> None:
    bench = office(OLD)
    (action,) = carry_out_leaves(KeepLeaves((OWN,), 4), bench.observe(), bench.work(dry_run=True))
    assert OWN in str(action)
    assert bench.annotation("secrets", OWN, "cluster-ca-cert-generation") == "3"


def test_the_faces_of_others_are_not_served() -> None:
    bench = office(OLD)
    with pytest.raises(TypeError, match="Withdraw"):
        carry_out_leaves(Withdraw(OLD.certificate.fingerprint), bench.observe(), bench.work())


def test_stand_ins_make_what_the_steps_would() -> None:
    bench = office(OLD)
    stand_ins = StandIns(bench.observe(), bench.work())
    made = stand_ins.authority(PREPARE)
    assert made.bridge[1:] == (OLD.certificate,)
    leaf, *above = stand_ins.leaf(made.bridge)
    assert tuple(above) == made.bridge
    assert leaf.signed_by(made.chain[0])
    assert bench.observe().snapshot.ca.prepared == ()


def test_half_way_stand_ins_find_the_key_of_the_bridge_beside_its_ca() -> None:
    bench = office(OLD)
    bench.carry_out(PREPARE)
    (made,) = bench.observe().snapshot.ca.prepared
    leaf = StandIns(bench.observe(), bench.work()).leaf(made.bridge)[0]
    assert leaf.signed_by(made.bridge[0])


def test_no_stand_in_begins_after_the_moment_that_is_forecast_from() -> None:
    """However long the nodes were asked in between: the forecast's gates go by that moment."""
    bench = office(OLD)
    seen = bench.observe()
    bench.clock.seconds += 60
    stand_ins = StandIns(seen, bench.work())
    made = stand_ins.authority(PREPARE)
    leaf, *_above = stand_ins.leaf(made.bridge)
    assert max(certificate.not_before for certificate in (*made.chain, *made.bridge, leaf)) <= seen.snapshot.now
