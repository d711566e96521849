"""What must be so in every state, told without the engine: who presents what, who accepts what."""

from __future__ import annotations

from itertools import permutations

from ..edges import EDGES
from .authorities import accepts
from .state import Books, Leaf, World


def broken(before: World, after: World) -> str | None:
    """The invariant that this event breaks, None when all hold."""
    if after.slots != before.slots or after.bundle != before.bundle or after.own != before.own:
        running = [number for number, slot in enumerate(after.slots) if slot.up]
        for presenter, verifier in permutations(running, 2):
            seen, by = after.slots[presenter], after.slots[verifier]
            if (seen.node or by.node) and not _accepts(by.trusts, seen.presents):
                return f"I1: pod {verifier} does not accept pod {presenter}"
        for verifier in running:
            by = after.slots[verifier]
            if by.node and after.own is not None and not _accepts(by.trusts, after.own):
                return f"I1: pod {verifier} does not accept the operator"
    if after.slots != before.slots or after.ca != before.ca:
        for number, slot in enumerate(after.slots):
            if slot.up and not _accepts(after.ca.projected, slot.presents):
                return f"I2: the CA of what pod {number} presents has left the trust"
    if after.books != before.books:
        return _illegal(before.books, after.books)
    return None


def _accepts(trusted: frozenset[int], leaf: Leaf) -> bool:
    return accepts(trusted, leaf.authority, leaf.alone)


def _illegal(before: Books | None, after: Books | None) -> str | None:
    """I5: an edge that spec/1 does not have."""
    old = {entry.authority: entry.state for entry in before.entries} if before else {}
    new = {entry.authority: entry.state for entry in after.entries} if after else {}
    for authority in old.keys() | new.keys():
        edge = (old.get(authority), new.get(authority))
        if edge[0] != edge[1] and edge not in EDGES:
            return f"I5: CA {authority} went from {edge[0]} to {edge[1]}"
    return None
