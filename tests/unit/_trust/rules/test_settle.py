# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chapter "What was begun": a switch that was left half-way, and a pause of ours, come to their end first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step, Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    OperatorPause,
    Pod,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    RaiseKeyGeneration,
    RestoreKey,
    Switch,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    IssueLeaves,
    RechainLeaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Resume, StampPods
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    Withdraw,
    WriteBundle,
    WriteLedger,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import end_pause, settle_key
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import switch

from ....tools.support.certificates import HOUR, NOW
from .. import linked, unlinked
from ..authorities import NEW, OLD, THIRD, names_of
from ..builders import PAUSED, changed, cluster, others, prepared, secrets
from ..ledgers import UNTRUSTED, UNUSED, entry, ledger
from ..nodes import PODS, leaves, pods, uids_of
from .asking import RECONCILE, REPLACE_KEY, pause_for, situation, turns

TRUSTED = unlinked.TRUSTED
#: The key is written, the certificate is not.
HALF = replace(
    TRUSTED,
    ca=replace(TRUSTED.ca, key=NEW.certificate.public_key_sha256, kept_keys=names_of(OLD, NEW), key_generation=1),
)
HALF_PAUSED = replace(HALF, reconciliation=PAUSED)
FORWARD = Switch(authority=prepared(NEW), generation=1, key_generation=1)
DOWNGRADE = Intent(Goal.DOWNGRADE)


def refused(snapshot: Snapshot) -> Snapshot:
    """A node has started without the next CA."""
    waiting = entry(NEW, UNUSED, awaited_pods=uids_of(PODS[1], start=1), published_at=NOW - HOUR)
    return replace(snapshot, ledger=snapshot.ledger_or_empty.with_entry(waiting))


def back(key_generation: int) -> Steps:
    return (RestoreKey(certificate=OLD.certificate, key_generation=key_generation),)


def raised(snapshot: Snapshot, *pods: Pod) -> Snapshot:
    """The key generation came with the key; the pods, if any, were started before."""
    return changed(snapshot, ca=replace(snapshot.ca, key_generation=3), pods=pods)


def untold(count: int) -> tuple[Pod, ...]:
    return tuple(replace(pod, key_generation=None) for pod in unlinked.nodes(OLD, 0, 1)[:count])


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(HALF_PAUSED, (FORWARD,), id="forward"),
        pytest.param(HALF, pause_for(FORWARD), id="forward, when it is paused again"),
        pytest.param(refused(HALF_PAUSED), back(0), id="back, where a gate no longer holds"),
        pytest.param(
            raised(refused(HALF_PAUSED), *unlinked.nodes(OLD, 0, 1, key_generation=2)), back(2),
            id="back to the key generation that pods were started with",
        ),
        pytest.param(
            raised(refused(HALF_PAUSED), *untold(1), *unlinked.nodes(OLD, 0, 1, key_generation=2)[1:]), back(2),
            id="this annotation was taken from a pod",
        ),
        pytest.param(raised(refused(HALF_PAUSED), *untold(3)), back(3), id="no pod has it, as under the clients CA"),
        pytest.param(
            replace(
                raised(refused(HALF_PAUSED)), bundle=names_of(OLD)
            ), back(3), id="back, without any pod"
        ),
        pytest.param(
            replace(refused(HALF), ca=replace(HALF.ca, kept_keys=names_of(NEW))), (), id="the key is not kept"
        ),
        pytest.param(
            replace(refused(HALF), ca=replace(HALF.ca, kept_keys=names_of(NEW)), bundle=names_of(OLD)),
            pause_for(WriteBundle(phase=Phase.USE)), id="the key is not kept, and the operator may not write its bundle",
        ),
        pytest.param(TRUSTED, (), id="the key is that of the CA in use"),
        pytest.param(replace(TRUSTED, ca=replace(TRUSTED.ca, key=None)), (), id="no key"),
        pytest.param(replace(TRUSTED, ca=replace(HALF.ca, current=())), (), id="no CA in use"),
    ],
)  # fmt: skip
def test_a_switch_whose_key_is_written(snapshot: Snapshot, expected: Steps) -> None:
    # The sentence about clients has tests of its own.
    assert tuple(replace(step, because="") for step in settle_key(situation(snapshot))) == expected


def test_settling_the_key_goes_before_anything_else() -> None:
    """Without the key of ca.crt the operator does nothing: waiting for it would be in vain."""
    busy = replace(
        HALF,
        ca=replace(HALF.ca, other_entries=others(NEW, THIRD)),
        ledger=HALF.ledger_or_empty.with_entry(entry(THIRD, UNTRUSTED, awaited_pods=None)),
    )
    for intent in (REPLACE_KEY, RECONCILE):
        assert decide(replace(busy, bundle=names_of(OLD, NEW)), intent).steps == pause_for(FORWARD)


#: The step at each stage of a pause, up to the one that ends it.
IN_PAUSE: dict[str, type[Step]] = {
    "linked HALTED": Switch,
    "linked LEARNED": WriteBundle,
    "linked STRUCK": RechainLeaves,
    "linked RECHAINED": StampPods,
    "linked STAMPED": Resume,
    "unlinked HALTED": Switch,
    "unlinked LEARNED": IssueLeaves,
    "unlinked ISSUED": StampPods,
    "unlinked STAMPED": Resume,
    "unlinked RETIRING": Withdraw,
    "unlinked WITHDRAWN": WriteBundle,
    "unlinked STRUCK": Resume,
    "patient HALTED": WriteLedger,
    "patient NOTED": IssueLeaves,
    "patient ISSUED": StampPods,
    "patient MIXED": Resume,
    "renewal HALTED": Switch,
    "renewal LEARNED": WriteLedger,
    "renewal NOTED": IssueLeaves,
    "renewal ISSUED": StampPods,
    "renewal PHASED_OUT": Withdraw,
    "renewal WITHDRAWN": WriteBundle,
    "renewal STRUCK": Resume,
}


def test_a_pause_of_ours_goes_on_with_the_step_that_it_was_made_for() -> None:
    said = turns(end_pause)
    assert {stage: type(step) for stage, (step,) in said.items()} == IN_PAUSE
    ends = {stage: step.phase for stage, (step,) in said.items() if isinstance(step, Resume)}
    assert ends == {
        "linked STAMPED": Phase.RETIRE,
        "unlinked STAMPED": Phase.USE,
        "unlinked STRUCK": Phase.RETIRE,
        "patient MIXED": Phase.USE,
        "renewal STRUCK": Phase.RETIRE,
    }


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(linked.ALONE, REPLACE_KEY, id="not paused"),
        pytest.param(
            replace(linked.HALTED, reconciliation=Reconciliation(pause=OperatorPause(is_set=True))),
            REPLACE_KEY,
            id="paused by another user",
        ),
    ],
)
def test_the_pause_of_another_holder_is_not_ended(snapshot: Snapshot, intent: Intent) -> None:
    assert end_pause(situation(snapshot, intent)) == ()


def test_a_pause_that_is_not_confirmed_is_waited_for() -> None:
    """The operator may be in the middle of a reconcile until then."""
    asked = replace(linked.HALTED, reconciliation=Reconciliation(pause=OperatorPause(is_set=True, is_ours=True)))
    assert end_pause(situation(asked)) == turns(switch)["linked ALONE"]


def test_a_hand_back_raises_the_key_generation_in_its_pause() -> None:
    handing_back = cluster(
        ca=secrets(NEW, certificate_generation=1),
        ledger=ledger(entry(NEW, generations={1})),
        pods=pods(1),
        leaves=leaves(NEW, 1),
        reconciliation=PAUSED,
    )
    assert end_pause(situation(handing_back, DOWNGRADE)) == (RaiseKeyGeneration(generation=1),)
