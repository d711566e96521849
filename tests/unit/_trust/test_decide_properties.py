# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Laws of every decision, in any cluster and for any intent (I2, I3, I5, I9, I10)."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import event, find, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import without_outside_clients
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import (
    alone_gate,
    removal_gate,
    trust_gate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.target import resolve
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import is_projected
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Decision, Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import TRUSTED_STATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import ObjectNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAuthority,
    RaiseKeyGeneration,
    RestoreKey,
    SetGenerated,
    Switch,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    IssueLeaves,
    RechainLeaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    AwaitAnswers,
    Pause,
    Reload,
    Resume,
    StampPods,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    Withdraw,
    WriteBundle,
    WriteLedger,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import finds_work

from ...tools.support.intents import changed_intent
from . import linked, patient, renewal, unlinked
from .builders import PAUSED, changed
from .ledgers import PHASE_OUT
from .mixtures import SETTINGS, going_on, in_places, intents, reconciliations, snapshots
from .stand_in import MadeHere

STATES = reconciliations()
#: For laws about a step of a flow: half of the examples are asked as that flow asks, and in its pause.
IN_FLOW, IN_PAUSE_OF_OURS = going_on | intents(), st.just(PAUSED) | STATES
SWITCHING = snapshots(
    unlinked.TRUSTED, unlinked.RESTARTED, unlinked.HALTED, linked.ALONE, linked.HALTED, renewal.HALTED
)
USING = snapshots(linked.TRUSTED, linked.IN_BUNDLE, patient.AGREED, patient.NOTED, linked.PHASED_OUT, unlinked.LEARNED)
RETIRING = snapshots(unlinked.PHASED_OUT, unlinked.RETIRING, unlinked.USED, renewal.PHASED_OUT)
#: Steps that the operator must not see half-way.
ONLY_PAUSED = (WriteBundle, RechainLeaves, StampPods, Withdraw, RaiseKeyGeneration)
#: Steps in our pause: none that waits for the operator, which does nothing then. Nodes answer in a pause as well.
IN_PAUSE = (*ONLY_PAUSED, Switch, RestoreKey, IssueLeaves, WriteLedger, Pause, Resume, AwaitAnswers)
#: More than any flow takes from anywhere.
PASSES = 100


def with_books_kept(snapshot: Snapshot, intent: Intent) -> tuple[Snapshot, Decision]:
    """The first decision that is not about the books, and the cluster with the books that led to it."""
    for _step in range(8):
        found = decide(snapshot, intent)
        written = [step.ledger for step in found.steps if isinstance(step, WriteLedger)]
        if not written or written[0] == snapshot.ledger:
            break
        snapshot = replace(snapshot, ledger=written[0])
    return snapshot, found


def holds_for(form: Chain, snapshot: Snapshot) -> bool:
    return trust_gate(snapshot, snapshot.ledger_or_empty, form) == ()


@SETTINGS
@given(snapshots(), STATES, intents())
def test_the_same_cluster_gives_the_same_decision(snapshot: Snapshot, state: Reconciliation, intent: Intent) -> None:
    """Also for an equal one, with its pods and leaves in another order: lists of Kubernetes have none."""
    snapshot = replace(snapshot, reconciliation=state)
    before = deepcopy(snapshot)
    found = decide(snapshot, intent)
    assert decide(before, intent) == found
    assert snapshot == before
    turned = decide(changed(snapshot, pods=snapshot.nodes.pods[::-1], leaves=snapshot.leaves.stored[::-1]), intent)
    assert (turned.steps, turned.transitions, turned.done) == (found.steps, found.transitions, found.done)
    assert set(turned.violations) == set(found.violations)


@SETTINGS
@given(SWITCHING, IN_PAUSE_OF_OURS, IN_FLOW)
def test_the_operator_is_switched_only_behind_the_gates(
    snapshot: Snapshot, state: Reconciliation, intent: Intent
) -> None:
    """In a pause, published, accepted with its chain and alone; and no party needs the CA that leaves with it."""
    snapshot, found = with_books_kept(replace(snapshot, reconciliation=state), intent)
    for step in found.steps:
        if not isinstance(step, Switch) or not snapshot.nodes.pods:
            continue
        event(f"switched, leaving: {step.leaving is not None}")
        books, new = snapshot.ledger_or_empty, step.authority.fingerprint
        entry = books.find(new)
        assert entry is not None
        assert entry.state in TRUSTED_STATES
        assert holds_for(entry.chain, snapshot)
        assert alone_gate(snapshot, books, entry.chain) == ()
        assert is_projected(snapshot, new)
        assert snapshot.reconciliation.pause.is_confirmed
        if step.leaving is not None:
            leaving = books.find(step.leaving.fingerprint)
            assert leaving is not None
            assert leaving.state is PHASE_OUT
            assert removal_gate(snapshot, books, leaving.fingerprint) == ()


@SETTINGS
@given(USING, IN_PAUSE_OF_OURS, IN_FLOW)
def test_no_leaf_of_another_ca_is_issued_while_a_verifier_would_refuse_it(
    snapshot: Snapshot, state: Reconciliation, intent: Intent
) -> None:
    snapshot, found = with_books_kept(replace(snapshot, reconciliation=state), intent)
    current = snapshot.ca.current
    for step in found.steps:
        if not isinstance(step, IssueLeaves):
            continue
        behind = step.generation == snapshot.ca.certificate_generation and any(
            leaf.generation != step.generation for leaf in snapshot.leaves.stored if leaf.secret in step.secrets
        )
        if step.issuer != current:
            event("issued before the switch")
            # Clients outside the cluster never meet the operator, which presents its own leaf alone.
            met = without_outside_clients(snapshot) if step.secrets == (linked.OWN,) else snapshot
            assert holds_for((step.link, *current) if step.link else step.issuer, met)
            assert step.link or alone_gate(snapshot, snapshot.ledger_or_empty, step.issuer) == ()
        elif behind:
            event("issued after a switch")
            # The switch asked clients outside as well; a client that comes later does not keep the operator paused.
            assert holds_for(current, without_outside_clients(snapshot))


@SETTINGS
@given(RETIRING, IN_PAUSE_OF_OURS, IN_FLOW)
def test_no_ca_is_withdrawn_while_a_party_needs_it(snapshot: Snapshot, state: Reconciliation, intent: Intent) -> None:
    snapshot, found = with_books_kept(replace(snapshot, reconciliation=state), intent)
    for step in found.steps:
        if isinstance(step, Withdraw):
            event("withdrawn")
            books, leaving = snapshot.ledger_or_empty, step.certificate.fingerprint
            entry = books.find(leaving)
            # A CA that was removed leaves once more where another program has put it back.
            assert entry.state is PHASE_OUT if entry else leaving in {one.fingerprint for one in books.removed_cas}
            assert removal_gate(snapshot, books, leaving) == ()
            assert step.certificate not in snapshot.ca.current


@pytest.mark.parametrize(
    ("around", "kind"),
    [(SWITCHING, Switch), (USING, IssueLeaves), (RETIRING, Withdraw)],
    ids=["switch", "use", "retire"],
)
def test_the_laws_of_gates_are_about_steps_that_are_taken(
    around: st.SearchStrategy[Snapshot], kind: type[Step]
) -> None:
    """``find`` fails where no decision among as many examples as each law has takes such a step."""

    def is_taken(drawn: tuple[Snapshot, Reconciliation, Intent]) -> bool:
        snapshot, state, intent = drawn
        found = with_books_kept(replace(snapshot, reconciliation=state), intent)[1]
        return any(isinstance(step, kind) for step in found.steps)

    find(st.tuples(around, IN_PAUSE_OF_OURS, IN_FLOW), is_taken, settings=SETTINGS)


@SETTINGS
@given(snapshots(), STATES, intents())
def test_a_violation_leaves_only_the_end_of_our_pause(
    snapshot: Snapshot, state: Reconciliation, intent: Intent
) -> None:
    """And that only where the operator finds nothing that was left half-way."""
    seen = replace(snapshot, reconciliation=state)
    found = decide(seen, intent)
    assert not (found.violations and found.done)
    if found.violations:
        event("held")
        assert all(isinstance(step, Resume) for step in found.steps)
        assert bool(found.steps) is (state.pause.is_ours and not finds_work(seen))
        assert found.transitions == ()
    assert not (found.done and found.steps)


@SETTINGS
@given(snapshots(), STATES, intents())
def test_the_books_are_written_alone_and_come_first(snapshot: Snapshot, state: Reconciliation, intent: Intent) -> None:
    """Everything else rests on what the Secret says and not on what it should say."""
    found = decide(replace(snapshot, reconciliation=state), intent)
    written = [step for step in found.steps if isinstance(step, WriteLedger)]
    assert not written or len(found.steps) == 1
    assert written or not found.transitions


@SETTINGS
@given(snapshots(), STATES, intents())
def test_only_steps_hidden_from_the_operator_happen_in_our_pause(
    snapshot: Snapshot, state: Reconciliation, intent: Intent
) -> None:
    snapshot, found = with_books_kept(replace(snapshot, reconciliation=state), intent)
    ours, paused = state.pause.is_ours, state.pause.is_ours_and_confirmed
    for step in found.steps:
        event(type(step).__name__)
        assert paused or not isinstance(step, ONLY_PAUSED) or _changes_the_chain_alone(step, snapshot)
        assert ours or not isinstance(step, Resume)
        assert not paused or not isinstance(step, Pause)
        assert not ours or isinstance(step, (*IN_PAUSE, SetGenerated))
    assert not (found.done and ours)


def _changes_the_chain_alone(step: Step, snapshot: Snapshot) -> bool:
    """The operator compares neither what stands before ``ca.crt`` nor anything but the leaf (docs/operator.md, "After the switch")."""
    return (
        isinstance(step, RechainLeaves)
        and step.generation == snapshot.ca.certificate_generation
        and not any(
            leaf.generation != step.generation for leaf in snapshot.leaves.stored if leaf.secret in step.secrets
        )
    )


@SETTINGS
@given(snapshots(), intents())
def test_no_second_rotation_starts_while_one_is_in_flight(snapshot: Snapshot, intent: Intent) -> None:
    snapshot, found = with_books_kept(snapshot, intent)
    if in_flight(snapshot.ledger) or snapshot.ca.prepared:
        event("in flight")
        assert not any(isinstance(step, PrepareAuthority) for step in found.steps)


@SETTINGS
@given(snapshots(), intents())
def test_no_step_of_a_later_phase_than_asked_for(snapshot: Snapshot, intent: Intent) -> None:
    snapshot, found = with_books_kept(snapshot, intent)
    ours = snapshot.reconciliation.pause.is_ours
    for step in found.steps:
        assert ours or isinstance(step, WriteLedger) or intent.allows(step.phase)


@SETTINGS
@given(snapshots(), STATES, intents(), in_places)
def test_nodes_reload_only_where_they_can_and_the_caller_allows_it(
    snapshot: Snapshot, state: Reconciliation, intent: Intent, in_place: InPlaceObstacles | None
) -> None:
    """The operator is not told of a reload either: that would hide restarts that are needed."""
    snapshot, found = with_books_kept(changed(snapshot, reconciliation=state, in_place_obstacles=in_place), intent)
    shall = intent.pace.spread is not Spread.RESTART and in_place is not None
    for step in found.steps:
        if isinstance(step, Reload):
            event("read again")
            assert shall
            assert in_place
            assert not in_place.reload
        if isinstance(step, StampPods) and step.generation is not None:
            event("told")
            assert shall
            assert in_place == InPlaceObstacles()


# The outcome of decisions.


@SETTINGS
@given(snapshots(), STATES, intents())
def test_every_flow_comes_to_an_end(snapshot: Snapshot, state: Reconciliation, intent: Intent) -> None:
    """In any cluster and for any intent; and no link certificate comes to where CAs are loaded from."""
    snapshot = replace(snapshot, reconciliation=state)
    # As each call names it for the next one.
    about = resolve(snapshot, intent, snapshot.ledger_or_empty).replaces
    intent = changed_intent(intent, replaces=about or intent.parameters.replaces)
    for _pass in range(PASSES):
        found = decide(snapshot, intent)
        if not found.steps:
            break
        for step in found.steps:
            snapshot = step.effect(snapshot, MadeHere())
            links = {
                link.fingerprint
                for one in snapshot.ca.links.values()
                for link in (one.new_with_old, one.old_with_new)
                if link is not None
            }
            assert not links & snapshot.ca.projected
            assert not links & (snapshot.outside_clients.published or frozenset())
            assert not links & {entry.fingerprint for entry in snapshot.ledger_or_empty.entries}
    else:
        raise AssertionError("no end")
    event(f"done: {found.done}")
    # The operator stays paused where it would take what is half-way for something to do, and the flow is held.
    assert not snapshot.reconciliation.pause.is_ours or (found.violations and finds_work(snapshot))


NAMES = ObjectNames(
    "Kafka a/b",
    "Secret a/certificates",
    "Secret a/keys",
    "Secret a/books",
    "a",
    "b",
    "cluster CA",
    "cluster-ca",
    "spec.clusterCa",
)
MODULES = {file.stem for file in (Path(__file__).parents[3] / "plugins/modules").glob("*.py")} - {"__init__"}


@SETTINGS
@given(snapshots(), STATES, intents())
def test_messages_name_no_module_and_no_hard_coded_object(
    snapshot: Snapshot, state: Reconciliation, intent: Intent
) -> None:
    """No module is named, and no object but by the name that it is given."""
    named = replace(snapshot, reconciliation=state, names=NAMES)
    found = with_books_kept(named, intent)[1]
    texts = [
        text
        for step in found.steps
        for text in (step.sentence(), step.describe_as_left(), step.because, step.avoidable_restart)
    ]
    assert all(step.sentence().strip() and step.describe_as_left().strip() for step in found.steps)
    texts += [text for one in found.violations for text in (one.subject, one.message, one.remedy)]
    assert all(one.subject and one.message.endswith(".") for one in found.violations)
    for text in (*texts, *found.waiting, *found.pending):
        assert not MODULES & set(re.findall(r"\w+", text))
        assert not any(
            name in text for name in ("-cluster-ca-cert", "-trusted-certs", "-trustbundle", "demo-cluster-ca")
        )


def test_there_are_modules_that_could_be_named() -> None:
    assert len(MODULES) > 5
