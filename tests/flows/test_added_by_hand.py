# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody adds a CA by hand, at any time: it is taken into the books, spread, and stays."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from .authorities import SHAPES, Authority, below, root
from .scene import BOTH_WAYS, CERTIFICATES, IN_USE, PHASES, UNUSED, Scene

EVERY_WAY = pytest.mark.parametrize("way", BOTH_WAYS)
EVERY_PHASE = pytest.mark.parametrize("phase", PHASES, ids=lambda phase: f"after {phase.value}")


def assert_both(scene: Scene, current: str, other: Authority) -> None:
    assert scene.states == {current: IN_USE, other.fingerprint: UNUSED}
    assert scene.trusted == {current, other.fingerprint}
    assert scene.secret(CERTIFICATES)["partner.crt"] == other.pem


@EVERY_WAY
@pytest.mark.parametrize("shape", ["root", "two levels"])
def test_reconciling_makes_everybody_trust_it(scene: Scene, shape: str, way: Way) -> None:
    scene.create(way=way)
    other = SHAPES[shape]()
    scene.put(CERTIFICATES, partner_crt=other.pem)
    scene.finish(Goal.RECONCILE, way)
    assert scene.rolls == {1}
    assert_both(scene, scene.current, other)


@EVERY_WAY
@EVERY_PHASE
def test_in_the_middle_of_a_replacement(scene: Scene, phase: Phase, way: Way) -> None:
    """One roll more at most, for what the promised three could not know of."""
    old, new = below(root("Corporate Root 1")), below(root("Corporate Root 2"), "Kafka CA 2")
    scene.create(old, way)
    scene.run(Goal.REPLACE_KEY, way, new, until=phase)
    other = root("Partner Root")
    scene.put(CERTIFICATES, partner_crt=other.pem)
    scene.finish(Goal.REPLACE_KEY, way, new)
    assert scene.rolls <= {3, 4}
    assert len(scene.rolls) == 1
    assert_both(scene, new.fingerprint, other)


@EVERY_WAY
@EVERY_PHASE
def test_in_the_middle_of_a_renewal(scene: Scene, phase: Phase, way: Way) -> None:
    scene.create(way=way)
    old = scene.current
    scene.run(Goal.RENEW, way, until=phase)
    other = root("Partner Root")
    scene.put(CERTIFICATES, partner_crt=other.pem)
    scene.finish(Goal.RENEW, way)
    assert scene.rolls <= {1, 2}
    assert len(scene.rolls) == 1
    assert scene.states == {scene.current: IN_USE, other.fingerprint: UNUSED}
    assert scene.trusted - {old} == {scene.current, other.fingerprint}


@EVERY_WAY
@EVERY_PHASE
def test_reconciling_ends_what_was_begun(scene: Scene, phase: Phase, way: Way) -> None:
    """It knows of the certificate what the cluster knows, and nothing else."""
    scene.create(way=way)
    new = below(root())
    scene.run(Goal.REPLACE_KEY, way, new, until=phase)
    scene.finish(Goal.RECONCILE, way)
    assert scene.rolls == {3}
    assert scene.states == {new.fingerprint: IN_USE}
    assert scene.trusted == {new.fingerprint}
