# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chapter "Switch": when the next CA may be used, when the operator goes to it, with what, and whether the old one leaves with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.verifiers import MOUNTED_SECRET
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Follows, OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Steps,
    Violation,
    steps_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    PreparedAuthority,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import Switch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    AwaitClients,
    AwaitOutside,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import (
    await_arrival,
    await_outside,
    describe_clients_without_renewal,
    describe_refused_clients,
    may_be_used,
    switch,
)

from ....tools.support.certificates import HOUR, NOW, Entity, key, make
from ....tools.support.intents import an_intent, changed_intent
from .. import linked, patient, renewal, unlinked
from ..authorities import NEW, OLD, RENEWED, ROOT, THIRD, chain_of, name_of, names_of
from ..builders import PAUSED, changed, cluster, others, prepared, secrets
from ..ledgers import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED, a_journal, entry, ledger
from ..nodes import PODS, pods, uids_of
from ..of_users import broker
from ..requested import answered, at_hand, elsewhere, with_requests
from .asking import RENEW, REPLACE_KEY, pause_for, situation, turns

CREATE = an_intent(Goal.CREATE, before_kafka=True)
NEW_NAME = named(NEW.certificate)
BLOCKED = InPlaceObstacles(reload="a permission is missing.")
RESTARTED = f"Nodes are restarted when the operator is switched to {{}}: {BLOCKED.reload}"


def to_new(leaving: Entity | None, *, waits: PreparedAuthority, avoidable: str = "") -> Switch:
    gone = leaving.certificate if leaving else None
    phase = Phase.RETIRE if leaving else Phase.USE
    return Switch(
        authority=waits, generation=1, key_generation=1, leaving=gone, phase=phase, avoidable_restart=avoidable
    )  # fmt: skip


def switched(at: Situation) -> Steps:
    """Without the sentence about clients, which has tests of its own."""
    return tuple(replace(step, because="") for step in steps_of(switch(at)))


LINKED = to_new(OLD, waits=prepared(NEW, linked.LINK, linked.BACK))
UNLINKED = to_new(None, waits=prepared(NEW))


#: The key stays, and so does its generation.
RENEWAL = Switch(authority=prepared(RENEWED), generation=1, key_generation=0)


def test_the_switch_is_due_at_the_last_stage_of_trust() -> None:
    assert turns(switch) == {
        "linked ALONE": pause_for(LINKED),
        "unlinked TRUSTED": pause_for(UNLINKED),
        "renewal TRUSTED": pause_for(RENEWAL),
    }


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [(linked.HALTED, LINKED), (unlinked.HALTED, UNLINKED), (renewal.HALTED, RENEWAL)],
)
def test_the_switch_is_done_while_the_operator_is_paused_by_us(snapshot: Snapshot, expected: Switch) -> None:
    assert switched(situation(snapshot)) == (expected,)


def test_the_switch_says_which_clients_are_led_on_and_which_are_refused() -> None:
    at = situation(linked.HALTED)
    assert at.successor is not None
    (step,) = switch(at)
    assert step.because == describe_refused_clients(at, at.successor) != ""


def first(**fields: Any) -> Snapshot:
    made: dict[str, Any] = {
        "ca": secrets(None, prepared=(prepared(NEW),)),
        "ledger": ledger(entry(NEW, UNTRUSTED, awaited_pods=None), journal=a_journal(Goal.CREATE, None, NEW)),
        "bundle": None, "pods": (), "leaves": (), **fields,
    }  # fmt: skip
    return cluster(**made)


def test_the_first_ca_is_switched_to_before_any_pod_exists() -> None:
    """There is no process yet; the first processes start with the CA."""
    assert steps_of(switch(situation(first(), CREATE))) == (
        Switch(authority=prepared(NEW), generation=0, key_generation=0),
    )  # fmt: skip
    assert steps_of(switch(situation(first(pods=pods()), CREATE))) == ()


def test_without_a_kafka_resource_there_is_nothing_to_pause() -> None:
    assert switched(situation(replace(unlinked.TRUSTED, reconciliation=Reconciliation(exists=False)))) == (UNLINKED,)


def test_a_switch_without_pods_pauses_the_operator() -> None:
    """A reconcile that is under way could put a leaf of the old CA back, and make pods with it."""
    ((pause,),) = (steps_of(switch(situation(changed(unlinked.TRUSTED, pods=(), leaves=())))),)
    assert isinstance(pause, Pause)


def known(snapshot: Snapshot, *entries: LedgerEntry) -> Snapshot:
    books = snapshot.ledger_or_empty
    for one in entries:
        books = books.with_entry(one)
    return replace(snapshot, ledger=books)


def outside(snapshot: Snapshot, *trusts: Entity) -> Snapshot:
    client = OutsideClient("Secret kafka/app", tuple(one.certificate for one in trusts))
    return changed(snapshot, outside_clients=(client,))


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(unlinked.SETTLED, id="no next CA"),
        pytest.param(unlinked.READ_BACK, id="not trusted by the books"),
        pytest.param(unlinked.PUBLISHED_NOW, id="clients have yet to read it"),
        pytest.param(replace(unlinked.TRUSTED, bundle=names_of(OLD)), id="not in the bundle"),
        pytest.param(
            known(
                unlinked.TRUSTED, entry(NEW, UNUSED, awaited_pods=uids_of(PODS[1], start=1), published_at=NOW - HOUR)
            ),
            id="a process started without it",
        ),
        pytest.param(outside(unlinked.TRUSTED, OLD), id="a client outside does not trust it"),
        pytest.param(linked.TRUSTED, id="its leaves go first, behind the link"),
        pytest.param(linked.PHASED_OUT, id="the operator's own leaf goes first"),
        pytest.param(linked.SHARED, id="the CA in use is still used"),
        pytest.param(known(linked.HALTED, entry(OLD, ANY, {0})), id="by the books the CA in use is still used"),
        pytest.param(
            replace(linked.HALTED, ledger=linked.HALTED.ledger_or_empty.without_entry(name_of(OLD))),
            id="the books lack the CA in use",
        ),
        pytest.param(
            changed(linked.ALONE, leaves=linked.PHASED_OUT.leaves.stored), id="a leaf of the CA in use is stored"
        ),
        pytest.param(outside(linked.ALONE, OLD), id="a client outside needs the CA in use"),
        pytest.param(patient.WAITING, id="processes present leaves of the CA in use"),
        pytest.param(
            cluster(ca=secrets(other_entries=others(NEW)), ledger=ledger(entry(OLD), entry(NEW, UNUSED))),
            id="a CA that came into the Secret by itself has no key here",
        ),
    ],
)
def test_reasons_against_a_switch(snapshot: Snapshot) -> None:
    assert steps_of(switch(situation(snapshot))) == ()


@pytest.mark.parametrize(
    ("client", "led_on"),
    [
        pytest.param(OutsideClient("Secret kafka/app", chain_of(OLD), follows=Follows.ISSUING), True, id="it follows ca.crt alone"),
        pytest.param(
            OutsideClient("Secret kafka/app", chain_of(OLD), "started earlier.", follows=Follows.ISSUING), False, id="it may have read another"
        ),
        pytest.param(OutsideClient("Secret kafka/app", None, follows=Follows.ISSUING), False, id="it is unknown what it has read"),
        pytest.param(OutsideClient("Secret kafka/app", chain_of(OLD)), False, id="no operator brings it ca.crt"),
    ],
)  # fmt: skip
def test_a_client_that_nodes_lead_on_to_the_next_ca_holds_no_switch(client: OutsideClient, led_on: bool) -> None:
    """Without a link certificate none is led on."""
    steps = (
        steps_of(switch(situation(changed(one, outside_clients=(client,))))) for one in (linked.ALONE, unlinked.TRUSTED)
    )
    assert tuple(steps) == (pause_for(LINKED) if led_on else (), ())


def test_clients_get_time_before_the_link_certificate_goes_out_of_use() -> None:
    """A pause is not made longer for that: it ends."""
    asked = changed_intent(REPLACE_KEY, client_grace=2 * HOUR)
    wanted = AwaitClients(certificate=NEW.certificate, earliest_use=NOW + HOUR, phase=Phase.RETIRE)
    assert steps_of(switch(situation(linked.ALONE, asked))) == (wanted,)
    assert steps_of(switch(situation(linked.HALTED, asked))) == ()


@pytest.mark.parametrize("gate", ["trust", "alone"])
def test_each_gate_alone_holds_the_switch(gate: str) -> None:
    """An intermediate CA: every verifier trusts the root that its chain leads to, and not the CA alone; or the other way round."""
    closed: dict[str, Any] = {gate: lambda *_asked: (Violation(Condition.TRUST, "", "", ""),)}
    assert steps_of(switch(situation(renewal.HALTED, RENEW, replace(GATES, **closed)))) == ()


@pytest.mark.parametrize("generation", [0, 1, 2, 7])
def test_the_generation_is_raised_by_one(generation: int) -> None:
    (step,) = switch(situation(unlinked.HALTED.with_ca(certificate_generation=generation)))
    assert isinstance(step, Switch)
    assert step.generation == generation + 1


@pytest.mark.parametrize(
    ("name", "present", "expected"),
    [
        pytest.param("cluster-ca v1", 0, 1, id="the next one"),
        pytest.param("cluster-ca v1", 5, 6, id="raised whatever it is called"),
        pytest.param("cluster-ca v7", 0, 7, id="as far as its name says"),
        pytest.param("Kafka CA", 3, 4, id="a name without a number"),
    ],
)
def test_the_key_generation_is_true_for_a_hand_back(name: str, present: int, expected: int) -> None:
    authority = make(name, key(21))
    books = ledger(
        entry(OLD), entry(authority, UNUSED, published_at=NOW - HOUR), journal=a_journal(new=authority)
    )  # fmt: skip
    ca = secrets(prepared=(prepared(authority),), other_entries=others(authority), key_generation=present)
    (step,) = switch(situation(cluster(ca=ca, ledger=books, reconciliation=PAUSED)))
    assert isinstance(step, Switch)
    assert step.key_generation == expected


@pytest.mark.parametrize(
    ("snapshot", "avoidable"),
    [
        pytest.param(linked.HALTED, RESTARTED.format(NEW_NAME), id="nodes present leaves of its key already"),
        pytest.param(renewal.HALTED, RESTARTED.format(named(RENEWED.certificate)), id="the key stays"),
        pytest.param(unlinked.HALTED, "", id="a new key is taken up by a restart in any case"),
        pytest.param(changed(renewal.HALTED, pods=()), "", id="no pod restarts"),
        pytest.param(changed(renewal.HALTED, pods=tuple(map(broker, PODS))), "", id="no pod presents what changes"),
    ],
)
def test_restarts_that_could_have_been_spared_are_told(snapshot: Snapshot, avoidable: str) -> None:
    (step,) = switch(situation(changed(snapshot, in_place_obstacles=BLOCKED)))
    assert step.avoidable_restart == avoidable


def test_a_ca_whose_key_an_outside_issuer_keeps_waits_for_all_its_leaves() -> None:
    """The operator could issue none of them."""
    kept = elsewhere(unlinked.TRUSTED)
    expected = replace(UNLINKED, authority=kept.ca.prepared[0])
    assert steps_of(switch(situation(kept))) == ()
    assert steps_of(switch(situation(with_requests(kept, *map(answered, PODS[1:]))))) == ()
    assert steps_of(switch(situation(at_hand(kept)))) == pause_for(expected)
    assert switched(situation(at_hand(elsewhere(unlinked.HALTED)))) == (expected,)


def test_a_renewal_of_a_ca_with_its_key_elsewhere_needs_no_leaves() -> None:
    kept = elsewhere(renewal.HALTED, OLD)
    assert steps_of(switch(situation(kept, RENEW))) == (replace(RENEWAL, authority=kept.ca.prepared[0]),)


# Before the next CA is used: the books say that it is trusted, and clients that no run can ask had their time.

REFUSED = f"no trusted certificate for {NEW.certificate.subject}, the issuer of the leaf"


def wait(until: timedelta, because: str = "") -> Steps:
    return (AwaitClients(certificate=NEW.certificate, earliest_use=NOW + until, because=because),)


#: Two minutes, which a mounted Secret takes.
USUAL = wait(
    timedelta(seconds=120),
    f"Clients that know only the CA in use could refuse {NEW_NAME} ({REFUSED}): they get time to read it first.",
)


def within(grace: timedelta) -> Intent:
    return changed_intent(REPLACE_KEY, client_grace=grace)


def agreed(before: Snapshot, **fields: Any) -> Snapshot:
    """With other fields of the next CA's entry."""
    entry = before.ledger_or_empty.find(name_of(NEW))
    assert entry is not None
    return replace(before, ledger=before.ledger_or_empty.with_entry(replace(entry, **fields)))


LINKED_NOW = agreed(linked.TRUSTED, published_at=NOW)


def test_the_turn_before_first_use() -> None:
    assert turns(await_arrival) == {"unlinked PUBLISHED_NOW": USUAL}


@pytest.mark.parametrize(
    ("snapshot", "intent", "expected"),
    [
        pytest.param(unlinked.PUBLISHED_NOW, within(timedelta(0)), (), id="no time is wanted"),
        pytest.param(unlinked.TRUSTED, within(2 * HOUR), wait(HOUR, USUAL[0].because), id="more time is wanted"),
        pytest.param(LINKED_NOW, REPLACE_KEY, (), id="the link serves every client"),
        pytest.param(LINKED_NOW, within(HOUR), wait(HOUR), id="the link serves every client, and time is wanted"),
        pytest.param(unlinked.TRUSTED, REPLACE_KEY, (), id="they had their time"),
        pytest.param(agreed(unlinked.PUBLISHED_NOW, state=UNTRUSTED), REPLACE_KEY, (), id="not trusted inside yet"),
        pytest.param(agreed(unlinked.PUBLISHED_NOW, state=ANY), REPLACE_KEY, (), id="in use already"),
        pytest.param(changed(unlinked.PUBLISHED_NOW, pods=()), REPLACE_KEY, (), id="there is no node to connect to"),
        pytest.param(replace(unlinked.PUBLISHED_NOW, bundle=names_of(OLD)), REPLACE_KEY, (), id="not in the bundle"),
        pytest.param(unlinked.SETTLED, REPLACE_KEY, (), id="no next CA"),
    ],
)
def test_clients_get_time(snapshot: Snapshot, intent: Intent, expected: Steps) -> None:
    at = situation(snapshot, intent)
    assert await_arrival(at) == expected
    if expected and at.successor:
        assert not may_be_used(at, at.successor)


def cleared(ago: timedelta, before: Snapshot = linked.TRUSTED) -> Snapshot:
    """The CA in use was renewed: so long ago clients could read a certificate of it that allows no CA below it for the last time."""
    current = before.ledger_or_empty.find(name_of(OLD))
    assert current is not None
    return replace(before, ledger=before.ledger_or_empty.with_entry(replace(current, cleared_at=NOW - ago)))


@pytest.mark.parametrize(
    ("snapshot", "intent", "left"),
    [
        pytest.param(cleared(timedelta()), REPLACE_KEY, timedelta(seconds=120), id="just now"),
        pytest.param(cleared(timedelta(seconds=50)), REPLACE_KEY, timedelta(seconds=70), id="the rest of the time"),
        pytest.param(cleared(timedelta(seconds=120)), REPLACE_KEY, None, id="they had their time"),
        pytest.param(cleared(HOUR), REPLACE_KEY, None, id="they had their time long ago"),
        pytest.param(cleared(HOUR), within(3 * HOUR), 2 * HOUR, id="more time is wanted"),
        pytest.param(cleared(timedelta()), within(timedelta(0)), None, id="no time is wanted"),
        pytest.param(changed(cleared(timedelta()), pods=()), REPLACE_KEY, None, id="there is no node to connect to"),
        pytest.param(cleared(timedelta(), unlinked.TRUSTED), REPLACE_KEY, None, id="nothing leads on from it"),
    ],
)
def test_clients_get_time_to_read_the_renewed_ca_in_use(
    snapshot: Snapshot, intent: Intent, left: timedelta | None
) -> None:
    at = situation(snapshot, intent)
    found = [
        step for step in await_arrival(at) if isinstance(step, AwaitClients) and step.certificate == OLD.certificate
    ]
    assert [step.earliest_use - NOW for step in found] == ([] if left is None else [left])
    assert at.successor is not None
    assert left is None or not may_be_used(at, at.successor)


@pytest.mark.parametrize(
    ("snapshot", "may"),
    [
        pytest.param(linked.TRUSTED, True, id="trusted and published"),
        pytest.param(unlinked.PUBLISHED_NOW, False, id="published just now"),
        pytest.param(agreed(linked.TRUSTED, state=UNTRUSTED), False, id="not trusted by the books"),
        pytest.param(replace(linked.TRUSTED, bundle=names_of(OLD)), False, id="not in the bundle"),
        pytest.param(changed(linked.TRUSTED, published=names_of(OLD)), False, id="not in the bundle for clients"),
    ],
)
def test_a_trusted_and_published_ca_may_be_used(snapshot: Snapshot, may: bool) -> None:
    at = situation(snapshot)
    assert at.successor is not None
    assert may_be_used(at, at.successor) is may


# Clients outside the cluster are waited for, where all that a gate lacks is on its way to them by itself.

CONNECT = "KafkaConnect kafka/connect"


def client(*trusts: Entity, follows: Follows = Follows.TRUSTED, **fields: Any) -> OutsideClient:
    made = OutsideClient(CONNECT, tuple(one.certificate for one in trusts), follows=follows)
    return replace(made, **fields)


def waited(then: OutsideClient, phase: Phase) -> Steps:
    return (AwaitOutside(clients=(CONNECT,), settled=(then,), phase=phase),)


BOTH = client(OLD, NEW)


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        pytest.param(unlinked.TRUSTED, client(OLD), waited(BOTH, Phase.TRUST), id="it is given the next CA"),
        pytest.param(
            unlinked.TRUSTED, client(OLD, NEW, doubt="started earlier."), waited(BOTH, Phase.TRUST), id="it has to read it"
        ),
        pytest.param(linked.TRUSTED, client(OLD), (), id="the link serves it, and processes are not ready either"),
        pytest.param(linked.ALONE, client(OLD), waited(BOTH, Phase.RETIRE), id="it needs the CA itself for the switch"),
        pytest.param(
            linked.USED, client(OLD), waited(BOTH, Phase.RETIRE), id="it needs the CA itself for the switch, and the old one is known"
        ),
        pytest.param(unlinked.TRUSTED, client(NEW), (), id="it lacks a CA that no flow takes away"),
        pytest.param(
            unlinked.PHASED_OUT, client(NEW, doubt="started earlier."), waited(client(NEW, OLD), Phase.RETIRE),
            id="it may need the CA that is to leave",
        ),
        pytest.param(unlinked.TRUSTED, BOTH, (), id="nothing is in the way"),
        pytest.param(unlinked.TRUSTED, client(OLD, follows=Follows.ISSUING), (), id="it would not be given it"),
        pytest.param(unlinked.TRUSTED, client(OLD, follows=Follows.NOTHING), (), id="no program gives it a CA"),
        pytest.param(unlinked.PROJECTED, client(OLD), (), id="the next CA is not where it comes from"),
        pytest.param(unlinked.OUT_OF_BUNDLE, client(NEW, doubt="started earlier."), (), id="the CA has left"),
    ],
)  # fmt: skip
def test_outside_clients_that_are_waited_for(before: Snapshot, now: OutsideClient, expected: Steps) -> None:
    assert await_outside(situation(changed(before, outside_clients=(now,)))) == expected


def test_a_client_with_two_connections_is_waited_for_once() -> None:
    snapshot = changed(unlinked.TRUSTED, outside_clients=(client(OLD), client(OLD)))
    settled = (AwaitOutside(clients=(CONNECT,), settled=(BOTH, BOTH), phase=Phase.TRUST),)
    assert await_outside(situation(snapshot)) == settled


def test_without_clients_there_is_no_wait() -> None:
    assert turns(await_outside) == {}
    assert await_outside(situation(unlinked.TRUSTED)) == ()


# Clients that trust the CA in use from before its renewal.


BEGAN = NOW - HOUR
SECOND = timedelta(seconds=1)


def after_renewal(
    cleared: timedelta | None = SECOND,
    current: Entity | None = OLD,
    books: tuple[LedgerEntry, ...] = (),
    **journal: Any,
) -> Snapshot:
    """A replacement that followed the renewal of the CA in use. cleared: how long after it; None if it did not."""
    renewed = replace(entry(OLD, generations={0}), cleared_at=None if cleared is None else BEGAN - cleared)
    begun = a_journal(**{"started_at": BEGAN, **journal})
    return cluster(ca=secrets(current), ledger=ledger(renewed, *(books or (entry(NEW, UNUSED),)), journal=begun))


@pytest.mark.parametrize(
    ("snapshot", "is_warned"),
    [
        pytest.param(after_renewal(), True, id="at once"),
        pytest.param(after_renewal(MOUNTED_SECRET - SECOND), True, id="just before clients have read it"),
        pytest.param(after_renewal(MOUNTED_SECRET), False, id="when clients have read it"),
        pytest.param(after_renewal(MOUNTED_SECRET + HOUR), False, id="long after it"),
        pytest.param(after_renewal(None), False, id="without a renewal"),
        pytest.param(after_renewal(books=(entry(NEW, UNTRUSTED),)), True, id="the next CA is not trusted yet"),
        pytest.param(after_renewal(books=(entry(THIRD, UNUSED),)), True, id="the next CA is not recorded yet"),
        pytest.param(after_renewal(books=(entry(NEW, ANY),)), False, id="a process presents the next CA"),
        pytest.param(after_renewal(books=(entry(NEW, ALL),)), False, id="each process presents the next CA"),
        pytest.param(after_renewal(books=(entry(NEW, PHASE_OUT),)), False, id="the next CA leaves again"),
        pytest.param(after_renewal(finished_at=NOW), False, id="the replacement has ended"),
        pytest.param(after_renewal(goal=Goal.RENEW), False, id="a renewal is in flight"),
        pytest.param(after_renewal(is_abort=True), False, id="the replacement is undone"),
        pytest.param(after_renewal(replaces="0" * 40), False, id="another CA is replaced, of a lower name"),
        pytest.param(after_renewal(replaces="f" * 40), False, id="another CA is replaced, of a higher name"),
        pytest.param(after_renewal(current=None), False, id="there is no CA"),
        pytest.param(after_renewal(current=THIRD), False, id="the CA in use is not recorded"),
        pytest.param(changed(after_renewal(), pods=()), False, id="there is no pod"),
    ],
)
def test_clients_from_before_a_renewal_are_warned_while_the_replacement_follows_it(
    snapshot: Snapshot, is_warned: bool
) -> None:
    said = describe_clients_without_renewal(snapshot, REPLACE_KEY)
    assert bool(said) is is_warned
    assert (named(OLD.certificate) in said) is is_warned
    assert describe_clients_without_renewal(snapshot, Intent(Goal.ABORT)) == ""


def test_the_warning_about_a_renewal_names_the_ca_in_use_and_not_the_ca_above_it() -> None:
    below = changed(after_renewal(), ca=secrets(chain_of(OLD, ROOT)))
    assert describe_clients_without_renewal(below, REPLACE_KEY) == describe_clients_without_renewal(
        after_renewal(), REPLACE_KEY
    )
