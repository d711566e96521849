# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The precondition that no CA is brought in that the cluster has as its other one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import CaSource
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import OtherAuthority, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.source import authorities_are_apart

from ....tools.support.certificates import DAY, Entity, make
from ....tools.support.intents import changed_intent
from ..authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, chain_of
from ..builders import NAMES, cluster, others, prepared, secrets
from ..ledger.test_enrolment import ADOPT
from ..ledgers import UNTRUSTED, entry, ledger
from .refusals import CREATE, RECONCILE, RENEW, UPGRADE, refusal, supplying
from .test_swap import CERTIFICATES, OLD_NAME, swapped_in

WHERE = "the clients CA in Secret kafka/demo-clients-ca-cert"
#: The key of the other CA under another name.
TWIN = make("Corporate CA", NEW.key)
SOURCE = CaSource("ConfigMap kafka/roots, entry ca.crt", chain_of(TWIN))
TRUSTED = changed_intent(RECONCILE, additional_cas=(chain_of(TWIN),))


def beside(authority: Entity, *trusted: Entity, above: tuple[Entity, ...] = ()) -> dict[str, Any]:
    """The cluster's other CA is this one, below those above it; others are trusted beside it."""
    ca = secrets(chain_of(authority, *above), other_entries=others(*trusted))
    names = replace(NAMES, ca="clients CA", certificate_secret="Secret kafka/demo-clients-ca-cert")
    return {"other_ca": OtherAuthority(names, ca, ledger=None, generated=True, renewal_window=30 * DAY)}


def told(subject: str, authority: Entity, remedy: str) -> str:
    return (
        f"{subject}: {named(authority.certificate)} has the key of {WHERE}. As cluster CA, in {CERTIFICATES}, it would let holders of a "
        f"certificate of one CA in where only certificates of the other are to be accepted. {remedy}"
    )


_SUPPLY = "Supply a CA with a key of its own."
ABOVE = f"a CA above {WHERE}"
CASES = [
    refusal(
        authorities_are_apart, told("the supplied CA", NEW, _SUPPLY),
        name="the same certificate", intent=supplying(NEW), **beside(OLD, NEW),
    ),
    refusal(
        authorities_are_apart, told("the supplied CA", TWIN, _SUPPLY),
        name="the same key", intent=supplying(TWIN), **beside(NEW),
    ),
    refusal(
        authorities_are_apart, told("the supplied CA", ROOT, _SUPPLY).replace(WHERE, ABOVE),
        name="the root above the other", intent=supplying(ROOT),
        **beside(INTERMEDIATE, above=(ROOT,)),
    ),
    refusal(
        authorities_are_apart, told("the supplied CA", INTERMEDIATE, _SUPPLY).replace("has the key of", "is certified by"),
        name="below the other", intent=supplying(INTERMEDIATE, ROOT), **beside(ROOT),
    ),
    refusal(
        authorities_are_apart, told("the supplied CA", INTERMEDIATE, _SUPPLY).replace("has the key of", "is certified by"),
        name="below the other, which is known here", intent=supplying(INTERMEDIATE, ROOT),
        ca=secrets(OLD, other_entries=others(ROOT)), ledger=ledger(entry(OLD, generations={0}), entry(ROOT, UNTRUSTED)), **beside(ROOT),
    ),
    refusal(
        authorities_are_apart, told("the supplied CA", NEW, _SUPPLY),
        name="the first CA", intent=changed_intent(CREATE, supplied=prepared(NEW)), ca=secrets(None), ledger=None, pods=(), leaves=(),
        **beside(NEW),
    ),
    refusal(
        authorities_are_apart, told("the supplied CA", TWIN, _SUPPLY),
        name="from a source", intent=changed_intent(RECONCILE, confirmed_roots=frozenset({TWIN.certificate.sha256})), source=SOURCE, **beside(NEW),
    ),
    refusal(
        authorities_are_apart, told("the CA that is to be trusted", TWIN, "Give a CA with a key of its own."),
        name="trusted beside", intent=TRUSTED, **beside(NEW),
    ),
    refusal(
        authorities_are_apart,
        told(f"{CERTIFICATES}, ca.crt", NEW, f"Put {OLD_NAME} and its key back, or put a CA with a key of its own there."),
        name="adopted", intent=ADOPT, **swapped_in(), **beside(NEW),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(cluster(**beside(OLD)), supplying(NEW), id="away from a common one"),
        pytest.param(
            cluster(**beside(NEW, above=(ROOT,))), supplying(INTERMEDIATE, ROOT),
            id="one root above both",
        ),
        pytest.param(cluster(**beside(OLD)), changed_intent(RENEW, supplied=prepared(RENEWED)), id="a renewal of a common one"),
        pytest.param(cluster(**beside(OLD), ledger=None), changed_intent(RENEW, supplied=prepared(RENEWED)), id="before there is a ledger"),
        pytest.param(cluster(**beside(OLD)), RECONCILE, id="nothing is brought"),
        pytest.param(cluster(**beside(OLD), ledger=None), UPGRADE, id="a common one is taken over"),
        pytest.param(
            cluster(**beside(NEW), ca=secrets(OLD, other_entries=others(TWIN)), ledger=ledger(entry(OLD), entry(TWIN, UNTRUSTED))), TRUSTED,
            id="it is trusted already",
        ),
        pytest.param(
            cluster(**beside(NEW), ca=secrets(OLD, prepared=(replace(prepared(NEW), chain=chain_of(NEW, ROOT)),))), supplying(NEW),
            id="a flow is about it already",
        ),
        pytest.param(cluster(**beside(NEW), source=SOURCE), RECONCILE, id="the user has not confirmed it"),
        pytest.param(cluster(**beside(NEW), source=SOURCE), Intent(Goal.RENEW_LEAVES), id="a flow that heeds no source"),
    ],
)  # fmt: skip
def test_a_shared_ca_that_is_present_or_does_not_come_is_not_held(snapshot: Snapshot, intent: Intent) -> None:
    assert list(authorities_are_apart(snapshot, intent)) == []
