# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions of undoing a flow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaUsers, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.goals import flow_can_be_undone
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check

from .. import unlinked as stage
from ..authorities import EXPIRED, NEW, OLD, chain_of, name_of, names_of
from ..builders import PAUSED, RUNS, cluster, others, secrets
from ..ledgers import PHASE_OUT, a_journal, entry, ledger
from .refusals import Refusal

ABORT = Intent(Goal.ABORT)
FIRST = (
    "Secret kafka/demo-cluster-ca-trusted-certs: records a flow that makes the first CA: there is none to go back to. "
    "Finish it with the create playbook."
)
LEFT = (
    "Secret kafka/demo-cluster-ca-cert: no longer contains the CA that was replaced: processes are about to forget it. Finish the flow "
    "with the reconcile playbook. To have that CA back, supply its certificate and key to the replace_key playbook."
)
ENDED = (
    f"Secret kafka/demo-cluster-ca-cert: contains the CA that was replaced, {name_of(EXPIRED)}, which has ended: clients of "
    "OpenSSL and Go would refuse the nodes, and an issuer that keeps its key signs nothing more under it. Finish the flow "
    "with the reconcile playbook."
)
KEY = (
    f"Secret kafka/demo-cluster-ca: contains no key of the CA that was replaced, {name_of(OLD)}. "
    f"Put it there as {name_of(OLD)}.key; or finish the flow with the reconcile playbook."
)


def begun(snapshot: Snapshot, **journal: Any) -> Snapshot:
    return replace(snapshot, ledger=replace(snapshot.ledger_or_empty, journal=a_journal(**journal)))


KEYLESS = stage.SHARED.with_ca(kept_keys=frozenset())
CASES = [
    pytest.param(Refusal(flow_can_be_undone, begun(cluster(), old=None), ABORT, (FIRST,)), id="the first CA"),
    pytest.param(
        Refusal(flow_can_be_undone, replace(stage.WITHDRAWN, reconciliation=RUNS), ABORT, (LEFT,)), id="it has left"
    ),
    pytest.param(Refusal(flow_can_be_undone, KEYLESS, ABORT, (KEY,)), id="its key is lost"),
]


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(cluster(ledger=ledger()), ABORT, id="no flow"),
        pytest.param(stage.SHARED, ABORT, id="its key is kept"),
        pytest.param(
            KEYLESS.with_ca(keys_elsewhere=frozenset({OLD.certificate.public_key_sha256})), ABORT, id="kept elsewhere"
        ),
        pytest.param(KEYLESS, Intent(Goal.RECONCILE), id="the intent does not ask for it"),
        pytest.param(begun(KEYLESS, old=NEW, new=OLD, is_abort=True), ABORT, id="it is under way"),
    ],
)
def test_no_other_case_is_refused(snapshot: Snapshot, intent: Intent) -> None:
    assert check(snapshot, intent, (flow_can_be_undone,)) == ()


def test_an_abort_without_a_key_is_not_refused_during_a_pause_of_ours() -> None:
    """Half of the work of a pause would be worse than the whole."""
    assert check(replace(KEYLESS, reconciliation=PAUSED), ABORT, (flow_can_be_undone,)) == ()


def test_no_flow_leads_back_from_another_ca_to_a_ca_that_has_ended() -> None:
    """Listeners, which run on a JVM, do not look at dates."""
    books = ledger(entry(EXPIRED, PHASE_OUT, {0}), entry(NEW), journal=a_journal(old=EXPIRED))
    ca = secrets(NEW, other_entries=others(EXPIRED), kept_keys=names_of(EXPIRED))
    switched = cluster(ca=ca, ledger=books)
    assert tuple(map(str, check(switched, ABORT, (flow_can_be_undone,)))) == (ENDED,)
    before = switched.with_ca(current=chain_of(EXPIRED), other_entries=others(NEW))
    for other in (before, replace(switched, users=CaUsers())):
        assert check(other, ABORT, (flow_can_be_undone,)) == ()


def test_the_key_of_another_ca_does_not_make_an_abort_possible() -> None:
    assert check(KEYLESS.with_ca(kept_keys=names_of(NEW)), ABORT, (flow_can_be_undone,))
