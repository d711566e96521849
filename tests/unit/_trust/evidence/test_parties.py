# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stored objects and the answers of listeners tell what every pod presents and trusts (I5), and what a program presents that has not read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import (
    find_trust_doubts,
    known_presenters,
    leaf_shown_by,
    may_present_ended,
    pods_accepting,
    pods_trusting_removed,
    possible_holders_of_undone,
    possibly_trusted_by,
    present_all,
    presenters,
    presenting_ended,
    presenting_stored,
    surely_trusted_by,
    unanswered,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import Presentation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import removal_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Presenter, Renewal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FormerLeaf,
    Outgoing,
    RemovedEntry,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import (
    ObservedListener,
    Unanswered,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    Pod,
    Snapshot,
)

from ....tools.support.certificates import DAY, NOW, Entity
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ..authorities import NEW, OLD, THIRD, name_of, names_of, stored_chain
from ..builders import changed, cluster, prepared, secrets
from ..ledgers import a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, uids_of
from ..of_users import STAGES, presenter, presenting

NODE, PEER, TOPICS = a_pod(), a_pod(PODS[1]), a_pod("topics", component=Component.ENTITY_OPERATOR)
LEFT, KNOWN, UNSEEN = entry(OLD, generations={0}), entry(NEW), entry(THIRD, awaited_pods={NODE.uid})
BOOKS = ledger(LEFT, KNOWN, UNSEEN)
SEEN = cluster(pods=(NODE, PEER, TOPICS), leaves=leaves(names=(NODE.name, PEER.name, TOPICS.name)), ledger=BOOKS)
CHAIN, FORMER = stored_chain(OLD), issue_leaf(OLD, "former")
EMPTY: frozenset[str] = frozenset()
FORMER_OF_PEER = FormerLeaf(FORMER, uids_of(PEER.name))
SAYS_NOTHING = ObservedListener(NODE.name, NODE.uid, 9090, failure="timed out")


def on(pod: Pod, port: int = 9091, **fields: Any) -> ObservedListener:
    """A listener that presents the stored leaf, accepts both CAs that its process knows since it started, and no other."""
    trusts = {"accepts": names_of(OLD, NEW), "refuses": names_of(THIRD)}
    return ObservedListener(pod.name, pod.uid, port, **{"presents": CHAIN, "source": "handshake", **trusts, **fields})


#: A listener that tells a name which CAs with other keys have too, and no probe of NEW.
SHARED = {"accepts": names_of(OLD), "doubts": {name_of(NEW): "a name"}, "shared": names_of(NEW)}


def looked(*seen: ObservedListener, **fields: Any) -> Snapshot:
    """The run asked the listeners, and this is what it saw."""
    return changed(SEEN, listeners=seen, **fields)


# --- what a pod presents

BY_STORE = Presentation(NODE.name, names_of(OLD), (CHAIN,), "stored leaf")
BY_HANDSHAKE = replace(BY_STORE, evidence="handshake")


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(SEEN, BY_STORE, id="the run asked no listener"),
        pytest.param(looked(on(NODE)), BY_HANDSHAKE, id="seen"),
        pytest.param(looked(on(NODE), on(NODE, 9090)), BY_HANDSHAKE, id="seen on both"),
        pytest.param(
            looked(on(PEER)), Presentation(NODE.name, None, (), "the run asked none of its listeners"), id="silent"
        ),
        pytest.param(
            looked(on(NODE), on(NODE, 9090, presents=None, failure="no answer")),
            Presentation(NODE.name, None, (), "no answer"), id="one of two is silent",
        ),
        pytest.param(
            looked(on(NODE, presents=(FORMER,))),
            Presentation(
                NODE.name, None, (), "port 9091 presents another certificate than the pod was "
                "started with (stored leaf)",
            ),
            id="another certificate",
        ),
    ],
)  # fmt: skip
def test_a_node_presents_the_ca_that_its_listeners_show_or_else_the_stored_evidence(
    snapshot: Snapshot, expected: Presentation
) -> None:
    assert present_all(snapshot, BOOKS)[0] == expected


@pytest.mark.parametrize("component", [one for one in Component if one is not Component.KAFKA])
def test_a_pod_without_listeners_presents_its_stored_leaf(component: Component) -> None:
    other = replace(TOPICS, component=component)
    assert present_all(looked(pods=(other,)), BOOKS) == (replace(BY_STORE, party=TOPICS.name),)


@pytest.mark.parametrize("read", [False, True], ids=["before it has read again", "afterwards"])
@pytest.mark.parametrize("generation", [0, None], ids=["annotated", "its annotation was removed"])
def test_a_node_that_has_reloaded_its_listeners_presents_the_old_and_the_new_leaf(
    generation: int | None, read: bool
) -> None:
    """Its listeners present the leaf that they have read; its Raft client goes on with the leaf that the process was started with."""
    presented = stored_chain(NEW) if read else (FORMER,)
    between = replace(NODE, generation=generation)
    listeners = (on(NODE, presents=presented), on(NODE, 9090, presents=presented))
    former = FormerLeaf(FORMER, EMPTY if read else uids_of(NODE.name), uids_of(NODE.name) if read else EMPTY)
    snapshot = looked(*listeners, pods=(between,), leaves=(a_leaf(issuer=NEW),))
    (seen,) = present_all(snapshot, replace(BOOKS, former_leaves=(FORMER_OF_PEER, former)))
    assert seen.authorities == (names_of(OLD, NEW) if read or generation is not None else names_of(OLD))
    assert set(seen.chains) == {presented, (FORMER,)}


def test_a_listener_shows_which_of_two_cas_with_one_generation_a_node_presents() -> None:
    """Between first use and switch both CAs have one generation. A leaf that another node presents says nothing about this node."""
    open_to_both = replace(NODE, presents_stored=False)
    ca = secrets(prepared=(prepared(NEW),))
    books = replace(BOOKS, former_leaves=(FORMER_OF_PEER,))
    stored_only = changed(SEEN, pods=(open_to_both,), ca=ca)
    assert [seen.authorities for seen in present_all(stored_only, books)] == [names_of(OLD, NEW)]
    asked = changed(stored_only, listeners=(on(NODE, presents=stored_chain(NEW)),))
    assert [seen.authorities for seen in present_all(asked, books)] == [names_of(NEW)]


# --- what a pod trusts


@pytest.mark.parametrize(
    ("seen", "trusted", "doubt"),
    [
        pytest.param((on(NODE), on(NODE, 9090)), (OLD, NEW), (), id="accepts both"),
        pytest.param((on(NODE, accepts=names_of(OLD, NEW, THIRD)),), (OLD, NEW), (), id="accepts one that it has read since"),
        pytest.param(
            (on(NODE, accepts=names_of(OLD), refuses=names_of(NEW)),), (OLD,),
            ("it trusts the CA, judged by the time of its start, but on port 9091 it does not",),
            id="refuses one",
        ),
        pytest.param(
            (on(NODE), on(NODE, 9090, accepts=names_of(OLD), refuses=names_of(NEW))), (OLD,),
            ("it trusts the CA on port 9091, but not on port 9090",), id="listeners differ",
        ),
        pytest.param(
            (on(NODE, accepts=names_of(OLD), doubts={name_of(NEW): "no answer"}),), (OLD,), ("no answer",), id="a doubt"
        ),
        pytest.param((on(NODE, **SHARED), on(NODE, 9090, **SHARED)), (OLD, NEW), (), id="a name that CAs with other keys have"),
        pytest.param((on(NODE, **SHARED), on(NODE, 9090)), (OLD,), ("a name",), id="that on one of two"),
        pytest.param(
            (on(NODE, **SHARED), on(NODE, 9090, accepts=names_of(OLD), refuses=names_of(NEW))), (OLD,), ("a name",),
            id="that on one of two, the other refuses",
        ),
        pytest.param((), (), (), id="silent"),
        pytest.param(
            (on(NODE, verifies=False),), (), ("the run asked none of its listeners",),
            id="none that verifies clients by these CAs",
        ),
        pytest.param((on(NODE), on(NODE, 9094, verifies=False, accepts=EMPTY)), (OLD, NEW), (), id="one does not verify"),
    ],
)  # fmt: skip
def test_cas_that_a_node_is_known_to_trust(
    seen: tuple[ObservedListener, ...], trusted: tuple[Entity, ...], doubt: tuple[str, ...]
) -> None:
    """Not THIRD, which it does not know since it started; its Raft client and agent have read nothing since then."""
    alone = looked(*seen, pods=(NODE,))
    assert surely_trusted_by(NODE, alone, BOOKS) == tuple(one.certificate for one in trusted)
    assert find_trust_doubts(alone, BOOKS) == tuple((NODE.name, why) for why in doubt)


@pytest.mark.parametrize(
    ("seen", "pod", "why"),
    [
        pytest.param((on(NODE),), NODE, "", id="answered"),
        pytest.param((on(NODE, presents=None),), NODE, "", id="answered, its certificate was not seen"),
        pytest.param((), NODE, "it did not answer in time, or it has started since", id="not asked"),
        pytest.param((replace(on(NODE), uid="before"),), NODE, "it did not answer in time, or it has started since", id="its predecessor was"),
        pytest.param((on(NODE), SAYS_NOTHING), NODE, "timed out", id="one of two listeners"),
        pytest.param((SAYS_NOTHING,), replace(NODE, ready=False), "it is not Ready; timed out", id="starting"),
        pytest.param((on(NODE),), replace(NODE, ready=False), "", id="starting, answered"),
        pytest.param((on(NODE),), replace(NODE, terminating=True), "it is being terminated", id="leaving"),
    ],
)  # fmt: skip
def test_nodes_that_have_not_answered(seen: tuple[ObservedListener, ...], pod: Pod, why: str) -> None:
    """Not the pod that opens no listener; and no pod where the run asked none, or where the pod is assumed to present what is stored."""
    pod = replace(pod, worker="worker-1")
    alone = looked(*seen, pods=(pod, TOPICS))
    assert unanswered(alone) == ((Unanswered(NODE.name, NODE.uid, "worker-1", why),) if why else ())
    assert unanswered(changed(alone, listeners=None)) == unanswered(alone.assuming(frozenset({NODE.uid}))) == ()


def test_the_answer_of_a_node_that_neither_presents_nor_verifies_is_not_missed() -> None:
    assert unanswered(looked(pods=(replace(NODE, verifies_only=True),))) != ()
    assert unanswered(looked(pods=(replace(NODE, verifies_only=True),), has_verifiers=False)) == ()


def test_stored_evidence_stands_for_the_answer_of_an_assumed_node() -> None:
    """The other nodes count by their own answers."""
    alone = looked(on(PEER, refuses=names_of(OLD), accepts=EMPTY), pods=(NODE, PEER)).assuming(frozenset({NODE.uid}))
    assert present_all(alone, BOOKS)[0] == BY_STORE
    assert surely_trusted_by(NODE, alone, BOOKS) == (OLD.certificate, NEW.certificate)
    assert surely_trusted_by(PEER, alone, BOOKS) == ()


def test_only_a_refusal_is_a_refusal() -> None:
    said = looked(on(NODE, accepts=EMPTY, refuses=names_of(NEW)), pods=(NODE, PEER))
    assert possibly_trusted_by(NODE, said, BOOKS) == (OLD.certificate,)
    assert possibly_trusted_by(PEER, said, BOOKS) == (OLD.certificate, NEW.certificate, THIRD.certificate)


def test_a_pod_trusts_the_cas_of_its_start_where_no_listener_was_asked() -> None:
    for pod, trusted in ((NODE, (OLD, NEW)), (TOPICS, (OLD, NEW, THIRD))):
        assert surely_trusted_by(pod, SEEN, BOOKS) == tuple(one.certificate for one in trusted)
    assert find_trust_doubts(SEEN, BOOKS) == ()
    assert find_trust_doubts(looked(on(NODE), on(PEER, accepts=names_of(OLD, NEW, THIRD), refuses=EMPTY)), BOOKS) == ()
    assert surely_trusted_by(TOPICS, looked(), BOOKS) == surely_trusted_by(TOPICS, SEEN, BOOKS)


# --- who still trusts a CA that left

GONE = RemovedEntry(OLD.certificate, frozenset({NODE.uid, TOPICS.uid, "gone"}))
REFUSES = {"accepts": names_of(NEW), "refuses": names_of(OLD)}
UNTOLD = {"accepts": names_of(NEW), "refuses": EMPTY, "shared": names_of(OLD)}


def test_a_component_that_started_after_a_removal_does_not_trust_the_removed_ca() -> None:
    """It opens no listener that could be asked, so its start is the only evidence."""
    removed = replace(GONE, awaited_pods=uids_of(NODE.name))
    assert pods_trusting_removed(removed, looked(on(NODE), on(PEER, **REFUSES))) == uids_of(NODE.name)


@pytest.mark.parametrize(
    ("seen", "trusting"),
    [
        pytest.param(None, {NODE, TOPICS}, id="no listener was asked: each pod that started before and still runs"),
        pytest.param((on(NODE, **REFUSES), on(PEER, **REFUSES)), {TOPICS}, id="nodes refuse it"),
        pytest.param((on(NODE), on(PEER, **REFUSES)), {NODE, TOPICS}, id="one accepts it"),
        pytest.param((on(NODE, **REFUSES), on(PEER)), {PEER, TOPICS}, id="one that started later accepts it"),
        pytest.param((on(NODE, **REFUSES),), {PEER, TOPICS}, id="one does not answer"),
        pytest.param((on(NODE, **REFUSES), on(NODE, 9090), on(PEER, **REFUSES)), {NODE, TOPICS}, id="on one port only"),
        pytest.param(
            (on(NODE, **UNTOLD), on(PEER, **UNTOLD)),
            {NODE, TOPICS},
            id="a shared name tells nothing: each pod that started before",
        ),
        pytest.param(
            (on(NODE, **UNTOLD), on(PEER)), {NODE, PEER, TOPICS}, id="the one accepts it, of the other it is not known"
        ),
        pytest.param(
            (on(NODE, **REFUSES), on(NODE, 9090, **UNTOLD), on(PEER, **UNTOLD)),
            {NODE, TOPICS},
            id="not known on one port",
        ),
        pytest.param(
            (on(NODE, accepts=EMPTY), on(PEER, **REFUSES)), {NODE, TOPICS}, id="it was not asked about this CA"
        ),
    ],
)
def test_pods_that_may_still_trust_a_removed_ca(seen: tuple[ObservedListener, ...] | None, trusting: set[Pod]) -> None:
    assert pods_trusting_removed(GONE, changed(SEEN, listeners=seen)) == {pod.uid for pod in trusting}


# --- who presents what is stored


@pytest.mark.parametrize(
    ("seen", "presenting"),
    [
        pytest.param((), set(), id="nothing was seen"),
        pytest.param((on(NODE), on(NODE, 9090), on(PEER, presents=(FORMER,))), {NODE}, id="one has not read again"),
        pytest.param(
            (on(NODE), on(NODE, 9090, presents=(FORMER,))), set(), id="one of two listeners has not read again"
        ),
        pytest.param((on(NODE), on(NODE, 9090, presents=None)), set(), id="one of two listeners is silent"),
        pytest.param((replace(on(NODE), uid="before"),), set(), id="its predecessor"),
    ],
)
def test_a_pod_presents_the_stored_leaf_when_all_its_listeners_do(
    seen: tuple[ObservedListener, ...], presenting: set[Pod]
) -> None:
    assert presenting_stored(looked(*seen)) == {pod.uid for pod in presenting}


def test_a_stored_leaf_that_cannot_be_read_is_presented_by_no_pod() -> None:
    assert presenting_stored(looked(on(NODE), leaves=(a_leaf(chain=None),))) == set()


@pytest.mark.parametrize(
    ("seen", "shown"),
    [
        pytest.param((on(NODE), on(NODE, 9090)), CHAIN[0], id="one"),
        pytest.param((on(NODE), on(NODE, 9090, presents=(CHAIN[0], FORMER))), CHAIN[0], id="one, before other CAs"),
        pytest.param((on(NODE), on(NODE, 9090, presents=(FORMER,))), None, id="several"),
        pytest.param((on(NODE), on(NODE, 9090, presents=None)), None, id="a listener that has not answered"),
        pytest.param((on(PEER),), None, id="no listener"),
        pytest.param(None, None, id="not asked"),
    ],
)
def test_the_leaf_that_all_listeners_of_a_node_present(
    seen: tuple[ObservedListener, ...] | None, shown: Certificate | None
) -> None:
    assert leaf_shown_by(NODE, changed(SEEN, listeners=seen)) == shown


def of_third(end: datetime) -> Certificate:
    return issue_leaf(THIRD, end=end)


LATER, SOON = NOW + DAY, NOW + timedelta(seconds=1)
ENDED, LONG_ENDED = NOW, NOW - DAY


@pytest.mark.parametrize(
    ("seen", "stored", "ends"),
    [
        pytest.param(None, {NODE: LATER, PEER: LATER}, {}, id="none"),
        pytest.param(None, {NODE: ENDED, PEER: SOON}, {NODE: ENDED}, id="stored"),
        pytest.param((on(PEER),), {NODE: ENDED, PEER: ENDED}, {NODE: ENDED}, id="the answer of a node counts, and not what is stored"),
        pytest.param((on(PEER, presents=None),), {NODE: LATER, PEER: ENDED}, {PEER: ENDED}, id="a listener that shows nothing"),
        pytest.param(
            (on(NODE, presents=(of_third(ENDED),)), on(NODE, 9090, presents=(of_third(LONG_ENDED), THIRD.certificate)), on(NODE, 9094)),
            {NODE: LATER, PEER: LATER}, {NODE: LONG_ENDED}, id="the first end of several listeners",
        ),
    ],
)  # fmt: skip
def test_nodes_that_present_an_ended_certificate(
    seen: tuple[ObservedListener, ...] | None, stored: dict[Pod, datetime], ends: dict[Pod, datetime]
) -> None:
    """Not the pod that is no node. A leaf in another Secret, or one that cannot be read, says nothing about a node."""
    own = (a_leaf(pod.name, chain=(of_third(end), THIRD.certificate)) for pod, end in stored.items())
    others = (a_leaf(TOPICS.name, chain=(of_third(LONG_ENDED),)), a_leaf("unread", chain=None))
    found = presenting_ended(changed(SEEN, listeners=seen, leaves=(*own, *others), pods=(NODE, PEER, TOPICS)))
    assert found == {pod.uid: end for pod, end in ends.items()}


@pytest.mark.parametrize("presents_stored", [False, None])
def test_of_a_node_that_was_started_with_another_leaf_the_stored_leaf_says_nothing(
    presents_stored: bool | None,
) -> None:
    """Only its answers show whether that has ended."""
    other = replace(NODE, presents_stored=presents_stored)
    snapshot = changed(
        SEEN,
        pods=(other, PEER, replace(TOPICS, presents_stored=False)),
        leaves=(a_leaf(chain=(of_third(LONG_ENDED),)),),
    )
    assert presenting_ended(snapshot) == {}
    assert may_present_ended(snapshot) == {NODE.uid}


def test_nodes_that_accept_a_ca() -> None:
    """Neither a node that has not answered, nor a pod that opens no listener, whatever it trusts."""
    snapshot = looked(on(NODE), on(NODE, 9090), on(PEER), on(PEER, 9090, **REFUSES))
    assert pods_accepting(name_of(OLD), snapshot) == {NODE.uid}
    assert pods_accepting(name_of(THIRD), snapshot) == pods_accepting(name_of(OLD), looked(on(TOPICS))) == set()


# --- who may have started with a leaf of a CA that an abort gives up

UNDOING = a_journal(old=NEW, is_abort=True)
ASKED = (on(NODE), on(PEER))
READ_AGAIN = (FormerLeaf(FORMER, frozenset({NODE.uid})),)


@pytest.mark.parametrize(
    ("fields", "books", "holders"),
    [
        pytest.param({}, {}, (NODE, PEER, TOPICS), id="any"),
        pytest.param({"in_place_obstacles": None}, {}, (), id="the call has not looked yet"),
        pytest.param({}, {"journal": a_journal(old=NEW)}, (), id="the flow is none that is undone"),
        pytest.param({}, {"journal": None}, (), id="no flow"),
        pytest.param({}, {"journal": replace(UNDOING, unsure_pods=frozenset({PEER.uid}))}, (PEER,), id="noted before"),
        pytest.param({}, {"entries": (LEFT, entry(NEW, awaited_pods={NODE.uid}))}, (PEER, TOPICS), id="one ran before the CA was published"),
        pytest.param({}, {"entries": (entry(OLD, awaited_pods={PEER.uid}), entry(NEW, awaited_pods=None))}, (NODE, PEER, TOPICS), id="it was not published"),
        pytest.param({}, {"entries": (LEFT,)}, (NODE, PEER, TOPICS), id="the ledger has it no more"),
        pytest.param({"listeners": ASKED}, {}, (TOPICS,), id="nodes have answered"),
        pytest.param({"listeners": ASKED[:1]}, {}, (PEER, TOPICS), id="one has not answered"),
        pytest.param({"listeners": ASKED}, {"former_leaves": READ_AGAIN}, (NODE, TOPICS), id="one has read again since"),
    ],
)  # fmt: skip
def test_pods_that_may_have_started_with_a_leaf_of_a_ca_that_is_given_up(
    fields: dict[str, Any], books: dict[str, Any], holders: tuple[Pod, ...]
) -> None:
    snapshot = changed(SEEN, **{"in_place_obstacles": InPlaceObstacles(), **fields})
    assert possible_holders_of_undone(snapshot, replace(BOOKS, **{"journal": UNDOING, **books})) == holders


_SETS = st.sampled_from([names_of(*some) for some in ((), (OLD,), (NEW, THIRD), (OLD, NEW, THIRD))])
_SEEN = st.builds(
    on,
    st.sampled_from([NODE, PEER]),
    st.sampled_from([9090, 9091]),
    accepts=_SETS,
    refuses=_SETS,
    verifies=st.booleans(),
    presents=st.sampled_from([CHAIN, (FORMER,), None]),
)


@given(st.lists(_SEEN, max_size=6))
def test_looking_only_ever_takes_trust_away_and_silence_never_clears(seen: list[ObservedListener]) -> None:
    snapshot = looked(*seen)
    for pod in snapshot.nodes.pods:
        assert set(surely_trusted_by(pod, snapshot, BOOKS)) <= set(surely_trusted_by(pod, SEEN, BOOKS))
    cleared = {NODE.uid, PEER.uid} - pods_trusting_removed(GONE, snapshot)
    for uid in cleared:
        own = [one for one in seen if one.uid == uid and one.verifies]
        assert own
        assert all(GONE.fingerprint in one.refuses - one.accepts for one in own)


# A program that has not read its last certificate presents the one before, until the last of those has ended.

POD = "Pod kafka/billing"
LATE = presenter(
    POD,
    renewal=Renewal.BY_HAND,
    authorities=names_of(OLD, NEW),
    certificate_source=f"{POD} orders",
    evidence="It is late",
)
READ = Outgoing(frozenset({LATE.certificate_source}), NOW, is_complete=True)


def seen(one: Presenter = LATE, outgoing: Outgoing | None = READ, **journal: Any) -> Snapshot:
    stage = STAGES["issued"]
    books = replace(stage.ledger_or_empty, journal=a_journal(outgoing_certificates=outgoing, **journal))
    return changed(stage, ledger=books, presenters=presenting(one, current=NEW))


def holds(snapshot: Snapshot) -> bool:
    """Whether the old CA has to stay for that program."""
    gate = removal_gate(snapshot, snapshot.ledger_or_empty, name_of(OLD))
    assert any(OLD.certificate.fingerprint in (one.authorities or ()) for one in presenters(snapshot)) is bool(gate)
    return bool(gate)


@pytest.mark.parametrize("end", [NOW, NOW - DAY])
def test_an_ended_outgoing_certificate_holds_no_flow(end: datetime) -> None:
    snapshot = seen(outgoing=replace(READ, ends_at=end))
    assert [one.authorities for one in known_presenters(snapshot)] == [names_of(NEW), names_of(NEW)]
    assert not holds(snapshot)


@pytest.mark.parametrize("after", [timedelta(microseconds=1), 2 * DAY])
def test_a_program_with_an_outgoing_certificate_holds_the_flow_until_that_certificate_ends(
    after: timedelta, golden: GoldenFiles
) -> None:
    snapshot = seen(outgoing=replace(READ, ends_at=NOW + after))
    assert holds(snapshot)
    *_operator, found = known_presenters(snapshot)
    end = f"{NOW + after:%Y-%m-%dT%H:%M:%SZ}"
    assert replace(found, evidence=LATE.evidence) == LATE
    assert end in found.evidence
    golden.compare_said("stops_in_rules", found.evidence)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(lambda: seen(outgoing=None), id="nothing is known"),
        pytest.param(lambda: seen(outgoing=replace(READ, readers=frozenset({"x"}))), id="it was late already"),
        pytest.param(lambda: seen(outgoing=replace(READ, is_complete=False)), id="the switch has not been seen"),
        pytest.param(lambda: seen(finished_at=NOW), id="of a flow that has finished"),
        pytest.param(lambda: replace(seen(), ca=secrets(OLD)), id="the old CA was put back"),
        pytest.param(lambda: seen(successor=" "), id="a CA with a later fingerprint was put in use"),
        pytest.param(lambda: seen(successor="~"), id="a CA with an earlier fingerprint was put in use"),
        pytest.param(lambda: seen(replace(LATE, ends_at=NOW + DAY)), id="it has read one of the old CA since"),
        pytest.param(lambda: seen(replace(LATE, certificate_source="")), id="another program writes what it reads"),
    ],
)
def test_an_unknown_outgoing_certificate_holds_the_flow(changed: Callable[[], Snapshot]) -> None:
    snapshot = changed()
    assert known_presenters(snapshot) == snapshot.presenters
    assert any(name_of(OLD) in (one.authorities or ()) for one in presenters(snapshot) if one.name == POD)


def test_a_presenter_with_unknown_issuers_holds() -> None:
    unknown = replace(LATE, authorities=None)
    assert known_presenters(seen(unknown))[-1] == unknown


def test_without_a_ledger_nothing_is_known() -> None:
    snapshot = replace(seen(), ledger=None)
    assert known_presenters(snapshot) == snapshot.presenters
