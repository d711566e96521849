# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clients CA is replaced while a partner logs in with certificates that the User Operator has not written, in Secrets that the caller names, and
while users are in several namespaces."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OperatorSilent, RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import (
    NO_OUTSIDE_OPTIONS,
    OutsideOptions,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import Authentication
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    NO_NAMED_PLACES,
    NamedSecret,
    UserNamespace,
    Waiver,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread

from ..tools.operator import certs
from ..tools.operator.user_operator import UserOperatorDouble
from ..tools.support.authorities import Authority, root
from ..tools.support.breaches import InvariantBroken
from ..tools.support.clients_cluster import CERTIFICATES, KEYS, ClientsCluster
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import ForkingTransport
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.users import kafka_user
from ..tools.support.watched_cluster import CLUSTER, UNUSED
from .cases import WRITES
from .test_clients_ca import assert_only, held
from .test_user_moves import move

APPS = "apps"
#: A Secret as cert-manager, or a person, leaves it.
NAMED = NamedSecret(APPS, "partner-tls", "tls.crt")
#: Its name in violations.
CERTIFICATE_OF_PARTNER = "Secret apps/partner-tls entry tls.crt"
POD = {"metadata": {"name": "partner"}, "spec": {"volumes": [{"secret": {"secretName": NAMED.name}}]}}


pytestmark = pytest.mark.usefixtures("nodes")


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    clients_cluster.begin()
    clients_cluster.outside = OutsideOptions(presenting_secrets=(NAMED,))
    return clients_cluster


class Partner:
    """A program whose certificate lies in a Secret of another namespace, and which has read it."""

    def __init__(self, cluster: ClientsCluster, subject: str) -> None:
        self.cluster, self.subject = cluster, subject
        self._send("POST", "secrets", self._issued())
        self.start()

    def take(self, authority: Authority | None = None) -> None:
        """The issuer puts a certificate of this CA, or of the CA in use, into the Secret."""
        self.cluster.memory.seconds += 1
        self._send("PUT", f"secrets/{NAMED.name}", self._issued(authority))

    def start(self) -> None:
        """Its pod reads the Secret once."""
        self.cluster.memory.seconds += 1
        self._send("POST", "pods", POD)
        stored = self.cluster.memory.api.find("secrets", APPS, NAMED.name) or {}
        self.cluster.programs.started["partner"] = base64.b64decode(stored["data"]["tls.crt"])

    def stop(self) -> None:
        self._send("DELETE", "pods/partner", None)
        self.cluster.programs.stop("partner")

    def _issued(self, authority: Authority | None = None) -> dict[str, object]:
        ca, ca_key = self.cluster.secret(CERTIFICATES)["ca.crt"], self.cluster.secret(KEYS)["ca.key"]
        if authority is not None:
            ca, ca_key = authority.pem, authority.keys[0].reveal()
        key = certs.new_leaf_key()
        leaf = certs.leaf(certs.name(self.subject, None), (), key, ca, certs.load_key(ca_key), 90)
        assert leaf is not None
        content = {"ca.crt": ca, "tls.crt": leaf, "tls.key": certs.key_pem(key)}
        data = {entry: base64.b64encode(value).decode() for entry, value in content.items()}
        return {"kind": "Secret", "metadata": {"name": NAMED.name}, "type": "kubernetes.io/tls", "data": data}

    def _send(self, method: str, path: str, body: object) -> None:
        response = self.cluster.memory.api.request(method, f"/api/v1/namespaces/{APPS}/{path}", body=body)
        assert response.status < 300, response.body


def external(cluster: ClientsCluster) -> None:
    cluster.add("partner", kind="tls-external")


def superuser(cluster: ClientsCluster) -> None:
    authorization = {"type": "simple", "superUsers": ["CN=partner"]}
    cluster.change("kafkas", CLUSTER, {"spec": {"kafka": {"authorization": authorization}}})
    cluster.memory.settle(1)


def copied(cluster: ClientsCluster) -> None:
    """A copy of the certificate of a user for whom the User Operator issues them."""
    cluster.add("partner")


@pytest.mark.parametrize(
    ("who", "name"),
    [
        (external, "KafkaUser kafka/partner"),
        (superuser, "superuser CN=partner"),
        (copied, "Secret apps/partner-tls entry tls.crt"),
    ],
)
def test_the_old_ca_stays_until_it_holds_a_certificate_of_the_next_and_is_read(
    cluster: ClientsCluster, who: Callable[[ClientsCluster], None], name: str, golden: GoldenFiles
) -> None:
    who(cluster)
    partner, old = Partner(cluster, "partner"), cluster.current
    refused = held(cluster.run(Goal.REPLACE_KEY))
    assert refused.keys() == {(Condition.REMOVAL, name), (Condition.REMOVAL, "Pod apps/partner")}
    assert cluster.accepted == {old, cluster.current}
    partner.take()
    (violation,) = held(cluster.run(Goal.RECONCILE)).values()
    golden.compare_stop("removal, a program has not read a named Secret again", violation)
    assert cluster.accepted == {old, cluster.current}
    partner.stop()
    partner.start()
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize("spread", [Spread.AUTO, Spread.RESTART])
def test_a_ca_that_is_put_back_for_a_program_that_goes_back_is_not_forgotten(
    cluster: ClientsCluster, nodes: ReloadingNodes, spread: Spread
) -> None:
    """No node restarts or reads again, as long as the CA stays trusted."""
    external(cluster)
    partner, before = Partner(cluster, "partner"), cluster.secret(CERTIFICATES)["ca.crt"]
    old = Authority(parse_chain(before), (load_key(cluster.secret(KEYS)["ca.key"]),))
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE)
    partner.take()
    partner.stop()
    partner.start()
    nodes.deaf = set(cluster.memory.kubelet.nodes)
    with pytest.raises(RollStuck, match="still accept"):
        cluster.run(Goal.RECONCILE)
    nodes.deaf = set()
    cluster.put(CERTIFICATES, ours_crt=before)
    partner.take(old)
    partner.stop()
    partner.start()
    for _run in range(2):
        assert (Condition.REMOVAL, "Pod apps/partner") in held(cluster.run(Goal.RECONCILE, spread=spread))
        assert (cluster.accepted, cluster.rolls) == ({old.fingerprint, cluster.current}, {0})
    assert cluster.run(Goal.RECONCILE, spread=spread, last_phase=Phase.USE).outcome.decision.done
    partner.take()
    partner.stop()
    partner.start()
    cluster.finish(Goal.RECONCILE, spread=spread)
    assert_only(cluster, cluster.current)


def test_a_program_that_is_waived_by_mistake_is_refused(cluster: ClientsCluster) -> None:
    """The observer sees what the gate is there for."""
    external(cluster)
    Partner(cluster, "partner")
    until = cluster.work().clock.now() + timedelta(days=1)
    waivers = tuple(Waiver(name, until, "a mistake") for name in ("KafkaUser kafka/partner", "Pod apps/partner"))
    cluster.outside = OutsideOptions(waivers=waivers, presenting_secrets=(NAMED,))
    with pytest.raises(InvariantBroken) as broken:
        cluster.run(Goal.REPLACE_KEY)
    assert (broken.value.breach.rule, broken.value.breach.parties[-1]) == ("logins", "partner")


def test_the_kept_secret_of_a_moved_user_holds_the_old_ca_until_it_is_deleted(
    cluster: ClientsCluster, golden: GoldenFiles
) -> None:
    """Programs may go on reading the Secret that the User Operator wrote."""
    cluster.add("partner")
    partner = Partner(cluster, "partner")
    move(cluster, Authentication.TLS_EXTERNAL, user="partner")
    cluster.outside = OutsideOptions()
    assert (Condition.PRESENTERS_ARE_KNOWN, "KafkaUser kafka/partner") in held(cluster.run(Goal.REPLACE_KEY))
    assert cluster.writes == 0
    cluster.outside = OutsideOptions(presenting_secrets=(NAMED,))
    assert (Condition.REMOVAL, "KafkaUser kafka/partner") in held(cluster.run(Goal.REPLACE_KEY))
    partner.take()
    partner.stop()
    partner.start()
    violation = held(cluster.run(Goal.RECONCILE))[Condition.REMOVAL, "KafkaUser kafka/partner"]
    golden.compare_stop("removal, the Secret of a user that was moved", violation)
    cluster.memory.api.request("DELETE", "/api/v1/namespaces/kafka/secrets/partner")
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


def trusted_beside(cluster: ClientsCluster, *authorities: Authority) -> None:
    for one in authorities:
        cluster.run(Goal.RECONCILE, additional_cas=(one.chain,))


def test_a_ca_of_a_partner_stays_until_the_program_has_read_a_certificate_of_another(
    cluster: ClientsCluster,
) -> None:
    """Brokers trust it beside the CA in use, and users never had a certificate of it from the User Operator."""
    external(cluster)
    partner, before, after = Partner(cluster, "partner"), root("Partner Root 1"), root("Partner Root 2")
    trusted_beside(cluster, before, after)
    partner.take(before)
    partner.stop()
    partner.start()
    partner.take(after)
    refused = held(cluster.run(Goal.RECONCILE, leaving_ca=before.fingerprint))
    assert refused.keys() == {(Condition.REMOVAL, "Pod apps/partner")}
    partner.stop()
    partner.start()
    cluster.finish(Goal.RECONCILE, leaving_ca=before.fingerprint)
    assert cluster.accepted == {cluster.current, after.fingerprint}


def test_a_ca_of_a_partner_stays_where_the_flow_that_would_use_it_is_given_up(cluster: ClientsCluster) -> None:
    external(cluster)
    partner, theirs, old = Partner(cluster, "partner"), root("Partner Root"), cluster.current
    trusted_beside(cluster, theirs)
    partner.take(theirs)
    partner.stop()
    partner.start()
    cluster.run(Goal.REPLACE_KEY, theirs, last_phase=Phase.TRUST)
    partner.take()
    assert held(cluster.run(Goal.ABORT)).keys() == {(Condition.REMOVAL, "Pod apps/partner")}
    assert cluster.accepted == {old, theirs.fingerprint}
    partner.stop()
    partner.start()
    cluster.finish(Goal.ABORT)
    assert_only(cluster, old)


def test_several_rotations_in_a_row_beside_the_ca_of_a_partner(cluster: ClientsCluster) -> None:
    """The certificates of the partner are never of the CA in use, and no rotation waits for that."""
    external(cluster)
    partner, theirs = Partner(cluster, "partner"), root("Partner Root")
    trusted_beside(cluster, theirs)
    partner.take(theirs)
    partner.stop()
    partner.start()
    for _number in range(2):
        before = cluster.current
        cluster.finish(Goal.REPLACE_KEY, replaces=before)
        assert cluster.accepted == {cluster.current, theirs.fingerprint}
        assert before not in cluster.accepted


def test_a_renewal_with_the_same_key_asks_nothing_of_them(cluster: ClientsCluster) -> None:
    external(cluster)
    Partner(cluster, "partner")
    cluster.finish(Goal.RENEW)


@pytest.mark.parametrize("entry", ["tls.crt", "other.crt"])
def test_a_named_secret_that_cannot_be_read_is_told_before_anything_is_written(
    cluster: ClientsCluster, entry: str, golden: GoldenFiles
) -> None:
    if entry != NAMED.entry:
        Partner(cluster, "partner")
    cluster.outside = OutsideOptions(presenting_secrets=(NamedSecret(APPS, NAMED.name, entry),))
    (violation,) = held(cluster.run(Goal.REPLACE_KEY)).values()
    assert (violation.condition, violation.subject) == (
        Condition.PRESENTERS_ARE_KNOWN, f"Secret apps/partner-tls entry {entry}",
    )  # fmt: skip
    golden.compare_stop(f"presenters_are_known, a named Secret, {entry}", violation)
    assert cluster.writes == 0


def test_users_of_another_namespace_are_issued_again_by_their_own_user_operator(cluster: ClientsCluster) -> None:
    """It reads the same CA Secrets, and gives the Secrets of users names of its own. The run cannot see whether it makes PKCS#12 files."""
    theirs = UserOperatorDouble(
        cluster.memory.api, APPS, CLUSTER, prefix="kafka-", ca_namespace="kafka", keystores=False
    )
    user = kafka_user("remote", APPS)
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{APPS}/kafkausers"
    assert cluster.memory.api.request("POST", path, body=user).status == 201
    cluster.memory.neighbours.append(theirs.reconcile)
    cluster.memory.settle(1)
    cluster.outside = OutsideOptions(user_namespaces=(UserNamespace(APPS, "kafka-"),))
    cluster.finish(Goal.REPLACE_KEY)
    assert theirs.issued == ["remote", "remote"]
    assert_only(cluster, cluster.current)
    stored = cluster.memory.api.find("secrets", APPS, "kafka-remote") or {}
    assert stored["data"]["ca.crt"] == base64.b64encode(cluster.secret(CERTIFICATES)["ca.crt"]).decode()
    assert stored["data"]["user.crt"]


def with_a_remote_user(cluster: ClientsCluster) -> UserOperatorDouble:
    """A user of another namespace, and its User Operator, which stands still from here on."""
    theirs = UserOperatorDouble(cluster.memory.api, APPS, CLUSTER, ca_namespace="kafka")
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{APPS}/kafkausers"
    assert cluster.memory.api.request("POST", path, body=kafka_user("remote", APPS)).status == 201
    theirs.reconcile()
    return theirs


def test_a_user_operator_of_another_namespace_that_stands_still_holds_the_flow(
    cluster: ClientsCluster, golden: GoldenFiles
) -> None:
    theirs = with_a_remote_user(cluster)
    cluster.outside = OutsideOptions(user_namespaces=(UserNamespace(APPS),))
    old = cluster.current
    with pytest.raises(OperatorSilent) as silent:
        cluster.run(Goal.REPLACE_KEY)
    golden.compare_said("flows", silent.value)
    assert cluster.current == old
    cluster.memory.neighbours.append(theirs.reconcile)
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize("goal", [Goal.RECONCILE, Goal.RENEW_LEAVES, Goal.REPLACE_KEY])
def test_a_run_that_names_nothing_looks_where_the_flow_was_told_to(cluster: ClientsCluster, goal: Goal) -> None:
    copied(cluster)
    partner, old = Partner(cluster, "partner"), cluster.current
    held(cluster.run(Goal.REPLACE_KEY))
    cluster.outside = NO_OUTSIDE_OPTIONS
    for _run in range(2):
        assert (Condition.REMOVAL, CERTIFICATE_OF_PARTNER) in held(cluster.run(goal))
        assert (cluster.writes, cluster.accepted) == (0, {old, cluster.current})
    partner.take()
    partner.stop()
    partner.start()
    assert cluster.run(goal).outcome.decision.done
    assert_only(cluster, cluster.current)


def test_no_program_can_have_read_a_certificate_of_a_ca_that_is_given_up_before_its_switch(
    cluster: ClientsCluster,
) -> None:
    """The program has not read its last certificate yet, and whichever it has read is of a CA that was there before."""
    external(cluster)
    partner, old = Partner(cluster, "partner"), cluster.current
    partner.take()
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.TRUST)
    (new,) = cluster.accepted - {old}
    assert cluster.states[new] == UNUSED
    cluster.finish(Goal.ABORT)
    assert_only(cluster, old)


def test_a_run_that_names_no_secret_takes_back_what_was_named(cluster: ClientsCluster) -> None:
    """The observer sees what it was named for: a login with a certificate in it is refused then."""
    copied(cluster)
    Partner(cluster, "partner")
    held(cluster.run(Goal.REPLACE_KEY))
    cluster.outside = OutsideOptions(presenting_secrets=())
    with pytest.raises(InvariantBroken) as broken:
        cluster.run(Goal.RECONCILE)
    assert (broken.value.breach.rule, broken.value.breach.parties[-1]) == ("logins", "partner")


def test_a_secret_that_is_named_again_is_remembered_from_then_on(cluster: ClientsCluster) -> None:
    copied(cluster)
    Partner(cluster, "partner")
    cluster.outside = NO_OUTSIDE_OPTIONS
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE)
    cluster.outside = OutsideOptions(presenting_secrets=(NAMED,))
    held(cluster.run(Goal.RECONCILE))
    cluster.outside = NO_OUTSIDE_OPTIONS
    assert (Condition.REMOVAL, CERTIFICATE_OF_PARTNER) in held(cluster.run(Goal.RECONCILE))


def test_nothing_is_remembered_of_a_flow_that_has_finished(cluster: ClientsCluster) -> None:
    partner = Partner(cluster, "partner")
    copied(cluster)
    held(cluster.run(Goal.REPLACE_KEY))
    partner.take()
    partner.stop()
    partner.start()
    cluster.finish(Goal.RECONCILE)
    seen = cluster.work().observe().snapshot
    assert seen.ledger is not None
    assert seen.ledger.journal is not None
    assert seen.ledger.journal.options.named_places == NO_NAMED_PLACES
    cluster.outside = NO_OUTSIDE_OPTIONS
    assert cluster.work().observe().snapshot.outside_clients.named_places == NO_NAMED_PLACES
    assert names.NAMED not in (cluster.memory.api.find("secrets", "kafka", KEYS) or {})["metadata"]["annotations"]


def test_a_user_namespace_is_remembered(cluster: ClientsCluster, golden: GoldenFiles) -> None:
    theirs, old = with_a_remote_user(cluster), cluster.current
    cluster.outside = OutsideOptions(user_namespaces=(UserNamespace(APPS),))
    with pytest.raises(OperatorSilent):
        cluster.run(Goal.REPLACE_KEY)
    cluster.outside = NO_OUTSIDE_OPTIONS
    with pytest.raises(OperatorSilent) as silent:
        cluster.run(Goal.RECONCILE)
    golden.compare_said("flows", silent.value)
    assert cluster.current == old
    cluster.memory.neighbours.append(theirs.reconcile)
    cluster.finish(Goal.RECONCILE)
    assert theirs.issued == ["remote", "remote"]
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize("writes", WRITES)
def test_killed_at_any_write_it_is_remembered(cluster: ClientsCluster, writes: range, tmp_path: Path) -> None:
    """From the write on that prepares the next CA: before it there is no flow."""
    copied(cluster)
    Partner(cluster, "partner")
    old, cluster.outside = cluster.current, OutsideOptions(presenting_secrets=(NAMED,))
    transport = cluster.permitted = ForkingTransport(cluster.memory.api, writes, after=True)

    def next_run() -> None:
        cluster.permitted, cluster.outside = cluster.memory.api, NO_OUTSIDE_OPTIONS
        cluster.memory.settle(2)
        decision = cluster.run(Goal.RECONCILE).outcome.decision
        named = [one for one in decision.violations if one.subject == "Secret apps/partner-tls entry tls.crt"]
        assert bool(named) is not (decision.done and cluster.accepted == {old})
        if named:
            (tmp_path / str(transport.writes)).touch()

    transport.kill_copies(lambda: cluster.run(Goal.REPLACE_KEY), next_run)
    assert len(list(tmp_path.iterdir())) > 2
