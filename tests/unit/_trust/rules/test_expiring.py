# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CAs and leaves that end soon, and what renews each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import Standing
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FlowOptions,
    Stop,
    Upkeep,
    UpkeepOptions,
    WhenDue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaUsers,
    InPlaceObstacles,
    MaintenanceWindows,
    OperatorPause,
    OperatorStatus,
    OtherAuthority,
    Reconciliation,
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.expiring import (
    Expiring,
    FirstToEnd,
    describe_late_window,
    describe_missing_schedule,
    expiring,
    first_to_end,
    how_to_recover,
    renewal_comes_in_time,
    warnings_of,
)

from ....tools.support.certificates import DAY, HOUR, NOW, YEAR, Entity, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import an_intent, changed_intent
from ..authorities import NEW, OLD, ROOT, chain_of
from ..builders import PAUSED, changed, cluster, prepared, secrets
from ..ledger.test_target import ENDING, SOURCE, ends_in, using
from ..ledgers import a_journal, entry, ledger
from ..nodes import PODS, a_leaf
from ..requested import elsewhere

RECORD = Upkeep(WhenDue.RENEW, 37 * DAY, NOW - 90 * DAY)
GENERATED = Reconciliation(generated=True)
IN_WINDOWS = replace(GENERATED, windows=MaintenanceWindows(False, None))
#: Above a CA that lasts.
ENDING_ROOT = make("Corporate Root", key(6), end=NOW + 20 * DAY)
BELOW = make("Corporate Issuing CA", key(7), ENDING_ROOT)


def kept_up(authority: Entity) -> Snapshot:
    return using(authority, ledger=ledger(entry(authority, generations={0}), upkeep=RECORD))


def replaced(days: int = 0, **journal: object) -> Snapshot:
    """A flow replaces a CA that has so many days left; 0: as many as the CA that others of these tests have."""
    old = ends_in(days) if days else ENDING
    return using(old, ledger=ledger(entry(old, generations={0}), journal=a_journal(old=old, **journal)))


def beside(other: Snapshot) -> Snapshot:
    """A cluster whose other CA is as in that snapshot, and nothing of its own ends."""
    seen = OtherAuthority(
        other.names, other.ca, other.ledger, other.reconciliation.generated, other.leaves.renewal_window
    )
    return replace(cluster(), other_ca=seen)


def ending_leaf(days: int, **fields: Any) -> StoredLeaf:
    own = issue_leaf(OLD, begin=NOW - YEAR / 2, end=NOW + days * DAY)
    return a_leaf(chain=(own, OLD.certificate), **fields)


def with_leaf(snapshot: Snapshot, days: int) -> Snapshot:
    return changed(snapshot, leaves=(ending_leaf(days),))


def with_leaves_beside(snapshot: Snapshot, days: int) -> Snapshot:
    """Before it come a leaf that cannot be read, and a leaf of another CA."""
    return changed(snapshot, leaves=(a_leaf("a", chain=None), a_leaf("b", NEW), ending_leaf(days)))


def above(snapshot: Snapshot) -> Snapshot:
    """With a CA above the CA in use."""
    return snapshot.with_ca(current=(*snapshot.ca.current, ROOT.certificate))


def with_user(snapshot: Snapshot, days: int) -> Snapshot:
    return changed(snapshot, user_leaves={"orders": ending_leaf(days, secret="orders", component=Component.USER)})


def replacing(authority: Entity) -> Snapshot:
    policy = replace(RECORD, policy=WhenDue.REPLACE_KEY)
    return using(authority, ledger=ledger(entry(authority, generations={0}), upkeep=policy))


def as_it_is(snapshot: Snapshot) -> Snapshot:
    return snapshot


def component(snapshot: Snapshot) -> Snapshot:
    """With a pod that cannot read again."""
    return changed(snapshot, pods=(replace(snapshot.nodes.pods[0], component=Component.ENTITY_OPERATOR),))


def restarted(snapshot: Snapshot) -> Snapshot:
    """With nodes that cannot read again."""
    return snapshot.with_nodes(in_place_obstacles=InPlaceObstacles("the call may not patch pods."))


def in_windows(snapshot: Snapshot, change: Callable[[Snapshot], Snapshot] = as_it_is) -> Snapshot:
    """With maintenance windows of which none is to come."""
    windows = replace(snapshot.reconciliation, windows=MaintenanceWindows(False, None))
    return change(changed(snapshot, reconciliation=windows))


SCHEDULE, OR_ONCE = "Run the reconcile playbook for the cluster CA on a schedule", "Or run the renew playbook once."
HAVE_IT_MADE = "so its issuer has to make its successor. Have it made, and give it to the renew playbook"


@pytest.mark.parametrize(
    ("snapshot", "renewed_by", "remedy"),
    [
        (kept_up(ENDING), "the reconcile playbook", ""),
        (kept_up(ends_in(30)), "the reconcile playbook", ""),
        (above(kept_up(ENDING)), "the reconcile playbook", ""),
        (above(replaced()), "the flow in flight (replacement of the key)", ""),
        (above(using(ENDING, ledger=None, reconciliation=GENERATED)), "the Cluster Operator, from 2026-06-07 on", ""),
        (with_leaves_beside(cluster(), 20), "the Cluster Operator", ""),
        (using(ENDING, ledger=None, reconciliation=GENERATED), "the Cluster Operator, from 2026-06-07 on", ""),
        (using(ends_in(30), ledger=None, reconciliation=replace(PAUSED, generated=True)), "the Cluster Operator", ""),
        (using(ends_in(20), ledger=None, reconciliation=IN_WINDOWS), "the Cluster Operator in a maintenance window", ""),
        (replaced(), "the flow in flight (replacement of the key)", ""),
        (with_leaf(cluster(), 20), "the Cluster Operator", ""),
        (with_user(cluster(), 20), "the User Operator", ""),
        (elsewhere(with_leaf(kept_up(OLD), 20), OLD), "the reconcile playbook", ""),
        (elsewhere(changed(with_leaf(cluster(), 20), standing={PODS[0]: Standing(PODS[0])}), OLD), "the reconcile playbook", ""),
        (replacing(ENDING), "the reconcile playbook, which replaces its key", ""),
        (in_windows(kept_up(ENDING)), "the reconcile playbook", ""),
        (in_windows(kept_up(ENDING), component), "", "maintenance windows alone: none is going to open."),
        (in_windows(kept_up(ENDING), restarted), "", "maintenance windows alone: none is going to open."),
        (beside(using(ENDING)), "", OR_ONCE),
        (beside(elsewhere(kept_up(ENDING), ENDING)), "", HAVE_IT_MADE),
        (using(ENDING), "", OR_ONCE),
        (kept_up(ends_in(29)), "", "Its time for renewal began on 2026-05-24"),
        (kept_up(ends_in(10)), "", "Its time for renewal began on 2026-05-05"),
        (replaced(options=FlowOptions(stop=Stop(Phase.TRUST, NOW - DAY))), "", "The flow that replaces it stops after the phase trust: let it go on."),
        (replaced(is_abort=True), "", OR_ONCE),
        (replaced(replaces=""), "", OR_ONCE),
        (replaced(replaces="~"), "", OR_ONCE),
        (using(ENDING, ledger=None, reconciliation=replace(GENERATED, pause=OperatorPause(is_set=True))), "", "is paused: end the pause."),
        (
            using(ENDING, ledger=None, reconciliation=replace(GENERATED, operator=OperatorStatus(absence="its status has no condition"))), "",
            "none works on Kafka kafka/demo: its status has no condition.",
        ),
        (elsewhere(kept_up(ENDING), ENDING), "", HAVE_IT_MADE),
        (elsewhere(replacing(ENDING), ENDING), "", "give it to the replace_key playbook"),
        (replace(kept_up(ENDING), source=SOURCE), "", "Have it made, and put it there."),
        (replace(replacing(ENDING), source=SOURCE), "", "Have it made, and put it there."),
        (elsewhere(with_leaf(cluster(), 20), OLD), "", f"{SCHEDULE}, such as once a day: it renews certificates in their time for renewal."),
        (
            cluster(ca=secrets(chain_of(BELOW, ENDING_ROOT)), ledger=ledger(entry(chain_of(BELOW, ENDING_ROOT), generations={0}))), "",
            f"It stands above {named(BELOW.certificate)}",
        ),
    ],
)  # fmt: skip
def test_every_expiring_certificate_has_a_program_that_renews_it_or_a_remedy(
    snapshot: Snapshot, renewed_by: str, remedy: str
) -> None:
    (found,) = expiring(snapshot)
    assert found.renewed_by == renewed_by
    assert remedy in found.remedy
    assert bool(found.remedy) is bool(found.warning(NOW)) is bool(remedy)
    assert found.is_authority is found.name.startswith("The CA ")


@pytest.mark.parametrize(
    "other", [kept_up(ENDING), replaced(), using(ENDING, ledger=None, reconciliation=GENERATED), cluster()]
)
def test_the_other_ca_is_left_out_where_something_renews_it(other: Snapshot) -> None:
    assert expiring(beside(other)) == ()


@pytest.mark.parametrize("users", [None, CaUsers()])
def test_clients_refuse_the_cluster_ca_alone_once_it_has_ended(users: CaUsers | None) -> None:
    """JVMs alone verify by the clients CA."""
    ended = using(ends_in(-2))
    (own,) = expiring(replace(ended, users=users))
    (other,) = expiring(replace(beside(ended), users=users))
    assert (bool(own.refusal), bool(other.refusal)) == (users is None, users is not None)


def test_no_program_refuses_the_ca_in_use_for_the_end_of_a_ca_above_it() -> None:
    root = make("Corporate Root", key(6), end=NOW - DAY)
    chain = chain_of(make("Corporate Issuing CA", key(7), root), root)
    (found,) = expiring(cluster(ca=secrets(chain), ledger=ledger(entry(chain, generations={0}))))
    assert (found.certificate, found.refusal) == (root.certificate, "")


def test_a_leaf_that_has_ended_is_refused_by_every_program(golden: GoldenFiles) -> None:
    found = [expiring(with_leaf(cluster(), days))[0] for days in (1, -1)]
    assert not found[0].refusal
    golden.compare_said("stops_in_rules", found[1].refusal)


def test_a_leaf_is_of_the_ca_in_use_whatever_is_above_it() -> None:
    below = make("Corporate Issuing CA", key(7), ROOT)
    chain, own = chain_of(below, ROOT), issue_leaf(below, begin=NOW - YEAR / 2, end=NOW + 20 * DAY)
    seen = cluster(
        ca=secrets(chain), ledger=ledger(entry(chain, generations={0})), leaves=(a_leaf(chain=(own, *chain)),)
    )
    assert [one.certificate for one in expiring(seen)] == [own]


@pytest.mark.parametrize("snapshot", [cluster(), kept_up(ends_in(37)), with_leaf(cluster(), 30)])
def test_a_certificate_outside_its_window_is_not_expiring(snapshot: Snapshot) -> None:
    assert expiring(snapshot) == ()
    assert expiring(snapshot, timedelta(days=400))


def test_a_leaf_that_lives_for_a_day_is_expiring_in_its_second_half() -> None:
    for hours, count in ((13, 0), (11, 1)):
        end = NOW + hours * DAY / 24
        own = issue_leaf(OLD, begin=end - DAY, end=end)
        assert len(expiring(changed(cluster(), leaves=(a_leaf(chain=(own, OLD.certificate)),)))) == count


def test_a_leaf_that_ends_with_its_ca_is_renewed_with_it() -> None:
    own = issue_leaf(ENDING, end=ENDING.certificate.not_after)
    ending = changed(using(ENDING), leaves=tuple(a_leaf(name, chain=(own, ENDING.certificate)) for name in PODS))
    assert [one.is_authority for one in expiring(ending)] == [True]


def test_a_leaf_of_another_ca_is_the_business_of_its_flow() -> None:
    ending = issue_leaf(NEW, begin=NOW - YEAR, end=NOW + DAY)
    assert expiring(changed(cluster(), leaves=(a_leaf(chain=(ending, NEW.certificate)),))) == ()


@pytest.mark.parametrize(("left", "told"), [(3, "in 3 days"), (-2, "ended on")])
def test_a_warning_says_when(left: int, told: str) -> None:
    assert told in Expiring("The CA", ends_in(left).certificate, True, "", "Renew it.").warning(NOW)


def test_of_an_ended_certificate_it_is_told_what_renews_it(golden: GoldenFiles) -> None:
    ended = Expiring("The CA", ends_in(-2).certificate, True, "cron", refusal="Programs refuse it.")
    assert " 2026-05-30." in ended.warning(NOW)
    by_hand = replace(ended, renewed_by="", remedy="Renew it.")
    golden.compare_said("stops_in_rules", f"{ended.warning(NOW)}\n{by_hand.warning(NOW)}")


ENDED = ends_in(-1)
BY_ISSUER = "Have it made, and give it to the recover playbook"


@pytest.mark.parametrize(
    ("snapshot", "has_to_be_made"),
    [
        pytest.param(elsewhere(using(ENDED), ENDED), True, id="an issuer keeps the key of an ended CA"),
        pytest.param(elsewhere(using(ends_in(1)), ends_in(1)), False, id="the CA has not ended"),
        pytest.param(using(ENDED), False, id="a run can make the successor"),
        pytest.param(
            elsewhere(using(ENDED, reconciliation=GENERATED), ENDED), False, id="the operator makes the successor"
        ),
        pytest.param(
            elsewhere(using(ENDED, ca=secrets(ENDED, prepared=(prepared(NEW),))), ENDED), False, id="a successor is there"
        ),
        pytest.param(elsewhere(replaced(days=-1), ENDED), False, id="a flow is in flight"),
        pytest.param(using(ENDED, ca=secrets(None)), False, id="there is no CA"),
    ],
)  # fmt: skip
def test_a_recovery_asks_for_a_ca_that_only_an_issuer_can_make(snapshot: Snapshot, has_to_be_made: bool) -> None:
    said = how_to_recover(snapshot)
    assert (BY_ISSUER in said) is has_to_be_made
    assert (said == "Run the recover playbook for the cluster CA") is not has_to_be_made


@pytest.mark.parametrize(
    ("windows", "is_late"),
    [
        pytest.param(None, False, id="no windows"),
        pytest.param(MaintenanceWindows(True, None), False, id="one is open"),
        pytest.param(MaintenanceWindows(False, None), True, id="none is to come"),
        pytest.param(MaintenanceWindows(False, NOW + 34 * DAY), False, id="two days before the end"),
        pytest.param(MaintenanceWindows(False, NOW + 34 * DAY + HOUR), True, id="less than two days before the end"),
    ],
)
def test_a_window_is_late_less_than_two_days_before_the_first_end(
    windows: MaintenanceWindows | None, is_late: bool
) -> None:
    seen = using(ENDING, reconciliation=Reconciliation(windows=windows))
    assert bool(describe_late_window(seen)) is is_late


@pytest.mark.parametrize(
    ("snapshot", "is_told"),
    [
        (using(ENDED), False),
        (cluster(), True),
        (elsewhere(cluster(), OLD), True),
        (kept_up(OLD), False),
        (cluster(ledger=None), False),
        (cluster(reconciliation=GENERATED), False),
        (cluster(ca=secrets(None)), False),
    ],
)
def test_an_adoption_says_that_a_schedule_is_needed(snapshot: Snapshot, is_told: bool) -> None:
    assert bool(describe_missing_schedule(snapshot)) is is_told


def test_the_schedule_is_needed_from_the_time_for_renewal_of_the_ca_in_use_on(golden: GoldenFiles) -> None:
    """A CA above it changes nothing about that."""
    seen = cluster(ca=secrets(chain_of(OLD, ENDING_ROOT)))
    warning = describe_missing_schedule(seen)
    assert f"{NOW + YEAR:%Y-%m-%d}" in warning
    assert f"{NOW + YEAR - 37 * DAY:%Y-%m-%d}" in warning
    golden.compare_said("stops_in_rules", warning)


def test_the_schedule_is_needed_now_if_the_time_for_renewal_has_begun() -> None:
    late = replace(cluster(), now=OLD.certificate.not_after - 20 * DAY)
    assert describe_missing_schedule(late).endswith(", this CA now.")


@pytest.mark.parametrize(
    "opens_at", [None, OLD.certificate.not_after - DAY, NOW + DAY], ids=["never", "too late", "in time"]
)
def test_an_adoption_promises_a_replacement_where_the_resource_has_it(
    opens_at: datetime | None, golden: GoldenFiles
) -> None:
    """And says what the schedule needs for its restarts."""
    policy = replace(cluster().reconciliation, replaces_key=True, windows=MaintenanceWindows(False, opens_at))
    warning = describe_missing_schedule(cluster(reconciliation=policy))
    assert f"{NOW + YEAR - 37 * DAY:%Y-%m-%d}" in warning
    golden.compare_said("stops_in_rules", warning, golden.row)


KEEPS_UP = an_intent(Goal.RECONCILE, upkeep=UpkeepOptions())


@pytest.mark.parametrize(
    ("snapshot", "intent", "remedy"),
    [
        (elsewhere(kept_up(ends_in(6)), ends_in(6)), KEEPS_UP, HAVE_IT_MADE),
        (elsewhere(kept_up(ends_in(-1)), ends_in(-1)), KEEPS_UP, HAVE_IT_MADE),
        (above(kept_up(ends_in(6))), KEEPS_UP, "run that, and see why its schedule did not, or what holds it."),
        (replaced(days=6), KEEPS_UP, "See to what the flow waits for. It waits for the issuer."),
        (replaced(days=6, options=FlowOptions(stop=Stop(Phase.TRUST, NOW))), KEEPS_UP, "let it go on."),
        (elsewhere(kept_up(ends_in(7)), ends_in(7)), KEEPS_UP, ""),
        (elsewhere(kept_up(ends_in(6)), ends_in(6)), an_intent(Goal.RECONCILE), ""),
        (elsewhere(kept_up(ends_in(6)), ends_in(6)), an_intent(Goal.RECONCILE, upkeep=UpkeepOptions(WhenDue.NONE)), ""),
        (elsewhere(kept_up(ends_in(6)), ends_in(6)), changed_intent(KEEPS_UP, last_phase=Phase.USE), ""),
        (elsewhere(kept_up(ends_in(6)), ends_in(6)), changed_intent(KEEPS_UP, last_phase=Phase.RETIRE), HAVE_IT_MADE),
        (elsewhere(kept_up(ends_in(6)), ends_in(6)), an_intent(Goal.RENEW_LEAVES, upkeep=UpkeepOptions()), ""),
        (using(ends_in(6), ledger=None), KEEPS_UP, ""),
    ],
)  # fmt: skip
def test_a_call_that_keeps_a_ca_up_is_not_content_in_its_last_days(
    snapshot: Snapshot, intent: Intent, remedy: str
) -> None:
    found = list(renewal_comes_in_time(snapshot, intent, ("It waits for the issuer.",)))
    has_ended = snapshot.ca.current[0].has_ended(snapshot.now)
    assert [one.message.startswith("ended ") for one in found] == [has_ended for _one in found]
    assert [one.condition for one in found] == [Condition.RENEWAL_COMES_IN_TIME] * bool(remedy)
    assert all(remedy in one.remedy for one in found)


def test_of_each_kind_the_first_to_end_counts_however_long_it_has_left() -> None:
    nodes = tuple(
        a_leaf(name, chain=(issue_leaf(OLD, end=NOW + days * DAY), OLD.certificate))
        for name, days in (("a", 300), ("b", 200))
    )
    users = {"new": None, "odd": a_leaf(chain=None)}
    seen = changed(beside(using(BELOW)), ca=secrets(chain_of(BELOW, ENDING_ROOT)), leaves=nodes, user_leaves=users)
    found = first_to_end(seen)
    assert found.user is None
    assert [one and one.certificate for one in (found.authority, found.leaf, found.other_ca)] == [
        ENDING_ROOT.certificate, nodes[1].chain[0] if nodes[1].chain else None, BELOW.certificate,
    ]  # fmt: skip
    assert first_to_end(changed(cluster(), ca=secrets(None), leaves=())) == FirstToEnd(None, None, None, None)


def test_certificates_that_something_renews_are_no_warning() -> None:
    ends = Expiring("The CA", ENDING.certificate, True, remedy="Renew it.")
    assert list(warnings_of([ends, replace(ends, remedy="", renewed_by="cron")], NOW, ())) == [ends.warning(NOW)]


@pytest.mark.parametrize("days", [6, -1])
def test_a_ca_whose_end_fails_the_call_is_no_warning_beside_that(days: int) -> None:
    """The failure names the remedy. A warning about another certificate stays."""
    seen = elsewhere(kept_up(ends_in(days)), ends_in(days))
    late = list(renewal_comes_in_time(seen, KEEPS_UP, ()))
    ending = [*expiring(seen), Expiring("Secret orders", ENDING.certificate, False, remedy="Renew it.")]
    assert len(list(warnings_of(ending, seen.now, ()))) == 2
    (left,) = warnings_of(ending, seen.now, late)
    assert left.startswith("Secret orders ")
    assert late[0].remedy == expiring(seen)[0].remedy
