# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions about leaves that are to be issued or renewed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Selection
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf, Upkeep, WhenDue
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import forecast
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.deeds import issues
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.leaves import (
    chosen_life,
    leaves_are_known,
    leaves_are_ours,
    leaves_can_be_renewed,
    leaves_in_use_are_valid,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check

from ....tools.support.certificates import DAY, HOUR, NOW, YEAR, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.intents import an_intent, changed_intent
from ..authorities import NEW, OLD, THIRD, chain_of
from ..builders import cluster, secrets
from ..ledgers import a_journal, entry, ledger
from ..nodes import PODS, a_leaf, leaves, uids_of
from ..rules.asking import RECONCILE
from ..stand_in import MadeHere
from .refusals import DOWNGRADE, RENEW, REPLACE_KEY, refusal, violations_of

LEAVES = an_intent(Goal.RENEW_LEAVES, renew_before=2 * YEAR)
#: Its time for renewal began two weeks ago.
ENDING = make("cluster-ca v0", key(0), path_length=1, begin=NOW - YEAR, end=NOW + 23 * DAY)
#: In time for OLD.
UPKEEP = Upkeep(WhenDue.RENEW, 37 * DAY, NOW - 90 * DAY)
LAST_AS_LONG = (
    a_leaf(
        chain=(
            issue_leaf(OLD, begin=NOW - 2 * YEAR, end=OLD.certificate.not_after),
            OLD.certificate,
        )
    ),
)

#: The operator issues such leaves; no verifier takes them after their CA has ended.
OUTLIVES = (a_leaf(chain=(issue_leaf(OLD, begin=NOW - 2 * YEAR, end=NOW + 3 * YEAR), OLD.certificate)),)

#: Below a root that lasts longer.
_ROOT = make("Corporate Root", key(6), end=NOW + 5 * YEAR)
_BELOW = make("Corporate Issuing CA", key(7), _ROOT)
BELOW = chain_of(_BELOW, _ROOT)
LAST_NEARLY_AS_LONG = (
    a_leaf(chain=(issue_leaf(_BELOW, begin=NOW - 2 * YEAR, end=_BELOW.certificate.not_after - 13 * HOUR), *BELOW)),
)


def issuing(*names: str) -> Intent:
    return changed_intent(RECONCILE, missing_leaves=Selection(secrets=frozenset(names)))


#: Leaves of the first node with which it would not come back from a restart, and what is told of them.
UNUSABLE: dict[str, tuple[StoredLeaf, str]] = {
    "unreadable": (a_leaf(chain=None, problem="no readable certificate"), "no readable certificate"),
    "key of another": (a_leaf(key_beside="ab"), "the private key beside it is not its own"),
    "no key": (a_leaf(problem="the private key beside it cannot be used"), "the private key beside it cannot be used"),
    "of a stranger": (a_leaf(issuer=NEW), f"it is of {NEW.certificate.subject}"),
}
UNFIT = f"Secret kafka/{PODS[0]}: contains no usable certificate of this cluster's CAs:"
ELSEWHERE = secrets(keys_elsewhere=frozenset({OLD.certificate.public_key_sha256}))

#: Only of a flow that begins.
BEGINNING = [
    *(
        refusal(
            leaves_are_ours,
            f"{UNFIT} {why}. Find the program or person that put it there, then delete this Secret: the Cluster Operator issues the certificate again.",
            name=f"{name}, {intent.goal.value}",
            intent=intent,
            leaves=(leaf, *leaves(names=PODS[1:])),
        )
        for name, (leaf, why) in UNUSABLE.items()
        for intent in (RENEW, REPLACE_KEY)
    ),
    refusal(
        leaves_are_ours,
        f"{UNFIT} {UNUSABLE['key of another'][1]}. Find the program or person that put it there. Run the reconcile playbook, which has another "
        "certificate issued; then run the flow "
        "again.",
        name="its key is elsewhere",
        leaves=(UNUSABLE["key of another"][0], *leaves(names=PODS[1:])),
        ca=ELSEWHERE,
    ),
    refusal(
        leaves_are_ours,
        f"Secret kafka/{PODS[0]}: is missing, although something needs its certificate. The Cluster Operator issues it with its next reconcile; where it "
        "does not, have this leaf issued (state=issued).",
        name="missing",
        leaves=leaves(names=PODS[1:]),
        missing={PODS[0]: Component.KAFKA},
    ),
]

CASES = [
    refusal(
        leaves_in_use_are_valid,
        f"Kafka kafka/demo: {PODS[0]} presents a certificate that has ended, since {NOW - DAY:%Y-%m-%d %H:%M} UTC: every new connection to it is refused, and "
        "open connections go on until they break. The other nodes serve as before. The Cluster Operator cannot ask this node, and may restart it by itself "
        "once its next certificate is stored. Run the recover playbook for the cluster CA: it restarts this node in place, and the node is away for about a "
        "minute, while the other nodes go on. Do not restart it before its next certificate is stored.",
        name="",
        leaves=(a_leaf(chain=(issue_leaf(OLD, begin=NOW - YEAR, end=NOW - DAY), OLD.certificate)), *leaves(names=PODS[1:])),
    ),
    refusal(
        leaves_in_use_are_valid,
        f"Kafka kafka/demo: {PODS[0]}, {PODS[2]} present certificates that have ended, since {NOW - 2 * DAY:%Y-%m-%d %H:%M} UTC: every new connection to them "
        "is refused, and open connections go on until they break. The other nodes serve as before. The Cluster Operator cannot ask these nodes, and may "
        "restart them by itself, one after the other, once their next certificates are stored. Run the recover playbook for the cluster CA: it restarts "
        "these nodes at the same time and in place, and these nodes are away for about a minute, while the other nodes go on, but for partitions and "
        "quorums in which these nodes have the majority. Restart none of them before.",
        name="two nodes",
        leaves=(
            *(
                a_leaf(name, chain=(issue_leaf(OLD, begin=NOW - YEAR, end=NOW - days * DAY), OLD.certificate))
                for name, days in ((PODS[0], 1), (PODS[2], 2))
            ),
            a_leaf(PODS[1]),
        ),
    ),
    refusal(
        leaves_in_use_are_valid,
        f"Kafka kafka/demo: {', '.join(PODS)} present certificates that have ended, since {NOW - DAY:%Y-%m-%d %H:%M} UTC: every new connection to them is "
        "refused, and open connections go on until they break. The Cluster Operator cannot ask these nodes, and restarts none. Run the recover playbook "
        "for the cluster CA: it restarts these nodes at the same time and in place, and the cluster is away for about a minute. Restart none of them before.",
        name="all nodes",
        leaves=tuple(a_leaf(name, chain=(issue_leaf(OLD, begin=NOW - YEAR, end=NOW - DAY), OLD.certificate)) for name in PODS),
    ),
    refusal(
        leaves_can_be_renewed,
        f"Secret kafka/{PODS[0]}: contains a certificate of a CA that ends on {OLD.certificate.not_after:%Y-%m-%d}, and another one would end no later. "
        "Renew the CA with the renew playbook; that renews the certificates as well.",
        name="", intent=LEAVES, leaves=LAST_AS_LONG,
    ),
    refusal(
        leaves_can_be_renewed,
        f"Secret kafka/{PODS[0]}: contains a certificate of a CA that ends on {_BELOW.certificate.not_after:%Y-%m-%d}, and another one "
        "would end no later. "
        "Renew the CA with the renew playbook; that renews the certificates as well.",
        name="below a root", intent=LEAVES, leaves=LAST_NEARLY_AS_LONG, ca=secrets(BELOW),
        ledger=ledger(entry(BELOW, generations={0})),
    ),
    refusal(
        leaves_can_be_renewed,
        f"Secret kafka/{PODS[0]}: contains a certificate of a CA that ends on {OLD.certificate.not_after:%Y-%m-%d}, and another one would end no later. "
        "Renew the CA with the renew playbook; that renews the certificates as well.",
        name="its CA ends first", intent=LEAVES, leaves=OUTLIVES,
    ),
    refusal(
        leaves_can_be_renewed,
        f"Secret kafka/{PODS[0]}: contains a certificate of a CA that ends on {ENDING.certificate.not_after:%Y-%m-%d}, and another one would end no later. "
        "Renew the CA with the renew playbook; that renews the certificates as well.",
        name="the schedule of its CA is late", intent=LEAVES, ca=secrets(ENDING), ledger=ledger(entry(ENDING, generations={0}), upkeep=UPKEEP),
        leaves=(a_leaf(chain=(issue_leaf(ENDING, begin=NOW - YEAR, end=ENDING.certificate.not_after), ENDING.certificate)),),
    ),
    refusal(
        leaves_are_known,
        f"Secret kafka/demo-other: contains no certificate of this cluster. These Secrets do: {', '.join(PODS)}, gone.",
        name="another", intent=issuing("demo-other", PODS[0]), missing={"gone": Component.KAFKA},
    ),
    refusal(
        leaves_are_known, "Secret kafka/x: contains no certificate of this cluster. These Secrets do: none.",
        name="none at all", intent=issuing("x"), leaves=(), pods=(),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(cluster(leaves=LAST_AS_LONG), RECONCILE, id="nothing is to be renewed"),
        pytest.param(
            cluster(leaves=LAST_AS_LONG, ledger=ledger(journal=a_journal())), LEAVES, id="a flow brings others"
        ),
        pytest.param(cluster(leaves=LAST_AS_LONG, ledger=ledger(upkeep=UPKEEP)), LEAVES, id="a schedule renews its CA"),
        pytest.param(cluster(), changed_intent(LEAVES, renew_before=DAY), id="it is not in its time"),
        pytest.param(cluster(leaves=(a_leaf(key_beside="ab"),)), RECONCILE, id="nothing is begun"),
        pytest.param(
            cluster(leaves=(a_leaf(key_beside="ab"),), ledger=ledger(journal=a_journal())),
            REPLACE_KEY,
            id="it has begun",
        ),
        pytest.param(
            cluster(leaves=leaves(names=PODS[1:]), missing={PODS[0]: Component.KAFKA}, ca=ELSEWHERE),
            REPLACE_KEY,
            id="a missing leaf is asked for",
        ),
        pytest.param(cluster(), issuing(*PODS), id="they are known"),
        pytest.param(cluster(missing={"gone": Component.KAFKA}), issuing("gone"), id="it is missing"),
        pytest.param(cluster(), changed_intent(RECONCILE, missing_leaves=Selection()), id="all"),
    ],
)
def test_leaves_that_last_long_enough_hold_no_goal(snapshot: Snapshot, intent: Intent) -> None:
    assert check(snapshot, intent) == ()


def test_a_leaf_that_no_process_can_use_does_not_hold_the_renewal_of_leaves() -> None:
    due = a_leaf(PODS[1], chain=(issue_leaf(OLD, begin=NOW - YEAR, end=NOW + DAY), OLD.certificate))
    seen = cluster(leaves=(a_leaf(key_beside="ab"), due))
    assert issues(seen, LEAVES)
    assert violations_of(leaves_are_ours, seen, LEAVES) == ()


@pytest.mark.parametrize("lacking", [UNUSABLE["of a stranger"][0], None], ids=["of a stranger", "missing"])
def test_a_hand_back_is_held_for_leaves_only_where_it_restarts_nodes(lacking: StoredLeaf | None) -> None:
    seen = cluster(
        leaves=(*((lacking,) if lacking else ()), *leaves(names=PODS[1:])),
        missing={} if lacking else {PODS[0]: Component.KAFKA},
    )
    planned = forecast(seen, DOWNGRADE, MadeHere())
    assert ([step.kind for step in planned.steps], planned.violations) == (["SetGenerated", "DeleteLedger"], ())
    former = FormerLeaf(issue_leaf(OLD, end=NOW + YEAR), frozenset(), lingering_pods=uids_of(PODS[1]))
    remembering = replace(seen, ledger=ledger(former_leaves=(former,)))
    assert [one.condition for one in violations_of(leaves_are_ours, remembering, DOWNGRADE)] == [
        Condition.LEAVES_ARE_OURS
    ]


@pytest.mark.parametrize(
    ("asked", "resource", "told"),
    [
        (None, 365, ""),
        (None, 364, "New certificates are valid for 364 days, as spec.clusterCa.validityDays of Kafka kafka/demo says"),
        (None, 366, "New certificates are valid for 366 days, as spec.clusterCa.validityDays of Kafka kafka/demo says"),
        (30, 90, ""),
    ],
)
def test_a_plan_says_which_life_the_kafka_resource_gives_to_leaves(asked: int | None, resource: int, told: str) -> None:
    intent = changed_intent(REPLACE_KEY, validity=None if asked is None else asked * DAY)
    said = chosen_life(cluster(validity=resource * DAY), intent)
    assert said.partition(";")[0] == told


@pytest.mark.parametrize(("foreign", "told"), [(PODS[:1], 1), (PODS[:2], 2), (PODS, 0)])
def test_where_no_leaf_is_of_a_known_ca_the_ca_is_the_cause(foreign: tuple[str, ...], told: int) -> None:
    stored = tuple(a_leaf(name, THIRD if name in foreign else OLD) for name in PODS)
    found = list(leaves_are_ours(cluster(leaves=stored), Intent(Goal.REPLACE_KEY)))
    assert len(found) == told
