# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every step tells about itself; some steps are told to people, or make nodes be asked first."""

from __future__ import annotations

from dataclasses import fields

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Look, Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import Unanswered
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import StateSecrets
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAgain,
    PrepareAuthority,
    PutBack,
    RaiseKeyGeneration,
    RestoreKey,
    RestoreSecrets,
    SetGenerated,
    Switch,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AskForLeaves,
    AwaitIssuer,
    AwaitKept,
    AwaitPickUp,
    AwaitReissue,
    CollectLeaves,
    CorrectOrders,
    ForgetRequests,
    IssueLeaves,
    PauseReissue,
    RechainLeaves,
    ResumeReissue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    AwaitAnswers,
    AwaitLeaves,
    AwaitVerdict,
    Pause,
    PauseAndReload,
    Reload,
    Resume,
    Roll,
    RollReason,
    SetReplicas,
    StampPods,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    AwaitBundle,
    AwaitClients,
    AwaitOutside,
    DeleteLedger,
    Project,
    Publish,
    RemoveMarks,
    Withdraw,
    WriteBundle,
    WriteLedger,
)

from .....tools.support.certificates import NOW
from ...authorities import NEW, OLD, chain_of, names_of
from ...builders import a_backup, cluster, prepared
from ...ledgers import ledger
from ...nodes import PODS, uids_of

CA, POD = OLD.certificate, uids_of(PODS[0])
USE = Phase.USE
#: A step of each kind, with the look at a running cluster that comes before it.
EVERY: list[tuple[Step, Look]] = [
    (PrepareAuthority(goal=Goal.RENEW, replaces=chain_of(OLD), generation=0), Look.NONE),
    (Switch(authority=prepared(NEW), generation=1, key_generation=1), Look.FRESH),
    (RestoreKey(certificate=CA, key_generation=0), Look.NONE),
    (RestoreSecrets(backup=a_backup(), damaged=frozenset({StateSecrets.KEY})), Look.NONE),
    (PutBack(chain=chain_of(OLD), generation=0, key_generation=0), Look.NONE),
    (TidyKeys(prepared=names_of(NEW), kept_keys=frozenset(), phase=USE), Look.NONE),
    (SetGenerated(generated=True, ca="cluster CA", phase=USE), Look.NONE),
    (RaiseKeyGeneration(generation=1), Look.NONE),
    (WriteLedger(ledger=ledger(), before=ledger(), phase=USE), Look.NONE),
    (DeleteLedger(), Look.NONE),
    (RemoveMarks(), Look.NONE),
    (IssueLeaves(secrets=PODS, issuer=chain_of(OLD), generation=0, phase=USE), Look.FRESH),
    (RechainLeaves(secrets=PODS, generation=0, phase=USE), Look.NONE),
    (Roll(reason=RollReason.USE, uids=POD, authority=CA, phase=USE), Look.NONE),
    (AwaitLeaves(secrets=PODS, phase=USE), Look.NONE),
    (AwaitAnswers(nodes=(Unanswered("demo-nodes-0", "1", "", "timed out"),), phase=USE), Look.NONE),
    (StampPods(generation=0, key_generation=0, phase=USE), Look.FRESH),
    (Reload(uids=POD, authority=CA), Look.NONE),
    (PauseAndReload(uids=POD, phase=USE, purpose="do something"), Look.REMEMBERED),
    (Pause(phase=USE, purpose="do something"), Look.REMEMBERED),
    (Resume(phase=USE), Look.REMEMBERED),
    (AwaitVerdict(phase=USE), Look.NONE),
    (Project(chains=(chain_of(NEW),)), Look.NONE),
    (Withdraw(certificate=CA), Look.FRESH),
    (AwaitBundle(present=names_of(OLD), phase=USE), Look.NONE),
    (WriteBundle(phase=USE), Look.NONE),
    (Publish(chains=(chain_of(OLD),), phase=USE), Look.NONE),
    (AwaitOutside(clients=("app",), settled=(), phase=USE), Look.NONE),
    (AwaitClients(certificate=CA, earliest_use=NOW), Look.NONE),
    (AskForLeaves(secrets=PODS, issuer=chain_of(OLD), external_issuer="an issuer", phase=USE), Look.NONE),
    (CollectLeaves(secrets=PODS, external_issuer="an issuer", phase=USE), Look.NONE),
    (AwaitIssuer(secrets=PODS, issuer=chain_of(OLD), external_issuer="an issuer", deadline=NOW, phase=USE), Look.NONE),
    (ForgetRequests(secrets=PODS, phase=USE), Look.NONE),
    (CorrectOrders(secrets=PODS, external_issuer="an issuer", phase=USE), Look.NONE),
    (SetReplicas(pool="nodes", before=3, replicas=4, phase=USE), Look.NONE),
    (PrepareAgain(chain=chain_of(OLD)), Look.NONE),
    (PauseReissue(names=("KafkaUser a/b",)), Look.REMEMBERED),
    (ResumeReissue(names=("KafkaUser a/b",)), Look.REMEMBERED),
    (AwaitReissue(names=("KafkaUser a/b",), authority=CA), Look.NONE),
    (AwaitKept(names=("KafkaUser a/b",), authority=CA), Look.NONE),
    (AwaitPickUp(names=("KafkaConnect a/b",), authority=CA), Look.NONE),
]
NOT_TOLD = {
    "AwaitBundle", "AwaitClients", "AwaitVerdict", "DeleteLedger", "ForgetRequests", "Pause", "RechainLeaves", "RemoveMarks", "Resume", "StampPods", "TidyKeys",
    "WriteBundle", "WriteLedger",
}  # fmt: skip
ONLY_WAIT = {AwaitAnswers, AwaitBundle, AwaitClients, AwaitIssuer, AwaitKept, AwaitOutside, AwaitPickUp, AwaitReissue}


def test_the_freshest_answers_count_most() -> None:
    """The looks of several steps come to the one of the highest value."""
    assert sorted(set(Look), key=lambda look: look.value) == [Look.NONE, Look.REMEMBERED, Look.FRESH]


def test_no_step_without_words_and_effect() -> None:
    assert Step.__abstractmethods__ == {"sentence", "effect"}


@pytest.mark.parametrize(("step", "_look"), EVERY, ids=lambda value: type(value).__name__)
def test_the_fields_of_steps_are_keyword_only(step: Step, _look: Look) -> None:
    """Many are numbers and texts, which a reader could not tell apart by their order."""
    assert all(field.kw_only for field in fields(step))


def test_the_table_has_every_step() -> None:
    assert {type(step) for step, _look in EVERY} == {*Step.__subclasses__(), *Pause.__subclasses__()}


@pytest.mark.parametrize(("step", "look"), EVERY, ids=lambda value: type(value).__name__)
def test_a_step_describes_itself(step: Step, look: Look) -> None:
    assert step.sentence().strip() == step.sentence() != ""
    assert step.describe_as_left() == ("do something" if isinstance(step, Pause) else step.sentence())
    assert (step.because, step.avoidable_restart) == ("", "")
    assert step.is_announced is (type(step).__name__ not in NOT_TOLD)
    assert step.changes_what_nodes_say is isinstance(step, (AwaitAnswers, Reload))
    assert step.only_waits is (type(step) in ONLY_WAIT)
    assert step.restarts == (POD if isinstance(step, Roll) else frozenset())
    assert step.look(cluster()) is look
    assert step.look(cluster(pods=())) in (Look.NONE, look)


@pytest.mark.parametrize(
    "step", [step for step, look in EVERY if look is not Look.NONE], ids=lambda value: type(value).__name__
)
def test_where_no_pod_runs_a_step_asks_no_listener(step: Step) -> None:
    assert step.look(cluster(pods=())) is Look.NONE


@pytest.mark.parametrize(("step", "_look"), EVERY, ids=lambda value: type(value).__name__)
def test_a_step_that_only_waits_says_in_short_for_what(step: Step, _look: Look) -> None:
    """The line repeats as long as the step waits, so it is short, also where the sentence names each node and its cause."""
    if step.only_waits or step.awaited:
        assert 0 < len(step.awaited) <= 50
