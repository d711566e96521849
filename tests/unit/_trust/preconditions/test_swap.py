# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions that hold a flow where another CA was put into the place of the CA in use, or that hold its adoption."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Reconciliation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import Precondition, check
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.source import (
    adopted_is_usable,
    authority_is_known,
)

from ....tools.support.certificates import DAY, NOW, Entity, key, make
from ....tools.support.intents import an_intent, changed_intent
from ....tools.support.unusable import UNUSABLE, Case
from ..authorities import INTERMEDIATE, NEW, OLD, ROOT, THIRD, chain_of, name_of
from ..builders import a_backup, cluster, prepared, secrets
from ..ledger.test_enrolment import ADOPT
from ..ledgers import UNUSED, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods
from .refusals import refusal

CERTIFICATES, KEYS, LEDGER = (f"Secret kafka/demo-cluster-ca{suffix}" for suffix in ("-cert", "", "-trusted-certs"))
OLD_NAME, NEW_NAME = (f"{one.certificate.subject} ({one.certificate.sha256[:12]})" for one in (OLD, NEW))
BACK = f"Put {OLD_NAME} and its key back"
ADOPTED = "Or have the new CA adopted through every gate: run the upgrade playbook with its SHA-256 as strimzi_adopts."
RECONCILE = Intent(Goal.RECONCILE)
#: A leaf's certificate, which is no CA.
NO_AUTHORITY = make("no CA", key(8), ca=False)
BELOW = chain_of(INTERMEDIATE, ROOT)
FEEBLE = make("feeble", key(8), end=NOW - DAY)


def swapped_in(new: Entity = NEW, **fields: Any) -> dict[str, Any]:
    """The pods have not been restarted since."""
    return {"ca": secrets(new, certificate_generation=1, **fields), "bundle": frozenset({name_of(OLD)})}


def known(name: str, *signed: str, where: str = "the ledger has the certificate", **fields: Any) -> ParameterSet:
    text = (
        f"{CERTIFICATES}: contains the CA {NEW.certificate.subject}, SHA-256 {NEW.certificate.sha256}, as ca.crt. No flow has "
        f"put it there: by the ledger the CA {OLD.certificate.subject}, SHA-256 {OLD.certificate.sha256}, is in use. "
        f"{OLD_NAME} has signed {signed[0]}. {NEW_NAME} has signed {signed[1]}. "
        f"{BACK}; {where}. {ADOPTED}"
    )
    return refusal(authority_is_known, text, name=name, **fields)


def adopted(
    name: str, *texts: str, of: Entity = NEW, rule: Precondition = adopted_is_usable, **fields: Any
) -> ParameterSet:
    return refusal(rule, *texts, name=name, intent=changed_intent(ADOPT, adopts=of.certificate.sha256), **fields)


ALL_THREE = f"3 certificates ({', '.join(PODS)})"
CASES = [
    known("no leaf of it yet", ALL_THREE, "no certificate", **swapped_in()),
    known("the operator has issued", "no certificate", ALL_THREE, **swapped_in(), leaves=leaves(NEW, 1)),
    known(
        "more than a sentence names", "no certificate", f"4 certificates ({', '.join(PODS)}, ...)", **swapped_in(),
        leaves=(*leaves(NEW, 1), a_leaf("demo-nodes-3", NEW, 1)),
    ),
    known(
        "a backup has the CA and its key", "no certificate", ALL_THREE, **swapped_in(), leaves=leaves(NEW, 1),
        backups=(
            a_backup(secrets(NEW, key=OLD.certificate.public_key_sha256)), a_backup(secrets(key=None), number=2),
            a_backup(secrets(chain_of(OLD, ROOT)), number=3),
        ),
        where=f"{a_backup(number=3).name} has both, under tls.crt and tls.key",
    ),
    adopted(
        "another one is meant",
        f"{CERTIFICATES}: contains no CA with the fingerprint {THIRD.certificate.sha256}, which is to be adopted. Give the SHA-256 "
        "of the CA that is meant, or none where no CA is to be adopted; that of ca.crt is " f"{OLD.certificate.sha256}.",
        of=THIRD, rule=authority_is_known,
    ),
    adopted(
        "another one than the CA in use with its root",
        f"{CERTIFICATES}: contains no CA with the fingerprint {THIRD.certificate.sha256}, which is to be adopted. Give the SHA-256 "
        "of the CA that is meant, or none where no CA is to be adopted; that of ca.crt is " f"{INTERMEDIATE.certificate.sha256}.",
        of=THIRD, rule=authority_is_known, ca=secrets(BELOW), ledger=ledger(entry(BELOW, generations={0})),
    ),
    adopted(
        "no CA", f"{CERTIFICATES}, ca.crt: {NO_AUTHORITY.certificate.subject} is not a CA certificate. {BACK}.",
        of=NO_AUTHORITY, **swapped_in(NO_AUTHORITY),
    ),
    adopted(
        "another flow", f"{KEYS}: contains {THIRD.certificate.subject} ({THIRD.certificate.sha256[:12]}), which a flow has prepared "
        f"as the next CA. {BACK} and finish that flow; or remove {name_of(THIRD)}.crt and {name_of(THIRD)}.key there, which "
        "ends it.", **swapped_in(prepared=(prepared(THIRD),)),
    ),
    adopted(
        "another flow, to a CA below a root",
        f"{KEYS}: contains {named(INTERMEDIATE.certificate)}, which a flow has prepared as the next CA. {BACK} and finish that flow; "
        f"or remove {name_of(INTERMEDIATE)}.crt and {name_of(INTERMEDIATE)}.key there, which ends it.",
        **swapped_in(prepared=(replace(prepared(INTERMEDIATE), chain=BELOW),)),
    ),
    adopted(
        "too far gone", f"{CERTIFICATES}: cannot go back to the replaced CA for the adoption: 1 certificate ({PODS[0]}) of {NEW_NAME} are stored already, and "
        f"2 pods ({PODS[1]}, {PODS[2]}) that have not restarted since would refuse what the next pod to restart presents. {BACK}. Where "
        "its key is lost, have the operator restart every pod, which cannot be without failed connections; then adopt the CA.",
        **swapped_in(), pods=(a_pod(PODS[0], 1), *pods(0)[1:]), leaves=(a_leaf(PODS[0], NEW, 1), *leaves()[1:]),
    ),
    adopted(
        "the one in use has ended",
        f"{LEDGER}: {FEEBLE.certificate.subject} expired on {FEEBLE.certificate.not_after:%Y-%m-%d %H:%M} UTC. Have every pod "
        "restarted with the CA that lies in ca.crt, then adopt it.",
        **swapped_in(), ledger=ledger(entry(FEEBLE, generations={0})),
    ),
]  # fmt: skip


@pytest.mark.parametrize("goal", [goal for goal in Goal if goal is not Goal.DOWNGRADE])
def test_a_swapped_in_ca_holds_every_flow(goal: Goal) -> None:
    found = check(cluster(**swapped_in()), Intent(goal))
    assert [one.condition for one in found] == [Condition.AUTHORITY_IS_KNOWN]


def test_a_generated_ca_is_no_swap() -> None:
    """Until the cluster is adopted again: then a ledger of before knows another CA."""
    generated = cluster(**swapped_in(), reconciliation=Reconciliation(generated=True))
    assert Condition.AUTHORITY_IS_KNOWN not in [one.condition for one in check(generated, RECONCILE)]
    held = [one.condition for one in check(generated, Intent(Goal.UPGRADE))]
    assert held == [Condition.OPERATOR_HAS_FINISHED, Condition.AUTHORITY_IS_KNOWN]


def test_a_swapped_in_ca_can_be_adopted_before_the_operator_has_looked() -> None:
    assert check(cluster(**swapped_in()), ADOPT) == ()


def test_an_adoption_is_not_held_once_every_process_has_started_with_the_swapped_in_ca() -> None:
    done = cluster(ca=secrets(NEW, certificate_generation=1), pods=pods(1), leaves=leaves(NEW, 1))
    assert check(done, ADOPT) == ()


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"ca": secrets(BELOW, certificate_generation=1)}, id="with its root"),
        pytest.param(
            {"ca": secrets(BELOW, certificate_generation=1, prepared=(replace(prepared(INTERMEDIATE), chain=BELOW),))},
            id="which was prepared by a call that was killed",
        ),
        pytest.param(
            {
                "ca": secrets(BELOW, certificate_generation=1),
                "ledger": ledger(entry(chain_of(OLD, FEEBLE), generations={0})),
            },
            id="in the place of one whose root has ended",
        ),
    ],
)
def test_a_ca_below_a_root_can_be_adopted(fields: dict[str, Any]) -> None:
    swapped, adopt = cluster(**fields), changed_intent(ADOPT, adopts=INTERMEDIATE.certificate.sha256)
    assert tuple(adopted_is_usable(swapped, adopt)) == ()
    assert tuple(authority_is_known(swapped, adopt)) == ()


@pytest.mark.parametrize("name", [OLD.certificate.sha256, OLD.certificate.fingerprint])
def test_a_ca_that_is_in_use_may_be_named_again(name: str) -> None:
    """So that the same task does nothing a second time."""
    assert check(cluster(), an_intent(Goal.UPGRADE, adopts=name)) == ()


@pytest.mark.parametrize(
    "on_its_way",
    [
        pytest.param({"ca": secrets(prepared=(prepared(NEW),))}, id="put aside"),
        pytest.param({"ledger": ledger(entry(OLD, generations={0}), entry(NEW, UNUSED))}, id="in the ledger"),
    ],
)
def test_a_swapped_in_ca_that_is_prepared_or_in_the_ledger_can_be_adopted(on_its_way: dict[str, Any]) -> None:
    assert check(cluster(**on_its_way), ADOPT) == ()


@pytest.mark.parametrize("goal", [goal for goal in Goal if goal is not Goal.UPGRADE])
def test_a_goal_that_adopts_nothing_ignores_the_ca_to_adopt(goal: Goal) -> None:
    assert tuple(authority_is_known(cluster(), an_intent(goal, adopts=THIRD.certificate.sha256))) == ()


@pytest.mark.parametrize("case", UNUSABLE, ids=lambda case: case.name)
def test_a_ca_that_some_verifier_cannot_use_is_not_adopted(case: Case) -> None:
    chain = (case.authority, *((case.root,) if case.root != case.authority else ()))
    there = secrets(chain, certificate_generation=1)
    found = check(cluster(ca=there), changed_intent(ADOPT, adopts=case.authority.sha256))
    assert any(f"{BACK}, or put " in one.remedy for one in found if one.condition is Condition.ADOPTED_IS_USABLE)
