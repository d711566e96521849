# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Handing back: afterwards the operator renews and replaces the CA as if it had always been its own."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import preconditions
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.faults.checker import InvariantBroken

from .authorities import below, root
from .scene import BOTH_WAYS, CERTIFICATES, EVERY_BRIDGE, IN_USE, KEYS, LEDGER, NAMESPACE, Scene, subject

pytestmark = pytest.mark.parametrize("way", BOTH_WAYS)


def hand_back(scene: Scene, way: Way) -> None:
    before = scene.current
    scene.look_away()
    scene.finish(Goal.DOWNGRADE, way)
    scene.world.settle()
    assert scene.current == before
    assert scene.trusted - scene.bridges == {before}
    assert scene.issued_by_operator == []
    assert scene.world.api.find("secrets", NAMESPACE, LEDGER) is None
    assert scene.kafka["spec"]["clusterCa"] == {"generateCertificateAuthority": True}
    assert scene.ready


def trigger(scene: Scene, secret: str, annotation: str) -> None:
    """What an administrator of Strimzi does; three reconciles are more than the operator needs."""
    scene.change("secrets", secret, {"metadata": {"annotations": {f"strimzi.io/{annotation}": "true"}}})
    scene.world.settle(5)
    assert scene.ready


def test_of_the_first_ca_without_a_roll(scene: Scene, way: Way) -> None:
    scene.create(way=way)
    hand_back(scene, way)
    assert scene.rolls == {0}


@EVERY_BRIDGE
def test_after_a_replacement_in_one_roll(scene: Scene, way: Way) -> None:
    scene.create(way=way)
    scene.finish(Goal.REPLACE_KEY, way)
    assert subject(scene.secret(CERTIFICATES)["ca.crt"]) == "CN=cluster-ca v1,O=io.strimzi"
    hand_back(scene, way)
    assert scene.rolls == {1}
    assert scene.annotation("secrets", KEYS, "ca-key-generation") == "1"


@EVERY_BRIDGE
@pytest.mark.parametrize("replacements", [0, 1, 2])
def test_the_operator_goes_on_with_it(scene: Scene, way: Way, replacements: int) -> None:
    scene.create(way=way)
    for _each in range(replacements):
        scene.finish(Goal.REPLACE_KEY, way, replaces=scene.current)
    hand_back(scene, way)
    ours = scene.current
    trigger(scene, CERTIFICATES, "force-renew")
    assert scene.current != ours
    assert subject(scene.secret(CERTIFICATES)["ca.crt"]) == f"CN=cluster-ca v{replacements},O=io.strimzi"
    trigger(scene, KEYS, "force-replace")
    assert subject(scene.secret(CERTIFICATES)["ca.crt"]) == f"CN=cluster-ca v{replacements + 1},O=io.strimzi"
    assert scene.issuers() == {f"CN=cluster-ca v{replacements + 1},O=io.strimzi"}


@EVERY_BRIDGE
def test_back_and_forth(scene: Scene, way: Way) -> None:
    """Adopted, replaced, handed back, adopted again, replaced again: no name is given twice."""
    scene.deploy(generated=True)
    scene.finish(Goal.UPGRADE, way)
    scene.finish(Goal.REPLACE_KEY, way)
    hand_back(scene, way)
    scene.look_away()
    scene.finish(Goal.UPGRADE, way)
    assert scene.rolls == {0}
    assert scene.states == {scene.current: IN_USE}
    scene.finish(Goal.REPLACE_KEY, way)
    assert scene.rolls == {scene.replacement}
    assert scene.issuers() == {"CN=cluster-ca v2,O=io.strimzi"}
    hand_back(scene, way)
    assert scene.rolls == {1}


def test_a_supplied_ca_is_replaced_by_a_generated_one_first(scene: Scene, way: Way) -> None:
    """The operator would renew it under a name of its own."""
    scene.create(below(root()), way)
    refused = scene.run(Goal.DOWNGRADE, way)
    assert scene.writes == 0
    assert ["another name" in str(one) for one in refused.outcome.decision.violations] == [True]
    scene.finish(Goal.REPLACE_KEY, way)
    hand_back(scene, way)
    trigger(scene, CERTIFICATES, "force-renew")
    trigger(scene, KEYS, "force-replace")


def test_without_that_rule_the_operators_renewal_breaks_every_connection(
    scene: Scene, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tuple(rule for rule in preconditions.PRECONDITIONS if rule.__name__ != "operator_could_renew")
    monkeypatch.setattr(preconditions, "PRECONDITIONS", rules)
    scene.create(below(root()), way)
    hand_back(scene, way)
    with pytest.raises(InvariantBroken, match="I1"):
        trigger(scene, CERTIFICATES, "force-renew")
