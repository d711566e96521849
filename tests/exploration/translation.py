"""Between the small values of the model and what ``decide`` takes and returns."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import (
    Goal,
    Journal,
    Ledger,
    LedgerEntry,
    RemovedEntry,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import (
    CaSecrets,
    Chain,
    Component,
    Pod,
    PreparedAuthority,
    Reconciliation,
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState

from .authorities import BRIDGE, NEW, NOW, accepts, certificate, chain, fingerprints_of, leaf, number_of, numbers_of
from .state import Authorities, Books, Entry, Flow, Heard, Leaf, Removed, Secrets, Slot


def snapshot_of(seen: Secrets, slots: tuple[Slot, ...], kafka_exists: bool) -> Snapshot:
    """Secrets as they were read, pods as they are listed now."""
    return Snapshot(
        cluster="demo",
        namespace="kafka",
        now=NOW,
        ca=_ca_secrets(seen.ca),
        ledger=ledger_of(seen.books),
        bundle=None if seen.bundle is None else fingerprints_of(seen.bundle),
        pods=tuple(_pod(number, slot, seen) for number, slot in enumerate(slots) if slot.up),
        leaves=_leaves(seen, slots),
        reconciliation=Reconciliation(
            exists=kafka_exists,
            generated=seen.generated,
            paused=seen.pause.asked,
            paused_by_us=seen.pause.asked,
            pause_effective=seen.pause.effective,
        ),
    )


def _leaves(seen: Secrets, slots: tuple[Slot, ...]) -> tuple[StoredLeaf, ...]:
    # The cluster may have been created since the Secrets were read.
    found = [
        StoredLeaf(f"leaf-{n}", "leaf.crt", slots[n].component, _presented(stored, n), stored.generation)
        for n, stored in enumerate(seen.stored)
    ]
    if seen.own is not None:
        own = _presented(seen.own, len(seen.stored))
        found.append(StoredLeaf("own", "own.crt", Component.CLUSTER_OPERATOR, own, seen.own.generation))
    return tuple(found)


def _presented(stored: Leaf, number: int) -> Chain:
    sent = chain(stored.authority) if stored.authority == BRIDGE and not stored.alone else ()
    return (leaf(_issuer(stored), number), *sent)


def _issuer(stored: Leaf) -> int:
    return BRIDGE if stored.kept else stored.authority


def _is_same_certificate(one: Leaf, other: Leaf | None) -> bool:
    return one == other or (other is not None and (one.kept or other.kept) and _issuer(one) == _issuer(other))


def _pod(number: int, slot: Slot, seen: Secrets) -> Pod:
    stored = seen.stored[number] if number < len(seen.stored) else None
    return Pod(
        name=f"pod-{number}",
        uid=str(number),
        component=slot.component,
        generation=slot.annotated.generation if slot.annotated else None,
        leaves=(f"leaf-{number}",),
        presents_stored=_is_same_certificate(slot.annotated, stored) if slot.annotated else None,
    )


def _ca_secrets(ca: Authorities) -> CaSecrets:
    return CaSecrets(
        current=() if ca.current is None else chain(ca.current),
        others={f"{number}.crt": chain(number) for number in sorted(ca.others)},
        certificate_generation=ca.generation,
        key_generation=0,
        key=None if ca.key is None else certificate(ca.key).public_key_sha256,
        prepared=tuple(
            PreparedAuthority(
                chain(number),
                certificate(number).public_key_sha256,
                chain(BRIDGE) if number == NEW and BRIDGE in ca.prepared else (),
            )
            for number in sorted(ca.prepared - {BRIDGE})
        ),
        kept_keys=fingerprints_of((ca.kept | ca.prepared) - {BRIDGE}),
    )


def ledger_of(books: Books | None) -> Ledger | None:
    if books is None:
        return None
    return Ledger(
        entries=tuple(
            LedgerEntry(chain(e.authority), TrustState(e.state), e.generations, _to_uids(e.awaiting))
            for e in books.entries
        ),
        removed=tuple(
            RemovedEntry(certificate(r.authority), _uids(r.awaiting), _uids(r.lingering)) for r in books.removed
        ),
        journal=_journal(books.flow) if books.flow else None,
    )


def _journal(flow: Flow) -> Journal:
    replaces = None if flow.replaces is None else certificate(flow.replaces)
    return Journal(
        goal=Goal(flow.goal),
        replaces=replaces.fingerprint if replaces else None,
        successor=None if flow.successor is None else certificate(flow.successor).fingerprint,
        started_at=NOW,
        finished_at=NOW if flow.finished else None,
        replaces_sha256=replaces.sha256 if replaces else None,
    )


def books_of(ledger: Ledger) -> Books:
    journal = ledger.journal
    return Books(
        entries=tuple(
            Entry(_number(e.fingerprint), e.state.value, e.generations, _from_uids(e.awaiting)) for e in ledger.entries
        ),
        removed=tuple(
            Removed(_number(r.fingerprint), frozenset(map(int, r.awaiting)), frozenset(map(int, r.lingering)))
            for r in ledger.removed
        ),
        flow=None
        if journal is None
        else Flow(
            journal.goal.value,
            number_of(journal.replaces),
            number_of(journal.successor),
            journal.finished_at is not None,
        ),
    )


def _number(fingerprint: str) -> int:
    (number,) = numbers_of(frozenset({fingerprint}))
    return number


def _to_uids(slots: frozenset[int] | None) -> frozenset[str] | None:
    return None if slots is None else _uids(slots)


def _uids(slots: frozenset[int]) -> frozenset[str]:
    return frozenset(map(str, slots))


def listener_of(number: int, heard: Heard, asked_about: frozenset[int]) -> ObservedListener:
    """What a node answers: a probe of a CA is accepted by name and key, with nothing sent behind it."""
    accepted = frozenset(one for one in asked_about if accepts(heard.trusts, one, alone=True))
    return ObservedListener(
        f"pod-{number}",
        str(number),
        9091,
        _presented(heard.presents, number),
        fingerprints_of(accepted),
        fingerprints_of(asked_about - accepted),
        source="handshake",
    )


def _from_uids(uids: frozenset[str] | None) -> frozenset[int] | None:
    return None if uids is None else frozenset(map(int, uids))
