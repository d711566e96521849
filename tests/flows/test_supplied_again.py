# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a supplied CA means to a run that is not the first: it is in place, or it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from .authorities import Authority, below, renewed, root
from .scene import CERTIFICATES, EVERY_BRIDGE, KEYS, Scene, assert_only, subject

NEVER_FRESH = timedelta(0)


@pytest.mark.parametrize("goal", [Goal.CREATE, Goal.RENEW, Goal.REPLACE_KEY])
def test_a_ca_that_is_in_use_already_changes_nothing(scene: Scene, goal: Goal) -> None:
    own = below(root())
    scene.create(own)
    result = scene.finish(goal, supplied=own)
    assert result.changes == []
    assert_only(scene, own.fingerprint)


@pytest.mark.parametrize(("goal", "next_one"), [(Goal.RENEW, renewed), (Goal.REPLACE_KEY, lambda old: root("Next"))])
def test_the_same_playbook_much_later_changes_nothing(
    scene: Scene, goal: Goal, next_one: Callable[[Authority], Authority]
) -> None:
    old = below(root())
    scene.create(old)
    scene.finish(goal, supplied=next_one(old), fresh_for=NEVER_FRESH)


def test_another_ca_on_the_same_day_is_put_in_place_too(scene: Scene) -> None:
    scene.create()
    first, second = below(root()), below(root("Another Root"), "Kafka CA 2")
    scene.finish(Goal.REPLACE_KEY, supplied=first)
    scene.finish(Goal.REPLACE_KEY, supplied=second)
    assert scene.rolls == {6}
    assert_only(scene, second.fingerprint)


def test_what_a_playbook_replaced_long_ago_does_not_come_back(scene: Scene) -> None:
    """It names what it replaces, and that is gone."""
    scene.create()
    first, second = below(root()), root("Kafka Root")
    generated = scene.current
    scene.finish(Goal.REPLACE_KEY, supplied=first, replaces=generated)
    scene.finish(Goal.REPLACE_KEY, supplied=second, replaces=first.fingerprint)
    assert scene.run(Goal.REPLACE_KEY, supplied=first, replaces=first.fingerprint).changes == []
    assert_only(scene, second.fingerprint, twins=scene.bridges)


def test_a_ca_that_everybody_trusts_already_needs_no_trust_roll(scene: Scene) -> None:
    scene.create()
    supplied = below(root())
    scene.put(CERTIFICATES, next_crt=supplied.pem)
    scene.finish(Goal.RECONCILE)
    assert scene.rolls == {1}
    scene.look_away()
    scene.finish(Goal.REPLACE_KEY, supplied=supplied)
    assert scene.rolls == {2}
    assert_only(scene, supplied.fingerprint)


@pytest.mark.parametrize(
    ("goal", "other", "why"),
    [
        (Goal.RENEW, lambda old: root("Kafka CA 2"), "has another key"),
        (Goal.REPLACE_KEY, renewed, "has the key of the CA in use"),
    ],
)
def test_a_ca_that_does_not_fit_the_goal_is_refused(
    scene: Scene, goal: Goal, other: Callable[[Authority], Authority], why: str
) -> None:
    """The renewal of one roll must not become a replacement of three."""
    old = below(root())
    scene.create(old)
    result = scene.run(goal, supplied=other(old))
    assert [why in str(violation) for violation in result.outcome.decision.violations] == [True]
    assert scene.writes == 0


@EVERY_BRIDGE
def test_a_generated_ca_after_a_supplied_one_takes_no_name_that_was_there_before(scene: Scene) -> None:
    """Clients may still hold the CA that had it: two CAs of one name and different keys (RFC 5280 6.1)."""
    scene.create()
    scene.finish(Goal.REPLACE_KEY, replaces=scene.current)
    before = subject(scene.secret(CERTIFICATES)["ca.crt"])
    scene.finish(Goal.REPLACE_KEY, supplied=root(), replaces=scene.current)
    scene.finish(Goal.REPLACE_KEY, replaces=scene.current)
    assert before == "CN=cluster-ca v1,O=io.strimzi"
    # By the certificate generation, since the name of the one in use tells nothing; a bridge takes one as well.
    generation = {Bridge.NEVER: 2, Bridge.AUTO: 4}[scene.bridge]
    assert subject(scene.secret(CERTIFICATES)["ca.crt"]) == f"CN=cluster-ca v{generation + 1},O=io.strimzi"
    assert scene.annotation("secrets", KEYS, "ca-key-generation") == "0"
