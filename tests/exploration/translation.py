"""Between the small values of the model and what ``decide`` takes and returns."""

from __future__ import annotations

from datetime import timedelta

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FlowOptions,
    FormerLeaf,
    Journal,
    Ledger,
    LedgerEntry,
    RemovedEntry,
    Stop,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import ObjectNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaSecrets,
    FailedReconcile,
    Leaves,
    LinkCertificates,
    Nodes,
    OperatorPause,
    OperatorStatus,
    Pod,
    PreparedAuthority,
    Reconciliation,
    Snapshot,
    StoredLeaf,
)

from .authorities import (
    BELOW,
    DEADLINE,
    NEW,
    NOW,
    OLD,
    PUBLISHED,
    RENEWED,
    SUPPLIED,
    accepts,
    certificate,
    chain,
    fingerprints_of,
    leaf,
    link,
    link_back,
    number_of,
    numbers_of,
)
from .state import (
    SERIALS,
    SILENCE,
    Authorities,
    Books,
    Entry,
    Flow,
    Follows,
    Former,
    Heard,
    Leaf,
    Removed,
    Secrets,
    Sent,
    Slot,
)

NAMES = ObjectNames(
    "Kafka", "certificate Secret", "key Secret", "ledger", "kafka", "demo", "cluster CA", "cluster-ca", "spec.clusterCa"
)
#: In the place of a slot, for the operator's own leaf.
_OPERATOR = 99
#: A version of Kafka by the channels that follow its listeners. None follows with all of them.
VERSIONS = {Follows.NONE: "4.4.0", Follows.RAFT_CLIENT: "4.5.0", Follows.ALL: "9.0.0"}
#: More slots than any exploration has.
_SLOTS = 4
#: By fingerprint: the CA of each leaf of a pod, its serial, and the slot.
_LEAVES = {
    leaf(authority, slot, serial).fingerprint: (authority, serial, slot)
    for authority in (OLD, NEW, RENEWED, SUPPLIED, BELOW)
    for slot in range(_SLOTS)
    for serial in range(SERIALS)
}


def snapshot_of(seen: Secrets, slots: tuple[Slot, ...], kafka_exists: bool) -> Snapshot:
    """Secrets as they were read, pods as they are listed now."""
    return Snapshot(
        names=NAMES,
        now=NOW,
        ca=ca_secrets(seen.ca),
        ledger=ledger_of(seen.books),
        bundle=None if seen.bundle is None else fingerprints_of(seen.bundle),
        nodes=Nodes(
            pods=tuple(_pod(number, slot, seen) for number, slot in enumerate(slots) if slot.up),
            unlabelled_pods={
                f"pod-{number}": ("a=b",) for number, slot in enumerate(slots) if slot.up and not slot.labelled
            },
        ),
        leaves=Leaves(_leaves(seen, slots)),
        reconciliation=Reconciliation(
            exists=kafka_exists,
            generated=seen.generated,
            operator=OperatorStatus(failure=FAILURES.get(seen.status.failure) if seen.status else None),
            pause=OperatorPause(
                seen.pause.asked,
                seen.pause.asked,
                seen.pause.effective,
                is_ending=seen.status is not None and seen.status.resuming,
            ),
            request=seen.status.request if seen.status else "",
        ),
    )


#: Failures of a reconcile: about what the flow has stored; and one from before it, about something else.
FAILURES = {
    "refused": FailedReconcile("InvalidResourceException", "The certificate of a node cannot be used", NOW),
    "earlier": FailedReconcile("TimeoutException", "A pod is not ready", NOW - timedelta(days=1)),
}


def _leaves(seen: Secrets, slots: tuple[Slot, ...]) -> tuple[StoredLeaf, ...]:
    # The cluster may have been created since the Secrets were read.
    found = [
        StoredLeaf(f"leaf-{n}", "leaf.crt", slots[n].component, _presented(stored, n), stored.generation)
        for n, stored in enumerate(seen.stored)
    ]
    if seen.own is not None:
        own = _presented(seen.own, _OPERATOR)
        found.append(StoredLeaf("own", "own.crt", Component.CLUSTER_OPERATOR, own, seen.own.generation))
    return tuple(found)


def _presented(stored: Leaf, number: int) -> Chain:
    behind = {
        Sent.ALONE: chain(stored.authority),
        Sent.TO_OLD: (link(), *chain(OLD)),
        Sent.BOTH_WAYS: (link(), link_back(), *chain(NEW)),
    }
    return (leaf(stored.authority, number, stored.serial), *behind[stored.sent])


def sent_by_nodes(issuer: Chain, ca: Authorities) -> Sent:
    """The certificates that nodes send between a leaf of this CA and ``ca.crt``."""
    behind = ca_secrets(ca).behind_nodes(issuer, NOW)
    return Sent.BOTH_WAYS if link_back() in behind else Sent.ALONE


def _pod(number: int, slot: Slot, seen: Secrets) -> Pod:
    stored = seen.stored[number] if number < len(seen.stored) else None
    return Pod(
        name=f"pod-{number}",
        uid=str(number),
        component=slot.component,
        generation=slot.annotated.generation if slot.annotated else None,
        leaves=(f"leaf-{number}",) if stored else (),
        presents_stored=bool(stored and slot.annotated.is_same_certificate(stored)) if slot.annotated else None,
        leaf_hash=leaf(slot.annotated.authority, number, slot.annotated.serial).fingerprint if slot.annotated else "",
        kafka_version=VERSIONS[slot.follows] if slot.node else "",
    )


def ca_secrets(ca: Authorities) -> CaSecrets:
    return CaSecrets(
        current=() if ca.current is None else chain(ca.current),
        other_entries={f"{number}.crt": chain(number) for number in sorted(ca.others)},
        certificate_generation=ca.generation,
        key_generation=int(ca.key == NEW),
        key=None if ca.key is None else certificate(ca.key).public_key_sha256,
        prepared=tuple(
            PreparedAuthority(
                chain(number),
                certificate(number).public_key_sha256,
                _links() if number == NEW and ca.linked else None,
            )
            for number in sorted(ca.prepared)
        ),
        kept_keys=fingerprints_of(ca.kept | ca.prepared),
        kept_links={certificate(NEW).fingerprint: _links()} if ca.linked and NEW not in ca.prepared else {},
        flow_options=FlowOptions(stop=_stop(ca.stop), precedes_replacement=ca.to_replace),
    )


def _links() -> LinkCertificates:
    return LinkCertificates(link(), link_back())


def _stop(after: str | None) -> Stop | None:
    return None if after is None else Stop(Phase(after), NOW)


def phase_of(stop: Stop | None) -> str | None:
    return None if stop is None else stop.after.value


def ledger_of(books: Books | None) -> Ledger | None:
    if books is None:
        return None
    return Ledger(
        entries=tuple(
            LedgerEntry(
                chain(e.authority),
                TrustState(e.state),
                e.generations,
                _to_uids(e.awaiting),
                None if e.awaiting is None else PUBLISHED,
                _leaves_of(e),
                knowing_pods=_to_uids(e.knowing),
            )
            for e in books.entries
        ),
        removed_cas=tuple(
            RemovedEntry(certificate(r.authority), _uids(r.awaiting), _uids(r.lingering), r.is_back)
            for r in books.removed
        ),
        journal=_journal(books.flow) if books.flow else None,
        former_leaves=tuple(
            FormerLeaf(leaf(h.authority, h.slot, h.serial), _uids(h.awaiting), _uids(h.lingering)) for h in books.former
        ),
    )


def _leaves_of(entry: Entry) -> frozenset[str]:
    return frozenset(leaf(entry.authority, slot, serial).fingerprint for slot, serial in entry.leaves)


def _journal(flow: Flow) -> Journal:
    replaces = None if flow.replaces is None else certificate(flow.replaces)
    return Journal(
        goal=Goal(flow.goal),
        replaces=replaces.fingerprint if replaces else None,
        successor=None if flow.successor is None else certificate(flow.successor).fingerprint,
        started_at=NOW,
        finished_at=NOW if flow.finished else None,
        replaces_sha256=replaces.sha256 if replaces else None,
        retire=DEADLINE if flow.retire == Retire.WHEN_RESTARTED.value else Retire(flow.retire),
        is_abort=flow.is_abort,
        unsure_pods=_to_uids(flow.unsure),
        outgoing_certificates=flow.outgoing,
        options=FlowOptions(stop=_stop(flow.stop), precedes_replacement=flow.to_replace),
    )


def books_of(ledger: Ledger) -> Books:
    journal = ledger.journal
    return Books(
        entries=tuple(
            Entry(
                _number(e.fingerprint),
                e.state.value,
                e.generations,
                _from_uids(e.awaited_pods),
                frozenset((slot, serial) for _authority, serial, slot in map(_LEAVES.__getitem__, e.leaf_hashes)),
                _from_uids(e.knowing_pods),
            )
            for e in ledger.entries
        ),
        removed=tuple(
            Removed(
                _number(r.fingerprint),
                frozenset(map(int, r.awaited_pods)),
                frozenset(map(int, r.lingering_pods)),
                r.is_back,
            )
            for r in ledger.removed_cas
        ),
        flow=None
        if journal is None
        else Flow(
            journal.goal.value,
            number_of(journal.replaces),
            number_of(journal.successor),
            journal.finished_at is not None,
            (journal.retire if isinstance(journal.retire, Retire) else Retire.WHEN_RESTARTED).value,
            journal.is_abort,
            _from_uids(journal.unsure_pods),
            journal.outgoing_certificates,
            phase_of(journal.options.stop),
            journal.options.precedes_replacement,
        ),
        former=tuple(
            sorted(
                Former(
                    *_LEAVES[h.fingerprint], frozenset(map(int, h.awaited_pods)), frozenset(map(int, h.lingering_pods))
                )
                for h in ledger.former_leaves
            )
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
    """The answer of a node: it accepts a probe of a CA by name and key, with nothing sent behind it."""
    if heard == SILENCE:
        return ObservedListener(f"pod-{number}", str(number), 9091, failure="it hangs")
    accepted = frozenset(one for one in asked_about if accepts(heard.trusts, one))
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
