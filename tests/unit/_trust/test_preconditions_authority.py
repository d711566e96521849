# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be so of the CA Secrets and of a supplied CA before anything is written."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import authority_preconditions as rules
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions import check
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import PreparedAuthority

from .._pki.hierarchy import Entity, key, leaf, make
from . import rotation as stage
from .builders import (
    EARLY,
    EXPIRED,
    IMPOSTOR,
    INTERMEDIATE,
    NEW,
    OLD,
    RENEWED,
    ROOT,
    bridged,
    chain_of,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    others,
    prepared,
    secrets,
)
from .refusals import CREATE, DOWNGRADE, RENEW, REPLACE_KEY, Refusal, assert_only_resumed, assert_refused, refusal

CERTIFICATES, KEYS = "Secret kafka/demo-cluster-ca-cert", "Secret kafka/demo-cluster-ca"
LOST = (
    f"{CERTIFICATES}: holds no ca.crt although this cluster works with a CA. "
    "Restore the Secret from a backup; a new CA in its place would not be trusted by anybody."
)
TOO_LATE = "Peers refuse each other already; this flow cannot help any more, use Strimzi's recovery procedure."
TOO_EARLY = "Wait until then, or check the clock of the machine that made it and of this one."
ORDER = "Put the issuing CA first and the root last, and unrelated CAs under keys of their own."
EXPIRED_NAME, EARLY_NAME = EXPIRED.certificate.subject, EARLY.certificate.subject
LEAF = leaf(OLD)
#: The key of the CA in use under another name; names that look like the operator's and are not.
RENAMED = make("Kafka CA", OLD.key)
CLIENTS, ALMOST = make("clients-ca v0", OLD.key), make("my-cluster-ca v0", OLD.key)


def supplying(*chain: Entity, key: str | None = "") -> Intent:
    """key: "" stands for the right one."""
    own = chain[0].certificate.public_key_sha256 if key == "" else key
    return Intent(Goal.REPLACE_KEY, supplied=PreparedAuthority(chain_of(*chain), own))


def out_of_order(subject: str, lower: Entity, upper: Entity) -> str:
    return (
        f"{subject}: the chain is out of order: {lower.certificate.subject} was not issued by "
        f"{upper.certificate.subject}. {ORDER}"
    )


def same_name(first: Entity, second: Entity) -> str:
    return (
        f"{CERTIFICATES}: two CAs with different keys have the same subject {first.certificate.subject} "
        f"({first.certificate.sha256[:16]} and {second.certificate.sha256[:16]}). "
        "Give each CA key a subject of its own; verifiers look issuers up by name."
    )


def no_renewal(authority: Entity, other: str) -> str:
    return (
        f"the supplied CA: {authority.certificate.subject} is not a renewal of {OLD.certificate.subject}: it has another "
        f"{other}. Supply a certificate with the name and the key of the CA in use, or run the replace_key playbook."
    )


def not_the_key(authority: Entity) -> str:
    return (
        f"the supplied CA: the private key is not the key of {authority.certificate.subject}. "
        "Supply the key that belongs to the first certificate."
    )


BRIDGED = Intent(Goal.REPLACE_KEY, bridge=Bridge.ALWAYS)
CROSSES = bridged(NEW, OLD)
NO_BRIDGE = f"{KEYS}: a bridge is asked for, but {{}} Ask for bridge=auto to take three rolls instead of two."
NO_ROOT = f"the supplied CA {INTERMEDIATE.certificate.subject} is no root: its own issuer certifies it."
IS_ONE = f"{NEW.certificate.subject} is a bridge itself; the flow that made it was abandoned."


CASES = [
    refusal(
        rules.authority_secrets_are_usable, "authority",
        f"{CERTIFICATES}: x.crt is no certificate. Correct the entry, then run the flow again.",
        name="entries", ca=secrets(problems=("x.crt is no certificate.",)),
    ),
    refusal(rules.authority_secrets_are_usable, "authority", LOST, name="lost, pods run", ca=secrets(None), leaves=()),
    refusal(rules.authority_secrets_are_usable, "authority", LOST, name="lost, leaves exist", ca=secrets(None), pods=()),
    refusal(
        rules.authority_secrets_are_usable, "authority", LOST,
        name="lost, create", intent=CREATE, ca=secrets(None), leaves=(),
    ),
    refusal(
        rules.authority_secrets_are_usable, "authority", LOST,
        name="nothing to renew", intent=RENEW, ca=secrets(None), ledger=None, pods=(), leaves=(),
    ),
    refusal(
        rules.key_matches, "authority",
        f"{KEYS}: holds no usable private key under ca.key. Put the private key of ca.crt there as PKCS#8 PEM.",
        name="none", ca=secrets(key=None),
    ),
    refusal(
        rules.key_matches, "authority",
        f"{KEYS}: holds a ca.key that is not the key of ca.crt in demo-cluster-ca-cert ({OLD.certificate.subject}). "
        "Put the matching key or certificate there; the operator cannot issue anything as it is.",
        name="another", ca=secrets(key=NEW.certificate.public_key_sha256),
    ),
    refusal(
        rules.chains_are_in_order, "authority", out_of_order(f"{CERTIFICATES}, ca.crt", OLD, ROOT),
        name="ca.crt", ca=secrets(chain_of(OLD, ROOT)),
    ),
    refusal(
        rules.chains_are_in_order, "authority", out_of_order(f"{CERTIFICATES}, x.crt", ROOT, INTERMEDIATE),
        name="upside down", ca=secrets(others={"x.crt": chain_of(ROOT, INTERMEDIATE)}),
    ),
    refusal(
        rules.authority_is_valid_now, "validity",
        f"{CERTIFICATES}: {EXPIRED_NAME} expired on 2026-05-31 12:00 UTC. {TOO_LATE}",
        name="expired", ca=secrets(EXPIRED), ledger=ledger(entry(EXPIRED)),
    ),
    refusal(
        rules.authority_is_valid_now, "validity",
        f"{CERTIFICATES}: {EARLY_NAME} is not valid before 2026-06-02 12:00 UTC. {TOO_EARLY}",
        name="early", ca=secrets(EARLY), ledger=ledger(entry(EARLY)),
    ),
    refusal(
        rules.authority_is_valid_now, "validity",
        f"{KEYS}, prepared CA: {EXPIRED_NAME} expired on 2026-05-31 12:00 UTC. Nobody uses it yet: "
        f"remove {name_of(EXPIRED)}.crt and {name_of(EXPIRED)}.key there, then run the flow again for a new one.",
        name="prepared", ca=secrets(prepared=(prepared(EXPIRED),)),
    ),
    refusal(
        rules.names_are_distinct, "name", same_name(OLD, IMPOSTOR), name="beside", ca=secrets(others=others(IMPOSTOR))
    ),
    refusal(
        rules.names_are_distinct, "name", same_name(OLD, IMPOSTOR),
        name="prepared", ca=secrets(prepared=(prepared(IMPOSTOR),)),
    ),
    refusal(
        rules.names_are_distinct, "name", same_name(OLD, IMPOSTOR), name="supplied", intent=supplying(IMPOSTOR)
    ),
    refusal(
        rules.supplied_is_usable, "authority", out_of_order("the supplied CA", NEW, ROOT),
        name="chain", intent=supplying(NEW, ROOT),
    ),
    refusal(
        rules.supplied_is_usable, "validity",
        f"the supplied CA: {EXPIRED_NAME} expired on 2026-05-31 12:00 UTC. Supply a CA that is valid now.",
        name="expired", intent=supplying(EXPIRED),
    ),
    refusal(
        rules.supplied_is_usable, "validity",
        f"the supplied CA: {EARLY_NAME} is not valid before 2026-06-02 12:00 UTC. {TOO_EARLY}",
        name="early", intent=supplying(EARLY),
    ),
    refusal(
        rules.supplied_is_usable, "authority",
        f"the supplied CA: {LEAF.subject} is not a CA certificate. Supply a CA certificate.",
        name="leaf", intent=Intent(Goal.REPLACE_KEY, supplied=PreparedAuthority((LEAF,), LEAF.public_key_sha256)),
    ),
    refusal(
        rules.supplied_is_usable, "authority", not_the_key(NEW),
        name="another key", intent=supplying(NEW, key=OLD.certificate.public_key_sha256),
    ),
    refusal(
        rules.supplied_is_usable, "authority", not_the_key(NEW), name="no key", intent=supplying(NEW, key=None)
    ),
    refusal(
        rules.supplied_fits_the_goal, "authority", no_renewal(NEW, "key"),
        name="renewal with another key", intent=replace(supplying(NEW), goal=Goal.RENEW),
    ),
    refusal(
        rules.supplied_fits_the_goal, "authority", no_renewal(RENAMED, "name"),
        name="renewal under another name", intent=replace(supplying(RENAMED), goal=Goal.RENEW),
    ),
    refusal(
        rules.supplied_fits_the_goal, "authority",
        f"the supplied CA: {RENEWED.certificate.subject} has the key of the CA in use. "
        "Supply a CA with a key of its own, or run the renew playbook.",
        name="replacement with the same key", intent=supplying(RENEWED),
    ),
    refusal(
        rules.bridge_can_be_made, "bridge", NO_BRIDGE.format(NO_ROOT),
        name="supplied intermediate", intent=replace(supplying(INTERMEDIATE, ROOT), bridge=Bridge.ALWAYS),
    ),
    refusal(
        rules.bridge_can_be_made, "bridge", NO_BRIDGE.format(IS_ONE), name="one after another", intent=BRIDGED,
        ca=secrets(CROSSES, others=others(NEW, OLD)), leaves=leaves(NEW),
        ledger=ledger(entry(CROSSES, generations={0}), entry(NEW), entry(OLD)),
    ),
    *(
        refusal(
            rules.operator_could_renew, "hand-over",
            f"{CERTIFICATES}: holds the CA {one.certificate.subject}, which the operator would renew under another "
            "name and so break every connection. Run the replace_key playbook without a certificate, then hand the "
            "cluster back.",
            name=one.certificate.subject, intent=DOWNGRADE,
            ca=secrets(one), ledger=ledger(entry(one, generations={0})), leaves=leaves(one),
        )
        for one in (ROOT, CLIENTS, ALMOST)
    ),
    refusal(
        rules.generation_is_unambiguous, "authority",
        f"{CERTIFICATES}: has another ca.crt ({NEW.certificate.subject}) under generation 0, "
        f"which meant {OLD.certificate.subject}. Whoever replaced ca.crt has to raise "
        "strimzi.io/ca-cert-generation with it; restore ca.crt or do so.",
        name="", ca=secrets(NEW),
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_it_holds_the_flow_and_says_why(case: Refusal) -> None:
    assert_refused(case)


@pytest.mark.parametrize("case", CASES)
def test_our_pause_ends_whatever_is_wrong(case: Refusal) -> None:
    assert_only_resumed(case)


@pytest.mark.parametrize(
    "intent",
    [
        pytest.param(supplying(INTERMEDIATE, ROOT), id="only wished for"),
        pytest.param(replace(BRIDGED, goal=Goal.RENEW), id="no new key"),
        pytest.param(BRIDGED, id="can be made"),
    ],
)
def test_a_bridge_that_is_not_needed_holds_nothing(intent: Intent) -> None:
    assert check(cluster(), intent) == ()


def test_half_way_through_a_promotion_the_key_is_that_of_the_next_ca() -> None:
    half = secrets(prepared=(prepared(NEW),), key=NEW.certificate.public_key_sha256)
    assert check(cluster(ca=half), REPLACE_KEY) == ()


@pytest.mark.parametrize("moment", [OLD.certificate.not_before, OLD.certificate.not_after - timedelta(seconds=1)])
def test_a_ca_is_valid_from_its_first_to_its_last_second(moment: datetime) -> None:
    assert check(replace(cluster(), now=moment), RENEW) == ()


def test_the_root_above_may_have_expired() -> None:
    """Nobody's anchor: what it issued validates as before, and its replacement is the way out."""
    expired = make("Corporate Root", key(6), end=EXPIRED.certificate.not_after)
    chain = chain_of(INTERMEDIATE, expired)
    used = cluster(ca=secrets(chain), ledger=ledger(entry(chain, generations={0})), leaves=leaves(INTERMEDIATE))
    assert check(used, REPLACE_KEY) == ()


def test_an_intermediate_in_the_middle_may_not() -> None:
    """The operator validates the chain and refuses to work (strimzi.md 1.4)."""
    middle = make("Corporate Issuing CA", key(7), ROOT, end=EXPIRED.certificate.not_after)
    chain = chain_of(make("Kafka CA", key(20), middle), middle, ROOT)
    used = cluster(ca=secrets(chain), ledger=ledger(entry(chain, generations={0})))
    assert [one.gate for one in check(used, REPLACE_KEY)] == ["validity"]


@pytest.mark.parametrize("moment", [OLD.certificate.not_before - timedelta(seconds=1), OLD.certificate.not_after])
def test_a_ca_is_not_valid_before_and_after(moment: datetime) -> None:
    assert [one.gate for one in check(replace(cluster(), now=moment), RENEW)] == ["validity"]


def test_a_renewal_has_the_name_and_key_of_its_predecessor() -> None:
    assert check(cluster(ca=secrets(others=others(RENEWED))), RENEW) == ()


def test_a_chain_in_order_can_issue_and_be_supplied() -> None:
    corporate = chain_of(INTERMEDIATE, ROOT)
    used = cluster(ca=secrets(corporate), ledger=ledger(entry(corporate, generations={0})))
    assert check(used, RENEW) == ()
    assert check(cluster(), supplying(INTERMEDIATE, ROOT)) == ()


@pytest.mark.parametrize("goal", [Goal.CREATE, Goal.RENEW, Goal.REPLACE_KEY])
def test_a_supplied_ca_that_is_in_place_fits_every_goal(goal: Goal) -> None:
    assert check(cluster(), replace(supplying(OLD), goal=goal)) == ()


def test_a_supplied_renewal_fits() -> None:
    assert check(cluster(), replace(supplying(RENEWED), goal=Goal.RENEW)) == ()


@pytest.mark.parametrize("step", ["PREPARED", "ENROLLED"])
def test_a_flow_in_flight_goes_on_whatever_is_supplied(step: str) -> None:
    assert check(stage.STAGES[step], replace(supplying(NEW), goal=Goal.RENEW)) == ()


def test_the_same_ca_under_a_raised_generation_is_unambiguous() -> None:
    assert check(cluster(ca=secrets(certificate_generation=5)), RENEW) == ()
