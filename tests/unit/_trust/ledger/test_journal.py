# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of the flow in flight: opened with the prepared CA, closed when nothing of the flow is left to do (I9, I10)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight, prepared_goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import update_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    NamedPlaces,
    NamedSecret,
    UserNamespace,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    NO_FLOW_OPTIONS,
    Beginning,
    CaSource,
    FlowOptions,
    Journal,
    Ledger,
    Stop,
    UpkeepOptions,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.security import ClusterSecurity
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaSecrets, Snapshot

from ....tools.support.certificates import DAY, HOUR, NOW, Entity
from ....tools.support.intents import an_intent, changed_intent
from .. import linked
from .. import unlinked as stage
from ..authorities import NEW, OLD, RENEWED, ROOT, SHORT, THIRD, around, chain_of, name_of, names_of
from ..builders import PAUSED, changed, cluster, others, prepared, secrets
from ..ledgers import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods

RECONCILE = Intent(Goal.RECONCILE)
#: Nodes speak without TLS among themselves.
PLAIN = ClusterSecurity(has_tls=False, verifies_clients=False)
_NEW_IN_USE = entry(NEW, ALL, {1})


def both_names(authority: Entity) -> frozenset[str]:
    return frozenset({name_of(authority), authority.certificate.sha256})


def naming(snapshot: Snapshot, places: NamedPlaces | None = None) -> Snapshot:
    named = TOLD if places is None else places
    return replace(snapshot, outside_clients=replace(snapshot.outside_clients, named_places=named))


def journal_after(snapshot: Snapshot, intent: Intent = RECONCILE) -> Journal | None:
    return update_ledger(snapshot, intent, GATES)[0].journal


@pytest.mark.parametrize(
    ("books", "expected"),
    [
        (None, None),
        (Ledger(), None),
        (ledger(journal=a_journal()), a_journal()),
        (ledger(journal=a_journal(finished_at=NOW)), None),
    ],
)
def test_an_unfinished_journal_is_in_flight(books: Ledger | None, expected: Journal | None) -> None:
    assert in_flight(books) == expected


@pytest.mark.parametrize(
    ("current", "successor", "goal"),
    [(OLD, RENEWED, Goal.RENEW), (OLD, NEW, Goal.REPLACE_KEY), (None, NEW, Goal.CREATE)],
)
@pytest.mark.parametrize("behind", [(), (ROOT,)], ids=["alone", "with a root"])
def test_a_prepared_ca_that_enters_opens_the_journal(
    current: Entity | None, successor: Entity, goal: Goal, behind: tuple[Entity, ...]
) -> None:
    """The key of the prepared CA tells the goal, so that the flow of a run that crashed after writing the CA goes on as what it was."""
    waits = replace(prepared(successor), chain=chain_of(successor, *behind))
    ca = secrets(chain_of(current, *behind) if current else None, prepared=(waits,))
    books = ledger() if current else None
    journal = journal_after(cluster(ca=ca, ledger=books, pods=(), leaves=()))
    assert journal == a_journal(goal, current, successor, started_at=NOW)


@pytest.mark.parametrize(
    ("earlier", "last", "remembered"),
    [
        pytest.param((), None, (), id="no flow before"),
        pytest.param((), a_journal(old=None), (), id="the first CA"),
        pytest.param(("a", "b"), a_journal(old=THIRD), ("a", "b", name_of(THIRD)), id="one more"),
        pytest.param((name_of(THIRD), "b"), a_journal(old=THIRD), ("b", name_of(THIRD)), id="the same once more"),
        pytest.param(("a",), a_journal(old=THIRD, is_abort=True), ("a",), id="a flow that was undone"),
        pytest.param(("a", name_of(NEW)), a_journal(old=THIRD), ("a", name_of(THIRD)), id="one that comes back"),
        pytest.param(("a",), a_journal(old=NEW), ("a",), id="the last one that comes back"),
        pytest.param(tuple(map(str, range(100))), a_journal(old=THIRD), (*map(str, range(1, 100)), name_of(THIRD)), id="many"),
    ],
)  # fmt: skip
def test_a_new_flow_leaves_the_ca_that_the_last_flow_replaced_in_the_ledger(
    earlier: tuple[str, ...], last: Journal | None, remembered: tuple[str, ...]
) -> None:
    """The journal has room for one flow, and a source may contain the CA for years."""
    done = replace(last, finished_at=NOW) if last else None
    books = replace(ledger(journal=done), replaced_cas=earlier)
    after, _transitions = update_ledger(
        cluster(ca=secrets(OLD, prepared=(prepared(NEW),)), ledger=books), RECONCILE, GATES
    )
    assert after.journal is not None
    assert after.journal.replaces == name_of(OLD)
    assert after.replaced_cas == remembered


def test_a_ledger_that_was_lost_during_a_switch_opens_a_journal_that_can_be_closed() -> None:
    """The prepared CA is in use already: it cannot be what it replaces, or every later flow would wait for its removal."""
    lost = replace(stage.SWITCHED, ledger=None)
    journal = journal_after(lost)
    assert journal == a_journal(Goal.CREATE, None, NEW, started_at=NOW)
    using = replace(stage.RETIRED, ledger=ledger(_NEW_IN_USE, journal=journal))
    assert in_flight(update_ledger(using, RECONCILE, GATES)[0]) is None


@pytest.mark.parametrize("known", [True, False], ids=["known", "its ledger was lost"])
def test_a_prepared_chain_is_in_use_when_ca_crt_begins_with_the_same_ca(known: bool) -> None:
    """The root stands behind the CA in ca.crt, behind the prepared CA, or behind both."""
    whole = chain_of(NEW, ROOT)
    for lies, waits in ((whole, chain_of(NEW)), (chain_of(NEW), whole), (whole, whole)):
        ca = secrets(lies, certificate_generation=1, prepared=(replace(prepared(NEW), chain=waits),))
        journal = journal_after(replace(stage.SWITCHED, ca=ca, ledger=ledger(_NEW_IN_USE) if known else None))
        assert journal == (None if known else a_journal(Goal.CREATE, None, NEW, started_at=NOW))


def test_a_ca_that_enters_without_being_prepared_opens_nothing() -> None:
    assert journal_after(cluster(ca=secrets(other_entries=others(NEW)))) is None


def test_a_prepared_ca_that_the_ledger_knew_before_opens_the_journal() -> None:
    """The CA was added by hand, or the journal was removed: without a journal its flow would never count as done."""
    known = replace(stage.TRUSTED, ledger=replace(stage.TRUSTED.ledger_or_empty, journal=None))
    assert journal_after(known) == a_journal(started_at=NOW)


def test_a_prepared_ca_that_is_in_use_already_opens_nothing() -> None:
    known = replace(stage.SWITCHED, ledger=replace(stage.SWITCHED.ledger_or_empty, journal=None))
    assert journal_after(known) is None


def test_a_second_prepared_ca_does_not_open_a_second_flow() -> None:
    snapshot = stage.TRUSTED.with_ca(prepared=(prepared(NEW), prepared(THIRD)))
    assert journal_after(snapshot) == a_journal()
    begins = replace(snapshot, ledger=replace(snapshot.ledger_or_empty, journal=None))
    assert journal_after(begins) == a_journal(started_at=NOW)


def test_a_finished_journal_gives_way_to_the_next_flow() -> None:
    done = ledger(entry(NEW, generations={1}), journal=a_journal(finished_at=NOW - HOUR))
    ca = secrets(NEW, certificate_generation=1, prepared=(prepared(THIRD),))
    snapshot = cluster(ca=ca, ledger=done, pods=pods(1), leaves=leaves(NEW, 1))
    assert journal_after(snapshot) == a_journal(old=NEW, new=THIRD, started_at=NOW)


def test_the_journal_closes_when_the_last_process_without_the_old_ca_has_started() -> None:
    assert journal_after(stage.HALF_RETIRED) == a_journal()
    assert journal_after(stage.RETIRED) == a_journal(finished_at=NOW)


def test_the_journal_closes_if_nodes_present_certificates_to_clients_alone_and_none_restarts() -> None:
    assert journal_after(changed(stage.RETIRED, security=PLAIN)) == a_journal(finished_at=NOW)


def test_a_flow_ends_when_no_listener_trusts_the_old_ca_although_processes_still_do() -> None:
    assert journal_after(linked.REMOVED) == a_journal()
    assert journal_after(linked.READ_AGAIN) == a_journal(finished_at=NOW)


def test_a_closed_journal_stays_as_it_is() -> None:
    before = a_journal(finished_at=NOW - HOUR)
    snapshot = replace(stage.FINISHED, ledger=replace(stage.FINISHED.ledger_or_empty, journal=before))
    assert journal_after(snapshot) == before


@pytest.mark.parametrize(
    "unfinished",
    [
        pytest.param(
            {
                "ca": replace(stage.RETIRED.ca, other_entries=others(OLD)),
                "bundle": names_of(OLD, NEW),
                "ledger": ledger(entry(OLD, PHASE_OUT, {0}), _NEW_IN_USE),
            },
            id="the old CA is still trusted",
        ),
        pytest.param({"ledger": ledger(entry(THIRD, ALL, {1}))}, id="the successor is not in the ledger"),
        pytest.param(
            {"ledger": stage.REMOVED.ledger, "pods": stage.REMOVED.nodes.pods}, id="processes trust the old CA"
        ),
        pytest.param(
            {"ca": replace(stage.RETIRED.ca, prepared=(prepared(NEW),))}, id="the next CA is among the prepared still"
        ),
        pytest.param({"reconciliation": PAUSED}, id="our pause"),
        pytest.param({"ledger": ledger(entry(NEW, UNTRUSTED, {1}, awaited_pods=None)), "bundle": None}, id="untrusted"),
        pytest.param({"pods": ()}, id="no pod uses it"),
        pytest.param(
            {
                "security": PLAIN,
                "pods": (a_pod(generation=1, start=3, presents_stored=False), *pods(1, start=3, names=PODS[1:])),
            },
            id="the operator has yet to restart a node that presents its certificate to clients alone",
        ),
        pytest.param(
            {
                "pods": (a_pod(generation=4, start=3), *pods(1, start=3, names=PODS[1:])),
                "leaves": (a_leaf(issuer=THIRD, generation=4), *leaves(NEW, 1, names=PODS[1:])),
                "ledger": ledger(entry(NEW, ANY, {1}), entry(THIRD, ANY, {4})),
            },
            id="not all use it",
        ),
        pytest.param(
            {
                "pods": pods(4, start=3),
                "leaves": leaves(THIRD, 4),
                "ledger": ledger(entry(NEW, PHASE_OUT, {1}), entry(THIRD, ALL, {4})),
            },
            id="it is on its way out",
        ),
    ],
)
def test_the_journal_stays_open_while(unfinished: dict[str, Any]) -> None:
    fields = {"ledger": ledger(_NEW_IN_USE), **unfinished}
    fields["ledger"] = replace(fields["ledger"], journal=a_journal())
    assert journal_after(changed(stage.RETIRED, **fields)) == a_journal()


@pytest.mark.parametrize(
    "ca",
    [
        pytest.param(secrets(OLD), id="the prepared CA was taken away"),
        pytest.param(secrets(THIRD, certificate_generation=3, other_entries=others(NEW)), id="another CA issues"),
        pytest.param(secrets(chain_of(THIRD, NEW), certificate_generation=3), id="it lies behind another CA"),
    ],
)
def test_a_rotation_without_its_successor_is_abandoned(ca: CaSecrets) -> None:
    """There is nothing to continue with: the next run has to be able to start again."""
    ledger_then = ledger(entry(OLD, ALL, {0}), entry(NEW, UNTRUSTED, awaited_pods=None), journal=a_journal())
    assert journal_after(cluster(ca=ca, ledger=ledger_then)) is None


def test_a_ca_created_before_the_first_start_is_done_without_pods() -> None:
    books = ledger(entry(NEW, UNTRUSTED, {0}), journal=a_journal(Goal.CREATE, None, NEW))
    snapshot = cluster(ca=secrets(NEW), ledger=books, pods=(), leaves=(), bundle=None)
    assert journal_after(snapshot) == a_journal(Goal.CREATE, None, NEW, finished_at=NOW)


@pytest.mark.parametrize("goal", [Goal.UPGRADE, Goal.DOWNGRADE, Goal.RECONCILE])
def test_the_books_close_rotations_only(goal: Goal) -> None:
    """Handing back ends with the ledger itself."""
    open_journal = a_journal(goal)
    assert journal_after(replace(stage.RETIRED, ledger=ledger(_NEW_IN_USE, journal=open_journal))) == open_journal


def test_the_journal_of_a_rotation_stays_open_while_there_are_no_pods() -> None:
    """Only pods can show that the CA is in use."""
    assert journal_after(
        changed(stage.RETIRED, ledger=ledger(entry(NEW, UNUSED, {1}), journal=a_journal()), pods=())
    ) == (a_journal())


def test_names_of_the_replaced_ca_are_kept_for_people() -> None:
    journal = journal_after(stage.PREPARED)
    assert journal is not None
    assert (journal.replaces, journal.replaces_sha256) == (name_of(OLD), OLD.certificate.sha256)


KEPT = an_intent(Goal.RECONCILE, upkeep=UpkeepOptions())
SOURCE = CaSource("ConfigMap kafka/roots, entry ca.crt", (NEW.certificate,))


@pytest.mark.parametrize(
    ("intent", "source", "is_upkeep", "retire"),
    [
        (KEPT, None, True, Retire.WHEN_NEEDED),
        (changed_intent(KEPT, retire=Retire.NOW), None, True, Retire.NOW),
        (KEPT, SOURCE, False, Retire.NOW),
        (RECONCILE, None, False, Retire.NOW),
        (an_intent(Goal.REPLACE_KEY, upkeep=UpkeepOptions()), None, False, Retire.NOW),
    ],
)
def test_a_flow_that_upkeep_begins_restarts_no_node_that_can_go_on(
    intent: Intent, source: CaSource | None, is_upkeep: bool, retire: Retire
) -> None:
    begun = journal_after(replace(stage.PREPARED, source=source), intent)
    assert begun == a_journal(started_at=NOW, is_upkeep=is_upkeep, retire=retire)


PATIENT_FLOW = Beginning(Retire.WHEN_RESTARTED, is_upkeep=False)


@pytest.mark.parametrize(
    ("intent", "retire"),
    [
        pytest.param(KEPT, Retire.WHEN_RESTARTED, id="a schedule goes on"),
        pytest.param(Intent(Goal.REPLACE_KEY), Retire.WHEN_RESTARTED, id="the same command, without the option"),
        pytest.param(changed_intent(KEPT, retire=Retire.NOW), Retire.NOW, id="a call says otherwise"),
    ],
)
def test_the_call_that_opens_the_journal_keeps_to_the_beginning_of_the_flow(intent: Intent, retire: Retire) -> None:
    """The call that prepared the CA was killed before it opened the journal."""
    begun = journal_after(stage.PREPARED.with_ca(beginning=PATIENT_FLOW), intent)
    assert begun == a_journal(started_at=NOW, is_upkeep=False, retire=retire)


@pytest.mark.parametrize(
    ("new", "marked", "intent", "precedes"),
    [
        (RENEWED, True, RECONCILE, True),
        (RENEWED, False, Intent(Goal.REPLACE_KEY), True),
        (RENEWED, False, Intent(Goal.RENEW), False),
        (NEW, True, Intent(Goal.REPLACE_KEY), False),
    ],
)
def test_a_renewal_is_the_first_part_of_the_replacement_that_asked_for_it(
    new: Entity, marked: bool, intent: Intent, precedes: bool
) -> None:
    snapshot = cluster(ca=secrets(prepared=(prepared(new),), flow_options=FlowOptions(precedes_replacement=marked)))
    begun = journal_after(snapshot, intent)
    assert begun is not None
    assert begun.options.precedes_replacement is precedes
    under_way = replace(snapshot, ca=secrets(prepared=(prepared(new),)), ledger=ledger(journal=begun))
    assert journal_after(under_way, RECONCILE) == begun


@pytest.mark.parametrize(
    ("journal", "intent", "precedes"),
    [
        ({}, Intent(Goal.REPLACE_KEY), True),
        ({}, Intent(Goal.RENEW), False),
        ({"options": FlowOptions(stop=Stop(Phase.TRUST, NOW))}, Intent(Goal.REPLACE_KEY), False),
        (
            {"options": FlowOptions(stop=Stop(Phase.TRUST, NOW))},
            an_intent(Goal.REPLACE_KEY, continue_stopped=True),
            True,
        ),
        ({"is_abort": True}, Intent(Goal.REPLACE_KEY), False),
        ({"goal": Goal.REPLACE_KEY}, Intent(Goal.REPLACE_KEY), False),
    ],
)
def test_a_renewal_in_flight_becomes_the_first_part_of_a_replacement(
    journal: dict[str, Any], intent: Intent, precedes: bool
) -> None:
    """Unless it stops for an approval, which is given to it alone."""
    begun = replace(a_journal(Goal.RENEW, OLD, RENEWED), **journal)
    books = ledger(entry(OLD, generations={0}), entry(RENEWED, UNTRUSTED, awaited_pods=None), journal=begun)
    after = journal_after(cluster(ca=secrets(prepared=(prepared(RENEWED),)), ledger=books), intent)
    assert after is not None
    assert after.options.precedes_replacement is precedes


@pytest.mark.parametrize(
    ("current", "waiting", "goal", "marked"),
    [
        (OLD, (), None, None),
        (OLD, (NEW,), Goal.REPLACE_KEY, Goal.REPLACE_KEY),
        (OLD, (RENEWED,), Goal.RENEW, Goal.REPLACE_KEY),
        (OLD, (RENEWED, NEW), Goal.RENEW, Goal.REPLACE_KEY),
        (None, (NEW,), Goal.CREATE, Goal.CREATE),
    ],
)
@pytest.mark.parametrize("behind", [(), (ROOT,)], ids=["alone", "with a root"])
def test_the_flow_of_a_call_that_was_killed_before_it_recorded_it(
    current: Entity | None,
    waiting: tuple[Entity, ...],
    goal: Goal | None,
    marked: Goal | None,
    behind: tuple[Entity, ...],
) -> None:
    """marked: where the CA was prepared as the first part of a replacement."""
    prepared_cas = tuple(replace(prepared(one), chain=chain_of(one, *behind)) for one in waiting)
    before = cluster(ca=secrets(chain_of(current, *behind) if current else None, prepared=prepared_cas))
    assert prepared_goal(before) is goal
    assert prepared_goal(before.with_ca(flow_options=FlowOptions(precedes_replacement=True))) is marked


LATER = NOW + DAY
PATIENT = changed_intent(RECONCILE, retire=LATER)


def test_when_nodes_give_up_the_old_ca_is_kept_with_the_flow() -> None:
    """A run without this option keeps to it; a run with another one changes it as long as the flow is in flight."""
    begun = journal_after(linked.PREPARED, PATIENT)
    assert begun == a_journal(started_at=NOW, retire=LATER)
    under_way = replace(linked.TRUSTED, ledger=replace(linked.TRUSTED.ledger_or_empty, journal=begun))
    assert journal_after(under_way) == begun
    without_a_date = Retire.WHEN_RESTARTED
    assert journal_after(under_way, changed_intent(RECONCILE, retire=without_a_date)) == replace(
        begun, retire=without_a_date
    )
    assert journal_after(under_way, changed_intent(RECONCILE, retire=Retire.NOW)) == a_journal(started_at=NOW)
    done = a_journal(finished_at=NOW)
    assert journal_after(replace(linked.FINISHED, ledger=ledger(_NEW_IN_USE, journal=done)), PATIENT) == done


APP, COPY = NamedSecret("kafka", "app"), NamedSecret("apps", "copy", "tls.crt")
TOLD = NamedPlaces((APP,), (COPY,), (UserNamespace("team", "kafka-"),))


def test_the_journal_keeps_the_named_places_as_long_as_the_flow_is_in_flight() -> None:
    begun = journal_after(naming(linked.PREPARED))
    assert begun == a_journal(started_at=NOW, options=FlowOptions(TOLD))
    under_way = naming(replace(linked.TRUSTED, ledger=replace(linked.TRUSTED.ledger_or_empty, journal=begun)))
    assert journal_after(under_way) == begun
    other = NamedPlaces(presenting_secrets=(COPY,))
    assert journal_after(naming(under_way, other)) == a_journal(started_at=NOW, options=FlowOptions(other))
    turned = journal_after(under_way, Intent(Goal.ABORT))
    assert turned is not None
    assert (turned.is_abort, turned.options.named_places) == (True, TOLD)


@pytest.mark.parametrize("finished_at", [None, NOW])
def test_a_flow_that_has_finished_remembers_nothing(finished_at: datetime | None) -> None:
    told = a_journal(finished_at=finished_at, options=NO_FLOW_OPTIONS if finished_at else FlowOptions(TOLD))
    seen = naming(replace(linked.FINISHED, ledger=ledger(_NEW_IN_USE, journal=told)))
    assert journal_after(seen) == a_journal(finished_at=NOW)


def test_without_a_flow_nothing_is_remembered() -> None:
    assert journal_after(naming(replace(linked.FINISHED, ledger=ledger(_NEW_IN_USE)))) is None


ABORT = Intent(Goal.ABORT)


def test_an_abort_turns_the_flow_round() -> None:
    turned = replace(a_journal(old=NEW, new=OLD, is_abort=True), started_at=NOW)
    assert update_ledger(linked.TRUSTED, ABORT, GATES)[0].journal == turned
    # Without a link certificate it was handed out to none before the switch.
    assert update_ledger(stage.TRUSTED, ABORT, GATES)[0].journal == replace(turned, unsure_pods=frozenset())


@pytest.mark.parametrize("intent", [ABORT, Intent(Goal.RECONCILE), Intent(Goal.REPLACE_KEY)])
def test_a_flow_that_was_turned_is_not_turned_again(intent: Intent) -> None:
    turned = a_journal(old=NEW, new=OLD, is_abort=True)
    seen = replace(stage.TRUSTED, ledger=replace(stage.TRUSTED.ledger_or_empty, journal=turned))
    assert update_ledger(seen, intent, GATES)[0].journal == turned


def test_a_flow_that_cannot_be_undone_is_not_turned_into_an_abort() -> None:
    """It stands in a pause, which comes to its end first."""
    keyless = replace(stage.SHARED.with_ca(kept_keys=frozenset()), reconciliation=PAUSED)
    assert update_ledger(keyless, ABORT, GATES)[0].journal == a_journal()


def test_a_turned_flow_lasts_as_long_as_the_old_ca_is_known() -> None:
    """It is neither prepared nor in use when the way back begins."""
    turned = a_journal(old=NEW, new=OLD, is_abort=True)
    seen = replace(stage.SHARED, ledger=replace(stage.SHARED.ledger_or_empty, journal=turned))
    assert update_ledger(seen, ABORT, GATES)[0].journal == turned
    gone = replace(stage.CLEAN, ledger=replace(stage.CLEAN.ledger_or_empty, journal=turned))
    assert update_ledger(gone, ABORT, GATES)[0].journal is None


@pytest.mark.parametrize(
    ("last", "renewed"),
    [
        pytest.param(a_journal(Goal.RENEW, SHORT, OLD, finished_at=NOW), {SHORT}, id="the last flow has renewed it"),
        pytest.param(
            a_journal(Goal.RENEW, RENEWED, OLD, finished_at=NOW, earlier_fingerprints=both_names(SHORT)), {RENEWED, SHORT}, id="and one before"
        ),
        pytest.param(a_journal(Goal.RENEW, SHORT, OLD, finished_at=NOW, is_abort=True), set(), id="that was undone"),
        pytest.param(a_journal(Goal.RENEW, SHORT, THIRD, finished_at=NOW), set(), id="the last flow has renewed another"),
        *(pytest.param(a_journal(Goal.RENEW, SHORT, one, finished_at=NOW), set(), id="of another CA") for one in around(OLD)),
        pytest.param(a_journal(Goal.REPLACE_KEY, THIRD, OLD, finished_at=NOW), set(), id="it has its key from the last flow"),
        pytest.param(None, set(), id="no flow"),
    ],
)  # fmt: skip
def test_the_earlier_certificates_of_the_replaced_ca_are_kept(last: Journal | None, renewed: set[Entity]) -> None:
    """Their fingerprints name the CA that is replaced."""
    before = replace(stage.PREPARED.ledger_or_empty, journal=last)
    begun = journal_after(replace(stage.PREPARED, ledger=before))
    assert begun is not None
    assert begun.earlier_fingerprints == frozenset().union(*map(both_names, renewed))
