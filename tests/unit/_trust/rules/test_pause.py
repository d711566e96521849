# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that the operator must not see half-way, changes that nodes take up without a restart, and when nodes give up a replaced CA."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import ReissuePause, Renewal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import steps_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    SECRET_LIMIT,
    InPlaceObstacles,
    OperatorPause,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import Switch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    PauseReissue,
    ResumeReissue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause, Resume
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Withdraw, WriteBundle
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import (
    RESTART_BEFORE,
    finds_work,
    is_ending,
    latest_restart,
    nodes_of,
    pause_first,
    pause_reissue,
    resume_operators,
    resume_reissue,
    retires_when_restarted,
    why_leaves_not_reloaded,
    why_not_in_place,
    why_not_reloaded,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import switch

from ....tools.support.certificates import DAY, HOUR, NOW, YEAR
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import changed_intent
from ..authorities import NEW, OLD, ROOT, THIRD, chain_of, name_of
from ..builders import PAUSED, changed, cluster, secrets
from ..ledgers import ANY, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uids_of
from ..of_users import ORDERS, PAYMENTS, STAGES, presenter, presenting
from ..of_users import users as of_users
from ..requested import elsewhere
from .asking import RECONCILE, REPLACE_KEY, situation

WORK = WriteBundle(phase=Phase.RETIRE, avoidable_restart="Nodes are restarted: no.")
BATCHES = changed_intent(REPLACE_KEY, user_batch=2)
CONNECT = "KafkaConnect kafka/connect"
MORE = Withdraw(certificate=OLD.certificate, phase=Phase.USE)


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(Reconciliation(), id="the operator works"),
        pytest.param(
            Reconciliation(pause=OperatorPause(is_set=True, is_ours=True)), id="it has not confirmed our pause"
        ),
        pytest.param(
            Reconciliation(pause=OperatorPause(is_set=True, is_confirmed=True)), id="another user has paused it"
        ),
    ],
)
def test_work_that_the_operator_must_not_see_half_way_begins_with_a_pause_that_names_it(state: Reconciliation) -> None:
    at = situation(cluster(reconciliation=state))
    paused = Pause(phase=Phase.RETIRE, purpose=WORK.sentence(), avoidable_restart=WORK.avoidable_restart)
    assert pause_first(at, WORK, MORE) == (paused,)
    assert pause_first(at, replace(WORK, avoidable_restart=""), WORK) == (paused,)
    assert pause_first(at) == ()


def test_work_is_done_while_the_operator_is_paused_by_us() -> None:
    assert pause_first(situation(cluster(reconciliation=PAUSED)), WORK, MORE) == (WORK, MORE)


def users(stage: str, pause: ReissuePause = ReissuePause.NONE, **fields: object) -> Snapshot:
    """A user, and a program that reads its Secret."""
    found = presenter(ORDERS, pause=pause, **fields), presenter(CONNECT, renewal=Renewal.FOLLOWED)
    return changed(STAGES[stage], presenters=presenting(*found))


@pytest.mark.parametrize("pause", [ReissuePause.NONE, ReissuePause.ASKED, ReissuePause.ENDED])
def test_users_are_paused_before_the_switch(pause: ReissuePause) -> None:
    """A pause that the User Operator has not confirmed is none yet."""
    assert steps_of(switch(situation(users("trusted", pause), BATCHES))) == (PauseReissue(names=(ORDERS,)),)


@pytest.mark.parametrize("pause", [ReissuePause.OURS, ReissuePause.FOREIGN])
def test_a_user_that_is_paused_is_not_paused_again(pause: ReissuePause) -> None:
    (step,) = switch(situation(replace(users("trusted", pause), reconciliation=PAUSED), BATCHES))
    assert isinstance(step, Switch)


def test_without_batches_no_user_is_paused() -> None:
    assert pause_reissue(situation(users("trusted"))) == ()


def test_before_a_switch_back_every_user_is_paused(golden: GoldenFiles) -> None:
    """A certificate of the CA that is given up may be on its way, for a user who has kept one of the old CA all along."""
    stage = users("trusted")
    journal = a_journal(old=OLD, new=NEW, is_abort=True)
    seen = replace(stage, ledger=replace(stage.ledger_or_empty, journal=journal))
    (step,) = pause_reissue(situation(seen))
    assert isinstance(step, PauseReissue)
    assert step.names == (ORDERS,)
    golden.compare_said("steps", step.because)
    given_up = replace(seen, ledger=replace(stage.ledger_or_empty, journal=replace(journal, replaces=name_of(NEW))))
    assert pause_reissue(situation(given_up)) == (), "it was never in use"
    assert pause_reissue(situation(seen.with_ca(current=()))) == ()


#: Why no user may be served during the switch.
NONSENSE = "It would store nonsense."


def test_where_no_user_may_be_served_during_the_switch_every_user_is_paused() -> None:
    seen = changed(users("trusted"), pause_reissue=NONSENSE)
    assert pause_reissue(situation(seen)) == (PauseReissue(names=(ORDERS,), because=NONSENSE),)


@pytest.mark.parametrize(
    ("pause", "behind", "ends"),
    [
        (ReissuePause.OURS, False, True),
        (ReissuePause.ASKED, False, True),
        (ReissuePause.OURS, True, False),
        (ReissuePause.FOREIGN, False, False),
        (ReissuePause.NONE, False, False),
    ],
)
def test_no_user_stays_paused_where_no_switch_follows(pause: ReissuePause, behind: bool, ends: bool) -> None:
    """A user that is to get a certificate of another CA does: a flow that serves users one after the other lets it on."""
    seen = users("trusted", pause, is_outdated=behind)
    wanted = (ResumeReissue(names=(ORDERS,)),) if ends else ()
    assert (resume_reissue(situation(seen)), resume_operators(seen)) == (wanted, wanted)
    paused = replace(seen, reconciliation=PAUSED)
    assert resume_operators(paused) == (Resume(phase=Phase.USE), *wanted)


def test_a_user_that_may_not_be_served_stays_paused_between_the_two_writes_of_the_switch() -> None:
    seen = users("trusted", ReissuePause.OURS).with_ca(key=NEW.certificate.public_key_sha256)
    assert resume_operators(seen) == (ResumeReissue(names=(ORDERS,)),)
    assert resume_operators(changed(seen, pause_reissue=NONSENSE)) == ()


def test_a_user_without_a_certificate_does_not_stay_paused() -> None:
    seen = users("trusted", ReissuePause.OURS, is_outdated=True, authorities=frozenset())
    assert resume_operators(seen) == (ResumeReissue(names=(ORDERS,)),)
    unknown = users("trusted", ReissuePause.OURS, is_outdated=True, authorities=None)
    assert resume_operators(unknown) == ()


def test_one_step_ends_the_pauses_of_several_users() -> None:
    ours = ReissuePause.OURS
    seen = changed(
        STAGES["trusted"], presenters=presenting(presenter(ORDERS, pause=ours), presenter(PAYMENTS, pause=ours))
    )
    assert resume_operators(seen) == (ResumeReissue(names=(ORDERS, PAYMENTS)),)


@pytest.mark.parametrize(
    ("changes", "works"),
    [
        pytest.param({}, False, id="nothing is half-way"),
        pytest.param({"bundle": None}, False, id="there is no bundle"),
        pytest.param({"ca": secrets(chain_of(OLD, ROOT))}, False, id="a CA is above the CA in use"),
        pytest.param({"bundle": frozenset({name_of(OLD), name_of(NEW)})}, True, id="the bundle does not follow the Secret"),
        pytest.param({"ca": secrets(OLD, key=NEW.certificate.public_key_sha256)}, True, id="key and certificate do not match"),
        pytest.param({"leaves": leaves(generation=7)}, True, id="leaves are of a later generation"),
        pytest.param({"ca": secrets(OLD, certificate_generation=1)}, True, id="leaves are of an earlier generation"),
        pytest.param({"pods": (a_pod(presents_stored=False), *pods(names=PODS[1:]))}, True, id="a leaf has changed"),
        pytest.param({"pods": (a_pod(key_generation=7), *pods(names=PODS[1:]))}, True, id="a pod is not stamped"),
    ],
)  # fmt: skip
def test_the_operator_stays_paused_where_it_would_find_something_half_way(changes: dict[str, Any], works: bool) -> None:
    seen = cluster(reconciliation=PAUSED, **changes)
    assert finds_work(seen) is works
    assert resume_operators(seen) == (() if works else (Resume(phase=Phase.USE),))
    assert not finds_work(replace(seen, reconciliation=replace(PAUSED, generated=True))), "it sees to its own CA anyway"


@pytest.mark.parametrize(("has_verifiers", "works"), [(True, True), (False, False)])
def test_the_operator_is_let_on_where_no_listener_is_to_verify_users_any_more(has_verifiers: bool, works: bool) -> None:
    """Only it can bring that to the nodes, and it restarts them for it anyway."""
    ahead = {"bundle": frozenset({name_of(OLD), name_of(NEW)}), "has_verifiers": has_verifiers}
    assert finds_work(changed(of_users(), **ahead)) is works
    assert not finds_work(of_users(has_verifiers=has_verifiers))
    assert finds_work(changed(cluster(), bundle=ahead["bundle"])), "nodes always verify by the cluster CA"


# Whether running nodes can take a change up without a restart, and what is said where they cannot.

LOOKED = "it is unknown whether nodes can read their certificates again without a restart."


@pytest.mark.parametrize(
    ("seen", "spread", "reloaded", "in_place"),
    [
        pytest.param(InPlaceObstacles(), Spread.AUTO, "", "", id="nothing is in the way"),
        pytest.param(InPlaceObstacles(), Spread.RELOAD, "", "", id="wanted"),
        pytest.param(InPlaceObstacles(), Spread.RESTART, *["spread=restart asks for it."] * 2, id="not wanted"),
        pytest.param(None, Spread.AUTO, LOOKED, LOOKED, id="the run has not looked"),
        pytest.param(InPlaceObstacles(reload="no."), Spread.AUTO, "no.", "no.", id="nodes cannot be told"),
        pytest.param(
            InPlaceObstacles(stamps="never."), Spread.AUTO, "", "never.", id="the operator would restart them anyway"
        ),
        pytest.param(InPlaceObstacles("no.", "never."), Spread.RELOAD, "no.", "no.", id="both"),
    ],
)
def test_why_not(seen: InPlaceObstacles | None, spread: Spread, reloaded: str, in_place: str) -> None:
    at = situation(cluster(in_place_obstacles=seen), changed_intent(RECONCILE, spread=spread))
    assert (why_not_reloaded(at), why_not_in_place(at)) == (reloaded, in_place)


def with_room(size: int, **fields: Any) -> Situation:
    """Nodes that can reload, and a ledger with this room for the leaves that the nodes were started with."""
    sizes = {"demo-cluster-ca": 1, "demo-cluster-ca-trusted-certs": SECRET_LIMIT - size}
    return situation(cluster(in_place_obstacles=InPlaceObstacles(), sizes=sizes, **fields))


def test_nodes_read_leaves_again_only_if_the_ledger_has_room_for_the_leaves_of_their_start() -> None:
    """A node that the ledger knows already, and a component, need no room."""
    stored = leaves()
    needed = sum(len(leaf.chain[0].pem) + 256 for leaf in stored if leaf.chain)
    assert why_leaves_not_reloaded(with_room(needed)) == ""
    assert why_leaves_not_reloaded(with_room(needed - 1)) != ""
    known = FormerLeaf(issue_leaf(OLD, "before"), uids_of())
    assert why_leaves_not_reloaded(with_room(0, ledger=ledger(entry(OLD), former_leaves=(known,)))) == ""
    other = a_leaf("exporter", component=Component.KAFKA_EXPORTER)
    beside = (*pods(), a_pod("exporter", component=Component.KAFKA_EXPORTER))
    assert why_leaves_not_reloaded(with_room(needed, pods=beside, leaves=(*stored, other))) == ""


@pytest.mark.parametrize("component", [one for one in Component if one is not Component.KAFKA])
def test_only_kafka_nodes_can_reload(component: Component) -> None:
    snapshot = cluster(pods=(*pods(), a_pod("other", component=component)))
    assert nodes_of(snapshot, snapshot.uids) == uids_of()
    assert nodes_of(snapshot, uids_of(PODS[0]) | {"gone"}) == uids_of(PODS[0])


# When nodes give up the CA that is replaced: which end comes first, and until when no node restarts for it.


#: A former leaf, with this much time left.
def former(left: timedelta) -> FormerLeaf:
    return FormerLeaf(issue_leaf(OLD, "former", end=NOW + left), uids_of())


def waiting(*leaves: FormerLeaf, **journal: Any) -> Snapshot:
    made = a_journal(**{"retire": Retire.WHEN_RESTARTED, **journal})
    return cluster(ledger=ledger(entry(OLD, ANY), entry(NEW, ANY), former_leaves=leaves, journal=made))


OF_THE_CA = OLD.certificate.not_after - RESTART_BEFORE


@pytest.mark.parametrize(
    ("snapshot", "latest"),
    [
        pytest.param(waiting(), OF_THE_CA, id="the end of the old CA"),
        pytest.param(waiting(retire=NOW + DAY), NOW + DAY, id="what was asked for"),
        pytest.param(waiting(retire=NOW + 2 * YEAR), OF_THE_CA, id="asked for too late"),
        pytest.param(waiting(former(30 * DAY)), NOW + 23 * DAY, id="the end of a leaf that a node presents"),
        pytest.param(waiting(former(30 * DAY), former(20 * DAY)), NOW + 13 * DAY, id="the first of them"),
        pytest.param(waiting(replaces=None), None, id="nothing ends"),
    ],
)
def test_the_latest_restart(snapshot: Snapshot, latest: datetime | None) -> None:
    at = situation(snapshot)
    assert at.flow_in_flight is not None
    assert latest_restart(at, at.flow_in_flight) == latest


NEAR = a_leaf(chain=(issue_leaf(OLD, begin=NOW - 40 * DAY, end=NOW + 50 * DAY), OLD.certificate))


@pytest.mark.parametrize(
    ("snapshot", "latest"),
    [
        pytest.param(elsewhere(waiting(), OLD), NOW + 5 * DAY, id="the operator can issue none, and comes near to it"),
        pytest.param(waiting(), OF_THE_CA, id="the operator renews it"),
        pytest.param(replace(waiting(), ca=secrets(chain_of(OLD, ROOT))), OF_THE_CA, id="the same, with a CA above"),
        pytest.param(
            elsewhere(replace(waiting(), ca=secrets(chain_of(NEW, ROOT))), NEW), OF_THE_CA,
            id="of the next CA, which has a CA above it",
        ),
        pytest.param(
            replace(waiting(), ca=secrets(THIRD)), NOW + 5 * DAY, id="the operator puts one of another CA in its place"
        ),
        pytest.param(replace(waiting(), ca=secrets(None)), OF_THE_CA, id="no CA is in use"),
        pytest.param(
            elsewhere(replace(waiting(), ca=secrets(NEW)), NEW), OF_THE_CA, id="of the next CA, any run renews it"
        ),
    ],
)  # fmt: skip
def test_the_latest_restart_before_the_operator_issues_or_stands_still(snapshot: Snapshot, latest: datetime) -> None:
    at = situation(changed(snapshot, leaves=(a_leaf(chain=None), NEAR)))
    assert at.flow_in_flight is not None
    assert latest_restart(at, at.flow_in_flight) == latest


def test_the_renewal_window_of_a_component_counts_for_its_own_leaf() -> None:
    at = situation(changed(elsewhere(waiting(), OLD), leaves=(replace(NEAR, renewal_window=20 * DAY),)))
    assert at.flow_in_flight is not None
    assert latest_restart(at, at.flow_in_flight) == NOW + 15 * DAY


@pytest.mark.parametrize(
    ("snapshot", "patient"),
    [
        pytest.param(waiting(), True, id="until the CA ends"),
        pytest.param(waiting(retire=NOW + HOUR), True, id="until it is wanted"),
        pytest.param(waiting(retire=NOW), False, id="now it is wanted"),
        pytest.param(waiting(retire=NOW - HOUR), False, id="it was wanted before"),
        pytest.param(waiting(former(timedelta(days=7))), False, id="a former leaf ends"),
        pytest.param(waiting(former(timedelta(days=7, seconds=1))), True, id="a former leaf ends soon"),
        pytest.param(waiting(replaces=None), True, id="nothing ends"),
        pytest.param(waiting(retire=Retire.NOW), False, id="at once"),
        pytest.param(waiting(goal=Goal.RENEW), False, id="a renewal needs none"),
        pytest.param(waiting(finished_at=NOW), False, id="the flow has finished"),
        pytest.param(cluster(), False, id="no flow"),
    ],
)
def test_patience(snapshot: Snapshot, patient: bool) -> None:
    assert retires_when_restarted(situation(snapshot)) is patient


@pytest.mark.parametrize(("left", "ending"), [(timedelta(days=7), False), (timedelta(days=6), True), (-DAY, True)])
def test_a_former_leaf_counts_as_ending_a_week_before_its_end(left: timedelta, ending: bool) -> None:
    assert is_ending(former(left), situation(cluster())) is ending
