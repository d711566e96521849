# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be so of the cluster, its operator and its ledger before anything is written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import preconditions as rules
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions import SECRET_LIMIT, check
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Reconciliation, Snapshot

from .._pki.hierarchy import NOW, YEAR
from .._pki.hierarchy import leaf as issue_leaf
from . import rotation as stage
from . import test_preconditions_authority as authority
from . import test_waivers as waivers
from .builders import (
    NEW,
    OLD,
    PODS,
    THIRD,
    a_journal,
    a_leaf,
    a_pod,
    cluster,
    entry,
    ledger,
    others,
    pods,
    prepared,
    secrets,
    uids_of,
)
from .refusals import (
    CREATE,
    DOWNGRADE,
    RENEW,
    REPLACE_KEY,
    UPGRADE,
    Refusal,
    assert_only_resumed,
    assert_refused,
    refusal,
    rules_of,
)
from .rotation import ANY, UNUSED

KAFKA, LEDGER = "Kafka kafka/demo", "Secret kafka/demo-cluster-ca-trusted-certs"
CHECK_NAME = "Check the cluster's name and namespace; only the create flow works before the Kafka resource exists."
HEALTH = "Bring the cluster to health first; a flow in progress would go on, a new one does not start."
UNFINISHED = (
    f"{LEDGER}: records a rotation that has not finished. "
    "Finish it by running its playbook again, then hand the cluster back."
)
ONLY_CURRENT = "Run the reconcile playbook, remove what is not needed, then hand the cluster back."
#: Three pods of 64 bytes and twice 16 KiB of certificates.
GROWTH = 2 * 16 * 1024 + 3 * 64
TOO_BIG = SECRET_LIMIT - GROWTH + 1
UNKNOWN = Intent(Goal.RENEW, replaces="00:11")
AS_LONG_AS_ITS_CA = issue_leaf(OLD, begin=NOW - 2 * YEAR, end=OLD.certificate.not_after)

PAUSED_BY_OTHERS = refusal(
    rules.not_paused_by_others, "operator",
    f"{KAFKA}: is paused (strimzi.io/pause-reconciliation), and not by this collection. "
    "Find out who paused it and why, remove the annotation, then run the flow again.",
    name="", reconciliation=Reconciliation(paused=True),
)  # fmt: skip

#: What cannot come up in a pause of ours: it says who paused, or it is asked before a flow starts only.
BEFORE_A_FLOW = [
    PAUSED_BY_OTHERS,
    refusal(
        rules.operator_is_working, "operator",
        f"{KAFKA}: has not been reconciled by a Cluster Operator in its present form. "
        "Check that the operator runs, watches this namespace and reports no error in the resource's status.",
        name="", reconciliation=Reconciliation(observed=False),
    ),
    *(
        refusal(
            rules.cluster_is_settled, "availability", f"Pod kafka/{PODS[0]}: is not ready. {HEALTH}",
            name=f"{state} {intent.goal.value}", intent=intent,
            pods=(ill, *pods(names=PODS[1:])),
        )
        for intent in (RENEW, REPLACE_KEY, DOWNGRADE)
        for state, ill in (("not ready", a_pod(ready=False)), ("terminating", a_pod(terminating=True)))
    ),
    refusal(
        rules.secrets_have_room, "size",
        f"Secret kafka/demo-cluster-ca-cert: holds {TOO_BIG} bytes; a flow may add {GROWTH}, "
        f"and Kubernetes allows {SECRET_LIMIT}. Move entries that do not belong to the cluster CA elsewhere.",
        name="", sizes={"demo-cluster-ca-cert": TOO_BIG, "demo-cluster-ca": TOO_BIG - 1},
    ),
]  # fmt: skip

ALWAYS = [
    refusal(
        rules.kafka_exists, "cluster",
        f"{KAFKA}: does not exist, and no other Kafka cluster is seen in this namespace. {CHECK_NAME}",
        name="alone", reconciliation=Reconciliation(exists=False),
    ),
    refusal(
        rules.kafka_exists, "cluster",
        f"{KAFKA}: does not exist; the Kafka clusters in this namespace are: one, two. {CHECK_NAME}",
        name="with neighbours", reconciliation=Reconciliation(exists=False, neighbours=("one", "two")),
    ),
    *(
        refusal(
            rules.authority_is_user_managed, "ownership",
            f"{KAFKA}: has a cluster CA that the operator generates (spec.clusterCa.generateCertificateAuthority). "
            "Adopt it first with the upgrade playbook; that changes no certificate.",
            name=intent.goal.value, intent=intent, reconciliation=Reconciliation(generated=True),
        )
        for intent in (CREATE, RENEW, REPLACE_KEY, Intent(Goal.RECONCILE))
    ),
    refusal(
        rules.no_left_over_trigger, "trigger",
        "Secret/demo-cluster-ca-cert: strimzi.io/force-renew: is left over: it would start another renewal as soon as "
        "the operator manages the CA again. Remove this annotation, then run the flow again.",
        name="", ca=secrets(triggers=("Secret/demo-cluster-ca-cert: strimzi.io/force-renew",)),
    ),
    refusal(
        rules.ledger_is_ours, "ledger",
        f"{LEDGER}: the state X is unknown. "
        "Somebody edited the ledger; restore the entry, or delete the Secret to adopt the cluster anew.",
        name="", ledger=ledger(problems=("the state X is unknown.",)),
    ),
    refusal(
        rules.target_is_known, "target",
        f"{KAFKA}: has no CA with the fingerprint 00:11, and never had. "
        f"The CA in use has the SHA-256 fingerprint {OLD.certificate.sha256}.",
        name="", intent=UNKNOWN,
    ),
    refusal(
        rules.leaves_can_be_renewed, "expiry",
        f"Secret kafka/{PODS[0]}: holds a certificate that ends on {OLD.certificate.not_after:%Y-%m-%d}, as its CA does. "
        "Renew the CA with the renew playbook; that renews the certificates as well.",
        name="", intent=Intent(Goal.RENEW_LEAVES, renew_before=2 * YEAR),
        leaves=(a_leaf(chain=(AS_LONG_AS_ITS_CA, OLD.certificate)),),
    ),
    refusal(
        rules.ready_to_hand_back, "hand-over", UNFINISHED, name="rotation in flight", intent=DOWNGRADE,
        ledger=ledger(journal=a_journal()),
    ),
    refusal(
        rules.ready_to_hand_back, "hand-over", UNFINISHED, name="prepared CA", intent=DOWNGRADE,
        ca=secrets(prepared=(prepared(NEW),)),
    ),
    refusal(
        rules.ready_to_hand_back, "hand-over", UNFINISHED, name="trusted still", intent=DOWNGRADE,
        ledger=ledger(entry(OLD), removed=(RemovedEntry(NEW.certificate, uids_of()),)),
    ),
    refusal(
        rules.ready_to_hand_back, "hand-over",
        f"{LEDGER}: holds {NEW.certificate.subject} as TRUSTED_UNUSED; only the CA in use may be left. {ONLY_CURRENT}",
        name="another CA", intent=DOWNGRADE,
        ca=secrets(others=others(NEW)), ledger=ledger(entry(OLD), entry(NEW, UNUSED)),
    ),
    refusal(
        rules.ready_to_hand_back, "hand-over",
        f"{LEDGER}: holds {OLD.certificate.subject} as TRUSTED_IN_USE_ANY; only the CA in use may be left. "
        f"{ONLY_CURRENT}",
        name="not used by all", intent=DOWNGRADE, ledger=ledger(entry(OLD, ANY)),
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", [*ALWAYS, *BEFORE_A_FLOW])
def test_it_holds_the_flow_and_says_why(case: Refusal) -> None:
    assert_refused(case)


@pytest.mark.parametrize("case", ALWAYS)
def test_our_pause_ends_whatever_is_wrong(case: Refusal) -> None:
    assert_only_resumed(case)


def test_every_precondition_is_tested() -> None:
    cases = [*ALWAYS, *BEFORE_A_FLOW, *authority.CASES, *waivers.CASES]
    assert rules_of(cases) == set(rules.PRECONDITIONS)


def test_all_that_is_wrong_is_told_at_once() -> None:
    wrong = cluster(ca=secrets(triggers=("one", "two"), key=None), reconciliation=Reconciliation(generated=True))
    assert [violation.gate for violation in check(wrong, RENEW)] == ["ownership", "trigger", "trigger", "authority"]


@pytest.mark.parametrize("goal", Goal)
def test_a_healthy_cluster_holds_no_goal(goal: Goal) -> None:
    assert check(stage.SETTLED, Intent(goal)) == ()


@pytest.mark.parametrize("step", stage.STAGES)
def test_no_step_of_a_replacement_holds_it(step: str) -> None:
    assert check(stage.STAGES[step], REPLACE_KEY) == ()


@pytest.mark.parametrize("step", ["PREPARED", "ENROLLED", "TIDIED", "REMOVED"])
def test_a_flow_in_flight_goes_on_in_a_cluster_that_a_new_one_would_not_start_in(step: str) -> None:
    """Rolling it further is what brings it to health; a full Secret is no reason to stay half-way."""
    ill = replace(
        stage.STAGES[step],
        pods=(a_pod(ready=False), a_pod(PODS[1], terminating=True)),
        reconciliation=Reconciliation(observed=False, ready=False),
        sizes={"demo-cluster-ca-cert": SECRET_LIMIT},
    )
    assert check(ill, REPLACE_KEY) == ()


@pytest.mark.parametrize(
    "intent", [CREATE, UPGRADE, Intent(Goal.RECONCILE), Intent(Goal.RENEW, replaces=OLD.certificate.sha256)]
)
def test_a_pod_that_is_not_ready_matters_only_where_a_rotation_starts(intent: Intent) -> None:
    ill = replace(stage.FINISHED, pods=(a_pod(generation=1, ready=False),))
    assert check(ill, intent) == ()


def test_our_own_pause_is_not_somebody_elses() -> None:
    assert check(cluster(reconciliation=Reconciliation(paused=True, paused_by_us=True)), RENEW) == ()


@pytest.mark.parametrize("intent", [UPGRADE, DOWNGRADE])
def test_a_generated_ca_can_be_adopted_and_is_where_handing_back_ends(intent: Intent) -> None:
    assert check(cluster(reconciliation=Reconciliation(generated=True)), intent) == ()


def test_before_the_first_start_a_ca_can_be_created() -> None:
    first = cluster(ca=secrets(None), ledger=None, pods=(), leaves=(), reconciliation=Reconciliation(exists=False))
    assert check(first, CREATE) == ()


@pytest.mark.parametrize(
    "ready",
    [
        pytest.param(cluster(ledger=None), id="no ledger"),
        pytest.param(cluster(ledger=ledger(entry(OLD, UNUSED)), pods=()), id="no pods, so nobody uses it"),
        pytest.param(
            cluster(ledger=ledger(entry(OLD, ANY), journal=a_journal(Goal.DOWNGRADE))), id="the last roll is under way"
        ),
        pytest.param(
            cluster(ledger=ledger(entry(OLD), entry(THIRD)), reconciliation=Reconciliation(generated=True)),
            id="already handed back",
        ),
    ],
)
def test_ready_to_hand_back(ready: Snapshot) -> None:
    assert check(ready, DOWNGRADE) == ()
