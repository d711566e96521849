# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions about the cluster, its operator and its ledger, before anything is written."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import unmatched_waivers
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import describe_stop
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClients, Waiver
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FlowOptions,
    Journal,
    Ledger,
    LedgerEntry,
    Outgoing,
    RememberedCertificate,
    Stop,
    Upkeep,
    UpkeepOptions,
    WhenDue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.security import HOW_TO_KNOW, MUTUAL_TLS
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaDefects,
    InPlaceObstacles,
    OperatorPause,
    OperatorStatus,
    Rebalance,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.absence import deletion_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.cluster import (
    authority_is_not_foreign,
    authority_is_user_managed,
    awaits_reconcile,
    cluster_exists,
    cluster_is_settled,
    describe_unknown_operator,
    ledger_is_of_the_past,
    ledger_is_ours,
    no_left_over_trigger,
    no_rebalance_is_running,
    not_paused_by_others,
    not_stopped,
    nothing_is_in_deletion,
    operator_is_new_enough,
    operator_is_there,
    operator_is_working,
    secrets_can_be_written,
    secrets_have_room,
    security_is_known,
    target_is_known,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.deeds import issues
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check

from ....tools.support.certificates import DAY, NOW, YEAR, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import an_intent, changed_intent
from .. import linked
from ..authorities import INTERMEDIATE, OLD, ROOT, chain_of
from ..builders import changed, cluster, secrets
from ..ledgers import a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, pods
from ..rules.asking import RECONCILE, RENEW, REPLACE_KEY
from .refusals import CREATE, DOWNGRADE, FORESEEING, UPGRADE, Refusal, refusal, violations_of

KAFKA, LEDGER = "Kafka kafka/demo", "Secret kafka/demo-cluster-ca-trusted-certs"
CHECK_NAME = (
    "Check the names of cluster and namespace. To make the first CA before the Kafka resource exists, run the create playbook, or "
    "strimzi_ca with before_kafka=true."
)
ASKED = (
    "Wait until the operator has restarted it, or remove the annotation from the pod or its StrimziPodSet; a flow in progress would go on, a new flow "
    "does not start."
)
ASKED_HERE = (
    "Wait until the operator has restarted it, or take the requests of a killed call back (strimzi_roll with a reason and pods: []); a flow in progress "
    "would go on, a new flow does not start."
)
HEALTH = "Bring the cluster to health first; a flow in progress would go on, a new flow does not start."
LOST = (
    "Wait for its end and for the pod in its place; a flow in progress would go on, a new flow does not start. If it does not end because its worker is "
    f"lost, check that the worker is really off, then delete the pod. The command: kubectl delete pod {PODS[0]} --namespace kafka --grace-period=0 --force"
)
#: The limit of Kubernetes and etcd, by default.
SECRET_LIMIT = 1_048_576
#: Three pods of 256 bytes and twice 16 KiB of certificates.
GROWTH = 2 * 16 * 1024 + 3 * 256
TOO_BIG = SECRET_LIMIT - GROWTH + 1

_LATER = NOW + timedelta(minutes=6)
FUTURE = {
    "a flow (replace_key) began": ledger(entry(OLD), journal=a_journal(started_at=_LATER)),
    "a flow (replace_key) ended": ledger(entry(OLD), journal=a_journal(finished_at=_LATER)),
    "clients could read the CA of a flow (replace_key) as ca.crt": ledger(
        entry(OLD), journal=a_journal(read_since=_LATER)
    ),
    f"{named(OLD.certificate)} was published": ledger(replace(entry(OLD), published_at=_LATER)),
    f"the earlier certificate of {named(OLD.certificate)} left the places that clients read": ledger(
        replace(entry(OLD), cleared_at=_LATER)
    ),
}
#: The times of the ledger that no precondition compares: dates to come, and times that sentences alone name.
NOT_COMPARED = {"Journal.retire", "Outgoing.ends_at", "Stop.asked_at", "Upkeep.since"}

AFTER = (
    "A deletion cannot be taken back: let it come to its end. If the cluster is to live on, create the Kafka resource again after that, with the CA "
    "Secrets and volumes that were kept, then run the flow again."
)
COPY = (
    "A deletion cannot be taken back: find the program or person that deleted it, keep a copy, let the deletion come to its end, "
    "create it again from the copy, then run "
    "the flow again."
)
START = "Start the Cluster Operator, have it watch the namespace kafka, wait until the resource has a status of its own, then run the flow again."
OLD_OPERATOR = (
    "Up to 0.50 the operator keeps no trust bundle from which nodes read the CAs that they trust, or does not check the "
    "chains that are stored for them. Upgrade the Cluster Operator to Strimzi 0.51 or later, wait until it has reconciled "
    "the resource, then run the flow again. Until then renew and replace CAs as the documentation of that version of "
    "Strimzi says."
)
CERTIFICATES = "Secret kafka/demo-cluster-ca-cert"

#: Refusals after which nothing else is looked at, for every goal.
FIRST_OF_ALL = [
    *(
        refusal(
            nothing_is_in_deletion,
            f"{KAFKA}: is being deleted (metadata.deletionTimestamp). {AFTER}",
            f"{CERTIFICATES}: is being deleted (metadata.deletionTimestamp), and its deletion waits for the finalizers a, b. {COPY}",
            name=goal.value, intent=Intent(goal), in_deletion={KAFKA: (), CERTIFICATES: ("a", "b")},
        )
        for goal in Goal
    ),
    *(
        refusal(
            operator_is_there, f"{KAFKA}: is reconciled by no Cluster Operator: it is so. {START}",
            name=goal.value, intent=Intent(goal), reconciliation=Reconciliation(operator=OperatorStatus(absence="it is so")),
            bundle=frozenset({OLD.certificate.fingerprint}),
        )
        for goal in Goal
    ),
]  # fmt: skip

REBALANCE = "KafkaRebalance kafka/moving"
WAIVED = "If the restarts cannot wait, give a waiver for it."
STOP_IT = f"Wait for its end, or stop it. {WAIVED} The command: kubectl annotate kafkarebalance moving --namespace kafka strimzi.io/rebalance=stop"

#: Refusals that cannot come up in a pause of ours: the rule asks who paused, or it is asked before a flow starts only.
STOP = Stop(Phase.PREPARE, NOW - DAY)
STOPPED = a_journal(options=FlowOptions(stop=STOP))

BEFORE_A_FLOW = [
    refusal(
        not_paused_by_others,
        f"{KAFKA}: is paused (strimzi.io/pause-reconciliation), and not by this collection. "
        "Find the program or person that paused it, and the reason, remove the annotation, then run the flow again.",
        name="", reconciliation=Reconciliation(pause=OperatorPause(is_set=True)),
    ),
    refusal(
        not_paused_by_others,
        f"{KAFKA}: is paused by a flow on the clients CA. Wait until that flow ends. If its run was killed, run the same playbook again: it ends the pause.",
        name="by another flow", reconciliation=Reconciliation(pause=OperatorPause(is_set=True, holder="a flow on the clients CA")),
    ),
    refusal(
        operator_is_working,
        f"{KAFKA}: has not been reconciled by a Cluster Operator in its present form. "
        "Check that the operator runs, watches this namespace and reports no error in the resource's status.",
        name="", reconciliation=Reconciliation(operator=OperatorStatus(has_observed=False)),
    ),
    *(
        refusal(
            cluster_is_settled, f"Pod kafka/{PODS[0]}: {told}",
            name=f"{told.partition('.')[0]} {intent.goal.value}", intent=intent, pods=(ill, *pods(names=PODS[1:])),
        )
        for intent in (RENEW, REPLACE_KEY)
        for told, ill in (
            (f"is not ready. {HEALTH}", a_pod(ready=False)),
            (f"is about to be restarted by the operator (strimzi.io/manual-rolling-update, delete-pod-and-pvc). {ASKED}", a_pod(awaits_restart=True)),
            (
                "is about to be restarted by the operator (a call of this collection, which works or was killed, has requested it: "
                f"strimzi.io/manual-rolling-update). {ASKED_HERE}", a_pod(awaits_restart=True, asked_here=True),
            ),
            (f"is being terminated. {LOST}", a_pod(terminating=True)),
            (f"is being terminated on worker w-1. {LOST}", a_pod(terminating=True, worker="w-1")),
        )
    ),
    refusal(
        no_rebalance_is_running,
        f"{REBALANCE}: is in the state Rebalancing: Cruise Control is moving partitions. {STOP_IT}",
        name="", intent=REPLACE_KEY, reconciliation=Reconciliation(rebalances=(Rebalance("moving", REBALANCE),)),
    ),
    refusal(
        no_rebalance_is_running,
        f"{REBALANCE}: may be moving partitions: no answer. Let the run list KafkaRebalance resources, as the Role \"looking\" of docs/rbac.yml does. {WAIVED}",
        name="unknown", intent=REPLACE_KEY, reconciliation=Reconciliation(rebalances=(Rebalance("moving", REBALANCE, "no answer"),)),
    ),
    refusal(
        secrets_have_room,
        f"Secret kafka/demo-cluster-ca-cert: contains {TOO_BIG} bytes; a flow may add {GROWTH}, "
        f"and Kubernetes allows {SECRET_LIMIT}. Move entries that do not belong to the cluster CA elsewhere.",
        name="", sizes={"demo-cluster-ca-cert": TOO_BIG, "demo-cluster-ca": TOO_BIG - 1},
    ),
    refusal(
        secrets_have_room,
        f"Secret kafka/demo-cluster-ca-cert: contains {SECRET_LIMIT - 65_535} bytes; a flow may add 65536, and Kubernetes allows "
        f"{SECRET_LIMIT}. Move entries that do not belong to the cluster CA elsewhere.",
        name="128 pods", sizes={"demo-cluster-ca-cert": SECRET_LIMIT - 65_535, "demo-cluster-ca": SECRET_LIMIT - 65_536},
        pods=pods() * 42 + pods(names=PODS[:2]),
    ),
]  # fmt: skip

ALWAYS = [
    *(
        refusal(
            operator_is_new_enough, f"{KAFKA}: is run by Strimzi {version}. {OLD_OPERATOR}",
            name=version, reconciliation=Reconciliation(operator=OperatorStatus(version=version)),
        )
        for version in ("0.50.1", "0.50.0-rc1", "0.45", "0.9.0")
    ),
    refusal(
        security_is_known, f"{KAFKA}: has types that are not known. {HOW_TO_KNOW}",
        name="", security=replace(MUTUAL_TLS, problem="has types that are not known."),
    ),
    refusal(
        secrets_can_be_written,
        "Secret kafka/demo-cluster-ca: is immutable: its data cannot be changed, and the field cannot be taken back. Put it again in one go, without the "
        "field, if the person who set it agrees, then run the flow again. The command: kubectl get secret demo-cluster-ca --namespace kafka --output yaml | "
        "sed '/^immutable: true$/d' | kubectl replace --force --filename -",
        name="", immutable_secrets=("demo-cluster-ca",),
    ),
    refusal(
        cluster_exists,
        f"{KAFKA}: does not exist, and no other Kafka cluster is seen in this namespace. {CHECK_NAME}",
        name="alone", reconciliation=Reconciliation(exists=False),
    ),
    refusal(
        cluster_exists,
        f"{KAFKA}: does not exist; the Kafka clusters in this namespace are: one, two. {CHECK_NAME}",
        name="with neighbours", reconciliation=Reconciliation(exists=False, neighbours=("one", "two")),
    ),
    refusal(
        cluster_exists,
        f"{KAFKA}: does not exist; this namespace has no Kafka cluster; other namespaces have: a/one, b/two. {CHECK_NAME}",
        name="elsewhere", intent=changed_intent(CREATE, before_kafka=False),
        reconciliation=Reconciliation(exists=False, neighbours=("a/one", "b/two")),
    ),
    *(
        refusal(
            authority_is_user_managed,
            f"{KAFKA}: has a cluster CA that the operator generates (spec.clusterCa.generateCertificateAuthority). "
            "Adopt it first with the upgrade playbook; that changes no certificate.",
            name=intent.goal.value, intent=intent, reconciliation=Reconciliation(generated=True),
        )
        for intent in (CREATE, RENEW, REPLACE_KEY, RECONCILE, Intent(Goal.RENEW_LEAVES))
    ),
    *(
        refusal(
            authority_is_not_foreign,
            f"{KAFKA}: has spec.clusterCa.type cert-manager.io, with which the operator itself writes the Secrets of the cluster CA, as this "
            "collection would. Renew or replace it as Strimzi says for that type; flows are about a CA of the type strimzi.io, which it also has "
            "without the field.",
            name=f"{goal.value}, {generated}", intent=Intent(goal),
            reconciliation=Reconciliation(generated=generated, foreign_type="cert-manager.io"),
        )
        for goal in (Goal.RENEW, Goal.REPLACE_KEY, Goal.RECONCILE, Goal.RENEW_LEAVES, Goal.CREATE)
        for generated in (False, True)
    ),
    refusal(
        authority_is_not_foreign,
        f"{KAFKA}: has spec.clusterCa.type vault, with which the operator itself writes the Secrets of the cluster CA, as this "
        "collection would. Renew or replace it as Strimzi says for that type; flows are about a CA of the type strimzi.io, which it also has "
        "without the field.",
        name="taking it over", intent=Intent(Goal.UPGRADE), reconciliation=Reconciliation(generated=True, foreign_type="vault"),
    ),
    refusal(
        no_left_over_trigger,
        "Secret/demo-cluster-ca-cert: strimzi.io/force-renew: is left over: the operator would act on it as soon as "
        "it manages the CA again. Remove this annotation, then run the flow again.",
        name="", ca=secrets(defects=CaDefects(triggers=("Secret/demo-cluster-ca-cert: strimzi.io/force-renew",))),
    ),
    refusal(
        no_left_over_trigger,
        "Secret/demo-cluster-ca: strimzi.io/force-replace: is set: the Cluster Operator is about to renew or replace its CA by "
        "itself. Let it come to its end, or remove this annotation, then run the flow again.",
        name="generated", intent=UPGRADE, reconciliation=Reconciliation(generated=True),
        ca=secrets(defects=CaDefects(triggers=("Secret/demo-cluster-ca: strimzi.io/force-replace",))),
    ),
    refusal(
        ledger_is_ours,
        f"{LEDGER}: the state X is unknown. "
        "The ledger has been edited; restore the entry, or delete Secret kafka/demo-cluster-ca-trusted-certs to adopt the cluster again.",
        name="", ledger=ledger(problems=("the state X is unknown.",)),
    ),
    *(
        refusal(
            ledger_is_of_the_past,
            f"{LEDGER}: says that {what} at 2026-06-01T12:06:00Z, and it is 2026-06-01T12:00:00Z. Set the clock of this machine "
            "right, or correct the time in the ledger if the clock of an earlier run was wrong.",
            name=re.sub(r".*\) ", "", what), ledger=books,
        )
        for what, books in FUTURE.items()
    ),
    refusal(
        not_stopped,
        f"{KAFKA}: {' '.join(describe_stop(STOPPED, STOP, 'cluster CA'))}",
        name="by another rotation", intent=RENEW, ledger=ledger(entry(OLD, generations={0}), journal=STOPPED),
    ),
    refusal(
        target_is_known,
        f"{KAFKA}: has no CA with the fingerprint 00:11, and never had. "
        f"The CA in use has the SHA-256 fingerprint {OLD.certificate.sha256}.",
        name="", intent=an_intent(Goal.RENEW, replaces="00:11"),
    ),
    refusal(
        target_is_known,
        f"{KAFKA}: has no CA with the fingerprint 00:11, and never had. "
        f"The CA in use has the SHA-256 fingerprint {INTERMEDIATE.certificate.sha256}.",
        name="a CA with its root", intent=an_intent(Goal.RENEW, replaces="00:11"),
        ca=secrets(chain_of(INTERMEDIATE, ROOT)), ledger=ledger(entry(chain_of(INTERMEDIATE, ROOT), generations={0})),
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", FIRST_OF_ALL)
def test_the_first_preconditions_hide_every_other_violation_and_end_no_pause(case: Refusal) -> None:
    """A pause that ended now would show an operator that comes later the work half-way."""
    state = replace(
        case.snapshot.reconciliation, operator=replace(case.snapshot.reconciliation.operator, has_observed=False), foreign_type="vault",
        pause=OperatorPause(is_set=True, is_ours=True),
    )  # fmt: skip
    wrong = replace(case.snapshot, reconciliation=state, ledger=ledger(problems=("wrong.",)))
    found = decide(wrong, case.intent)
    assert found == Decision(violations=found.violations)
    assert tuple(map(str, found.violations)) == case.texts


@pytest.mark.parametrize("stage", linked.STAGES)
def test_no_stage_of_a_flow_goes_on_without_an_operator(stage: str) -> None:
    state = replace(linked.STAGES[stage].reconciliation, operator=OperatorStatus(absence="it is so"))
    found = check(replace(linked.STAGES[stage], reconciliation=state), REPLACE_KEY)
    assert [one.condition for one in found] == [Condition.OPERATOR_IS_THERE]


def test_a_new_cluster_gets_its_ca_before_an_operator_has_seen_it() -> None:
    state = Reconciliation(operator=OperatorStatus(has_observed=False, is_ready=False, absence="it is so"))
    new = cluster(ca=secrets(None), ledger=None, pods=(), leaves=(), bundle=None, reconciliation=state)
    assert check(new, CREATE) == ()
    assert [one.condition for one in check(replace(new, bundle=frozenset()), CREATE)] == [Condition.OPERATOR_IS_THERE]
    assert [one.condition for one in check(changed(new, pods=(a_pod(),)), CREATE)] == [Condition.OPERATOR_IS_THERE]
    assert Condition.OPERATOR_IS_THERE in {one.condition for one in check(new, UPGRADE)}


@pytest.mark.parametrize("stage", ["PREPARED", "ENROLLED", "TIDIED", "REMOVED"])
def test_a_flow_in_flight_goes_on_in_a_cluster_that_a_new_one_would_not_start_in(stage: str) -> None:
    """Rolling it further is what brings it to health; a full Secret is no reason to stay half-way."""
    ill = changed(
        linked.STAGES[stage],
        pods=(a_pod(ready=False), a_pod(PODS[1], terminating=True)),
        reconciliation=Reconciliation(operator=OperatorStatus(has_observed=False, is_ready=False)),
        sizes={"demo-cluster-ca-cert": SECRET_LIMIT},
    )
    assert check(ill, REPLACE_KEY) == ()


@pytest.mark.parametrize(
    "intent",
    [CREATE, UPGRADE, RECONCILE, Intent(Goal.RENEW_LEAVES), an_intent(Goal.RENEW, replaces=OLD.certificate.sha256)],
)
def test_a_pod_that_is_not_ready_matters_only_where_something_starts(intent: Intent) -> None:
    ill = changed(linked.FINISHED, pods=(a_pod(generation=1, ready=False),))
    assert check(ill, intent) == ()


def test_leaves_are_renewed_in_a_healthy_cluster_only() -> None:
    lasting = make("cluster-ca v0", OLD.key, end=NOW + 5 * YEAR)
    due = (a_leaf(chain=(issue_leaf(lasting, end=NOW + DAY), lasting.certificate)),)
    ill = cluster(ca=secrets(lasting), ledger=ledger(entry(lasting)), leaves=due, pods=(a_pod(ready=False),))
    found = check(ill, Intent(Goal.RENEW_LEAVES))
    assert [one.condition for one in found] == [Condition.CLUSTER_IS_SETTLED]


MOVING = Reconciliation(rebalances=(Rebalance("moving", REBALANCE),))


@pytest.mark.parametrize(
    ("retire", "held"), [(None, False), (Retire.NOW, True)], ids=["as usual", "as the caller says"]
)
def test_a_rebalance_does_not_hold_upkeep(retire: Retire | None, held: bool) -> None:
    """It replaces the key of a CA that ends, and waits until nodes restart anyway."""
    ending = make("cluster-ca v0", OLD.key, path_length=1, end=NOW + 30 * DAY)
    seen = cluster(
        ca=secrets(ending), ledger=ledger(entry(ending)), reconciliation=MOVING, in_place_obstacles=InPlaceObstacles()
    )
    upkeep = an_intent(Goal.RECONCILE, upkeep=UpkeepOptions(WhenDue.REPLACE_KEY), retire=retire)
    assert issues(seen, upkeep)
    assert bool(violations_of(no_rebalance_is_running, seen, upkeep, ending)) is held


def test_a_waiver_lets_a_flow_begin_in_a_rebalance() -> None:
    waived = OutsideClients(waivers=(Waiver(REBALANCE, NOW + DAY, "the CA ends tomorrow"),))
    moving = replace(changed(cluster(ledger=ledger(entry(OLD))), reconciliation=MOVING), outside_clients=waived)
    assert violations_of(no_rebalance_is_running, moving, REPLACE_KEY) == ()
    assert unmatched_waivers(moving) == ()
    unwaived = replace(moving, outside_clients=OutsideClients())
    assert violations_of(no_rebalance_is_running, unwaived, REPLACE_KEY) != ()
    later = replace(moving, now=NOW + 2 * DAY)
    assert [one.condition for one in decide(later, REPLACE_KEY, FORESEEING).violations] == [Condition.WAIVERS_ARE_VALID]


@pytest.mark.parametrize("what", FUTURE)
def test_clocks_may_differ_by_five_minutes(what: str) -> None:
    earlier = replace(cluster(ledger=FUTURE[what]), now=_LATER - timedelta(minutes=5))
    assert tuple(ledger_is_of_the_past(earlier, RECONCILE)) == ()


def test_every_time_in_the_ledger_is_compared_with_the_clock() -> None:
    of_ledger = [Ledger, LedgerEntry, Journal, FlowOptions, Stop, Outgoing, Upkeep, RememberedCertificate]
    times = {
        f"{kind.__name__}.{field.name}"
        for kind in of_ledger
        for field in fields(kind)
        if re.search("datetime|Retirement", str(field.type))
    }
    assert times > NOT_COMPARED
    assert len(times - NOT_COMPARED) == len(FUTURE)


def test_our_own_pause_does_not_refuse_a_flow() -> None:
    assert check(cluster(reconciliation=Reconciliation(pause=OperatorPause(is_set=True, is_ours=True))), RENEW) == ()


@pytest.mark.parametrize("intent", [UPGRADE, DOWNGRADE])
def test_a_generated_ca_can_be_adopted_and_is_where_handing_back_ends(intent: Intent) -> None:
    assert check(cluster(reconciliation=Reconciliation(generated=True)), intent) == ()


UNSEEN = Reconciliation(operator=OperatorStatus(has_observed=False))


@pytest.mark.parametrize(
    ("state", "is_held", "is_awaited"),
    [
        pytest.param(UNSEEN, True, False, id="the operator has not seen the resource"),
        pytest.param(
            replace(UNSEEN, pause=OperatorPause(is_ending=True)), False, True, id="it is about to look, after a pause"
        ),
        pytest.param(Reconciliation(pause=OperatorPause(is_ending=True)), False, False, id="it has seen it"),
        pytest.param(
            replace(UNSEEN, pause=OperatorPause(is_set=True, is_ending=True)), False, False, id="it is paused"
        ),
        pytest.param(
            replace(UNSEEN, pause=OperatorPause(is_ending=True), exists=False), False, False, id="there is no resource"
        ),
    ],
)
def test_a_flow_begins_once_the_operator_has_seen_the_resource(
    state: Reconciliation, is_held: bool, is_awaited: bool
) -> None:
    seen = cluster(reconciliation=state)
    assert (bool(tuple(operator_is_working(seen, RENEW))), awaits_reconcile(seen, RENEW)) == (is_held, is_awaited)
    begun = replace(linked.ENROLLED, reconciliation=state)
    assert (tuple(operator_is_working(begun, RENEW)), awaits_reconcile(begun, RENEW)) == ((), False)


@pytest.mark.parametrize(
    ("intent", "journal"),
    [
        pytest.param(RECONCILE, STOPPED, id="no rotation"),
        pytest.param(REPLACE_KEY, STOPPED, id="the flow itself"),
        pytest.param(changed_intent(RENEW, continue_stopped=True), STOPPED, id="the call leads it on"),
        pytest.param(RENEW, replace(STOPPED, options=FlowOptions()), id="the flow does not stop"),
        pytest.param(RENEW, replace(STOPPED, finished_at=NOW), id="the flow has ended"),
        pytest.param(RENEW, None, id="no flow"),
    ],
)
def test_a_stop_holds_other_rotations_alone(intent: Intent, journal: Journal | None) -> None:
    assert tuple(not_stopped(cluster(ledger=ledger(entry(OLD), journal=journal)), intent)) == ()


@pytest.mark.parametrize(
    ("snapshot", "intent", "held"),
    [(cluster(), RECONCILE, False), (cluster(), RENEW, True), (linked.ENROLLED, RECONCILE, True)],
    ids=["nothing begins", "a flow begins", "a flow is under way"],
)
def test_an_immutable_secret_holds_a_call_that_would_write_it(snapshot: Snapshot, intent: Intent, held: bool) -> None:
    seen = changed(snapshot, immutable_secrets=("demo-cluster-ca",))
    assert bool(violations_of(secrets_can_be_written, seen, intent)) is held


def test_before_the_first_start_a_ca_can_be_created() -> None:
    first = cluster(ca=secrets(None), ledger=None, pods=(), leaves=(), reconciliation=Reconciliation(exists=False))
    assert check(first, CREATE) == ()


@pytest.mark.parametrize("size", [TOO_BIG - 1, 0])
def test_a_secret_may_be_as_full_as_a_flow_leaves_room(size: int) -> None:
    assert check(cluster(sizes={"demo-cluster-ca": size}), RENEW) == ()


@pytest.mark.parametrize("finalizers", [(), ("a/one", "b/two")], ids=["none", "two"])
def test_a_deletion_names_the_finalizers_that_it_waits_for(finalizers: tuple[str, ...], golden: GoldenFiles) -> None:
    violation = deletion_of("Kafka kafka/demo", finalizers, "Wait.")
    assert violation.condition is Condition.NOTHING_IS_IN_DELETION
    golden.compare_said("stops_in_rules", violation, golden.row)


@pytest.mark.parametrize("goal", Goal)
def test_an_operator_before_0_51_holds_each_flow_and_hides_every_other_violation(goal: Goal) -> None:
    operator = OperatorStatus(version="0.50.1", has_observed=False)
    seen = cluster(reconciliation=Reconciliation(operator=operator, foreign_type="vault"))
    assert [violation.condition for violation in decide(seen, Intent(goal)).violations] == [
        Condition.OPERATOR_IS_NEW_ENOUGH
    ]
    assert describe_unknown_operator(seen) == ()


@pytest.mark.parametrize(
    ("version", "warns"),
    [
        ("1.0.0", 0),
        ("1.1.3", 0),
        ("1.2.0", 0),
        ("1.2", 0),
        ("", 0),
        ("1.3.0", 1),
        ("1.10.0", 1),
        ("1.20.0", 1),
        ("2.0.0", 1),
        ("0.51.0", 0),
        ("0.52.0", 1),
        ("latest", 1),
    ],
)
def test_an_operator_of_a_version_that_nothing_is_known_of_is_warned_of(version: str, warns: int) -> None:
    """It holds no flow: most releases change nothing that matters here."""
    seen = cluster(reconciliation=Reconciliation(operator=OperatorStatus(version=version)))
    assert len(describe_unknown_operator(seen)) == warns
    assert check(seen, Intent(Goal.RENEW)) == ()


def test_a_cluster_without_pods_may_still_be_configured() -> None:
    """A new cluster, or one that an administrator has stopped to change it, has no status of it."""
    unknown = replace(MUTUAL_TLS, problem="has an annotation, and its status says nothing.")
    assert check(cluster(security=unknown, pods=()), Intent(Goal.RECONCILE)) == ()
