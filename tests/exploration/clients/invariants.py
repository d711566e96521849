"""The invariants that hold in every state, told without the engine: who presents what, who accepts what."""

from __future__ import annotations

from ...tools.support.breaches import Breach
from ..authorities import accepts
from ..invariants import forgotten, illegal
from ..state import LEDGER
from .state import EMPTY, ModelUsers


def broken(before: ModelUsers, after: ModelUsers, event: str) -> Breach | None:
    """The invariant that this event breaks, None when all hold."""
    return _refused(after) or _lost(before, after) or _illegal(before, after) or _forgotten(before, after, event)


def _refused(model: ModelUsers) -> Breach | None:
    for leaf in model.presented:
        for number, listeners in enumerate(model.brokers):
            for position, trusts in enumerate(listeners):
                if not accepts(trusts, leaf):
                    parties = f"listener {position} of broker {number}", f"CA {leaf}"
                    return Breach("I1", "{} does not accept a certificate of {}", parties)
        for where, trusted in (("certificate Secret", model.ca.projected), ("trust bundle", model.bundle)):
            if not accepts(trusted, leaf):
                left = f"{{}} has left the {where}, and a user may present a certificate of it"
                return Breach("I2", left, (f"CA {leaf}",))
    return None


def lost(user: int) -> Breach:
    return Breach("certificates", "{} has lost its certificate", (f"user {user}",))


def _lost(before: ModelUsers, after: ModelUsers) -> Breach | None:
    for number, (was, now) in enumerate(zip(before.users, after.users, strict=True)):
        if was is not None and now is not None and was.has_certificate and now.leaf == EMPTY:
            return lost(number)
    return None


def _illegal(before: ModelUsers, after: ModelUsers) -> Breach | None:
    if after.books == before.books or (after.books is None and after.generated):
        return None
    flow = after.books.flow if after.books else None
    leaving = flow.replaces if flow is not None and flow.is_abort else None
    return illegal(before.books, after.books, leaving)


def _forgotten(before: ModelUsers, after: ModelUsers, event: str) -> Breach | None:
    """I5: the ledger stops saying of a broker that it may accept a CA that has left, and it does."""
    if before.books is None or not (event.startswith("run ") and event.endswith(f"({LEDGER})")):
        return None
    books = after.books
    known = {entry.authority for entry in books.entries} if books else set()
    awaiting = {one.authority: one.awaiting for one in books.removed} if books else {}
    for removed in before.books.removed:
        if removed.authority in known:
            continue
        for number in removed.awaiting - awaiting.get(removed.authority, frozenset()):
            if any(removed.authority in trusts for trusts in after.brokers[number]):
                return forgotten(f"broker {number}", removed.authority)
    return None
