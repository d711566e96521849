# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a flow is to stop, who may lead it on, and what is done meanwhile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import LONGEST_WAIT
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE, decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import (
    describe_stop,
    limit_to_stop,
    may_lead_flow,
    stop_of,
    stops_before_use,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import update_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FlowOptions,
    Journal,
    Ledger,
    Stop,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import PrepareAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause, Resume
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import WriteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import end_pause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.requests import await_issuer

from ....tools.support.certificates import DAY, HOUR, NOW
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import an_intent, changed_intent
from .. import linked, patient, unlinked
from ..authorities import OLD
from ..builders import changed
from ..ledgers import a_journal
from ..requested import ISSUER, a_request, elsewhere, with_requests
from ..rules.asking import situation
from ..rules.test_due import leaf_with

RECONCILE, REPLACE_KEY = Intent(Goal.RECONCILE), Intent(Goal.REPLACE_KEY)
ROTATION, TURNED = a_journal(), a_journal(is_abort=True)
BEFORE = Stop(Phase.TRUST, NOW - HOUR)


def stopping(snapshot: Snapshot, after: Phase) -> Snapshot:
    """The same flow, which is to stop there."""
    books = snapshot.ledger_or_empty
    journal = books.journal or ROTATION
    return replace(
        snapshot, ledger=replace(books, journal=replace(journal, options=FlowOptions(stop=Stop(after, NOW - HOUR))))
    )


@pytest.mark.parametrize(
    ("journal", "intent", "expected"),
    [
        (ROTATION, REPLACE_KEY, True),
        (ROTATION, Intent(Goal.RENEW), False),
        (ROTATION, Intent(Goal.CREATE), False),
        (ROTATION, Intent(Goal.RENEW_LEAVES), False),
        (ROTATION, RECONCILE, False),
        (ROTATION, changed_intent(RECONCILE, continue_stopped=True), True),
        (ROTATION, Intent(Goal.ABORT), True),
        (TURNED, Intent(Goal.ABORT), True),
        (TURNED, REPLACE_KEY, False),
        (a_journal(Goal.RENEW), Intent(Goal.RENEW), True),
        (a_journal(Goal.RENEW), REPLACE_KEY, False),
        (a_journal(Goal.RENEW), changed_intent(REPLACE_KEY, continue_stopped=True), True),
        (a_journal(Goal.RENEW, options=FlowOptions(precedes_replacement=True)), REPLACE_KEY, True),
        (a_journal(Goal.RENEW, options=FlowOptions(precedes_replacement=True)), Intent(Goal.RENEW), False),
        (a_journal(Goal.RENEW), RECONCILE, False),
        (a_journal(Goal.CREATE), Intent(Goal.CREATE), True),
    ],
)
def test_intents_that_may_lead_a_flow(journal: Journal, intent: Intent, expected: bool) -> None:
    assert may_lead_flow(intent, journal) is expected


@pytest.mark.parametrize("is_led", [True, False])
@pytest.mark.parametrize("before", [None, Phase.PREPARE, Phase.TRUST, Phase.USE])
@pytest.mark.parametrize("asked", [None, Phase.PREPARE, Phase.TRUST, Phase.USE])
def test_where_a_flow_stops_from_now_on(before: Phase | None, asked: Phase | None, is_led: bool) -> None:
    """The call that leads it says where, and all others can only bring it forward; the time is that of the first call that asked for it."""
    was = Stop(before, NOW - HOUR) if before else None
    found = stop_of(was, an_intent(Goal.RECONCILE, stop_after=asked), is_led, NOW)
    wanted = asked if is_led else min(filter(None, (before, asked)), key=lambda one: one.position, default=None)
    assert (found.after if found else None) is wanted
    assert found is None or found.asked_at == (NOW - HOUR if wanted is before else NOW)


@pytest.mark.parametrize(
    ("until", "expected"), [(None, Phase.TRUST), (Phase.USE, Phase.TRUST), (Phase.PREPARE, Phase.PREPARE)]
)
def test_a_call_enters_no_phase_after_the_stop_of_the_flow(until: Phase | None, expected: Phase) -> None:
    assert limit_to_stop(changed_intent(RECONCILE, last_phase=until), BEFORE).extent.last_phase is expected


@pytest.mark.parametrize(
    ("journal", "expected"),
    [
        (ROTATION, False),
        (replace(ROTATION, options=FlowOptions(stop=Stop(Phase.PREPARE, NOW))), True),
        (replace(ROTATION, options=FlowOptions(stop=BEFORE)), True),
        (replace(ROTATION, options=FlowOptions(stop=Stop(Phase.USE, NOW))), False),
        (replace(TURNED, options=FlowOptions(stop=BEFORE)), False),
    ],
)
def test_whether_the_ca_in_use_stays_meanwhile(journal: Journal, expected: bool) -> None:
    assert stops_before_use(journal) is expected


def test_a_stop_is_described_with_its_remedy(golden: GoldenFiles) -> None:
    stopped, remedy = describe_stop(ROTATION, BEFORE, "clients CA")
    dates = f"{ROTATION.started_at:%Y-%m-%d}", f"{BEFORE.asked_at:%Y-%m-%d at %H:%M}"
    assert [date in stopped for date in dates] == [True, True]
    golden.compare_said("stops_in_rules", f"{stopped} {remedy}", "a replacement")
    golden.compare_said("stops_in_rules", " ".join(describe_stop(TURNED, BEFORE, "cluster CA")), "an abort")


# In decisions.


@pytest.mark.parametrize(
    ("snapshot", "after"),
    [(linked.TRUSTED, Phase.TRUST), (unlinked.IN_BUNDLE, Phase.PREPARE), (linked.ALONE, Phase.USE)],
)
def test_a_call_that_does_not_lead_says_so_and_does_nothing(snapshot: Snapshot, after: Phase) -> None:
    seen = stopping(snapshot, after)
    seen = replace(seen, ledger=_kept(seen))
    held = decide(seen, RECONCILE)
    assert (held.steps, held.violations, held.done) == ((), (), True)
    assert held.stop == Stop(after, NOW - HOUR)
    assert f"phase {after.value}," in held.waiting[-1]
    assert held.pending
    led = decide(seen, changed_intent(REPLACE_KEY, stop_after=after))
    assert (led.stop, bool(led.steps)) == (None, True)


def test_leaves_of_the_next_ca_that_do_not_come_keep_no_leaf_of_the_ca_in_use_from_its_renewal() -> None:
    seen, names = stopping(elsewhere(linked.TRUSTED), Phase.TRUST), (*linked.CHAINED, linked.OWN)
    seen = replace(seen, ledger=_kept(seen))
    late = with_requests(seen, *(a_request(name, asked_at=NOW - LONGEST_WAIT) for name in names))
    told = decide(late, an_intent(Goal.RECONCILE, external_issuer=ISSUER))
    assert (told.steps, {violation.condition for violation in told.violations}) == ((), {Condition.LEAVES_ARE_ISSUED})
    ending = leaf_with(10 * DAY, issuer=OLD, secret=names[0])
    leaves = tuple(ending if leaf.secret == names[0] else leaf for leaf in late.leaves.stored)
    renewing = an_intent(Goal.RENEW_LEAVES, external_issuer=ISSUER)
    # Of the flow nothing is left but this wait.
    waiting = replace(ENGINE, rules=(await_issuer,))
    steps = decide(changed(late, leaves=leaves), renewing, waiting).steps
    assert [type(step) for step in steps] == [Pause]
    assert decide(late, renewing, waiting).violations == told.violations


def _kept(snapshot: Snapshot) -> Ledger | None:
    """The ledger with its books kept, so that what follows is the next step."""
    first = decide(snapshot, RECONCILE)
    (write,) = first.steps or (None,)
    return write.ledger if isinstance(write, WriteLedger) else snapshot.ledger


def test_a_pause_of_ours_brings_no_ca_into_use_that_is_to_wait() -> None:
    at = situation(linked.HALTED)
    waits = replace(at, intent=changed_intent(at.intent, last_phase=Phase.TRUST))
    assert [type(step) for step in end_pause(waits)] == [Resume]
    assert [type(step) for step in end_pause(at)] != [Resume]


def test_a_pause_in_which_one_node_took_a_ca_up_goes_on_until_all_nodes_have() -> None:
    """Wherever the caller stops, nodes take the CA up at once."""
    at, waits = (
        situation(patient.NOTED, changed_intent(REPLACE_KEY, last_phase=until)) for until in (None, Phase.TRUST)
    )
    assert ([type(step) for step in end_pause(at)], [type(step) for step in end_pause(waits)]) == (
        [IssueLeaves],
        [Resume],
    )
    half = (linked.ISSUED.leaves.stored[0], *patient.NOTED.leaves.stored[1:])
    at, waits = (replace(one, snapshot=changed(one.snapshot, leaves=half)) for one in (at, waits))
    assert [type(step) for step in end_pause(waits)] == [IssueLeaves]
    assert end_pause(waits) == end_pause(at)


def test_the_stop_goes_beside_the_prepared_ca() -> None:
    """A call that is killed before the journal is open has not lost it."""
    (step,) = decide(linked.SETTLED, changed_intent(REPLACE_KEY, stop_after=Phase.USE)).steps
    assert isinstance(step, PrepareAuthority)
    assert step.stop == Stop(Phase.USE, NOW)
    begun = replace(
        linked.PREPARED, ca=replace(linked.PREPARED.ca, flow_options=FlowOptions(stop=step.stop)), now=NOW + HOUR
    )
    assert _stop_in_books(begun, RECONCILE) == step.stop
    assert _stop_in_books(begun, changed_intent(RECONCILE, stop_after=Phase.TRUST)) == Stop(Phase.TRUST, NOW + HOUR)
    assert _stop_in_books(begun, REPLACE_KEY) is None


def _stop_in_books(snapshot: Snapshot, intent: Intent) -> Stop | None:
    journal = update_ledger(snapshot, intent, GATES)[0].journal
    assert journal is not None
    return journal.options.stop


@pytest.mark.parametrize("after", [Phase.PREPARE, None])
def test_the_books_follow_who_leads(after: Phase | None) -> None:
    seen = stopping(linked.TRUSTED, Phase.TRUST)
    assert _stop_in_books(seen, RECONCILE) == BEFORE
    assert _stop_in_books(seen, changed_intent(REPLACE_KEY, stop_after=after)) == (Stop(after, NOW) if after else None)
    assert _stop_in_books(seen, changed_intent(Intent(Goal.ABORT), stop_after=after)) == (
        Stop(after, NOW) if after else None
    )


def test_a_flow_that_has_finished_has_no_stop() -> None:
    assert _stop_in_books(stopping(linked.READ_AGAIN, Phase.RETIRE), RECONCILE) is None


@pytest.mark.parametrize(("before", "after"), [(None, Phase.TRUST), (Phase.TRUST, None)], ids=["stops", "goes on"])
def test_the_write_of_the_ledger_says_that_the_stop_has_changed(
    before: Phase | None, after: Phase | None, golden: GoldenFiles
) -> None:
    was, is_ = ((stopping(linked.TRUSTED, one) if one else linked.TRUSTED).ledger_or_empty for one in (before, after))
    step = WriteLedger(ledger=is_, before=was, phase=Phase.TRUST)
    golden.compare_said("steps", step.sentence(), golden.row)
