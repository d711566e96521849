# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users are paused before the switch to the next clients CA, and get their certificates some at a time (docs/operator.md, "Users")."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import OutsideOptions
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Waiver
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.operator import certs, clusters
from ..tools.support.breaches import InvariantBroken
from ..tools.support.clients_cluster import CERTIFICATES, KEYS, ClientsCluster
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import ForkingTransport
from ..tools.support.logging_in import LoggingIn
from ..tools.support.memory_api import Change
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE
from .cases import WRITES
from .test_clients_ca import assert_only

PAUSE = "strimzi.io/pause-reconciliation"
FIVE = tuple(f"user-{number}" for number in range(5))


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    return clients_cluster


def paused(cluster: ClientsCluster, users: tuple[str, ...] = FIVE) -> int:
    return sum(PAUSE in cluster.marks(user) for user in users)


def confirmed(cluster: ClientsCluster) -> bool:
    """Whether the User Operator has said of each that it is paused."""
    found = cluster.memory.api.all("kafkausers", "kafka")
    return all("ReconciliationPaused" in str(user.get("status")) for user in found)


@pytest.mark.usefixtures("looking_twice")
def test_a_user_comes_first_and_then_batches_of_users(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin(*FIVE)
    issued, seen = len(cluster.users.issued), []

    def note(change: Change) -> None:
        if change.plural == "secrets" and change.name == CERTIFICATES and confirmed(cluster):
            seen.append("switch")
        if change.plural == "kafkausers" and PAUSE in str(change.old) and PAUSE not in str(change.new):
            # When a user is let on, all users before it have their certificates, but for those of the same batch.
            seen.append(len(cluster.users.issued) - issued)

    cluster.memory.api.listeners.append(note)
    cluster.finish(Goal.REPLACE_KEY, user_batch=2)
    assert seen[:6] == ["switch", 0, 1, 1, 3, 3]
    assert_only(cluster, cluster.current)
    assert paused(cluster) == 0


def test_without_batches_no_user_is_paused(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    seen: list[Change] = []
    cluster.memory.api.listeners.append(lambda change: seen.append(change) if PAUSE in str(change.new) else None)
    cluster.finish(Goal.REPLACE_KEY)
    assert {change.plural for change in seen} == {"kafkas"}


def test_the_first_gets_none(cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles) -> None:
    """All others keep the certificates that they have, and both CAs stay trusted."""
    cluster.begin(*FIVE)
    old = cluster.programs.stored()
    cluster.memory.neighbours.clear()
    # The User Operator confirms the pause of every user, and then issues nothing for one of them.
    cluster.memory.neighbours.append(
        lambda: cluster.users.reconcile(*(FIVE if paused(cluster) == len(FIVE) else FIVE[1:]))
    )
    with pytest.raises(OperatorSilent) as silent:
        cluster.run(Goal.REPLACE_KEY, user_batch=2)
    golden.compare_said("flows", silent.value)
    assert (cluster.programs.stored(), paused(cluster)) == (old, 4)
    cluster.memory.neighbours.append(cluster.users.reconcile)
    cluster.finish(Goal.RECONCILE, user_batch=2)
    assert_only(cluster, cluster.current)
    assert paused(cluster) == 0


def test_a_user_with_a_waiver_is_let_on_and_not_waited_for(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The User Operator confirms its pause, and then issues nothing for it."""
    cluster.begin(*FIVE)
    until = cluster.work().clock.now() + timedelta(days=1)
    cluster.outside = OutsideOptions(waivers=(Waiver("KafkaUser kafka/user-0", until, "not in use any more"),))
    cluster.programs.look_away()
    cluster.memory.neighbours.clear()
    cluster.memory.neighbours.append(
        lambda: cluster.users.reconcile(*(FIVE if paused(cluster) == len(FIVE) else FIVE[1:]))
    )
    cluster.finish(Goal.REPLACE_KEY, user_batch=2)
    assert paused(cluster) == 0
    assert_only(cluster, cluster.current)


def test_a_pause_that_the_user_operator_does_not_confirm_stops_the_run(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    cluster.begin()
    old, cluster.users_run = cluster.current, False
    with pytest.raises(OperatorSilent) as silent:
        cluster.run(Goal.REPLACE_KEY, user_batch=1)
    golden.compare_said("flows", silent.value)
    assert (cluster.current, paused(cluster, ("orders", "payments"))) == (old, 0)
    cluster.users_run = True
    cluster.finish(Goal.REPLACE_KEY, user_batch=1)
    assert_only(cluster, cluster.current)


def test_a_run_that_stops_before_the_switch_leaves_no_user_paused(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    """A run was killed when every user was paused, and the next run may go no further."""
    cluster.begin()
    ours = {"metadata": {"annotations": {PAUSE: "true", "trustops.strimzi/paused-for-clients-ca-by": "a dead run"}}}
    for user in ("orders", "payments"):
        cluster.change("kafkausers", user, ours)
    cluster.memory.settle(1)
    cluster.run(Goal.RECONCILE)
    assert paused(cluster, ("orders", "payments")) == 0


FOREIGN = {"metadata": {"annotations": {PAUSE: "true"}}}
FREE = {"metadata": {"annotations": {PAUSE: None}}}


def pause_at(cluster: ClientsCluster, secret: str, user: str) -> None:
    """Another program pauses a user when this Secret changes for the first time."""

    def pause(change: Change) -> None:
        if (change.plural, change.name) == ("secrets", secret):
            cluster.memory.api.listeners.remove(pause)
            cluster.change("kafkausers", user, FOREIGN)

    cluster.memory.api.listeners.append(pause)


@pytest.mark.parametrize("batch", [None, 2])
def test_a_pause_of_a_user_by_another_program_during_the_flow_stays(
    cluster: ClientsCluster, nodes: ReloadingNodes, batch: int | None, golden: GoldenFiles
) -> None:
    """No run waits for that user, which holds the flow at its end; all others are served."""
    cluster.begin(*FIVE)
    old = cluster.programs.stored()[FIVE[0]]
    pause_at(cluster, KEYS, FIVE[0])
    (violation,) = cluster.run(Goal.REPLACE_KEY, user_batch=batch).outcome.decision.violations
    assert (violation.condition, violation.subject) == (Condition.REMOVAL, "KafkaUser kafka/user-0")
    golden.compare_stop("removal, a user that another program has paused", violation)
    assert [user for user, one in cluster.programs.stored().items() if one == old] == [FIVE[0]]
    assert cluster.issuers() == {"CN=clients-ca v0,O=io.strimzi", "CN=clients-ca v1,O=io.strimzi"}
    assert cluster.marks(FIVE[0])[PAUSE] == "true"
    assert paused(cluster) == 1
    cluster.change("kafkausers", FIVE[0], FREE)
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


def test_a_program_that_logs_in_as_such_a_user_and_as_another_is_not_waited_for(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    """Its operator has brought it to the certificate of the other one."""
    cluster.begin(*FIVE)
    mirror = LoggingIn(cluster.memory, FIVE[1], source=FIVE[0])
    pause_at(cluster, KEYS, FIVE[0])
    refused = cluster.run(Goal.REPLACE_KEY).refusals
    assert mirror.restarts == 1
    assert refused.keys() >= {
        (Condition.REMOVAL, "KafkaUser kafka/user-0"),
        (Condition.REMOVAL, "KafkaMirrorMaker2 kafka/connect"),
    }
    cluster.change("kafkausers", FIVE[0], FREE)
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)
    assert mirror.restarts == 2


def test_a_pause_by_another_program_does_not_keep_an_abort_from_other_users(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    cluster.begin(*FIVE)
    before = cluster.current
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE)
    cluster.change("kafkausers", FIVE[0], FOREIGN)
    assert "KafkaUser kafka/user-0" in {subject for _condition, subject in cluster.run(Goal.ABORT).refusals}
    assert [user for user, one in stored_issuers(cluster).items() if one != "CN=clients-ca v0,O=io.strimzi"] == [
        FIVE[0]
    ]
    cluster.change("kafkausers", FIVE[0], FREE)
    cluster.finish(Goal.ABORT)
    assert_only(cluster, before)


def stored_issuers(cluster: ClientsCluster) -> dict[str, str]:
    return {user: certs.load(one)[0].issuer.rfc4514_string() for user, one in cluster.programs.stored().items()}


def test_a_pause_by_another_program_while_a_certificate_is_waited_for(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    """The error names it, and the next run serves the others."""
    cluster.begin(*FIVE)
    cluster.memory.neighbours.clear()
    # The User Operator confirms the pause of every user, and is slow with the first: another program pauses that user then.
    cluster.memory.neighbours.append(lambda: look(cluster))
    with pytest.raises(OperatorSilent) as raised:
        cluster.run(Goal.REPLACE_KEY, user_batch=2)
    golden.compare_said("flows", raised.value)
    refused = cluster.run(Goal.RECONCILE, user_batch=2).refusals
    assert "KafkaUser kafka/user-0" in {subject for _condition, subject in refused}
    assert [user for user, one in stored_issuers(cluster).items() if one == "CN=clients-ca v0,O=io.strimzi"] == [
        FIVE[0]
    ]


def look(cluster: ClientsCluster) -> None:
    if paused(cluster, FIVE[:1]) == 0 and paused(cluster) == len(FIVE) - 1:
        cluster.change("kafkausers", FIVE[0], FOREIGN)
    cluster.users.reconcile()


@pytest.mark.parametrize("kind", ["tls-external", "scram-sha-512"])
def test_a_user_that_gets_another_authentication_while_it_is_paused_is_let_on(
    cluster: ClientsCluster, nodes: ReloadingNodes, kind: str
) -> None:
    cluster.begin(*FIVE)

    def move(change: Change) -> None:
        if (change.plural, change.name) == ("secrets", CERTIFICATES) and confirmed(cluster):
            cluster.memory.api.listeners.remove(move)
            cluster.change("kafkausers", FIVE[1], {"spec": {"authentication": {"type": kind}}})
            # Its program does not log in with the certificate any more.
            cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{FIVE[1]}")

    cluster.memory.api.listeners.append(move)
    cluster.run(Goal.REPLACE_KEY, user_batch=2)
    assert paused(cluster) == 0
    assert set(stored_issuers(cluster).values()) == {"CN=clients-ca v1,O=io.strimzi"}


def test_the_status_of_an_earlier_pause_is_no_confirmation(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """Another program has resumed the user, and the User Operator has yet to look: we pause the user when its status tells of no pause any more."""
    cluster.begin()
    cluster.change("kafkausers", "orders", {"metadata": {"annotations": {PAUSE: "true"}}})
    cluster.memory.settle(1)
    cluster.memory.neighbours.clear()
    cluster.change("kafkausers", "orders", {"metadata": {"annotations": {PAUSE: None}}})
    begun, said = cluster.memory.seconds, []

    def look() -> None:
        late = cluster.memory.seconds > begun + 15
        cluster.users.reconcile(*(("orders", "payments") if late else ("payments",)))

    def note(change: Change) -> None:
        if change.name == "orders" and PAUSE in str(change.new) and PAUSE not in str(change.old):
            said.append((change.new or {})["status"]["conditions"][0]["type"])

    cluster.memory.neighbours.append(look)
    cluster.memory.api.listeners.append(note)
    cluster.finish(Goal.REPLACE_KEY, user_batch=1)
    assert said == ["Ready"]
    assert cluster.memory.seconds > begun + 15
    assert_only(cluster, cluster.current)


def without_keystores(cluster: ClientsCluster, told: str) -> None:
    """A User Operator that makes no PKCS#12 files and looks at all users after every write of a CA, when one of them is to be issued again; told:
    what its variable says.
    """
    pool, kafka = clusters.dual_role(CLUSTER, "kafka", replicas=2, generated=False)
    env = [{"name": "STRIMZI_PKCS12_KEYSTORE_GENERATION", "value": told}]
    kafka["spec"]["entityOperator"]["template"] = {"userOperatorContainer": {"env": env}}
    cluster.users.keystores = False
    cluster.begin(manifests=[pool, kafka])

    def look(change: Change) -> None:
        if change.plural == "secrets" and change.name in (KEYS, CERTIFICATES):
            cluster.change("secrets", "orders", {"metadata": {"annotations": {"strimzi.io/force-renew": "true"}}})
            cluster.users.reconcile()

    cluster.memory.api.listeners.append(look)


def test_without_pkcs12_files_no_user_is_served_during_the_switch(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    """Between its two writes the operator would store empty certificates."""
    without_keystores(cluster, "false")
    cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)


def test_a_user_operator_whose_variable_says_the_contrary_stores_empty_certificates(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    without_keystores(cluster, "true")
    with pytest.raises(InvariantBroken) as broken:
        cluster.run(Goal.REPLACE_KEY)
    assert (broken.value.breach.rule, broken.value.breach.parties) == ("certificates", ("orders",))


def test_the_plan_says_so(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    without_keystores(cluster, "false")
    told: list[Any] = [action.what for action in cluster.finish(Goal.REPLACE_KEY).actions]
    assert told.index("pause reconciliation") < told.index("resume reconciliation")


@pytest.mark.parametrize("writes", WRITES)
def test_killed_at_any_write(cluster: ClientsCluster, nodes: ReloadingNodes, writes: range) -> None:
    """The next run, which knows nothing of batches, lets on every user that a dead run has left paused."""
    cluster.begin()
    transport = cluster.permitted = ForkingTransport(cluster.memory.api, writes, after=True)

    def next_run() -> None:
        cluster.permitted = cluster.memory.api
        cluster.memory.settle(2)
        cluster.finish(Goal.REPLACE_KEY)
        assert_only(cluster, cluster.current)
        assert paused(cluster, ("orders", "payments")) == 0

    assert len(transport.kill_copies(lambda: cluster.run(Goal.REPLACE_KEY, user_batch=1), next_run)) > 5
