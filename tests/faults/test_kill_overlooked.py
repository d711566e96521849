# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacements on a cluster with what is easily overlooked: a Connect that trusts a renamed copy of the CA, a foreign pod that gets the labels of a
node, and users at which the User Operator looks no more. Each comes to light after a kill at some write: the next call is held with its name and
restarts nothing, and without it the flow comes to its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.test_outside_clients import NAME as CONNECT
from ..flows.test_outside_clients import copy_by_hand, watch
from ..tools.operator.user_operator import UserOperatorDouble
from ..tools.support.authorities import below, root
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.connect import Connect
from ..tools.support.flows import FlowResult
from ..tools.support.strangers import NAME as STRANGER
from ..tools.support.strangers import label_stranger, labels_of, run_stranger, stranger, unlabel_stranger
from ..tools.support.watched_cluster import CLUSTER, IN_USE, fingerprints
from .conftest import Points
from .courses import kill
from .stories import with_nodes


@dataclass
class Surroundings:
    """A cluster in which a flow on one of its CAs is killed."""

    #: The CA that the flow is about.
    ca: CaKind
    patch: pytest.MonkeyPatch
    cluster: ClientsCluster = field(default_factory=ClientsCluster)

    def __post_init__(self) -> None:
        cluster = self.cluster
        with_nodes(cluster, self.patch)
        cluster.begin()
        cluster.ca = self.ca
        self.next = below(root("Next Root")) if self.ca is CaKind.CLUSTER else None
        copy_by_hand(cluster)
        copied = {"secretName": "renamed", "pattern": "*.crt"}
        watch(cluster, Connect(cluster.memory, copied, to="kafka.example.com:443"))
        run_stranger(cluster.memory.api)
        cluster.look_away()

    def run(self) -> FlowResult:
        """Without a link certificate: a client that trusts the old CA alone would be refused."""
        return self.cluster.run(Goal.REPLACE_KEY, self.next)

    def complete(self) -> None:
        """A person brings the copy up to date whenever a call is held by it."""
        while held(self.run()):
            copy_by_hand(self.cluster)

    def watch_users_in(self, namespace: str) -> None:
        cluster = self.cluster
        where = {"watchedNamespace": None if namespace == "kafka" else namespace}
        cluster.change("kafkas", CLUSTER, {"spec": {"entityOperator": {"userOperator": where}}})
        cluster.users = UserOperatorDouble(cluster.memory.api, namespace, CLUSTER, ca_namespace="kafka")
        cluster.memory.settle(2)


def held(result: FlowResult) -> set[tuple[Condition, str]]:
    """By what, and by which object. A call that ends the pause of a killed flow waits for the reconcile of a Kafka resource that changed in it."""
    found = {(one.condition, one.subject) for one in result.outcome.decision.violations}
    assert Condition.OPERATOR_IS_WORKING not in {condition for condition, _subject in found}
    return found


#: The objects that hold a flow on each CA.
HELD = {CaKind.CLUSTER: {CONNECT}, CaKind.CLIENTS: {"KafkaUser kafka/orders", "KafkaUser kafka/payments"}}


@pytest.mark.parametrize("ca", CaKind)
def test_an_object_that_is_found_after_a_kill_holds_the_next_call(
    ca: CaKind, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three calls follow each kill."""
    made = Surroundings(ca, monkeypatch)
    cluster, api = made.cluster, made.cluster.memory.api
    (replaced,) = fingerprints(cluster.secret(f"demo-{ca.value}-ca-cert")["ca.crt"])

    def go_on() -> set[frozenset[str]]:
        """The objects by which calls were held."""
        seen = set[frozenset[str]]()
        label_stranger(api, labels_of("kafka"))
        cluster.memory.settle(2)
        before, foreign = cluster.counts(), stranger(api)
        assert held(made.run()) == {(Condition.PODS_ARE_OWNED, f"Pod kafka/{STRANGER}")}
        assert (cluster.counts(), stranger(api)) == (before, foreign)
        unlabel_stranger(api)
        if ca is CaKind.CLIENTS:
            made.watch_users_in("apps")
            seen.add(frozenset(subject for _condition, subject in held(made.run())))
            made.watch_users_in("kafka")
        while subjects := {subject for _condition, subject in held(made.run())}:
            seen.add(frozenset(subjects))
            copy_by_hand(cluster)
        assert stranger(api)["metadata"]["uid"] == foreign["metadata"]["uid"]
        assert cluster.rolls == {2 if ca is CaKind.CLUSTER else 0}
        assert (cluster.ready, set(cluster.states.values())) == (True, {IN_USE})
        assert replaced not in cluster.states
        return seen

    killed = kill(cluster, points.all(), made.complete, go_on)
    assert frozenset(HELD[ca]) in set().union(*killed.values(), go_on())
