# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chapter "Prepare": which CA is made next, under which name, and whether a link certificate comes with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.authority_order import LinkPlan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Wait
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import ROTATIONS, Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import (
    Intent,
    LinkIssuer,
    UpkeepOptions,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Beginning, FlowOptions
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaUsers,
    Pod,
    PreparedAuthority,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAuthority,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import AwaitClients
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import (
    issue_before_last_restart,
    prepare,
    resume_replacement,
)

from ....tools.support.certificates import DAY, HOUR, NOW, Entity, key, make
from ....tools.support.constrained import names
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import an_intent, changed_intent
from .. import unlinked
from ..authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, SHORT, THIRD, chain_of
from ..builders import changed, cluster, others, prepared, secrets
from ..ledgers import UNUSED, a_journal, entry, ledger
from ..nodes import PODS, leaves
from ..requested import ISSUER, answered, elsewhere, with_requests
from .asking import RENEW, REPLACE_KEY, situation, turns

CREATE = an_intent(Goal.CREATE, before_kafka=True)
FIRST = cluster(ca=secrets(None), ledger=None, bundle=None, pods=(), leaves=())
BELOW = chain_of(INTERMEDIATE, ROOT)


def settled_with(authority: Entity | Chain, *beside: Entity, **generations: int) -> Snapshot:
    ca = secrets(authority, other_entries=others(*beside), **generations)
    books = ledger(entry(ca.current, generations={0}), *(entry(one, UNUSED) for one in beside))
    return cluster(ca=ca, ledger=books)


def supplying(*chain: Entity) -> Intent:
    made = PreparedAuthority(chain_of(*chain), chain[0].certificate.public_key_sha256)
    return changed_intent(REPLACE_KEY, supplied=made)


def test_the_next_ca_is_prepared_first_in_a_replacement() -> None:
    made = PrepareAuthority(
        goal=Goal.REPLACE_KEY,
        replaces=chain_of(OLD),
        generation=1,
        links=LinkPlan(),
        beginning=Beginning(Retire.NOW, is_upkeep=False),
    )
    assert turns(prepare) == {"linked SETTLED": (made,), "unlinked SETTLED": (made,)}


@pytest.mark.parametrize(
    ("snapshot", "intent", "generation"),
    [
        # A renewal keeps name and key, so that no verifier has to learn a new name.
        (settled_with(OLD, key_generation=6), RENEW, 0),
        (settled_with(NEW), RENEW, 1),
        (settled_with(BELOW, key_generation=4), RENEW, 4),
        # A new key takes a number that no CA here has, neither in its name nor as key generation.
        (settled_with(OLD), REPLACE_KEY, 1),
        (settled_with(NEW), REPLACE_KEY, 2),
        (settled_with(OLD, key_generation=6), REPLACE_KEY, 7),
        (settled_with(OLD, THIRD), REPLACE_KEY, 3),
        (settled_with(OLD, certificate_generation=9), REPLACE_KEY, 1),
        (settled_with(BELOW), REPLACE_KEY, 1),
        # Without a number in its name, one that no CA before it can have had.
        (settled_with(BELOW, certificate_generation=9), REPLACE_KEY, 10),
        (FIRST, CREATE, 0),
    ],
)
def test_the_number_of_the_next_ca(snapshot: Snapshot, intent: Intent, generation: int) -> None:
    (made,) = prepare(situation(snapshot, intent))
    assert isinstance(made, PrepareAuthority)
    assert (made.goal, made.replaces, made.generation) == (intent.goal, snapshot.ca.current, generation)


@pytest.mark.parametrize(
    ("snapshot", "intent", "linked"),
    [
        pytest.param(cluster(), REPLACE_KEY, True, id="a new key"),
        pytest.param(cluster(), supplying(NEW), True, id="a supplied root"),
        pytest.param(cluster(), supplying(INTERMEDIATE, ROOT), False, id="a supplied CA below another"),
        pytest.param(cluster(ca=secrets(key=None)), REPLACE_KEY, False, id="no key to certify it with"),
        pytest.param(cluster(), RENEW, False, id="the same key"),
        pytest.param(FIRST, CREATE, False, id="the first CA"),
    ],
)
def test_keys_that_the_ca_in_use_certifies(snapshot: Snapshot, intent: Intent, linked: bool) -> None:
    (made,) = prepare(situation(snapshot, intent))
    assert isinstance(made, PrepareAuthority)
    assert (made.links is not None) is linked


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(cluster(), CREATE, id="a cluster that has a CA needs no first one"),
        *(pytest.param(cluster(), Intent(goal), id=goal.value) for goal in Goal if goal not in ROTATIONS),
        pytest.param(unlinked.PREPARED, RENEW, id="one is prepared already"),
        pytest.param(unlinked.FINISHED, REPLACE_KEY, id="one has just been put in place"),
    ],
)
def test_no_ca_is_prepared(snapshot: Snapshot, intent: Intent) -> None:
    assert prepare(situation(snapshot, intent)) == ()


# A CA that allows none below it is renewed first. --------------------------------------------------------------------

#: It has issued the CA that is brought: that is led to by its own certificate.
ISSUED = make("Kafka CA", key(81), SHORT)
NO_TIME = changed_intent(REPLACE_KEY, client_grace=timedelta(0))


def made_by(snapshot: Snapshot, intent: Intent) -> PrepareAuthority:
    (made,) = prepare(situation(snapshot, intent))
    assert isinstance(made, PrepareAuthority)
    return made


@pytest.mark.parametrize(
    ("snapshot", "intent", "first"),
    [
        pytest.param(settled_with(SHORT), REPLACE_KEY, True, id="a CA of the operator"),
        pytest.param(settled_with(SHORT), changed_intent(REPLACE_KEY, client_grace=HOUR), True, id="more time is wanted"),
        pytest.param(settled_with(SHORT), supplying(NEW), True, id="a supplied root"),
        pytest.param(settled_with(SHORT), supplying(ISSUED, SHORT), True, id="a supplied CA that it has issued"),
        pytest.param(settled_with(SHORT), supplying(INTERMEDIATE, ROOT), False, id="nothing leads to the supplied CA"),
        pytest.param(settled_with(SHORT), supplying(make("Below", key(85), ISSUED), ISSUED, SHORT), False, id="it has not issued that itself"),
        pytest.param(settled_with(SHORT), NO_TIME, False, id="no time is wanted"),
        pytest.param(settled_with(OLD), REPLACE_KEY, False, id="it allows one"),
        pytest.param(settled_with(make("cluster-ca v0", key(0))), REPLACE_KEY, False, id="it allows any number"),
        pytest.param(elsewhere(settled_with(SHORT), SHORT), REPLACE_KEY, False, id="its key is elsewhere"),
        pytest.param(settled_with(SHORT).with_ca(key=None), REPLACE_KEY, False, id="its key is lost"),
        pytest.param(changed(settled_with(SHORT), users=CaUsers()), REPLACE_KEY, False, id="its leaves carry no chain"),
        pytest.param(changed(settled_with(SHORT), pods=(), leaves=()), REPLACE_KEY, False, id="no pod presents anything"),
        pytest.param(
            settled_with(chain_of(make("Short", key(82), ROOT, path_length=0), ROOT)), REPLACE_KEY, False,
            id="only its issuer could renew it",
        ),
    ],
)  # fmt: skip
def test_a_ca_with_path_length_0_is_renewed_before_its_key_is_replaced(
    snapshot: Snapshot, intent: Intent, first: bool
) -> None:
    made = made_by(snapshot, intent)
    assert (made.goal, made.links is not None and first) == (Goal.RENEW if first else Goal.REPLACE_KEY, False)
    assert made.precedes_replacement is first
    if first:
        current = snapshot.ca.current[0]
        assert (made.path_length, made.at_least_until, made.supplied) == (1, current.not_after, ())
        assert current.subject in made.because


@pytest.mark.parametrize(
    ("current", "asked", "users", "length"),
    [
        (SHORT, None, None, 1),
        (SHORT, 0, None, 0),
        # No client could send a link certificate behind its leaf of the clients CA.
        (SHORT, None, CaUsers(), 0),
        (OLD, None, None, 1),
        (OLD, 0, None, 0),
        (OLD, 3, CaUsers(), 3),
        (make("cluster-ca v0", key(0)), None, None, None),
        (chain_of(make("Short", key(82), ROOT, path_length=0), ROOT), None, None, 1),
    ],
)
def test_the_path_length_of_a_renewal(
    current: Entity | Chain, asked: int | None, users: CaUsers | None, length: int | None
) -> None:
    made = made_by(changed(settled_with(current), users=users), changed_intent(RENEW, path_length=asked))
    assert (made.goal, made.path_length, made.at_least_until) == (Goal.RENEW, length, None)


def test_an_adopted_ca_that_allows_none_below_it_is_renewed_where_the_caller_wants_it() -> None:
    made = made_by(settled_with(SHORT), an_intent(Goal.UPGRADE, raise_path_length=True))
    assert (made.goal, made.path_length, made.at_least_until) == (Goal.RENEW, 1, SHORT.certificate.not_after)
    assert (made.precedes_replacement, made.because) == (False, "")


def test_a_flow_that_the_upkeep_begins_says_why(golden: GoldenFiles) -> None:
    ending = make("cluster-ca v0", key(0), path_length=1, end=NOW + 20 * DAY)
    because = made_by(settled_with(ending), an_intent(Goal.RECONCILE, upkeep=UpkeepOptions())).because
    assert " 2026-06-21;" in because
    assert " 2026-05-15." in because
    golden.compare_said("steps", because)
    asked = an_intent(Goal.RENEW, upkeep=UpkeepOptions(), supplied=prepared(RENEWED))
    assert made_by(settled_with(ending), asked).because == ""


@pytest.mark.parametrize(
    ("books", "goal", "told"),
    [
        ({}, Goal.RECONCILE, True),
        ({}, Goal.REPLACE_KEY, True),
        ({}, Goal.ABORT, False),
        ({"finished_at": None}, Goal.REPLACE_KEY, False),
        ({"options": FlowOptions()}, Goal.RECONCILE, False),
        ({"successor": "another"}, Goal.RECONCILE, False),
        (None, Goal.RECONCILE, False),
    ],
)
def test_a_replacement_whose_first_part_is_done_is_left_to_its_playbook(
    books: dict[str, Any] | None, goal: Goal, told: bool
) -> None:
    """Not by the call that goes on with it, nor where the first part is undone."""
    done = {"finished_at": NOW, "options": FlowOptions(precedes_replacement=True), **(books or {})}
    journal = None if books is None else a_journal(Goal.RENEW, OLD, RENEWED, **done)
    seen = cluster(ca=secrets(RENEWED), ledger=ledger(entry(RENEWED, generations={0}), journal=journal))
    sentence = (
        f"{named(RENEWED.certificate)} was renewed so that its key can be replaced, as asked for on 2026-06-01 at 11:00 UTC. The replacement is still to "
        "come: strimzi_ca with state=replaced, or the playbook replace_key, goes on with it."
    )
    assert resume_replacement(situation(seen, Intent(goal))) == (Wait(left_for_later=(sentence,)) if told else ())


# The key of the CA in use is kept elsewhere, and its issuer can be asked. ----------------------------------------------

ASKING = changed_intent(
    REPLACE_KEY, external_issuer="Vault issuer kafka-2026", link_issuer=LinkIssuer("Vault issuer kafka-2026")
)
KEPT = elsewhere(settled_with(OLD), OLD)
#: The names of all others here become other bytes where another program writes them again, as those of the Cluster Operator do.
GOS = make("Theirs", key(80), outlives_rewriting=True)
CONFINED = make("Theirs", key(80), outlives_rewriting=True, extra=[names(["my-kafka"])])


def bringing(made: Entity, *above: Entity, elsewhere: bool = False) -> Intent:
    chain = chain_of(made, *above)
    return changed_intent(
        ASKING, supplied=PreparedAuthority(chain, chain[0].public_key_sha256, key_is_elsewhere=elsewhere)
    )


@pytest.mark.parametrize("users", [None, CaUsers()], ids=["cluster CA", "clients CA"])
def test_a_first_ca_whose_issuer_signs_says_which_domain_the_names_have(
    users: CaUsers | None, golden: GoldenFiles
) -> None:
    """Certificates of users have none."""
    supplied = PreparedAuthority((GOS.certificate,), GOS.certificate.public_key_sha256, key_is_elsewhere=True)
    seen = replace(cluster(ca=secrets(None)), users=users)
    (made,) = prepare(situation(seen, an_intent(Goal.CREATE, supplied=supplied)))
    assert bool(made.because) is (users is None)
    if made.because:
        golden.compare_said("steps", made.because)


KEEPING_BOTH = changed_intent(ASKING, link_issuer=LinkIssuer("Vault issuer kafka-2026", keeps_both_keys=True))


@pytest.mark.parametrize(
    "intent",
    [
        ASKING,
        bringing(GOS),
        bringing(CONFINED),
        changed_intent(bringing(GOS, elsewhere=True), link_issuer=KEEPING_BOTH.issuing.link_issuer),
    ],
    ids=["made here", "supplied", "supplied and confined", "kept by the same one"],
)
def test_the_issuer_that_keeps_the_key_of_the_ca_in_use_is_asked_for_the_link(
    intent: Intent, golden: GoldenFiles
) -> None:
    (made,) = prepare(situation(KEPT, intent))
    assert isinstance(made, PrepareAuthority)
    assert made.links == LinkPlan(ASKING.issuing.external_issuer)
    golden.compare_said("steps", f"{made.sentence()}\n{made.because}", golden.row)


@pytest.mark.parametrize(
    ("snapshot", "intent", "why"),
    [
        pytest.param(KEPT, changed_intent(ASKING, link_issuer=None), "", id="who is asked certifies no CAs"),
        pytest.param(elsewhere(settled_with(SHORT), SHORT), ASKING, "permits no CA below it", id="path length"),
        pytest.param(
            KEPT, bringing(GOS, elsewhere=True), "is not here either", id="the key of the next one is not here"
        ),
        pytest.param(
            KEPT,
            changed_intent(bringing(CONFINED, elsewhere=True), link_issuer=KEEPING_BOTH.issuing.link_issuer),
            "has name constraints or extended key usages, and the request that its issuer makes lacks them",
            id="confined, and kept by the same one",
        ),
        pytest.param(KEPT, bringing(INTERMEDIATE, ROOT), "is no root", id="an intermediate"),
        pytest.param(KEPT, bringing(NEW), "another name to Go programs", id="a name that would become other bytes"),
        pytest.param(cluster(ca=secrets(key=None)), ASKING, "", id="a key that is lost"),
    ],
)
def test_the_issuer_that_keeps_the_key_of_the_ca_in_use_is_not_asked(
    snapshot: Snapshot, intent: Intent, why: str
) -> None:
    (made,) = prepare(situation(snapshot, intent))
    assert isinstance(made, PrepareAuthority)
    assert (made.links, bool(made.because)) == (None, bool(why))
    assert why in made.because


# The key of the next CA is kept elsewhere, and its issuer can be asked for the way back. --------------------------------

MADE, BROUGHT, CLOSED = (
    settled_with(OLD),
    bringing(NEW, elsewhere=True),
    make("Closed", key(83), path_length=0, outlives_rewriting=True),
)
ENDED = make("cluster-ca v0", key(0), end=NOW)
BOTH_KEPT = changed_intent(bringing(GOS, elsewhere=True), link_issuer=KEEPING_BOTH.issuing.link_issuer)
IN_VAULT = make("Corporate", key(84), outlives_rewriting=True)
KEPT_TOO = elsewhere(settled_with(IN_VAULT), IN_VAULT)
CONFINED_TOO = make("Corporate", key(84), outlives_rewriting=True, extra=[names(["my-kafka"])])


@pytest.mark.parametrize(
    ("snapshot", "intent", "asked"),
    [
        pytest.param(MADE, BROUGHT, True, id="the key of the CA in use is here"),
        pytest.param(MADE, bringing(CLOSED, elsewhere=True), True, id="the same, by a CA that permits none below it"),
        pytest.param(KEPT_TOO, BOTH_KEPT, True, id="both keys are kept by the same issuer"),
        pytest.param(KEPT, BOTH_KEPT, False, id="the same, and it would write the name of the CA in use again"),
        pytest.param(
            KEPT_TOO, changed_intent(bringing(CLOSED, elsewhere=True), link_issuer=KEEPING_BOTH.issuing.link_issuer), False,
            id="the same, and the next one permits none below it",
        ),
        pytest.param(elsewhere(settled_with(CONFINED_TOO), CONFINED_TOO), BOTH_KEPT, False, id="the same, and the CA in use is confined"),
        pytest.param(MADE, changed_intent(BROUGHT, link_issuer=None), False, id="its issuer certifies no CAs"),
        pytest.param(MADE, bringing(NEW), False, id="its key is here"),
        pytest.param(MADE, ASKING, False, id="it is made here"),
        pytest.param(MADE, bringing(INTERMEDIATE, ROOT, elsewhere=True), False, id="nothing leads to it"),
        pytest.param(settled_with(ENDED), BROUGHT, False, id="the CA in use has ended"),
        pytest.param(changed(MADE, users=CaUsers()), BROUGHT, False, id="leaves are sent alone"),
    ],
)  # fmt: skip
def test_the_issuer_of_the_next_ca_is_asked_for_the_way_back(
    snapshot: Snapshot, intent: Intent, asked: bool, golden: GoldenFiles
) -> None:
    made = made_by(snapshot, changed_intent(intent, client_grace=HOUR))
    planned = made.links or LinkPlan()
    assert (planned.back_issuer, bool(planned.refusing_clients)) == (
        ("Vault issuer kafka-2026", True) if asked else ("", False)
    )
    if asked:
        golden.compare_said("steps", f"{made.sentence()}\n{made.because}\n{planned.refusing_clients}", golden.row)


def test_an_issuer_that_cannot_certify_the_ca_in_use_is_not_asked_for_a_link_certificate(golden: GoldenFiles) -> None:
    intent = changed_intent(bringing(CLOSED, elsewhere=True), link_issuer=KEEPING_BOTH.issuing.link_issuer)
    because = made_by(KEPT_TOO, intent).because
    golden.compare_said("steps", because)


@pytest.mark.parametrize(
    "intent",
    [changed_intent(RENEW, external_issuer="an issuer", link_issuer=LinkIssuer("an issuer")), ASKING],
    ids=["renewal", "a key that is here"],
)
def test_no_issuer_is_asked_for_what_can_be_made_here(intent: Intent) -> None:
    (made,) = prepare(situation(cluster(), intent))
    assert isinstance(made, PrepareAuthority)
    assert made.links == (LinkPlan() if intent is ASKING else None)


IN_AN_HOUR = NOW + HOUR


@pytest.mark.parametrize(
    ("snapshot", "until", "told"),
    [
        pytest.param(settled_with(OLD), IN_AN_HOUR, "", id="before the CA in use ends"),
        pytest.param(settled_with(OLD), OLD.certificate.not_after, "its link certificates with it, ends before", id="when it ends"),
        pytest.param(settled_with(OLD), OLD.certificate.not_after + HOUR, "its link certificates with it, ends before", id="after it has ended"),
        pytest.param(settled_with(BELOW, key=None), IN_AN_HOUR, "there is no link certificate", id="without a link certificate"),
    ],
)  # fmt: skip
def test_until_when_clients_are_led_on(snapshot: Snapshot, until: datetime, told: str) -> None:
    (step,) = prepare(situation(snapshot, changed_intent(REPLACE_KEY, link_until=until)))
    assert isinstance(step, PrepareAuthority)
    assert step.links == (None if "no link certificate" in told else LinkPlan(back_until=until))
    assert (told in step.because, bool(step.because)) == (True, bool(told))


def test_no_link_certificate_is_made_where_leaves_are_sent_alone() -> None:
    snapshot = changed(settled_with(OLD), users=CaUsers())
    (step,) = prepare(situation(snapshot, changed_intent(REPLACE_KEY, link_until=IN_AN_HOUR)))
    assert isinstance(step, PrepareAuthority)
    assert step.links is None


# A process without a leaf to start with, whose CA in use no issuer signs with any more.


AT_ONCE = an_intent(Goal.REPLACE_KEY, external_issuer=ISSUER, client_grace=timedelta(0))
_BEFORE = unlinked.READ_BACK
#: All but the last node have restarted, and trust the next CA.
ALL_BUT_LAST = (*unlinked.nodes(OLD, 0, 1)[:2], _BEFORE.nodes.pods[2])


def without_leaf(*lost: str, snapshot: Snapshot = _BEFORE, pods: tuple[Pod, ...] = ALL_BUT_LAST) -> Snapshot:
    """The leaves of these nodes are lost, and the issuer has made leaves of the next CA."""
    seen = changed(
        elsewhere(snapshot, OLD, NEW),
        pods=pods,
        leaves=leaves(names=[name for name in PODS if name not in lost]),
        missing=dict.fromkeys(lost, Component.KAFKA),
    )
    return with_requests(seen, *(answered(name) for name in lost))


@pytest.mark.parametrize(
    ("snapshot", "served"),
    [
        pytest.param(without_leaf(PODS[2]), PODS[2], id="it is the last that does not trust the next CA"),
        pytest.param(without_leaf(PODS[1], PODS[2]), PODS[2], id="a node that trusts the next CA has lost its leaf as well"),
        pytest.param(without_leaf(PODS[0], pods=ALL_BUT_LAST), None, id="another node does not trust the next CA"),
        pytest.param(without_leaf(PODS[2], pods=_BEFORE.nodes.pods), None, id="no node has restarted"),
        pytest.param(without_leaf(PODS[2], snapshot=unlinked.ENROLLED), None, id="the next CA is not published"),
        pytest.param(without_leaf(), None, id="no leaf is lost"),
    ],
)  # fmt: skip
def test_the_last_process_gets_a_leaf_of_the_next_ca_before_its_restart(snapshot: Snapshot, served: str | None) -> None:
    steps = issue_before_last_restart(situation(snapshot, AT_ONCE))
    assert [(step.secrets, step.issuer, step.phase) for step in steps if isinstance(step, IssueLeaves)] == (
        [((served,), chain_of(NEW), Phase.TRUST)] if served else []
    )
    assert len(steps) == (1 if served else 0)


def test_clients_get_their_time_before_the_last_process_gets_a_leaf_of_the_next_ca() -> None:
    (wait,) = issue_before_last_restart(situation(without_leaf(PODS[2]), changed_intent(AT_ONCE, client_grace=3 * DAY)))
    assert isinstance(wait, AwaitClients)
    assert wait.certificate == NEW.certificate
