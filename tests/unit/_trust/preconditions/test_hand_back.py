# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions of handing the CA back to the operator."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import RemovedEntry, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    MaintenanceWindows,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.goals import (
    operator_could_renew,
    operator_keeps_authority,
    ready_to_hand_back,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check

from ....tools.support.certificates import DAY, NOW, Entity, make
from ....tools.support.intents import changed_intent
from ..authorities import IDENTIFIED, INTERMEDIATE, NEW, OLD, ROOT, THIRD, chain_of
from ..builders import cluster, others, prepared, secrets
from ..ledgers import ANY, PHASE_OUT, UNUSED, a_journal, entry, ledger
from ..nodes import leaves, uids_of
from ..rules.asking import RECONCILE
from .refusals import DOWNGRADE, Refusal, refusal

CERTIFICATES, LEDGER = "Secret kafka/demo-cluster-ca-cert", "Secret kafka/demo-cluster-ca-trusted-certs"
#: A CA that ends in 20 days.
ENDING = make("cluster-ca v0", OLD.key, end=NOW + 20 * DAY)
ENDS = f"{ENDING.certificate.not_after:%Y-%m-%d}"
RENEW_FIRST = (
    "Run the renew playbook, which restarts nothing where nodes can read again without a restart, then hand the CA back; or leave it to the operator "
    "with operator_may_renew (strimzi_operator_may_renew)."
)


def in_its_time(told: str, name: str, **state: bool) -> ParameterSet:
    held = f"contains the CA CN=cluster-ca v0,O=io.strimzi, which ends on {ENDS}, in the operator's time for renewal (30 days by spec.clusterCa.renewalDays)"
    return refusal(
        operator_keeps_authority, f"{CERTIFICATES}: {held}: {told}. {RENEW_FIRST}", name=name, intent=DOWNGRADE, ca=secrets(ENDING),
        ledger=ledger(entry(ENDING, generations={0})), leaves=leaves(ENDING), reconciliation=Reconciliation(**state),
    )  # fmt: skip


NEW_KEY = (
    "the operator makes a new key (certificateExpirationPolicy), restarts each node up to three times, without a check that the new CA is trusted: "
    "clients that trust only the present CA refuse the nodes"
)
UNFINISHED = (
    f"{LEDGER}: records a rotation that has not finished. "
    "Finish it by running its playbook again, then hand the cluster back."
)
ONLY_CURRENT = "Run the reconcile playbook, remove CAs that are not needed, then hand the cluster back."
#: Names that look like the operator's and are not.
CLIENTS, ALMOST = make("clients-ca v0", OLD.key), make("my-cluster-ca v0", OLD.key)
#: CAs with identifiers before and after the usual one, which a run cannot know beforehand.
WITH_IDENTIFIERS = (
    IDENTIFIED,
    *(make("cluster-ca v0", OLD.key, subject_identifier=first + b" own") for first in (b"\x00", b"\xff")),
)
BELOW = chain_of(INTERMEDIATE, ROOT)
#: A CA with a name that stays the same where an issuer writes it again.
REWRITTEN = make("cluster-ca v0", OLD.key, outlives_rewriting=True)
GONE = RemovedEntry(NEW.certificate, uids_of())


def unfinished(name: str, **fields: Any) -> ParameterSet:
    return refusal(
        ready_to_hand_back, UNFINISHED, name=name, intent=DOWNGRADE, **fields
    )  # fmt: skip


def left(authority: Entity, state: TrustState, name: str, **fields: Any) -> ParameterSet:
    text = f"{LEDGER}: contains {authority.certificate.subject}, which is {state.meaning}; only the CA in use may be left. {ONLY_CURRENT}"
    return refusal(ready_to_hand_back, text, name=name, intent=DOWNGRADE, **fields)


CASES = [
    in_its_time("in its next reconcile the operator renews it, and restarts each pod once", "renewed"),
    in_its_time("in its next maintenance window the operator renews it, and restarts each pod once", "later", windows=MaintenanceWindows(False, None)),
    in_its_time(f"in its next reconcile {NEW_KEY}", "a new key", replaces_key=True),
    in_its_time(f"in its next maintenance window {NEW_KEY}", "a new key, later", replaces_key=True, windows=MaintenanceWindows(False, None)),
    *(
        refusal(
            operator_could_renew,
            f"{CERTIFICATES}: contains the CA {one.certificate.subject}, which the operator would renew under another "
            "name and so break every connection. Run the replace_key playbook without a certificate, then hand the "
            "cluster back.",
            name=one.certificate.subject, intent=DOWNGRADE,
            ca=secrets(one), ledger=ledger(entry(one, generations={0})), leaves=leaves(one),
        )
        for one in (ROOT, CLIENTS, ALMOST)
    ),
    refusal(
        operator_could_renew,
        f"{CERTIFICATES}: contains the CA {OLD.certificate.subject}, whose key is kept elsewhere: the operator could "
        "issue nothing. Run the replace_key playbook without a certificate, then hand the cluster back.",
        name="kept elsewhere", intent=DOWNGRADE,
        ca=secrets(keys_elsewhere=frozenset({OLD.certificate.public_key_sha256})),
    ),
    refusal(
        operator_could_renew,
        f"{CERTIFICATES}: contains the CA {INTERMEDIATE.certificate.subject}, which the operator would renew under another "
        "name and so break every connection. Run the replace_key playbook without a certificate, then hand the "
        "cluster back.",
        name="a CA below a root", intent=DOWNGRADE,
        ca=secrets(BELOW), ledger=ledger(entry(BELOW, generations={0})), leaves=leaves(INTERMEDIATE),
    ),
    refusal(
        operator_could_renew,
        f"{CERTIFICATES}: contains the CA {OLD.certificate.subject}, which the operator would renew under another name and so break every "
        "connection. Run the replace_key playbook without a certificate, then hand the cluster back.",
        name="another number", intent=DOWNGRADE, ca=secrets(key_generation=1),
    ),
    *(
        refusal(
            operator_could_renew,
            f"{CERTIFICATES}: contains the CA {one.certificate.subject} with a subject key identifier of its own, which the "
            "operator would renew with the usual one and so break connections of JVMs and OpenSSL. "
            "Run the replace_key playbook without a certificate, then hand the cluster back.",
            name=f"identifier {number}", intent=DOWNGRADE,
            ca=secrets(one), ledger=ledger(entry(one, generations={0})), leaves=leaves(one),
        )
        for number, one in enumerate(WITH_IDENTIFIERS)
    ),
    refusal(
        operator_could_renew,
        f"{CERTIFICATES}: contains the CA {OLD.certificate.subject}, whose name the operator would write with other types of strings and "
        "so break connections of Go programs. Run the replace_key playbook without a certificate, then hand the cluster back.",
        name="other types of strings", intent=DOWNGRADE,
        ca=secrets(REWRITTEN), ledger=ledger(entry(REWRITTEN, generations={0})), leaves=leaves(REWRITTEN),
    ),
    unfinished("rotation in flight", ledger=ledger(entry(OLD, ANY), journal=a_journal())),
    unfinished("prepared CA", ca=secrets(prepared=(prepared(NEW),))),
    unfinished("listeners trust a removed CA", ledger=ledger(entry(OLD), removed_cas=(GONE,))),
    left(
        NEW, UNUSED, "another CA", ca=secrets(other_entries=others(NEW)), ledger=ledger(entry(OLD), entry(NEW, UNUSED))
    ),
    *(
        left(
            one, UNUSED, f"another CA, and no pods {number}", ca=secrets(current, other_entries=others(one)), pods=(), leaves=(),
            ledger=ledger(entry(current, generations={0}), entry(one, UNUSED)),
        )
        for number, (current, one) in enumerate(permutations((OLD, NEW)))
    ),
    *(left(OLD, state, f"not used by all: {state.value}", ledger=ledger(entry(OLD, state))) for state in (ANY, PHASE_OUT)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_preconditions_of_the_hand_back_hold_no_other_goal(case: Refusal) -> None:
    assert check(case.snapshot, RECONCILE) == ()
    for goal in set(Goal) - {Goal.DOWNGRADE}:
        assert tuple(case.rule(case.snapshot, Intent(goal))) == ()


@pytest.mark.parametrize(
    "ready",
    [
        pytest.param(cluster(), id="a settled cluster"),
        pytest.param(cluster(ledger=None), id="no ledger"),
        pytest.param(cluster(ledger=ledger(entry(OLD, UNUSED)), pods=()), id="no pods, so no pod uses it"),
        pytest.param(
            cluster(
                ledger=ledger(
                    entry(OLD), removed_cas=(replace(GONE, awaited_pods=frozenset(), lingering_pods=uids_of()),)
                )
            ),
            id="only Raft clients and agents know a removed CA",
        ),
        pytest.param(
            cluster(ledger=ledger(entry(OLD), entry(THIRD)), reconciliation=Reconciliation(generated=True)),
            id="already handed back",
        ),
        pytest.param(
            cluster(
                ca=secrets(ROOT),
                ledger=ledger(entry(ROOT, generations={0})),
                leaves=leaves(ROOT),
                reconciliation=Reconciliation(generated=True),
            ),
            id="already handed back, whatever its name is",
        ),
    ],
)
def test_ready_to_hand_back(ready: Snapshot) -> None:
    assert check(ready, DOWNGRADE) == ()


def test_without_a_ca_there_is_nothing_to_renew() -> None:
    assert tuple(operator_could_renew(cluster(ca=secrets(None)), DOWNGRADE)) == ()


@given(days=st.integers(1, 60), window=st.integers(1, 60))
def test_a_hand_back_is_held_from_a_day_before_the_operator_would_renew_the_ca(days: int, window: int) -> None:
    ending = make("cluster-ca v0", OLD.key, end=NOW + days * DAY)
    seen = cluster(ca=secrets(ending), renewal_window=window * DAY)
    assert bool(tuple(operator_keeps_authority(seen, DOWNGRADE))) == (days <= window + 1)


def test_the_caller_may_hand_back_a_ca_that_the_operator_would_renew_soon() -> None:
    seen = cluster(ca=secrets(ENDING))
    assert tuple(operator_keeps_authority(seen, DOWNGRADE)) != ()
    assert tuple(operator_keeps_authority(seen, changed_intent(DOWNGRADE, operator_may_renew=True))) == ()
    handed = replace(seen, reconciliation=Reconciliation(generated=True))
    assert tuple(operator_keeps_authority(handed, DOWNGRADE)) == ()
