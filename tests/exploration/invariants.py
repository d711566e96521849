"""The invariants that hold in every state, told without the engine: who presents what, who accepts what."""

from __future__ import annotations

from itertools import permutations, product

from ..tools.support.breaches import Breach
from ..tools.support.edges import EDGES, ON_REQUEST
from .authorities import NEW, OLD, RENEWED, accepts, signer
from .state import LEDGER, Books, Heard, Leaf, ModelCluster, Removed, Slot


def broken(before: ModelCluster, after: ModelCluster, event: str, leaving: int | None = None) -> Breach | None:
    """The invariant that this event breaks, None when all hold. event: what ``explore`` says of it.

    leaving: a CA that the user has asked to leave.
    """
    return (
        broken_inside(before, after, event, leaving)
        or refused_by_clients(before, after)
        or _refused_outside(before, after, event)
    )


def broken_inside(before: ModelCluster, after: ModelCluster, event: str, leaving: int | None = None) -> Breach | None:
    """As ``broken``, whatever clients refuse."""
    changed = after.slots != before.slots or after.bundle != before.bundle or after.own != before.own
    if changed and (refused := _refused_inside(after)):
        return refused
    if after.books == before.books:
        return None
    wrong = illegal_after(before, after, leaving)
    return wrong or (_forgotten(before, after) if _is_said(event) and not _handed_back(after) else None)


def illegal_after(before: ModelCluster, after: ModelCluster, leaving: int | None = None) -> Breach | None:
    """As ``illegal``, of a cluster that was not handed back."""
    return None if _handed_back(after) else illegal(before.books, after.books, leaving)


def _refused_inside(model: ModelCluster) -> Breach | None:
    running = [number for number, slot in enumerate(model.slots) if slot.up]
    for presenter, verifier in permutations(running, 2):
        seen, by = model.slots[presenter], model.slots[verifier]
        if (seen.node or by.node) and not _meet(by, seen):
            return Breach("I1", "{} does not accept {}", (f"pod {verifier}", f"pod {presenter}"))
    for verifier in running:
        by = model.slots[verifier]
        if by.node and model.own is not None and not all(accepts_leaf(one.trusts, model.own) for one in by.channels):
            return Breach("I1", "{} does not accept {}", (f"pod {verifier}", "the operator"))
    return None


def refused_by_clients(before: ModelCluster, after: ModelCluster) -> Breach | None:
    """A client that loads the CA certificate Secret may be as strict about path lengths as a Go program."""
    if after.slots == before.slots and after.ca == before.ca:
        return None
    for number, slot in enumerate(after.slots):
        if slot.up and not all(accepts_leaf(after.ca.projected, one.presents, go=True) for one in slot.channels):
            return Breach("I2", "the CA of what {} presents has left the trust", (f"pod {number}",))
    return None


def _refused_outside(before: ModelCluster, after: ModelCluster, event: str) -> Breach | None:
    """I12, of what runs do, where there are link certificates; the operator may issue leaves without them by itself. A client has one CA from
    ``ca.crt``: the one in use, or one before it, and has never read again.
    """
    current = after.ca.current
    if not event.startswith("run ") or current not in (OLD, RENEWED, NEW):
        return None
    switched = current != before.ca.current
    for number, (was, slot) in enumerate(zip(before.slots, after.slots, strict=True)):
        changed = {slot.stored, *([slot.presents] if slot.up else [])} if switched else {slot.stored} - {was.stored}
        for leaf, known in product(changed if slot.node else (), (OLD, RENEWED, current)):
            if signer(leaf.authority) in (OLD, NEW) and not client_accepts(known, leaf):
                parties = f"CA {known}", f"node {number}"
                return Breach("I12", "a client that knows {} alone does not accept what {} presents", parties)
    return None


def client_accepts(known: int, leaf: Leaf) -> bool:
    """A client that has read this CA and no other. Where it has the one that allows none below it, it has to be one that does not look at that."""
    return accepts_leaf(frozenset({known}), leaf, go=known != OLD)


def _handed_back(model: ModelCluster) -> bool:
    """The operator has the CA again: there is no ledger any more."""
    return model.books is None and model.generated


def _is_said(event: str) -> bool:
    return event.startswith("run ") and event.endswith(f"({LEDGER})")


def _forgotten(before: ModelCluster, after: ModelCluster) -> Breach | None:
    """I5: the ledger stops saying of a process that it may trust a CA that has left, and it does.

    It can only say so when a run writes the ledger: where a pod is replaced, another process starts. A CA that is back in the certificate Secret has not
    left: the next run sees it there.
    """
    if before.books is None:
        return None
    known = {entry.authority for entry in after.books.entries} if after.books else set()
    known |= after.ca.projected
    remembered = {one.authority: one for one in after.books.removed} if after.books else {}
    for removed in (one for one in before.books.removed if one.authority not in known):
        now = remembered.get(removed.authority)
        for number, slot in enumerate(after.slots):
            if slot.up and any(removed.authority in one.trusts for one in _cleared(slot, number, removed, now)):
                return forgotten(f"pod {number}", removed.authority)
    return None


def forgotten(process: str, authority: int) -> Breach:
    return Breach("I5", "the ledger forgets that {} trusts {}", (process, f"CA {authority}"))


def _cleared(slot: Slot, number: int, before: Removed, now: Removed | None) -> tuple[Heard, ...]:
    """The channels of which it is said by now that they do not trust it."""
    if now is None or number in (before.awaiting | before.lingering) - (now.awaiting | now.lingering):
        return slot.channels
    return (slot.listeners,) if number in before.awaiting - now.awaiting else ()


def _meet(verifier: Slot, presenter: Slot) -> bool:
    """Whether every channel of the one accepts what it meets of the other: Raft clients of two processes do not meet
    each other, only listeners, and agents meet none of them."""
    pairs = product(enumerate(verifier.nodes_meet), enumerate(presenter.nodes_meet))
    return all(accepts_leaf(by.trusts, seen.presents, go=verifier.go) for (m, by), (n, seen) in pairs if 0 in (m, n))


def accepts_leaf(trusted: frozenset[int], leaf: Leaf, *, go: bool = False) -> bool:
    return accepts(trusted, leaf.authority, leaf.linked, go=go)


def illegal(before: Books | None, after: Books | None, leaving: int | None) -> Breach | None:
    """I5: an edge that docs/design.md, "States" does not have."""
    old = {entry.authority: entry.state for entry in before.entries} if before else {}
    new = {entry.authority: entry.state for entry in after.entries} if after else {}
    for authority in old.keys() | new.keys():
        edge = (old.get(authority), new.get(authority))
        if edge[0] != edge[1] and edge not in EDGES and not (edge in ON_REQUEST and authority == leaving):
            return Breach("I5", f"{{}} went from {edge[0]} to {edge[1]}", (f"CA {authority}",))
    return None
