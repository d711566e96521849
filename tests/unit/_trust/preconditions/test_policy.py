# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key policy of a caller holds a flow before its first write, and names the object, the value, the rule and what helps."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec, KeyType
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import KeyPolicy
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import unmatched_waivers
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Waiver
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Selection
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import CaSource, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaSecrets,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.authority import (
    authority_meets_policy,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.leaves import leaves_meet_policy
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import Precondition, check
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.source import trusted_meet_policy

from ....tools.support.certificates import NOW, YEAR, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.intents import an_intent, changed_intent
from .. import linked, requested
from ..authorities import NEW, OLD, ROOT, SHORT, THIRD, chain_of
from ..builders import cluster, others, prepared, secrets
from ..ledger.test_enrolment import ADOPT
from ..ledgers import UNUSED, entry, ledger
from ..nodes import PODS, a_leaf, leaves
from ..of_users import users
from .refusals import CREATE, DOWNGRADE, RECONCILE, RENEW, REPLACE_KEY, UPGRADE, refusal, supplying, violations_of
from .test_swap import swapped_in

DAY = timedelta(days=1)
P384 = KeyPolicy(name="house", curves=frozenset({"secp384r1"}))
CURVES = "and keys are on secp384r1 (curves), by the rules of house."
P256 = f"a key ecdsa-p256 on the curve secp256r1, {CURVES}"
CONDITIONS = (Condition.AUTHORITY_MEETS_POLICY, Condition.TRUSTED_MEET_POLICY, Condition.LEAVES_MEET_POLICY)
LIFE = "Give a life with validity_days (strimzi_validity_days) that meets them."


#: Each leaf is due.
LEAVES = an_intent(Goal.RENEW_LEAVES, renew_before=2 * YEAR)


def by(policy: KeyPolicy, intent: Intent = REPLACE_KEY, **values: Any) -> Intent:
    return changed_intent(intent, policy=policy, **values)


def at(number: int) -> KeyPolicy:
    return KeyPolicy(name="house", rsa_bits=number)


CASES = [
    refusal(
        authority_meets_policy,
        "the CA that would be made: has a key rsa-4096, and RSA keys have at least 8192 bits (rsa_bits), by the rules of house. "
        f"Give another key_type. {LIFE}",
        name="made", intent=by(at(8192), leaf_key=KeySpec(KeyAlgorithm.RSA, 8192)),
    ),
    refusal(
        authority_meets_policy,
        "the CA that would be made: has a life of 365 days, and 30 days are the longest, by the rules of house. "
        f"Give another key_type. {LIFE}",
        name="life", intent=by(KeyPolicy(name="house", ca_life=30 * DAY)),
    ),
    refusal(
        authority_meets_policy,
        f"the supplied CA {NEW.certificate.subject} ({NEW.certificate.sha256[:12]}): has {P256} Supply a CA that meets them. "
        f"If it has to be this CA, give a waiver for CA {NEW.certificate.sha256}.",
        name="supplied", intent=changed_intent(supplying(NEW), policy=P384),
    ),
    refusal(
        authority_meets_policy,
        f"the CA {NEW.certificate.subject} ({NEW.certificate.sha256[:12]}): has {P256} A renewal keeps the key: replace it, with the "
        "replace_key playbook.",
        name="renewed", intent=by(P384, RENEW),
        ca=secrets(NEW), ledger=ledger(entry(NEW, generations={0})), leaves=leaves(NEW),
    ),
    refusal(
        trusted_meet_policy,
        f"the CA that is to be trusted {NEW.certificate.subject} ({NEW.certificate.sha256[:12]}): has {P256} Give a CA that meets them. "
        f"If it has to be this CA, give a waiver for CA {NEW.certificate.sha256}.",
        name="trusted beside", intent=by(P384, RECONCILE, additional_cas=(chain_of(NEW),)),
    ),
    refusal(
        trusted_meet_policy,
        f"the CA that is to be trusted {NEW.certificate.subject} ({NEW.certificate.sha256[:12]}): has {P256} Give a CA that meets them. "
        f"If it has to be this CA, give a waiver for CA {NEW.certificate.sha256}.",
        name="trusted beside, from the source", intent=by(P384, RECONCILE, confirmed_roots=frozenset({NEW.certificate.sha256})),
        source=CaSource("ConfigMap kafka/roots", chain_of(OLD, NEW)),
    ),
    refusal(
        trusted_meet_policy,
        f"the CA that is to be adopted {NEW.certificate.subject} ({NEW.certificate.sha256[:12]}): has {P256} Put "
        f"{OLD.certificate.subject} ({OLD.certificate.sha256[:12]}) and its key back, or put a CA there that meets them. "
        f"If it has to be this CA, give a waiver for CA {NEW.certificate.sha256}.",
        name="adopted from another writer", intent=by(P384, ADOPT, adopts=NEW.certificate.sha256), **swapped_in(),
    ),
    refusal(
        leaves_meet_policy,
        "the certificates that would be issued: has a key rsa-2048, and RSA keys have at least 3000 bits (rsa_bits), by the rules of house. "
        f"Give another leaf_key_size (strimzi_leaf_key_size). {LIFE}",
        name="leaves", intent=by(at(3000)),
    ),
]  # fmt: skip


def found(intent: Intent) -> list[Condition]:
    return found_in(cluster(), intent)


def found_in(seen: Snapshot, intent: Intent) -> list[Condition]:
    return [one.condition for one in check(seen, intent) if one.condition in CONDITIONS]


@pytest.mark.parametrize(
    "intent",
    [
        by(at(2048)),
        by(at(3072), leaf_key=KeySpec(KeyAlgorithm.RSA, 3072)),
        by(at(8192), key_type=KeyType.RSA_8192, leaf_key=KeySpec(KeyAlgorithm.RSA, 8192)),
        by(KeyPolicy(curves=frozenset({"secp384r1"}))),
        by(KeyPolicy(hashes=frozenset({"sha512"}))),
        by(KeyPolicy(curves=frozenset({"secp256r1"})), RENEW),
        # A CA in use that breaks a rule holds its renewal, and nothing else.
        by(P384, RECONCILE),
        Intent(Goal.REPLACE_KEY),
    ],
)
def test_a_ca_that_meets_the_policy_is_not_held(intent: Intent) -> None:
    assert found(intent) == []


QUARTER = KeyPolicy(name="house", leaf_life=90 * DAY)
#: The keys of leaves are made here, and their CA signs elsewhere.
ELSEWHERE = changed_intent(REPLACE_KEY, supplied=replace(prepared(NEW), key_is_elsewhere=True))
DUE = cluster(
    ca=secrets(chain_of(OLD, ROOT)),
    leaves=(a_leaf(chain=(issue_leaf(OLD, begin=NOW - YEAR, end=NOW + 20 * DAY), OLD.certificate)),),
)


#: The leaf of a node is missing.
LACKING = cluster(leaves=leaves(names=PODS[1:]), missing={PODS[0]: Component.KAFKA})


@pytest.mark.parametrize(
    ("snapshot", "intent", "held"),
    [
        pytest.param(cluster(), by(at(3000)), True, id="a key that is too short"),
        pytest.param(cluster(), by(at(3000), DOWNGRADE), False, id="a hand-back issues nothing"),
        pytest.param(LACKING, by(at(3000), RECONCILE, missing_leaves=Selection()), True, id="a missing leaf that this call issues"),
        pytest.param(LACKING, by(at(3000), RECONCILE, missing_leaves=Selection(frozenset({Component.CLUSTER_OPERATOR}))), False, id="another leaf"),
        pytest.param(LACKING, by(at(3000), RECONCILE), False, id="a missing leaf that the operator issues"),
        pytest.param(users(), by(at(3000)), False, id="the User Operator makes the keys of users"),
        pytest.param(users(), by(at(3000), ELSEWHERE), True, id="keys of users that are made here"),
        pytest.param(cluster(), by(QUARTER), True, id="the life that the resource says"),
        pytest.param(cluster(), by(QUARTER, validity=90 * DAY), False, id="the life that the caller wants"),
        pytest.param(cluster(), by(QUARTER, external_validity=30 * DAY), True, id="the life of an issuer that signs none of them"),
        pytest.param(cluster(), by(QUARTER, ELSEWHERE, external_validity=30 * DAY), False, id="the life that the issuer gives"),
        pytest.param(cluster(), by(QUARTER, ELSEWHERE, external_validity=92 * DAY, validity=DAY), True, id="an issuer that gives more"),
        pytest.param(requested.elsewhere(DUE, OLD), by(QUARTER, LEAVES, external_validity=30 * DAY), False, id="the issuer of the CA in use"),
        pytest.param(DUE, by(QUARTER, LEAVES, external_validity=30 * DAY), True, id="the CA in use signs here"),
        pytest.param(
            DUE, by(QUARTER, changed_intent(LEAVES, supplied=ELSEWHERE.new_ca.supplied), external_validity=30 * DAY), True,
            id="the CA in use signs here, whatever is brought",
        ),
    ],
)  # fmt: skip
def test_the_key_policy_holds_for_leaves_whose_keys_are_made_here(
    snapshot: Snapshot, intent: Intent, held: bool
) -> None:
    assert bool(violations_of(leaves_meet_policy, snapshot, intent)) is held


def test_the_key_policy_also_holds_the_first_ca_of_a_cluster() -> None:
    assert violations_of(authority_meets_policy, cluster(ca=CaSecrets()), by(at(8192), CREATE))


@pytest.mark.parametrize("stage", [name for name in linked.STAGES if name not in ("SETTLED", "FINISHED")])
def test_a_flow_in_flight_goes_on(stage: str) -> None:
    """It was judged when it began; to stay half-way is no better."""
    assert not violations_of(authority_meets_policy, linked.STAGES[stage], by(at(8192)))


@pytest.mark.parametrize("known", [ledger(entry(SHORT, generations={0})), None], ids=["adopted", "not adopted yet"])
@pytest.mark.parametrize(
    ("policy", "breach"),
    [
        (P384, P256),
        (
            KeyPolicy(name="house", ca_life=30 * DAY),
            "a life of 365 days, and 30 days are the longest, by the rules of house.",
        ),
        # Of the key that a new CA would get, and this CA does not have.
        (at(8192), None),
    ],
)
def test_an_adoption_that_renews_the_ca_is_held_as_a_renewal(
    known: Ledger | None, policy: KeyPolicy, breach: str | None
) -> None:
    snapshot, upgrade = cluster(ca=secrets(SHORT), ledger=known), by(policy, UPGRADE, raise_path_length=True)
    assert [one.message for one in authority_meets_policy(snapshot, upgrade)] == ([f"has {breach}"] if breach else [])
    for other in (
        by(policy, UPGRADE),
        by(policy, RECONCILE, raise_path_length=True),
        by(policy, UPGRADE, raise_path_length=True, adopts="any"),
    ):
        assert not violations_of(authority_meets_policy, snapshot, other)


@pytest.mark.parametrize(
    ("intent", "fields"),
    [
        (supplying(NEW), {}),
        (changed_intent(RECONCILE, additional_cas=(chain_of(NEW),)), {}),
        (changed_intent(ADOPT, adopts=NEW.certificate.sha256), swapped_in()),
    ],
    ids=["supplied", "trusted beside", "adopted"],
)
def test_a_waiver_lets_a_ca_in_that_has_to_be_taken(intent: Intent, fields: dict[str, Any]) -> None:
    """As long as it holds, and no other CA."""
    for client, until, held in (
        (f"CA {NEW.certificate.sha256}", NOW + DAY, False),
        (f"CA {NEW.certificate.sha256}", NOW - DAY, True),
        (f"CA {THIRD.certificate.sha256}", NOW + DAY, True),
    ):
        seen = cluster(**fields, waivers=(Waiver(client, until, "Ann: the CA of the company"),))
        assert bool(found_in(seen, by(P384, intent))) == held
        assert unmatched_waivers(seen) == ()


@pytest.mark.parametrize("stage", ["PREPARED", "ENROLLED", "SWITCHED"])
def test_a_ca_that_comes_while_a_flow_is_in_flight_is_judged(stage: str) -> None:
    intent = changed_intent(RECONCILE, additional_cas=(chain_of(THIRD),))
    assert found_in(linked.STAGES[stage], by(P384, intent)) != []


def test_a_ca_that_is_trusted_already_is_judged_no_more() -> None:
    both = ledger(entry(OLD, generations={0}), entry(NEW, UNUSED))
    seen = cluster(ledger=both, ca=secrets(other_entries=others(NEW)))
    assert found_in(seen, by(P384, RECONCILE, additional_cas=(chain_of(NEW),))) == []


@pytest.mark.parametrize("rule", [authority_meets_policy, trusted_meet_policy])
def test_every_ca_of_a_chain_that_comes_is_judged(rule: Precondition) -> None:
    """The CA above is known; it is judged with the CA below."""
    lower = make("issuing CA", key(5), OLD, begin=NOW, end=NOW + YEAR)
    intent = changed_intent(supplying(lower, OLD), policy=P384, additional_cas=(chain_of(lower, OLD),))
    told = [one.subject for one in rule(cluster(), intent)]
    assert len(told) == 2
