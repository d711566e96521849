# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters that have seen something: left-overs among the CAs, an expired root, a replacement that stopped half-way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.fakes.flows import START
from ansible_collections.trustops.strimzi.tests.fakes.memory_api import Change

from .authorities import Authority, below, root
from .scene import BOTH_WAYS, CERTIFICATES, EVERY_BRIDGE, IN_USE, KEYS, UNUSED, Scene, assert_only

pytestmark = pytest.mark.parametrize("way", BOTH_WAYS)
BEFORE = START - timedelta(hours=1)


def expired() -> Authority:
    """The operator removes nothing from user-managed Secrets, so that it stays for ever (strimzi.md 1.4)."""
    return root("Kafka CA 0", end=BEFORE)


def no_ca() -> Authority:
    """The self-signed certificate of a server, pinned."""
    return root("partner.example.com", ca=False)


@EVERY_BRIDGE
@pytest.mark.parametrize("left_over", [expired, no_ca])
def test_what_can_issue_nothing_holds_nothing(scene: Scene, left_over: Callable[[], Authority], way: Way) -> None:
    own, other = root(), left_over()
    scene.store(own, {"other.crt": other.pem})
    scene.deploy()
    scene.look_away()
    scene.finish(Goal.UPGRADE, way)
    assert scene.rolls == {1}
    scene.look_away()
    scene.finish(Goal.REPLACE_KEY, way)
    assert scene.rolls == {scene.replacement}
    assert scene.states == {scene.current: IN_USE, other.fingerprint: "UNTRUSTED"}
    assert own.fingerprint not in scene.trusted
    assert scene.secret(CERTIFICATES)["other.crt"] == other.pem


def test_an_intermediate_survives_its_root_and_is_replaced(scene: Scene, way: Way) -> None:
    """Its own certificate is the anchor; the operator leaves the dates of the root alone too (strimzi.md 1.4)."""
    own, new = below(root(end=BEFORE)), below(root("Next Root"), "Kafka CA 2")
    scene.store(own)
    scene.deploy()
    scene.finish(Goal.UPGRADE, way)
    scene.look_away()
    scene.finish(Goal.REPLACE_KEY, way, new)
    assert scene.rolls == {3}
    assert_only(scene, new.fingerprint, way)


class OperatorDies(BaseException):
    """Its process is gone: nothing catches this."""


def replaces_until(scene: Scene, starts: int) -> None:
    """The operator replaces its CA and ends with the start of so many pods."""
    left = iter(range(starts - 1))

    def end(change: Change) -> None:
        if (change.plural, change.verb) == ("pods", "create") and next(left, None) is None:
            raise OperatorDies

    scene.change("secrets", KEYS, {"metadata": {"annotations": {"strimzi.io/force-replace": "true"}}})
    scene.world.api.listeners.append(end)
    with pytest.raises(OperatorDies):
        scene.world.step()
    scene.world.api.listeners.remove(end)
    while scene.world.quiet_round():
        pass


@pytest.mark.parametrize("starts", [1, 4, 6])
def test_a_replacement_of_the_operator_comes_to_its_end(scene: Scene, starts: int, way: Way) -> None:
    """Interrupted in its first roll, between the rolls, in its second: the new CA is used, the old one stays trusted."""
    scene.deploy(generated=True)
    old = scene.current
    replaces_until(scene, starts)
    scene.finish(Goal.UPGRADE, way)
    assert scene.current != old
    assert scene.states == {scene.current: IN_USE, old: UNUSED}
    assert scene.trusted == {scene.current, old}
    scene.look_away()
    scene.finish(Goal.REPLACE_KEY, way)
    assert scene.rolls == {scene.replacement}
