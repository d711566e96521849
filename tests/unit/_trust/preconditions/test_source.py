# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions about the source of CAs, before a flow begins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, NewRoots
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import CaSource
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.source import (
    roots_are_known,
    source_is_usable,
)

from ....tools.support.certificates import Entity, key, make
from ....tools.support.intents import changed_intent
from ..authorities import EXPIRED, NEW, OLD, RENEWED, THIRD
from ..builders import cluster, secrets
from ..ledgers import a_journal, ledger
from .refusals import CREATE, DOWNGRADE, RECONCILE, REPLACE_KEY, refusal

NAME = "ConfigMap kafka/roots, entry ca.crt"
LOST = CaSource(NAME, problem="does not exist.", remedy="Create it.")
MANY = tuple(make(f"CA {number}", key(20 + number)) for number in range(11))
NEVER = changed_intent(RECONCILE, new_roots=NewRoots.NEVER)


def of(*authorities: Entity) -> CaSource:
    return CaSource(NAME, tuple(one.certificate for one in authorities))


def holding(*authorities: Entity, where: Snapshot | None = None) -> Snapshot:
    return replace(where or cluster(), source=of(*authorities))


def unknown(authority: Entity) -> str:
    own = authority.certificate
    return (
        f"{NAME}: contains the CA {own.subject}, SHA-256 {own.sha256}, which this cluster does not trust, and trust_new_roots=never forbids to "
        "begin with one. Take it out; or have it trusted by trust_new_roots=ask and its SHA-256 in confirm_roots."
    )


AMBIGUOUS = (
    f"{NAME}: contains 2 CAs (*), and none is the CA in use, {OLD.certificate.subject}: the collection cannot tell which of them signs. Leave the CA "
    "that signs, with the CAs "
    "above it."
).replace(
    "*", ", ".join(one.certificate.subject for one in sorted((NEW, THIRD), key=lambda one: one.certificate.sha256))
)
CASES = [
    refusal(
        source_is_usable, f"{NAME}: does not exist. Create it.",
        name="lost", intent=RECONCILE, source=LOST,
    ),
    refusal(
        source_is_usable, f"{NAME}: does not exist. Create it.",
        name="lost before the first CA", intent=CREATE,
        ca=secrets(None), ledger=None, pods=(), leaves=(), source=LOST,
    ),
    refusal(
        source_is_usable, f"{NAME}: contains no CA that is valid now. Put the CA that signs the cluster's certificates there.",
        name="expired", intent=RECONCILE, source=of(EXPIRED),
    ),
    refusal(
        source_is_usable, AMBIGUOUS,
        name="ambiguous, and there is no leaf", intent=REPLACE_KEY, source=of(NEW, THIRD), pods=(), leaves=(),
    ),
    refusal(
        source_is_usable,
        f"{NAME}: contains 11 CAs; at most 10 are trusted. Give a source with the CAs of this cluster's issuer alone: every holder of a certificate "
        "of one of them can join the cluster.",
        name="the CAs of the public", intent=RECONCILE, source=of(*MANY),
    ),
    refusal(roots_are_known, unknown(NEW), name="never", intent=NEVER, source=of(NEW)),
    refusal(roots_are_known, unknown(NEW), name="never, beside the CA in use", intent=NEVER, source=of(OLD, NEW)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(holding(OLD), NEVER, id="the CA in use"),
        pytest.param(holding(RENEWED), NEVER, id="its renewal"),
        pytest.param(holding(*MANY[:9], OLD), RECONCILE, id="as many as are trusted"),
        pytest.param(replace(cluster(), source=LOST), DOWNGRADE, id="no flow of the source"),
        pytest.param(replace(cluster(ledger=ledger(journal=a_journal())), source=LOST), RECONCILE, id="lost in flight"),
        pytest.param(
            holding(NEW, THIRD, where=cluster(ledger=ledger(journal=a_journal()))), NEVER, id="changed in flight"
        ),
    ],
)
def test_passed(snapshot: Snapshot, intent: Intent) -> None:
    assert check(snapshot, intent) == ()


def test_a_ca_of_the_source_is_judged_like_any_other() -> None:
    """Before it is prepared, and before it is trusted beside the one in use."""
    weak = make("Kafka CA", key(8), ca=False)
    alone = changed_intent(RECONCILE, confirmed_roots=frozenset({weak.certificate.sha256}))
    assert conditions(holding(weak), alone) == ["supplied_is_usable"]
    assert conditions(holding(OLD, weak), alone) == ["trusting_is_usable"]
    bare = make("cluster-ca v0", key(5), subject_identifier=None)
    same_name = changed_intent(RECONCILE, confirmed_roots=frozenset({bare.certificate.sha256}))
    assert conditions(holding(bare), same_name) == ["keys_are_told_apart"]
    assert conditions(holding(OLD, bare), same_name) == ["keys_are_told_apart"]


def conditions(snapshot: Snapshot, intent: Intent) -> list[str]:
    return [one.condition.value for one in decide(snapshot, intent).violations]
