# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random clusters, most of which no flow would ever lead to: what people and crashes can leave behind.

Each is a mixture: its parts come from different stages of different flows, and some were never seen there.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Follows, OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import ROTATIONS, Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Selection, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    LedgerEntry,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaSecrets,
    InPlaceObstacles,
    OperatorPause,
    Pod,
    Reconciliation,
    Snapshot,
    StoredLeaf,
)

from ...tools.support.certificates import HOUR, NOW
from ...tools.support.intents import an_intent
from . import linked, patient, renewal, unlinked
from .authorities import NEW, OLD, RENEWED, THIRD, chain_of, link_of, name_of, names_of
from .builders import changed, field_of, others, prepared, secrets
from .ledgers import a_journal, entry
from .nodes import PODS, a_leaf, a_pod, leaves, pods, uids_of

#: Half as many examples again as other properties have: these are the laws of what is safe.
SETTINGS = settings(max_examples=settings.default.max_examples * 3 // 2, suppress_health_check=list(HealthCheck))

#: Their usual generations; a certificate under that of another CA is a contradiction.
GENERATIONS = {OLD: 0, NEW: 1, RENEWED: 2, THIRD: 3}

stages = st.sampled_from(
    [*linked.STAGES.values(), *unlinked.STAGES.values(), *patient.STAGES.values(), *renewal.STAGES.values()]
)
awaited = st.sampled_from([frozenset(), frozenset(), None, *(uids_of(PODS[0], start=start) for start in range(4))])
knowing = st.sampled_from([None, None, frozenset(), uids_of(PODS[0])])
in_places = st.sampled_from(
    [InPlaceObstacles(), InPlaceObstacles(), None, InPlaceObstacles(reload="no."), InPlaceObstacles(stamps="no.")]
)

OWN_SECRETS: tuple[CaSecrets, ...] = (
    secrets(RENEWED, other_entries=others(OLD), certificate_generation=2),
    secrets(other_entries=others(RENEWED), prepared=(prepared(RENEWED),)),
    secrets(THIRD, certificate_generation=1),
    # Half-way through a switch: the key is written, the certificate is not.
    replace(unlinked.TRUSTED.ca, key=NEW.certificate.public_key_sha256, kept_keys=names_of(OLD)),
    secrets(THIRD, other_entries=others(OLD, NEW), certificate_generation=3),
    secrets(NEW, certificate_generation=1, prepared=(prepared(THIRD, link_of(THIRD, NEW)),), kept_keys=names_of(OLD)),
)
OWN_PODS: tuple[tuple[Pod, ...], ...] = (
    (),
    pods(None),
    pods(2, start=3),
    (a_pod(generation=None, start=2), *pods(1, start=2, names=PODS[1:])),
    (a_pod(generation=0, start=3, presents_stored=False), *pods(1, start=2, names=PODS[1:])),
)
OWN_LEAVES: tuple[tuple[StoredLeaf, ...], ...] = (
    leaves(RENEWED, 2),
    leaves(THIRD, 1),
    (*leaves(NEW, 1), a_leaf("another", OLD, 0)),
    (*leaves(NEW, 1), a_leaf("another", chain=None)),
    (a_leaf(issuer=NEW, generation=1), *leaves(names=PODS[1:])),
)


@st.composite
def entries(draw: st.DrawFn) -> LedgerEntry:
    authority = draw(st.sampled_from(list(GENERATIONS)))
    published = draw(st.sampled_from([None, NOW - HOUR, NOW]))
    cleared = draw(st.sampled_from([None, NOW - HOUR, NOW]))
    state, awaiting = draw(st.sampled_from(TrustState)), draw(awaited)
    return entry(
        authority, state, {GENERATIONS[authority]}, awaiting, published_at=published, cleared_at=cleared,
        knowing_pods=draw(knowing),
    )  # fmt: skip


@st.composite
def ledgers(draw: st.DrawFn) -> Ledger:
    known = draw(st.lists(entries(), max_size=3, unique_by=lambda one: one.fingerprint))
    goal, retire = draw(st.sampled_from([None, *ROTATIONS])), draw(st.sampled_from([*Retire, NOW + HOUR]))
    journal = a_journal(goal, OLD, RENEWED if goal is Goal.RENEW else NEW, retire=retire) if goal else None
    return Ledger(tuple(known), journal=journal)


@st.composite
def outside_clients(draw: st.DrawFn) -> OutsideClient:
    copies = draw(st.none() | st.sets(st.sampled_from(list(GENERATIONS))))
    trusts = None if copies is None else tuple(one.certificate for one in copies)
    doubt = "it is not known" if copies is None else draw(st.sampled_from(["", "started earlier"]))
    follows, declared = draw(st.sampled_from(Follows)), draw(st.booleans())
    return OutsideClient("Secret kafka/app", trusts, doubt, draw(st.sampled_from(Verifier)), follows, declared=declared)


@st.composite
def reconciliations(draw: st.DrawFn) -> Reconciliation:
    paused, ours = draw(st.sampled_from([(False, False), (False, False), (True, True), (True, False)]))
    generated, effective = draw(st.sampled_from([False] * 5 + [True])), draw(st.booleans())
    return Reconciliation(generated=generated, pause=OperatorPause(paused, ours, paused and effective))


@st.composite
def snapshots(draw: st.DrawFn, *around: Snapshot) -> Snapshot:
    """around: stages that the mixture starts from, so that what a test is about is frequent."""
    mixed = draw(st.sampled_from(around) if around else stages)
    own: dict[str, Any] = {
        "ca": st.sampled_from(OWN_SECRETS),
        "ledger": st.none() | ledgers(),
        "bundle": st.sampled_from([None, frozenset(), mixed.ca.projected, frozenset(map(name_of, GENERATIONS))]),
        "pods": st.sampled_from(OWN_PODS),
        "leaves": st.sampled_from(OWN_LEAVES),
        "outside_clients": st.lists(outside_clients(), max_size=2).map(tuple),
        "in_place_obstacles": in_places,
        "published": st.sampled_from([None, names_of(OLD), names_of(OLD, NEW)]),
        "missing": st.just({"demo-nodes-9": Component.KAFKA}),
        "listeners": st.none(),
    }
    # In one order, so that examples do not depend on how texts are hashed.
    for part in sorted(draw(st.sets(st.sampled_from(sorted(own)), max_size=3))):
        value: Any = draw(own[part]) if draw(st.booleans()) else field_of(draw(stages), part)
        mixed = changed(mixed, **{part: value})
    return mixed


#: Of runs that go on with the flow of such a stage.
going_on = st.sampled_from([Intent(Goal.REPLACE_KEY), Intent(Goal.RENEW), Intent(Goal.RECONCILE)])


@st.composite
def intents(draw: st.DrawFn) -> Intent:
    """fresh_for: so that a replacement that has just finished is no answer to the next."""
    trusting, leaving = draw(st.sampled_from([((), None), ((chain_of(THIRD),), None), ((), name_of(THIRD))]))
    return an_intent(
        draw(st.sampled_from(Goal)),
        fresh_for=timedelta(0),
        last_phase=draw(st.sampled_from([None, None, *Phase])),
        publishes_bundle=draw(st.booleans()),
        spread=draw(st.sampled_from(Spread)),
        retire=draw(st.sampled_from([None, *Retire, NOW, NOW + HOUR])),
        client_grace=draw(st.sampled_from([None, timedelta(0), 2 * HOUR])),
        additional_cas=trusting,
        leaving_ca=leaving,
        missing_leaves=draw(st.sampled_from([None, Selection()])),
    )
