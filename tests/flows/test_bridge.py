# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridge: a key replaced in two rolls, because the old CA certifies the new key (operator-facts, "The bridge")."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import look
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.inspection import plan
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import generate_key
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.fakes.flows import START, work_on
from ansible_collections.trustops.strimzi.tests.fakes.memory_api import Change
from ansible_collections.trustops.strimzi.tests.faults.checker import verifies
from ansible_collections.trustops.strimzi.tests.operator import clusters
from ansible_collections.trustops.strimzi.tests.unit._pki.hierarchy import YEAR, make

from .authorities import BEGIN, EC256, Authority
from .scene import (
    BOTH_WAYS,
    CERTIFICATES,
    CLUSTER,
    KEYS,
    NAMESPACE,
    Object,
    Scene,
    assert_only,
    fingerprints,
)
from .test_restarts_in_between import a_node, every_component

EVERY_WAY = pytest.mark.parametrize("way", BOTH_WAYS)
NEW_NAME = "CN=cluster-ca v1,O=io.strimzi"


def with_path_length(length: int | None) -> Authority:
    """The CA in use."""
    made = make("Kafka Root", generate_key(EC256), path_length=length, begin=BEGIN, end=START + YEAR)
    return Authority((made.certificate,), (made.key,))


def roles_together() -> list[Object]:
    return clusters.dual_role(CLUSTER, NAMESPACE, replicas=2)


def roles_apart() -> list[Object]:
    return clusters.separate_roles(CLUSTER, NAMESPACE, replicas=2)


def without_exporter() -> list[Object]:
    *pools, kafka = roles_together()
    del kafka["spec"]["kafkaExporter"]
    return [*pools, kafka]


@EVERY_WAY
@pytest.mark.parametrize("manifests", [roles_together, roles_apart])
def test_in_two_rolls(scene: Scene, manifests: Callable[[], list[Object]], way: Way) -> None:
    scene.create(way=way, manifests=manifests())
    scene.finish(Goal.REPLACE_KEY, way)
    assert scene.rolls == {2}
    assert scene.issuers() == {NEW_NAME}
    assert_only(scene, scene.current, way, scene.bridges)
    assert len(scene.secret(CERTIFICATES)) == 1


@EVERY_WAY
@pytest.mark.parametrize(
    ("length", "manifests", "learning"),
    [
        # The exporter is a Go program, and applies the path length of the CA that it trusts (operator-facts).
        pytest.param(0, roles_together, {"kafka-exporter"}, id="0, an exporter"),
        pytest.param(1, roles_together, set(), id="1, an exporter"),
        pytest.param(None, roles_together, set(), id="none, an exporter"),
        pytest.param(0, without_exporter, set(), id="0, JVMs only"),
    ],
)
def test_who_would_refuse_it_restarts_before_it_is_used(
    scene: Scene, length: int | None, manifests: Callable[[], list[Object]], learning: set[str], way: Way
) -> None:
    scene.create(with_path_length(length), way, manifests=manifests())
    processes = scene.world.kubelet.processes
    before = set(processes)
    scene.run(Goal.REPLACE_KEY, way, until=Phase.TRUST)
    assert {process.component for uid, process in processes.items() if uid not in before} == learning
    scene.finish(Goal.REPLACE_KEY, way)
    assert scene.rolls == {2}
    assert_only(scene, scene.current, way, scene.bridges)


@pytest.mark.parametrize("length", [0, 1])
def test_the_plan_says_who_restarts_before_it_is_used_and_why(scene: Scene, length: int) -> None:
    scene.create(with_path_length(length))
    work, intent = work_on(scene.world), Intent(Goal.REPLACE_KEY)
    planned = plan(work, look(work, intent), intent)
    restarted = [(step.nodes, *step.others) for step in planned.steps if step.phase is Phase.TRUST and step.others]
    (exporter,) = [one.pod for one in scene.world.kubelet.processes.values() if one.component == "kafka-exporter"]
    assert restarted == ([((), exporter)] if length == 0 else [])
    why = f"by a restart: pod {exporter} (CN=Kafka Root,O=io.strimzi allows 0 CAs below it"
    assert any(why in choice for choice in planned.choices) is (length == 0)


def test_one_that_has_to_be_used_is_used_beside_an_exporter(scene: Scene) -> None:
    scene.create(with_path_length(0))
    scene.bridge = Bridge.ALWAYS
    scene.finish(Goal.REPLACE_KEY)
    assert scene.rolls == {2}


def test_the_operators_own_ca_beside_an_exporter_takes_two(scene: Scene) -> None:
    scene.deploy(generated=True)
    scene.finish(Goal.UPGRADE)
    scene.look_away()
    scene.finish(Goal.REPLACE_KEY)
    assert scene.rolls == {2}


def test_one_that_was_prepared_and_is_forbidden_after_all(scene: Scene) -> None:
    scene.create()
    scene.run(Goal.REPLACE_KEY, until=Phase.PREPARE)
    assert any(key.endswith(".bridge.crt") for key in scene.secret(KEYS))
    scene.bridge = Bridge.NEVER
    scene.finish(Goal.REPLACE_KEY)
    assert scene.rolls == {3}
    assert_only(scene, scene.current)


@EVERY_WAY
@pytest.mark.parametrize("bridge", Bridge)
def test_after_the_first_roll_whoever_goes_on_ends_it(scene: Scene, bridge: Bridge, way: Way) -> None:
    scene.create(way=way)
    old = scene.current
    stopped = scene.run(Goal.REPLACE_KEY, way, until=Phase.USE).outcome.decision
    assert stopped.done
    assert stopped.pending
    assert scene.rolls == {1}
    assert scene.issuers() == {NEW_NAME}
    assert old in scene.trusted
    scene.bridge = bridge
    scene.finish(Goal.RECONCILE, way)
    assert scene.rolls == {2}
    assert_only(scene, scene.current, way, scene.bridges)


@EVERY_WAY
@pytest.mark.parametrize("who", [a_node, every_component])
def test_whoever_restarts_after_any_write(scene: Scene, who: Callable[[Scene], None], way: Way) -> None:
    """Once for each write of the flow: the checker looks after each of them."""
    scene.create(way=way)
    scene.run(Goal.REPLACE_KEY, way, until=Phase.PREPARE)
    busy: list[str] = []

    def restart(change: Change) -> None:
        if not busy and change.plural in ("secrets", "kafkas"):
            busy.append(change.name)
            who(scene)
            busy.clear()

    scene.world.api.listeners.append(restart)
    scene.run(Goal.REPLACE_KEY, way)
    scene.world.api.listeners.remove(restart)
    scene.finish(Goal.REPLACE_KEY, way)
    assert_only(scene, scene.current, twins=scene.bridges)


@EVERY_WAY
@pytest.mark.parametrize("jvm", [True, False], ids=["JVM", "OpenSSL"])
@pytest.mark.parametrize("length", [0, 1])
def test_a_client_that_trusts_only_the_old_ca(scene: Scene, length: int, jvm: bool, way: Way) -> None:
    """It validates what every node presents until the old CA has left the trust; that is what a bridge is for."""
    old = with_path_length(length)
    scene.create(old, way, manifests=without_exporter())
    refused: list[str] = []

    def connect(change: Change) -> None:
        if old.fingerprint not in scene.states:
            return
        for process in scene.world.kubelet.processes.values():
            for _secret, chain in process.presented if process.component == "kafka" else ():
                if not verifies(chain, old.pem, jvm=jvm):
                    refused.append(f"{process.pod} after {change.verb} of {change.name}")

    scene.world.api.listeners.append(connect)
    scene.finish(Goal.REPLACE_KEY, way)
    assert scene.rolls == {2}
    assert bool(refused) is (length == 0 and not jvm), refused[:1]


@EVERY_WAY
def test_clients_are_given_roots(scene: Scene, way: Way) -> None:
    """The bundle for them holds the old CA and the new one, and never what leads from one to the other."""
    scene.create(way=way)
    held: set[str] = set()

    def collect(change: Change) -> None:
        if change.name == "demo-cluster-ca-bundle":
            held.update(fingerprints(scene.secret(change.name)["ca.crt"]))

    old = scene.current
    scene.world.api.listeners.append(collect)
    scene.finish(Goal.REPLACE_KEY, way, publish=True)
    assert held == {old, scene.current}
    assert fingerprints(scene.secret("demo-cluster-ca-bundle")["ca.crt"]) == [scene.current]
    assert scene.bridges


@EVERY_WAY
def test_what_comes_after_it(scene: Scene, way: Way) -> None:
    """Replaced, replaced again, renewed, handed back."""
    scene.create(way=way)
    for _each in range(2):
        scene.look_away()
        scene.finish(Goal.REPLACE_KEY, way, replaces=scene.current)
        assert scene.rolls == {2}
        assert_only(scene, scene.current, way, scene.bridges)
    scene.look_away()
    replaced = scene.current
    scene.finish(Goal.RENEW, way, replaces=replaced)
    assert scene.rolls == {1}
    assert_only(scene, scene.current, way, {replaced, *scene.bridges})
    scene.finish(Goal.DOWNGRADE, way)
    scene.world.settle(3)
    assert scene.ready
    assert scene.issuers() == {"CN=cluster-ca v2,O=io.strimzi"}
