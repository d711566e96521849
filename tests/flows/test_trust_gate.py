# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trust gate asks for the intermediate itself: its root in every truststore is not enough (strimzi.md 1.4)."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import bookkeeping, gates, holds, rules
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain
from ansible_collections.trustops.strimzi.tests.faults.checker import InvariantBroken

from .authorities import Authority, below, root
from .scene import BOTH_WAYS, IN_USE, UNUSED, Scene

EVERY_WAY = pytest.mark.parametrize("way", BOTH_WAYS)


def with_the_root_trusted(scene: Scene) -> tuple[Authority, Authority]:
    """Everybody trusts the corporate root, below which the next CA is."""
    corporate = root()
    first, second = below(corporate, "Kafka CA 1"), below(corporate, "Kafka CA 2")
    scene.store(first, {"root.crt": corporate.pem})
    scene.deploy()
    scene.finish(Goal.UPGRADE)
    scene.look_away()
    return corporate, second


@EVERY_WAY
def test_an_intermediate_of_a_trusted_root_is_spread_before_it_is_used(scene: Scene, way: Way) -> None:
    corporate, second = with_the_root_trusted(scene)
    scene.finish(Goal.REPLACE_KEY, way, second)
    assert scene.rolls == {3}
    assert scene.states == {second.fingerprint: IN_USE, corporate.fingerprint: UNUSED}
    assert scene.trusted == {second.fingerprint, corporate.fingerprint}


def the_whole_chain(authority: Chain) -> tuple[Chain, ...]:
    return (authority,)


@EVERY_WAY
def test_clients_present_their_leaf_alone(scene: Scene, way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    """With only the form in which nodes present, the gate opens by the root and clients are turned away."""
    _corporate, second = with_the_root_trusted(scene)
    monkeypatch.setattr(gates, "presented_forms", the_whole_chain)
    with pytest.raises(InvariantBroken, match=r"I[13]"):
        scene.run(Goal.REPLACE_KEY, way, second)


@EVERY_WAY
def test_without_the_gate_an_intermediate_is_used_too_early(
    scene: Scene, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = below(root("Corporate Root 1")), below(root("Corporate Root 2"), "Kafka CA 2")
    scene.create(first)
    for module in (bookkeeping, rules, holds):
        monkeypatch.setattr(module, "trust_gate", lambda *_arguments: ())
    with pytest.raises(InvariantBroken, match=r"I[13]"):
        scene.run(Goal.REPLACE_KEY, way, second)
