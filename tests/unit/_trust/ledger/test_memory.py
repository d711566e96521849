# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger's memory of running processes: their leaves, the CAs that left and the leaves that are stored no more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import (
    forget_former,
    forget_removed,
    nodes_yet_to_read,
    note_former,
    note_user_namespaces,
    remember_leaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import UserNamespace
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FormerLeaf,
    Ledger,
    RemovedEntry,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Pod, Snapshot, StoredLeaf

from ....tools.support.certificates import leaf as issue_leaf
from ..authorities import NEW, OLD, RENEWED, THIRD, names_of, stored_chain
from ..builders import answering, changed, cluster, others, secrets, with_pods_noted
from ..ledgers import a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uids_of

BOTH = ledger(entry(OLD, generations={0}), entry(NEW, generations={1}))
EMPTY: frozenset[str] = frozenset()
TEAM, USERS = UserNamespace("team"), UserNamespace("users", "kafka-")


def nodes(*hashes: str | None, **fields: Any) -> tuple[Pod, ...]:
    """Each with the leaf that it says it was started with."""
    return tuple(
        a_pod(name, **{"leaf_hash": known or "", "presents_stored": None if known is None else True, **fields})
        for name, known in zip(PODS, hashes, strict=False)
    )


def remembered(snapshot: Snapshot, books: Ledger = BOTH) -> list[set[str]]:
    """The remembered leaves of each CA of the ledger."""
    after = remember_leaves(snapshot, books)
    assert [replace(one, leaf_hashes=EMPTY) for one in after.entries] == [
        replace(one, leaf_hashes=EMPTY) for one in books.entries
    ]
    return [set(one.leaf_hashes) for one in after.entries]


def knowing(*leaves_of_both: set[str]) -> Ledger:
    return Ledger(
        tuple(
            replace(one, leaf_hashes=frozenset(known)) for one, known in zip(BOTH.entries, leaves_of_both, strict=True)
        )
    )


# --- leaves that processes were started with


def test_the_ledger_remembers_by_ca_the_leaves_that_pods_were_started_with() -> None:
    stored = (*leaves(OLD, 0, names=PODS[:2]), a_leaf(PODS[2], NEW, 0))
    assert remembered(cluster(pods=nodes("a", "b", "c"), leaves=stored)) == [{"a", "b"}, {"c"}]


def test_the_ca_of_a_pods_leaf_stays_known_when_its_secret_holds_another_leaf() -> None:
    """The pod goes on with its earlier leaf, about which the issuer of the new leaf says nothing."""
    written = cluster(pods=nodes("a", "b", presents_stored=False), leaves=leaves(NEW, 1))
    assert remembered(written, knowing({"a", "b"}, set())) == [{"a", "b"}, set()]
    assert remembered(written) == [set(), set()]


def test_an_earlier_leaf_that_is_put_back_makes_the_ca_of_the_next_leaf_doubtful() -> None:
    """A pod that starts now presents the earlier leaf, under the annotations of the next leaf."""
    back = cluster(
        pods=nodes("a", "b", presents_stored=False), leaves=(a_leaf(PODS[0], OLD, 0), a_leaf(PODS[1], NEW, 0))
    )
    replacing = replace(knowing({"c"}, {"a", "b"}), journal=a_journal())
    assert remembered(back, replacing) == [set(), {"b"}]
    assert remembered(back, replace(replacing, journal=None)) == [set(), {"a", "b"}]


def test_a_former_leaf_in_the_place_of_another_makes_nothing_doubtful() -> None:
    """These pods were not started with leaves of the next CA, and nothing new is said about their leaves."""
    rewritten = cluster(pods=nodes("a", "b", presents_stored=False), leaves=leaves(OLD, 0))
    replacing = replace(knowing({"a", "b"}, set()), journal=a_journal())
    assert remembered(rewritten, replacing) == [{"a", "b"}, set()]


def test_a_leaf_stays_with_the_ca_that_was_in_use_when_its_pod_started() -> None:
    """The same leaf also validates under the renewed CA."""
    twins = ledger(
        entry(OLD, generations={0}, leaf_hashes={"a"}), entry(RENEWED, generations={1})
    )  # fmt: skip
    assert remembered(cluster(pods=nodes("a", generation=1)), twins) == [{"a"}, set()]


def test_a_leaf_hash_without_a_pod_is_forgotten() -> None:
    assert remembered(cluster(pods=nodes("b")), knowing({"a"}, {"c"})) == [{"b"}, set()]


@pytest.mark.parametrize(
    ("pod", "stored"),
    [
        pytest.param(nodes(None), leaves(), id="it does not say what it was started with"),
        pytest.param(nodes("a"), (), id="its Secret is gone"),
        pytest.param(nodes("a"), leaves(THIRD), id="its leaf is a stranger's"),
        pytest.param(
            nodes("a", leaves=("topic", "user")), (a_leaf("topic"), a_leaf("user", NEW)), id="it presents both"
        ),
    ],
)
def test_an_unknown_leaf_is_not_remembered(pod: tuple[Pod, ...], stored: tuple[StoredLeaf, ...]) -> None:
    assert remembered(cluster(pods=pod, leaves=stored)) == [set(), set()]


# --- CAs that left the trust

GONE = RemovedEntry(OLD.certificate, uids_of(*PODS[:2]), uids_of(PODS[2]))
BACK = replace(GONE, is_back=True)


def without(removed: RemovedEntry, **fields: Any) -> Snapshot:
    """NEW alone is in use. It is what listeners accept, where they were asked."""
    return cluster(
        ca=secrets(NEW, certificate_generation=1),
        ledger=ledger(entry(NEW, generations={1}), removed_cas=(removed,)),
        **{"pods": pods(1), "leaves": leaves(NEW, 1), **fields},
    )


def answered(removed: RemovedEntry, *accepting: str) -> Snapshot:
    """Every node was asked, and these still accept the removed CA."""
    snapshot = answering(without(removed), accepting=names_of(NEW), refusing=names_of(OLD))
    listeners = (
        replace(one, accepts=names_of(NEW, OLD), refuses=EMPTY) if one.pod in accepting else one
        for one in snapshot.nodes.listeners or ()
    )
    return changed(snapshot, listeners=tuple(listeners))


def with_old_among_the_trusted(snapshot: Snapshot) -> Snapshot:
    return snapshot.with_ca(other_entries=others(OLD))


@pytest.mark.parametrize(
    ("snapshot", "left"),
    [
        pytest.param(without(GONE), (GONE,), id="no listener was asked: the pods that knew it run still"),
        pytest.param(
            without(GONE, pods=(*pods(1, start=1, names=PODS[:2]), *pods(1, names=PODS[2:]))),
            (RemovedEntry(OLD.certificate, EMPTY, uids_of(PODS[2])),),
            id="those whose listeners knew it are gone, and another process knows it still",
        ),
        pytest.param(without(GONE, pods=pods(1, start=1)), (), id="all that knew it are gone"),
        pytest.param(
            answered(GONE), (RemovedEntry(OLD.certificate, EMPTY, uids_of()),),
            id="all listeners refuse it: the rest of these processes knows it still",
        ),
        pytest.param(
            answered(replace(GONE, lingering_pods=uids_of())), (RemovedEntry(OLD.certificate, EMPTY, uids_of()),),
            id="the same, of some it was known before",
        ),
        pytest.param(answered(GONE, PODS[1]), (GONE,), id="a listener accepts it"),
        pytest.param(
            answered(replace(GONE, awaited_pods=uids_of(PODS[0])), PODS[1]), (replace(GONE, awaited_pods=uids_of(PODS[0])),),
            id="one accepts it that was not thought to: it was in the bundle once more when that one started",
        ),
        pytest.param(
            answered(RemovedEntry(OLD.certificate, EMPTY), PODS[1]), (RemovedEntry(OLD.certificate, EMPTY),),
            id="the same, and no other pod is waited for",
        ),
        pytest.param(answered(RemovedEntry(OLD.certificate, EMPTY)), (), id="no pod knows it"),
        pytest.param(
            with_old_among_the_trusted(answered(replace(GONE, awaited_pods=uids_of(PODS[0])))),
            (replace(BACK, awaited_pods=uids_of()),), id="it was put back: each pod may know it",
        ),
        pytest.param(
            changed(answered(replace(GONE, awaited_pods=uids_of(PODS[0]))), bundle=names_of(NEW, OLD)),
            (replace(BACK, awaited_pods=uids_of()),), id="the bundle still contains it: each pod may know it",
        ),
        pytest.param(
            changed(with_old_among_the_trusted(without(GONE)), pods=()), (BACK,), id="it was put back, and no pod runs"
        ),
        pytest.param(
            changed(with_old_among_the_trusted(without(GONE)), bundle=None), (replace(BACK, awaited_pods=uids_of()),),
            id="it was put back, and there is no bundle",
        ),
        pytest.param(
            changed(without(RemovedEntry(OLD.certificate, EMPTY, uids_of(PODS[2]))), bundle=names_of(NEW, OLD)),
            (RemovedEntry(OLD.certificate, uids_of(), uids_of(PODS[2]), is_back=True),),
            id="the bundle contains it, and no listener knew it any more",
        ),
        pytest.param(
            without(BACK), (replace(GONE, awaited_pods=uids_of()),),
            id="it has left again: a pod that started before may know it",
        ),
        pytest.param(
            answered(BACK), (RemovedEntry(OLD.certificate, EMPTY, uids_of()),), id="it has left again, and all listeners refuse it"
        ),
        pytest.param(without(BACK, pods=()), (BACK,), id="it has left again, and no pod runs"),
        pytest.param(without(GONE, pods=()), (GONE,), id="no pod runs: it may come back before one does"),
        pytest.param(
            changed(without(BACK), bundle=None), (BACK,), id="it was back, and nothing shows what a pod reads that starts"
        ),
    ],
)  # fmt: skip
def test_a_removed_ca_is_remembered_while_a_pod_may_know_it(snapshot: Snapshot, left: tuple[RemovedEntry, ...]) -> None:
    assert forget_removed(snapshot, with_pods_noted(snapshot).ledger_or_empty).removed_cas == left


def test_a_pod_that_starts_before_a_ca_has_left_again_counts_and_a_pod_that_starts_afterwards_does_not() -> None:
    """The first look finds the CA back. The second finds it gone, and another process in the place of each."""
    first = with_pods_noted(changed(without(GONE), bundle=names_of(NEW, OLD)))
    second = with_pods_noted(without(*first.ledger_or_empty.removed_cas, pods=pods(1, start=1)))
    assert second.ledger_or_empty.removed_cas == (replace(GONE, awaited_pods=uids_of(start=1)),)
    third = with_pods_noted(without(*second.ledger_or_empty.removed_cas, pods=pods(1, start=2)))
    assert third.ledger == second.ledger
    assert forget_removed(third, third.ledger_or_empty).removed_cas == ()


# --- leaves that only processes present

FIRST, OTHERS = uids_of(PODS[0]), uids_of(*PODS[1:])
FORMER = FormerLeaf(issue_leaf(NEW, "former"), FIRST)
STORED = stored_chain(NEW)[0]
READ = replace(FORMER, awaited_pods=EMPTY, lingering_pods=FIRST)
LATER = FormerLeaf(issue_leaf(NEW, "later"), FIRST)


def remembering_leaves(*former: FormerLeaf) -> Snapshot:
    return replace(without(GONE), ledger=ledger(entry(NEW, generations={1}), former_leaves=former))


def presenting(snapshot: Snapshot, presented: Certificate, *ports: int) -> Snapshot:
    """Listeners present this on these ports, and on all others what is stored."""
    seen = tuple(
        ObservedListener(pod.name, pod.uid, port, (presented if port in ports else STORED, NEW.certificate))
        for pod in snapshot.nodes.pods
        for port in (9090, 9091)
    )
    return changed(snapshot, listeners=seen)


@pytest.mark.parametrize(
    ("snapshot", "left"),
    [
        pytest.param(remembering_leaves(FORMER), (FORMER,), id="no listener was asked"),
        pytest.param(presenting(remembering_leaves(FORMER), FORMER.certificate, 9090, 9091), (FORMER,), id="listeners present it still"),
        pytest.param(presenting(remembering_leaves(FORMER), FORMER.certificate, 9090), (FORMER,), id="one of two listeners presents it still"),
        pytest.param(presenting(remembering_leaves(FORMER), STORED), (READ,), id="listeners have read"),
        pytest.param(presenting(remembering_leaves(READ), STORED), (READ,), id="the rest of the process has not"),
        pytest.param(
            presenting(remembering_leaves(replace(FORMER, lingering_pods=FIRST)), STORED), (READ,), id="it came back, and they have read again"
        ),
        pytest.param(
            presenting(remembering_leaves(LATER, READ), LATER.certificate, 9090), (LATER, READ), id="listeners have read twice, and one the first alone"
        ),
        pytest.param(
            presenting(remembering_leaves(LATER, READ), STORED), (READ,), id="listeners have read twice: nothing else had the leaf between"
        ),
        pytest.param(
            presenting(remembering_leaves(replace(LATER, awaited_pods=uids_of()), READ), STORED),
            (replace(LATER, awaited_pods=EMPTY, lingering_pods=OTHERS), READ), id="others were started with what is the second here",
        ),
        pytest.param(remembering_leaves(replace(FORMER, awaited_pods=frozenset({"gone"}))), (), id="restarted before it has read"),
        pytest.param(presenting(remembering_leaves(replace(READ, lingering_pods=frozenset({"gone"}))), STORED), (), id="restarted afterwards"),
        pytest.param(
            # No listener has read anything: what is presented is what is stored still.
            presenting(remembering_leaves(FormerLeaf(STORED, FIRST)), STORED), (FormerLeaf(STORED, FIRST),),
            id="written down, and not replaced yet",
        ),
    ],
)  # fmt: skip
def test_a_former_leaf_is_remembered_while_a_process_holds_it(snapshot: Snapshot, left: tuple[FormerLeaf, ...]) -> None:
    assert forget_former(snapshot, snapshot.ledger_or_empty).former_leaves == left


def noted(snapshot: Snapshot, *names: str) -> set[FormerLeaf]:
    found = note_former(snapshot, snapshot.ledger_or_empty, names).former_leaves
    assert len(set(found)) == len(found)
    return set(found)


OWN_LEAVES = {name: issue_leaf(NEW, name) for name in PODS}


@pytest.mark.parametrize(
    ("shown", "former", "expected"),
    [
        pytest.param((STORED, STORED), (), {FormerLeaf(STORED, FIRST)}, id="all listeners present one leaf"),
        pytest.param((STORED, OWN_LEAVES[PODS[1]]), (), set(), id="listeners present several: it has read one again"),
        pytest.param((STORED, None), (), set(), id="a listener has not answered"),
        pytest.param((), (), set(), id="no listener was asked"),
        pytest.param((OWN_LEAVES[PODS[1]],) * 2, (READ,), {READ}, id="the ledger knows what it was started with"),
    ],
)
def test_a_leaf_that_no_secret_holds_is_noted_from_the_answers_of_its_node(
    shown: tuple[Certificate | None, ...], former: tuple[FormerLeaf, ...], expected: set[FormerLeaf]
) -> None:
    """The Secret got another leaf in between, which the process has never read."""
    started = tuple(replace(pod, presents_stored=False) for pod in pods(1))
    first = started[0]
    answers = tuple(
        ObservedListener(first.name, first.uid, port, leaf and (leaf,), frozenset(), frozenset(), source="handshake")
        for port, leaf in zip((9091, 9093), shown, strict=False)
    )
    snapshot = with_own_leaves(*former, pods=started).with_nodes(listeners=answers or None)
    assert noted(snapshot, PODS[0]) == expected


def with_own_leaves(*former: FormerLeaf, **fields: Any) -> Snapshot:
    stored = tuple(a_leaf(name, NEW, 1, chain=(leaf, NEW.certificate)) for name, leaf in OWN_LEAVES.items())
    return changed(remembering_leaves(*former), leaves=stored, **fields)


@pytest.mark.parametrize(
    ("snapshot", "names", "expected"),
    [
        pytest.param(with_own_leaves(), (), set(), id="nothing is replaced"),
        pytest.param(
            with_own_leaves(), PODS[:2], {FormerLeaf(OWN_LEAVES[name], uids_of(name)) for name in PODS[:2]},
            id="the leaves of two nodes are",
        ),
        pytest.param(
            remembering_leaves(), PODS, {FormerLeaf(STORED, uids_of())}, id="one leaf that all present"
        ),
        pytest.param(
            with_own_leaves(pods=tuple(replace(pod, presents_stored=False) for pod in pods(1))), PODS, set(),
            id="no process was started with them",
        ),
        pytest.param(
            with_own_leaves(FormerLeaf(OWN_LEAVES[PODS[0]], FIRST)), PODS[:1], {FormerLeaf(OWN_LEAVES[PODS[0]], FIRST)},
            id="it is written down already",
        ),
        pytest.param(
            with_own_leaves(FormerLeaf(OWN_LEAVES[PODS[0]], OTHERS)), PODS[:1], {FormerLeaf(OWN_LEAVES[PODS[0]], uids_of())},
            id="it is written down already, of others",
        ),
        pytest.param(
            with_own_leaves(READ), PODS[:1], {READ, FormerLeaf(OWN_LEAVES[PODS[0]], FIRST)},
            id="the rest of the process presents an older one",
        ),
        pytest.param(
            changed(remembering_leaves(), leaves=(a_leaf(chain=None),)), PODS, set(), id="what is stored cannot be read"
        ),
    ],
)  # fmt: skip
def test_the_ledger_notes_the_leaves_of_running_nodes_before_others_take_their_place(
    snapshot: Snapshot, names: tuple[str, ...], expected: set[FormerLeaf]
) -> None:
    assert noted(snapshot, *names) == expected


def test_nodes_that_run_and_hold_an_earlier_leaf_have_yet_to_read_the_new_leaf() -> None:
    """A node that is gone does not count, nor a node of which only the rest of the process presents the earlier leaf."""
    snapshot = remembering_leaves(replace(FORMER, awaited_pods=FIRST | {"gone"}), FormerLeaf(STORED, EMPTY, OTHERS))
    assert nodes_yet_to_read(snapshot, snapshot.ledger_or_empty) == FIRST


def test_there_is_nothing_to_read_where_the_noted_leaf_is_still_stored() -> None:
    """A call was killed between the note and the new leaf, and no later one issues it."""
    snapshot = remembering_leaves(FormerLeaf(STORED, FIRST))
    assert nodes_yet_to_read(snapshot, snapshot.ledger_or_empty) == EMPTY


# --- namespaces with users


@pytest.mark.parametrize(
    ("seen", "after"),
    [
        ((TEAM, USERS), (TEAM, USERS)),
        ((USERS,), (USERS,)),
        ((), ()),
        (None, (TEAM,)),
    ],
    ids=["one more", "another", "nothing is left", "there is no Kafka resource to look from"],
)
def test_the_ledger_has_the_namespaces_that_count(
    seen: tuple[UserNamespace, ...] | None, after: tuple[UserNamespace, ...]
) -> None:
    books = replace(BOTH, user_namespaces=(TEAM,))
    assert note_user_namespaces(cluster(namespaces=seen), books) == replace(BOTH, user_namespaces=after)


def test_the_ledger_of_a_ca_without_users_has_no_namespaces() -> None:
    assert note_user_namespaces(cluster(), BOTH) == BOTH
