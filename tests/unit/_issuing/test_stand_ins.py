# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates for forecasts are what the steps would make, and nothing of them is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import StandIns
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import SuppliedAuthority

from ...support.certificates import key, make
from .elsewhere import elsewhere
from .office import CA, OLD, office
from .test_linked_leaves import PREPARE

THEIRS = make("theirs", key(60), make("their root", key(61)))
#: Somebody else keeps its key.
SUPPLIED = SuppliedAuthority((THEIRS.certificate,), None)


def test_they_are_what_the_steps_would_make() -> None:
    bench = office(OLD)
    before = len(bench.api.writes)
    stand_ins = StandIns(bench.observe(), bench.work())
    made = stand_ins.authority(PREPARE)
    assert made.links is not None
    assert made.links.new_with_old.signed_by(OLD.certificate)
    assert made.links.new_with_old.is_twin_of(made.chain[0])
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
    with pytest.raises(StepError, match=r"key of CN=cluster-ca v1.* is not in Secret kafka/demo-cluster-ca"):
        StandIns(bench.observe(), bench.work()).leaf((CA.certificate,))


def test_none_begins_after_the_moment_that_is_forecast_from() -> None:
    """However long the nodes were asked in between: the forecast's gates go by that moment."""
    bench = office(OLD)
    seen = bench.observe()
    bench.clock.seconds += 60
    stand_ins = StandIns(seen, bench.work())
    made = stand_ins.authority(PREPARE)
    assert made.links is not None
    certificates = (*made.chain, made.links.new_with_old, stand_ins.leaf(made.chain))
    assert max(certificate.not_before for certificate in certificates) <= seen.snapshot.now


def test_a_ca_whose_key_somebody_else_keeps_is_forecast_without_it() -> None:
    """Before it is prepared it is known from what the caller brings, afterwards from its place in the Secret."""
    bench = office(OLD)
    stand_ins = StandIns(bench.observe(), bench.work(supplied=SUPPLIED))
    made = stand_ins.authority(replace(PREPARE, linked=False, supplied=SUPPLIED.chain))
    assert (made.chain, made.elsewhere, made.links) == (SUPPLIED.chain, True, None)
    assert stand_ins.leaf(made.chain).signed_by(THEIRS.certificate)
    assert not stand_ins.leaf((OLD.certificate,)).signed_by(THEIRS.certificate)


def test_its_leaves_are_accepted_wherever_it_is_and_nowhere_else() -> None:
    bench = elsewhere(CA)
    before = len(bench.api.writes)
    leaf = StandIns(bench.observe(), bench.work()).leaf((CA.certificate,))
    assert leaf.signed_by(CA.certificate)
    assert not leaf.signed_by(OLD.certificate)
    assert not validate_path((leaf,), (CA.certificate,), at=leaf.not_before).reason
    assert validate_path((leaf,), (OLD.certificate,), at=leaf.not_before).reason
    assert leaf.not_after <= CA.certificate.not_after
    assert len(bench.api.writes) == before


def test_half_way_the_next_ca_is_known_although_the_caller_does_not_bring_it_again() -> None:
    bench = office(OLD)
    carry_out(replace(PREPARE, linked=False, supplied=SUPPLIED.chain), bench.observe(), bench.work(supplied=SUPPLIED))
    (made,) = bench.observe().snapshot.ca.prepared
    assert (made.chain, made.elsewhere) == (SUPPLIED.chain, True)
    stand_ins = StandIns(bench.observe(), bench.work())
    assert stand_ins.leaf(made.chain).signed_by(THEIRS.certificate)
    assert stand_ins.leaf((OLD.certificate,)).signed_by(OLD.certificate)
