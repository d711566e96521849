"""What must be so in every state, told without the engine: who presents what, who accepts what."""

from __future__ import annotations

from itertools import permutations

from .authorities import accepts
from .state import Books, World

#: (before, after) of spec/1; None is "not in the ledger".
_EDGES = {
    (None, "UNTRUSTED"), (None, "TRUSTED_UNUSED"), ("UNTRUSTED", "TRUSTED_UNUSED"),
    ("TRUSTED_UNUSED", "TRUSTED_IN_USE_ANY"), ("TRUSTED_UNUSED", "TRUSTED_IN_USE_ALL"),
    ("TRUSTED_IN_USE_ANY", "TRUSTED_IN_USE_ALL"), ("TRUSTED_IN_USE_ALL", "TRUSTED_IN_USE_ANY"),
    ("TRUSTED_IN_USE_ANY", "PHASE_OUT"), ("TRUSTED_IN_USE_ALL", "PHASE_OUT"), ("PHASE_OUT", "TRUSTED_IN_USE_ANY"),
    ("PHASE_OUT", "TRUSTED_IN_USE_ALL"), ("PHASE_OUT", None),
}  # fmt: skip


def broken(before: World, after: World) -> str | None:
    """The invariant that this event breaks, None when all hold."""
    if after.slots != before.slots or after.bundle != before.bundle:
        running = [number for number, slot in enumerate(after.slots) if slot.up]
        for presenter, verifier in permutations(running, 2):
            if not accepts(after.slots[verifier].trusts, after.slots[presenter].presents.authority):
                return f"I1: pod {verifier} does not accept pod {presenter}"
    if after.slots != before.slots or after.ca != before.ca:
        for number, slot in enumerate(after.slots):
            if slot.up and not accepts(after.ca.projected, slot.presents.authority):
                return f"I2: the CA of what pod {number} presents has left the trust"
    if after.books != before.books:
        return _illegal(before.books, after.books)
    return None


def _illegal(before: Books | None, after: Books | None) -> str | None:
    """I5: an edge that spec/1 does not have."""
    old = {entry.authority: entry.state for entry in before.entries} if before else {}
    new = {entry.authority: entry.state for entry in after.entries} if after else {}
    for authority in old.keys() | new.keys():
        edge = (old.get(authority), new.get(authority))
        if edge[0] != edge[1] and edge not in _EDGES:
            return f"I5: CA {authority} went from {edge[0]} to {edge[1]}"
    return None
