# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that are going to be issued outlast the time in which the operator issues them again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    PreparedAuthority,
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.leaves import (
    REST,
    leaves_outlast_the_window,
)

from ....tools.support.certificates import DAY, NOW, YEAR, Entity, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.intents import an_intent, changed_intent
from .. import of_users
from ..authorities import INTERMEDIATE, NEW, OLD, ROOT, chain_of
from ..builders import PAUSED, changed, cluster, prepared, secrets
from ..ledgers import a_journal, entry, ledger
from ..nodes import PODS, a_leaf
from ..requested import elsewhere
from ..rules.asking import RECONCILE, RENEW, REPLACE_KEY
from .refusals import Refusal, refusal, supplying

LEAVES = an_intent(Goal.RENEW_LEAVES, renew_before=2 * YEAR)
#: A CA that comes to its end, and a leaf of it that comes to its own before.
ENDING = make("cluster-ca v0", key(0), path_length=1, end=NOW + 40 * DAY)
DUE = (a_leaf(chain=(issue_leaf(ENDING, begin=NOW - YEAR, end=NOW + 20 * DAY), ENDING.certificate)),)
END_OF_ENDING = f"{ENDING.certificate.not_after:%Y-%m-%d}"


def ending(**fields: Any) -> dict[str, Any]:
    return {"ca": secrets(ENDING), "ledger": ledger(entry(ENDING, generations={0})), "leaves": DUE, **fields}


def until(end: datetime, issuer: Entity = OLD, **fields: Any) -> StoredLeaf:
    return a_leaf(chain=(issue_leaf(issuer, begin=NOW - 340 * DAY, end=end), issuer.certificate), **fields)


def short(days: int) -> Entity:
    return make("Company CA", key(3), end=NOW + days * DAY)


def of_replacement(new: Entity = NEW, **fields: Any) -> dict[str, Any]:
    """A replacement by this CA, of which nothing has been issued yet."""
    own = replace(prepared(new), chain=chain_of(new, ROOT))
    return {
        "ca": secrets(OLD, prepared=(own,)), "ledger": ledger(entry(OLD, generations={0}), journal=a_journal(new=new)), **fields,
    }  # fmt: skip


def about(subject: str, name: str, end: str, days: int) -> str:
    return (
        f"{subject}: {name} ends on {end}, and so do its certificates; the Cluster Operator issues again, with a restart, certificates that are in "
        "their time for "
        f"renewal, {days} days by spec.clusterCa.renewalDays."
    )


SHORT = short(170)
IN_THE_WINDOW = (a_leaf(chain=(issue_leaf(OLD, begin=NOW - 340 * DAY, end=NOW + 20 * DAY), OLD.certificate)),)
CASES = [
    refusal(
        leaves_outlast_the_window,
        "validity_days: would make certificates valid for 90 days, and the Cluster Operator issues again, with a restart, certificates that are in "
        "their time for "
        "renewal, 84 days by spec.clusterCa.renewalDays. Give 91 days or more, or none, or a lower renewalDays, 83 or less.",
        name="what is asked for", intent=changed_intent(REPLACE_KEY, validity=90 * DAY), renewal_window=84 * DAY,
    ),
    *(
        refusal(
            leaves_outlast_the_window,
            f"Kafka kafka/demo spec.clusterCa.validityDays: would make certificates valid for {days} days, and the Cluster Operator issues again, with a "
            "restart, certificates that are in their time for renewal, 6 days by spec.clusterCa.renewalDays. Give 13 days or more, or a lower "
            f"renewalDays{lower}.",
            name=f"what the resource says: {days}", intent=RENEW, renewal_window=6 * DAY, validity=days * DAY,
        )
        for days, lower in ((6, ""), (7, ""), (8, ", 1 or less"))
    ),
    refusal(
        leaves_outlast_the_window,
        f"{about('the supplied CA', named(SHORT.certificate), f'{NOW + 170 * DAY:%Y-%m-%d}', 180)} "
        f"Supply none, or a CA that ends after {NOW + 187 * DAY:%Y-%m-%d}. Or give a lower renewalDays, 163 or less.",
        name="what is supplied", intent=supplying(SHORT), renewal_window=180 * DAY,
    ),
    refusal(
        leaves_outlast_the_window,
        f"{about('Secret kafka/demo-cluster-ca, prepared CA', named(NEW.certificate), f'{NEW.certificate.not_after:%Y-%m-%d}', 365)} "
        f"Undo the flow with the abort playbook, and begin it with a CA that ends after {NOW + 366 * DAY:%Y-%m-%d}. "
        f"Or give a lower renewalDays, {(NEW.certificate.not_after - NOW - REST) // DAY} or less.",
        name="what is prepared", intent=RECONCILE, renewal_window=365 * DAY, validity=2 * YEAR, **of_replacement(),
    ),
    refusal(
        leaves_outlast_the_window,
        f"{about('Secret kafka/demo-cluster-ca-cert', named(ENDING.certificate), END_OF_ENDING, 35)} "
        f"Renew the CA with the renew playbook, which renews the certificates as well, so that it ends after {NOW + 42 * DAY:%Y-%m-%d}. "
        "Or give a lower renewalDays, 33 or less.",
        name="the CA in use", intent=LEAVES, renewal_window=35 * DAY, **ending(),
    ),
    refusal(
        leaves_outlast_the_window,
        f"Secrets {PODS[0]} in namespace kafka: have certificates that end from {NOW + 20 * DAY:%Y-%m-%d} on. Within 30 days of that "
        "(spec.clusterCa.renewalDays) the Cluster Operator issues them again by itself, with a restart of each node. Let it do so, then "
        "run the flow again. Where it waits for a maintenance window, the renew_leaves playbook renews them before it does, and restarts no node that "
        "can read again without a restart.",
        name="what is stored", intent=RENEW, leaves=IN_THE_WINDOW,
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", [case for case in CASES if "prepared" in str(case.id)])
def test_a_prepared_ca_holds_the_flow_until_an_abort(case: Refusal) -> None:
    undoing = replace(case.intent, goal=Goal.ABORT)
    assert tuple(leaves_outlast_the_window(case.snapshot, undoing)) == ()


WINDOW = {"renewal_window": 100 * DAY}


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(cluster(**ending(), **WINDOW), REPLACE_KEY, id="the CA that ends is replaced"),
        pytest.param(cluster(**ending(), **WINDOW), RENEW, id="it is renewed"),
        pytest.param(cluster(**ending(), **WINDOW), RECONCILE, id="nothing is issued"),
        pytest.param(cluster(**ending(), **WINDOW), Intent(Goal.DOWNGRADE), id="it is handed back"),
        pytest.param(cluster(**ending(), **WINDOW), Intent(Goal.UPGRADE), id="it is adopted"),
        pytest.param(cluster(**WINDOW), changed_intent(LEAVES, renew_before=DAY), id="no leaf is due"),
        pytest.param(cluster(**of_replacement(short(90), **WINDOW)), Intent(Goal.ABORT), id="it is undone"),
        pytest.param(
            cluster(**of_replacement(short(90), reconciliation=PAUSED, **WINDOW)),
            RECONCILE,
            id="in the middle of a pause",
        ),
        pytest.param(
            of_users.users(**WINDOW),
            supplying(short(90)),
            id="the User Operator issues, for as long as the resource says",
        ),
        pytest.param(cluster(renewal_window=6 * DAY, validity=13 * DAY), RENEW, id="leaves live just long enough"),
        pytest.param(
            cluster(**ending(leaves=(until(ENDING.certificate.not_after, ENDING),)), **WINDOW),
            LEAVES,
            id="they end with their CA: another rule tells",
        ),
        pytest.param(
            cluster(**WINDOW), supplying(make("Old CA", key(3), begin=NOW - YEAR, end=NOW)), id="it has ended"
        ),
    ],
)
def test_a_flow_that_issues_no_short_leaf_of_the_ending_ca_is_not_held(snapshot: Snapshot, intent: Intent) -> None:
    assert tuple(leaves_outlast_the_window(snapshot, intent)) == ()


SECOND = timedelta(seconds=1)
#: From when on a stored leaf may end where a flow begins.
FAR = NOW + 31 * DAY


def of_ca(*ends: datetime) -> dict[str, Any]:
    """A CA that ends then, the CAs above it, and a leaf of it."""
    own = make("Nodes", key(24), ROOT, end=ends[0])
    above = (make("Corporate Root", ROOT.key, end=end).certificate for end in ends[1:])
    return {"ca": secrets((own.certificate, *above)), "leaves": (until(FAR - SECOND, own),)}


@pytest.mark.parametrize(
    ("fields", "intent", "held"),
    [
        pytest.param({"leaves": (until(FAR - SECOND),)}, RENEW, True, id="it ends soon"),
        pytest.param({"leaves": (until(FAR),)}, RENEW, False, id="it does not"),
        pytest.param({"leaves": (until(NOW + SECOND),)}, REPLACE_KEY, True, id="it is about to end"),
        pytest.param({"leaves": (until(NOW),)}, REPLACE_KEY, False, id="it has ended: another rule holds"),
        pytest.param({"leaves": (a_leaf(PODS[1], chain=None), until(FAR - SECOND))}, RENEW, True, id="another cannot be read"),
        pytest.param({"leaves": (until(FAR - SECOND),)}, RECONCILE, False, id="no flow begins"),
        pytest.param({"leaves": (until(FAR - SECOND, component=Component.ENTITY_OPERATOR),)}, RENEW, False, id="it is of no node"),
        pytest.param({"leaves": (until(FAR - SECOND, NEW),)}, RENEW, False, id="it is of another CA"),
        pytest.param({"leaves": (until(FAR - SECOND),), "ca": secrets(None)}, Intent(Goal.CREATE), False, id="there is no CA"),
        pytest.param(
            {"leaves": (until(FAR - SECOND),), "ca": secrets(keys_elsewhere=frozenset({OLD.certificate.public_key_sha256}))}, REPLACE_KEY, False,
            id="the operator cannot issue it",
        ),
        pytest.param(of_ca(FAR + SECOND, FAR + SECOND), REPLACE_KEY, True, id="its CA lasts longer"),
        pytest.param(of_ca(FAR, FAR + SECOND), REPLACE_KEY, False, id="its CA ends soon as well"),
        pytest.param(of_ca(FAR + SECOND, FAR), REPLACE_KEY, False, id="the CA above ends soon"),
    ],
)  # fmt: skip
def test_leaves_of_nodes_that_the_operator_would_issue_again_in_the_middle_of_a_flow(
    fields: dict[str, Any], intent: Intent, held: bool
) -> None:
    found = leaves_outlast_the_window(cluster(**fields), intent)
    assert any(one.subject.startswith("Secrets ") for one in found) is held


def test_a_flow_that_is_under_way_has_used_the_week() -> None:
    """The rest of a life that was long enough when the flow began is still outside of the window."""
    held = [
        bool(tuple(leaves_outlast_the_window(cluster(**of_replacement(short(days)), **WINDOW), RECONCILE)))
        for days in (99, 100, 101, 102)
    ]
    assert held == [True, True, False, False]


def test_leaves_that_are_all_of_the_next_ca_hold_nothing() -> None:
    new = short(90)
    leaves = tuple(a_leaf(name, new) for name in PODS)
    assert tuple(leaves_outlast_the_window(cluster(**of_replacement(new, leaves=leaves, **WINDOW)), RECONCILE)) == ()


def test_of_a_chain_the_issuing_ca_counts() -> None:
    below = make("Issuing CA", key(7), ROOT, end=NOW + 50 * DAY)
    (found,) = leaves_outlast_the_window(cluster(**WINDOW), supplying(below, ROOT))
    assert below.certificate.subject in found.message
    assert tuple(leaves_outlast_the_window(cluster(**WINDOW), supplying(INTERMEDIATE, ROOT))) == ()


def test_leaves_of_an_outside_issuer_are_judged_by_the_life_that_it_gives() -> None:
    """The option of the run is about leaves that are issued here."""
    outside = changed_intent(supplying(NEW), external_validity=200 * DAY, validity=50 * DAY)
    assert outside.new_ca.supplied is not None
    there = changed_intent(outside, supplied=replace(outside.new_ca.supplied, key_is_elsewhere=True))
    assert [bool(tuple(leaves_outlast_the_window(cluster(**WINDOW), one))) for one in (outside, there)] == [True, False]
    shorter = changed_intent(there, external_validity=50 * DAY, validity=None)
    assert tuple(leaves_outlast_the_window(cluster(**WINDOW), shorter)) != ()


def test_the_renewal_window_of_a_user_counts_for_its_own_certificate() -> None:
    mine = replace(a_leaf("orders"), renewal_window=10 * DAY)
    seen = of_users.users(user_leaves={"orders": mine}, **WINDOW)
    brought = changed_intent(REPLACE_KEY, supplied=PreparedAuthority(chain_of(short(90)), None, key_is_elsewhere=True))
    assert tuple(leaves_outlast_the_window(seen, brought)) == ()
    assert tuple(leaves_outlast_the_window(changed(seen, user_leaves={"orders": None}), brought)) != ()
    both = {"orders": mine, "payments": a_leaf("payments")}
    assert tuple(leaves_outlast_the_window(changed(seen, user_leaves=both), brought)) != ()
    longer = replace(mine, renewal_window=200 * DAY)
    assert tuple(leaves_outlast_the_window(changed(seen, user_leaves={"orders": longer}), brought)) != ()
    assert (
        tuple(leaves_outlast_the_window(changed(seen, user_leaves={"orders": mine, "mallory": longer}), brought)) == ()
    )


def test_leaves_of_a_ca_in_use_with_its_key_elsewhere_are_judged_too() -> None:
    assert tuple(leaves_outlast_the_window(elsewhere(cluster(**ending(), **WINDOW), ENDING), LEAVES)) != ()


@given(st.integers(1, 800), st.integers(1, 800), st.integers(1, 800), st.sampled_from([REPLACE_KEY, RENEW]))
def test_a_flow_that_begins_issues_nothing_into_the_window(asked: int, ends: int, window: int, goal: Intent) -> None:
    """Leaves of a flow that may begin last for a week at least; those of one that is refused would not have."""
    chain = chain_of(short(ends))
    brought = changed_intent(goal, validity=asked * DAY, supplied=PreparedAuthority(chain, chain[0].public_key_sha256))
    lives = min(asked * DAY, chain[0].not_after - NOW)
    held = tuple(leaves_outlast_the_window(cluster(renewal_window=window * DAY), brought))
    assert bool(held) == (lives < window * DAY + timedelta(days=7))
