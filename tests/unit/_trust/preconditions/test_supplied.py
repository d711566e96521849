# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions about CAs that the caller brings, and about one that is to leave."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from cryptography.x509 import DNSName, SubjectAlternativeName

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyType
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.authority import (
    leaving_is_unused,
    renewal_keeps_the_key,
    supplied_fits_the_goal,
    supplied_is_usable,
    trusting_is_usable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check

from ....tools.support.certificates import Entity, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.constrained import names
from ....tools.support.intents import an_intent, changed_intent
from ....tools.support.unusable import UNUSABLE
from .. import linked
from ..authorities import EARLY, EXPIRED, IDENTIFIED, INTERMEDIATE, NEW, OLD, RENEWED, ROOT, chain_of, name_of
from ..builders import cluster, others, prepared, secrets
from ..ledgers import entry, ledger
from ..nodes import PODS, a_leaf, leaves
from ..rules.asking import RECONCILE
from .refusals import EARLY_NAME, EXPIRED_NAME, RENEW, TOO_EARLY, out_of_order, refusal, supplying

LEAF = issue_leaf(OLD)
#: The key of the CA in use under other names, before and after its own.
RENAMED = (make("Kafka CA", OLD.key), make("our CA", OLD.key))
UNIDENTIFIED = make("cluster-ca v0", OLD.key, path_length=1, subject_identifier=None)
JUDGED = make("Kafka CA", key(8), ROOT, extra=[names(["<io.strimzi>"])])
CONFINED = make("Kafka CA", key(8), ROOT, extra=[names(["my-kafka"])])
SERVICE = issue_leaf(OLD, extra=[(SubjectAlternativeName([DNSName("a.svc")]), False)])
NAMELESS, SHA1 = (next(one for one in UNUSABLE if one.name == name) for name in ("no subject", "sha1_below"))
IDENTIFIER = OLD.certificate.usual_key_identifier.hex(":").upper()
AT_THE_END = "It leaves at the end of the flow that puts another CA in its place."
TRUSTED = "the CA that is to be trusted"
KEPT = f"the CA {named(OLD.certificate)}: has a key with"
OTHER_KEY = "Leave key_type out, or replace the key: state=replaced, or the replace_key playbook."


def no_renewal(authority: Entity, other: str, current: Entity = OLD) -> str:
    return (
        f"the supplied CA: {authority.certificate.subject} is not a renewal of {current.certificate.subject}: it has another "
        f"{other}. Supply a certificate with the name and the key of the CA in use, or run the replace_key playbook."
    )


def not_the_key(authority: Entity) -> str:
    return (
        f"the supplied CA: the private key is not the key of {authority.certificate.subject}. "
        "Supply the key that belongs to the first certificate."
    )


def trusting(*chain: Certificate) -> Intent:
    return changed_intent(RECONCILE, additional_cas=(chain,))


def leaving(authority: Entity) -> Intent:
    return changed_intent(RECONCILE, leaving_ca=name_of(authority))


CASES = [
    refusal(
        supplied_is_usable, out_of_order("the supplied CA", NEW, ROOT),
        name="chain", intent=supplying(NEW, ROOT),
    ),
    refusal(
        supplied_is_usable,
        f"the supplied CA: {EXPIRED_NAME} expired on 2026-05-31 12:00 UTC. Supply a CA that is valid now.",
        name="expired", intent=supplying(EXPIRED),
    ),
    refusal(
        supplied_is_usable,
        f"the supplied CA: {EARLY_NAME} is not valid before 2026-06-02 12:00 UTC. {TOO_EARLY}",
        name="early", intent=supplying(EARLY),
    ),
    refusal(
        supplied_is_usable,
        f"the supplied CA: {LEAF.subject} is not a CA certificate. Supply a CA certificate.",
        name="leaf", intent=an_intent(Goal.REPLACE_KEY, supplied=PreparedAuthority((LEAF,), LEAF.public_key_sha256)),
    ),
    refusal(
        supplied_is_usable, not_the_key(NEW),
        name="another key", intent=supplying(NEW, key=OLD.certificate.public_key_sha256),
    ),
    refusal(
        supplied_is_usable, not_the_key(INTERMEDIATE),
        name="the key of its root", intent=supplying(INTERMEDIATE, ROOT, key=ROOT.certificate.public_key_sha256),
    ),
    refusal(
        supplied_is_usable,
        f"the supplied CA: {JUDGED.certificate.subject} has extensions that cannot be judged here (2.5.29.30). "
        "Supply a CA without them; name constraints may contain DNS names and IP addresses only.",
        name="extensions", intent=supplying(JUDGED, ROOT),
    ),
    refusal(
        supplied_is_usable,
        f"the supplied CA: the name constraints of {CONFINED.certificate.subject} do not admit the name a.svc of "
        f"{SERVICE.subject}, as Secret {PODS[1]} needs it. Supply a CA that may issue the certificates of this cluster.",
        name="names", intent=supplying(CONFINED, ROOT),
        leaves=(a_leaf(PODS[1], chain=(SERVICE, OLD.certificate)), a_leaf(PODS[2], chain=(SERVICE,))),
    ),
    refusal(
        supplied_is_usable, not_the_key(NEW), name="no key", intent=supplying(NEW, key=None)
    ),
    refusal(
        renewal_keeps_the_key, f"{KEPT} key_type=ecdsa-p256, which a renewal keeps; the call wants rsa-2048. {OTHER_KEY}",
        name="another algorithm", intent=changed_intent(RENEW, key_type=KeyType.RSA_2048),
    ),
    refusal(
        renewal_keeps_the_key, f"{KEPT} key_type=ecdsa-p256, which a renewal keeps; the call wants ecdsa-p384. {OTHER_KEY}",
        name="another size", intent=changed_intent(RENEW, key_type=KeyType.ECDSA_P384),
    ),
    refusal(
        supplied_fits_the_goal, no_renewal(NEW, "key"),
        name="renewal with another key", intent=replace(supplying(NEW), goal=Goal.RENEW),
    ),
    refusal(
        supplied_fits_the_goal, no_renewal(OLD, "key", NEW),
        name="renewal with another key, the other way round", intent=replace(supplying(OLD), goal=Goal.RENEW),
        ca=secrets(NEW), ledger=ledger(entry(NEW, generations={0})), leaves=leaves(NEW),
    ),
    *(
        refusal(
            supplied_fits_the_goal, no_renewal(one, "name"),
            name=f"renewal as {one.certificate.subject}", intent=replace(supplying(one), goal=Goal.RENEW),
        )
        for one in RENAMED
    ),
    *(
        refusal(
            supplied_fits_the_goal,
            f"the supplied CA: {OLD.certificate.subject} has another subject key identifier than the CA in use, so JVMs and "
            "OpenSSL that know only one of the two would refuse leaves of the other. "
            f"Supply a certificate with {remedy}, or run the replace_key playbook with a key of its own.",
            name=f"renewal with another identifier: {remedy[:4]}", intent=replace(supplying(new), goal=Goal.RENEW),
            ca=secrets(current), ledger=ledger(entry(current, generations={0})), leaves=leaves(current),
        )
        for current, new, remedy in (
            (OLD, IDENTIFIED, f"the subject key identifier {IDENTIFIER}"), (UNIDENTIFIED, IDENTIFIED, "no subject key identifier"),
        )
    ),
    refusal(
        supplied_fits_the_goal,
        f"the supplied CA: {RENEWED.certificate.subject} has the key of the CA in use. "
        "Supply a CA with a key of its own, or run the renew playbook.",
        name="replacement with the same key", intent=supplying(RENEWED),
    ),
    refusal(
        supplied_is_usable,
        f"the supplied CA: the CA without a name ({NAMELESS.authority.sha256[:16]}) has an empty subject, which JVMs (Kafka and "
        "Strimzi) refuse. Supply a CA with a subject.",
        name="of no use for JVMs",
        intent=an_intent(Goal.REPLACE_KEY, supplied=PreparedAuthority((NAMELESS.authority,), NAMELESS.authority.public_key_sha256)),
    ),
    refusal(
        trusting_is_usable,
        f"{TRUSTED}: CN=theirs is signed with SHA-1, which OpenSSL (librdkafka) and Go programs (Kafka Exporter) refuse. "
        "Give a CA that is signed with SHA-256, SHA-384 or SHA-512.",
        name="of no use for OpenSSL and Go", intent=trusting(SHA1.authority),
    ),
    refusal(
        trusting_is_usable, out_of_order(TRUSTED, NEW, ROOT), name="chain", intent=trusting(*chain_of(NEW, ROOT)),
    ),
    refusal(
        trusting_is_usable,
        f"{TRUSTED}: {EXPIRED_NAME} expired on 2026-05-31 12:00 UTC. Give a CA that is valid now.",
        name="expired", intent=trusting(EXPIRED.certificate),
    ),
    refusal(
        trusting_is_usable, f"{TRUSTED}: {LEAF.subject} is not a CA certificate. Give a CA certificate.",
        name="leaf", intent=trusting(LEAF),
    ),
    refusal(
        leaving_is_unused, f"the CA {named(OLD.certificate)}: is in use. {AT_THE_END}",
        name="in use", intent=leaving(OLD),
    ),
    refusal(
        leaving_is_unused,
        f"the CA {named(NEW.certificate)}: is the next CA: a flow puts it in the place of another. {AT_THE_END}",
        name="the next one", intent=leaving(NEW), ca=secrets(prepared=(prepared(NEW),)),
    ),
    refusal(
        leaving_is_unused,
        f"the CA {named(INTERMEDIATE.certificate)}: is the next CA: a flow puts it in the place of another. {AT_THE_END}",
        name="the next one, below a root", intent=leaving(INTERMEDIATE),
        ca=secrets(prepared=(replace(prepared(INTERMEDIATE), chain=chain_of(INTERMEDIATE, ROOT)),)),
    ),
    refusal(
        leaving_is_unused, f"the CA {named(OLD.certificate)}: is in use. {AT_THE_END}",
        name="in use, and not tidied up", intent=leaving(OLD), ca=secrets(prepared=(prepared(OLD),)),
    ),
]  # fmt: skip


@pytest.mark.parametrize("goal", [Goal.CREATE, Goal.RENEW, Goal.REPLACE_KEY])
def test_a_supplied_ca_that_is_in_place_fits_every_goal(goal: Goal) -> None:
    assert check(cluster(), replace(supplying(OLD), goal=goal)) == ()


def test_a_supplied_renewal_fits() -> None:
    assert check(cluster(), replace(supplying(RENEWED), goal=Goal.RENEW)) == ()


@pytest.mark.parametrize("step", ["PREPARED", "ENROLLED"])
def test_a_flow_in_flight_goes_on_whatever_is_supplied(step: str) -> None:
    assert check(linked.STAGES[step], replace(supplying(NEW), goal=Goal.RENEW)) == ()


def test_a_chain_in_order_can_be_supplied() -> None:
    assert check(cluster(), supplying(INTERMEDIATE, ROOT)) == ()


@pytest.mark.parametrize("intent", [trusting(*chain_of(INTERMEDIATE, ROOT)), leaving(NEW)])
def test_a_ca_may_be_trusted_and_another_may_leave(intent: Intent) -> None:
    assert check(cluster(ca=secrets(other_entries=others(NEW))), intent) == ()


def test_a_chain_that_begins_with_a_leaf_is_refused_as_no_ca() -> None:
    upside_down = (LEAF, OLD.certificate)
    told = f"{LEAF.subject} is not a CA certificate."
    supplied = changed_intent(supplying(OLD), supplied=PreparedAuthority(upside_down, LEAF.public_key_sha256))
    for rule, intent, remedy in (
        (supplied_is_usable, supplied, "Supply a CA certificate."),
        (trusting_is_usable, trusting(*upside_down), "Give a CA certificate."),
    ):
        assert (told, remedy) in [(one.message, one.remedy) for one in rule(cluster(), intent)]


#: A CA in use below a root.
BELOW = cluster(ca=secrets(chain_of(INTERMEDIATE, ROOT)), leaves=leaves(INTERMEDIATE))


def test_of_a_chain_in_use_the_root_may_leave_and_the_ca_may_not() -> None:
    assert tuple(leaving_is_unused(BELOW, leaving(ROOT))) == ()
    switched = BELOW.with_ca(prepared=(replace(prepared(INTERMEDIATE), chain=chain_of(INTERMEDIATE, ROOT)),))
    for snapshot in (BELOW, switched):
        (held,) = leaving_is_unused(snapshot, leaving(INTERMEDIATE))
        assert held.condition is Condition.LEAVING_IS_UNUSED


def test_a_ca_below_a_root_is_renewed_by_one_with_its_name_and_key() -> None:
    renewal = make("Corporate Issuing CA", INTERMEDIATE.key, ROOT, end=RENEWED.certificate.not_after)
    assert tuple(supplied_fits_the_goal(BELOW, replace(supplying(renewal, ROOT), goal=Goal.RENEW))) == ()


@pytest.mark.parametrize(
    ("intent", "fields"),
    [
        pytest.param(changed_intent(RENEW, key_type=KeyType.ECDSA_P256), {}, id="that key"),
        pytest.param(changed_intent(RENEW, key_type=None), {}, id="any key"),
        pytest.param(changed_intent(RECONCILE, key_type=KeyType.RSA_4096), {}, id="no renewal"),
        pytest.param(
            changed_intent(RENEW, key_type=KeyType.RSA_4096),
            {"ca": secrets(prepared=(prepared(RENEWED),))},
            id="it is under way",
        ),
    ],
)
def test_a_renewal_is_refused_for_another_kind_of_key_alone(intent: Intent, fields: dict[str, Any]) -> None:
    assert tuple(renewal_keeps_the_key(cluster(**fields), intent)) == ()
