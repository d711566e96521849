# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trust gate for intermediates: a root in every truststore is enough for leaves that are presented with their chain,
and for no other (strimzi.md 1.4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import issue
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.leaves import LeafSecret
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust import (
    bookkeeping,
    holds,
    leaf_issuance,
    promotion,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component
from ansible_collections.trustops.strimzi.tests.fakes.rules import replace_in_rules
from ansible_collections.trustops.strimzi.tests.faults.checker import InvariantBroken

from .authorities import Authority, below, root
from .scene import BOTH_WAYS, EVERY_BRIDGE, IN_USE, UNUSED, Scene

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


@EVERY_BRIDGE
@EVERY_WAY
def test_an_intermediate_of_a_trusted_root_needs_no_trust_roll(scene: Scene, way: Way) -> None:
    """The operator's own leaf, which it presents alone, stays the old one until everybody knows the intermediate."""
    corporate, second = with_the_root_trusted(scene)
    scene.finish(Goal.REPLACE_KEY, way, second)
    assert scene.rolls == {2}
    assert scene.states == {second.fingerprint: IN_USE, corporate.fingerprint: UNUSED}
    assert scene.trusted == {second.fingerprint, corporate.fingerprint}


def nothing_is_kept_or_issued_by_us(patch: pytest.MonkeyPatch) -> None:
    replace_in_rules(patch, "alone_gate", lambda *_arguments: ())


def the_operators_leaf_is_not_kept(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(promotion, "_keep_leaves", lambda *_arguments: ())
    by_us = leaf_issuance._issue
    patch.setattr(
        leaf_issuance,
        "_issue",
        lambda secrets, *arguments: by_us((s for s in secrets if not s.endswith("cluster-operator-certs")), *arguments),
    )


def components_present_their_leaf_alone(patch: pytest.MonkeyPatch) -> None:
    whole = issue.presented

    def presented(leaf: LeafSecret, certificate: Certificate, seen: Observation) -> bytes:
        return whole(leaf, certificate, seen) if leaf.component is Component.KAFKA else certificate.pem

    patch.setattr(issue, "presented", presented)


def the_operator_works_meanwhile(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(promotion, "_is_issuing_watched", lambda *_arguments: False)
    patch.setattr(promotion, "_keep_leaves", lambda *_arguments: ())


@pytest.mark.parametrize(
    "without",
    [
        nothing_is_kept_or_issued_by_us,
        the_operators_leaf_is_not_kept,
        components_present_their_leaf_alone,
        the_operator_works_meanwhile,
    ],
)
@pytest.mark.parametrize("next_one", ["intermediate", "bridge"])
def test_what_is_presented_alone_is_turned_away(
    scene: Scene, next_one: str, without: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the rules about it, taken out alone."""
    _corporate, second = with_the_root_trusted(scene)
    without(monkeypatch)
    with pytest.raises(InvariantBroken, match=r"I[13]"):
        scene.run(Goal.REPLACE_KEY, supplied=second if next_one == "intermediate" else None)


@EVERY_WAY
def test_without_the_gate_an_intermediate_is_used_too_early(
    scene: Scene, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = below(root("Corporate Root 1")), below(root("Corporate Root 2"), "Kafka CA 2")
    scene.create(first)
    replace_in_rules(monkeypatch, "trust_gate", lambda *_arguments: (), bookkeeping, holds)
    with pytest.raises(InvariantBroken, match=r"I[13]"):
        scene.run(Goal.REPLACE_KEY, way, second)
