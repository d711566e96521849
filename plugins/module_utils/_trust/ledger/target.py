# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The CA that a flow is about, and whether a new CA is due.

It is the CA of the flow in flight, the CA that the caller names, or the CA in use. A CA source names the CA that is to
issue leaves, and the CAs to be trusted beside it (docs/storage.md, "Where trust comes from").

If the operator no longer renews the CA, the upkeep says when it is renewed or replaced (docs/flows.md, "Upkeep").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from ..._leaves.trigger import is_ending, window
from ..._pki.certificates import Certificate, Chain
from ..._pki.paths import validate_path
from ..gates.verifiers import can_raise_path_length
from ..model.components import Component
from ..model.goals import ROTATIONS, Goal
from ..model.intent import Intent
from ..model.ledger import TRUSTED_STATES, CaSource, Journal, Ledger, Upkeep, UpkeepOptions, WhenDue
from ..model.names import flow_named, is_named, named
from ..model.snapshot import PreparedAuthority, Snapshot
from .journal import earlier_certificates, in_flight

#: The goals of flows that heed the source.
_HEEDING = ROTATIONS | {Goal.RECONCILE}


@dataclass(frozen=True)
class Wish:
    """The wish of the source now, as far as its CA is known and the user has confirmed it."""

    #: The CA source, with the CAs in it.
    source: CaSource
    #: The cluster as it is now.
    snapshot: Snapshot
    #: The intent of the caller, with the confirmed CAs of the source.
    intent: Intent
    #: The ledger, as far as it is known now.
    ledger: Ledger

    @cached_property
    def candidates(self) -> tuple[Chain, ...]:
        return self.source.issuing(self.snapshot.now)

    @cached_property
    def issuing_ca(self) -> Chain:
        """The CA that is to issue leaves, with the CAs above it; empty if it is unknown. It is the CA of the leaves
        that the issuer has signed. Without such leaves it is the CA in use, or its latest renewal, if the source has it
        or a CA above it. Otherwise it is the only CA of the source. Before the first CA no leaf can be requested, and
        any CA of the source serves: all are trusted, and the first leaf decides.
        """
        current, signing = self.snapshot.ca.current, _find_signing(self.snapshot, self.candidates)
        if len(signing) == 1:
            return signing[0]
        if current and self._has_in_use:
            renewed = (chain for chain in self.candidates if chain[0].is_twin_of(current[0]))
            return next((chain for chain in renewed if chain[0].not_after > current[0].not_after), current)
        return self.candidates[0] if len(self.candidates) == 1 or (self.candidates and self._has_no_leaf) else ()

    @property
    def sample_secret(self) -> str:
        """The Secret for a sample leaf, whose issuer shows which of several CAs signs. Empty if the CA is known, or if
        there is no leaf yet. Processes trust all of these CAs meanwhile, so any of them may sign; before the first CA
        no process runs.
        """
        if self.issuing_ca or not self.candidates:
            return ""
        snapshot = self.snapshot
        components = {leaf.secret: leaf.component for leaf in snapshot.every_leaf}
        leaves = components if snapshot.ca.current else {**snapshot.leaves.missing, **components}
        return min(leaves, key=lambda secret: (leaves[secret] is not Component.CLUSTER_OPERATOR, secret), default="")

    @property
    def _has_no_leaf(self) -> bool:
        """Whether there is no CA in use yet, and no leaf either, stored, missing or presented: the first clients CA
        comes before the first user.
        """
        snapshot = self.snapshot
        presented = any(presenter.authorities != frozenset() for presenter in snapshot.presenters)
        return not (snapshot.ca.current or snapshot.every_leaf or snapshot.every_missing_leaf or presented)

    @property
    def _has_in_use(self) -> bool:
        """Whether the source has the CA in use, or a CA above it: a bundle often contains roots alone, and an
        intermediate CA below a root is in use.
        """
        current, ends = self.snapshot.ca.current, [chain[0] for chain in self.candidates]
        return any(certificate.is_twin_of(current[0]) for certificate in self.source.certificates) or any(
            certificate.is_twin_of(above) for certificate in ends for above in current
        )

    @property
    def authority(self) -> Chain:
        """The CA of the wish; empty also if the user has yet to confirm it."""
        return self.issuing_ca if self.issuing_ca and self._is_confirmed(self.issuing_ca[0]) else ()

    @cached_property
    def additional_cas(self) -> tuple[Chain, ...]:
        """The CAs to be trusted beside it, without the CAs of the ledger."""
        wanted = (chain for chain in self._other_new_authorities if self._is_confirmed(chain[0]))
        return tuple(chain for chain in wanted if self.ledger.find(chain[0].fingerprint) is None)

    @cached_property
    def unconfirmed_cas(self) -> tuple[Certificate, ...]:
        """The CAs that the user has yet to confirm; the flow leaves them alone."""
        wanted = dict.fromkeys(
            (*([self.issuing_ca] if self.issuing_ca else self.candidates), *self._other_new_authorities)
        )
        return tuple(chain[0] for chain in wanted if not self._is_confirmed(chain[0]))

    @property
    def _other_new_authorities(self) -> tuple[Chain, ...]:
        """If a flow has replaced a CA, its presence in the source does not make it trusted again."""
        gone = {self.intent.trust.leaving_ca, *self._replaced}
        own = (*self.issuing_ca, *self.snapshot.ca.current)
        return tuple(
            chain for chain in self.candidates
            if chain[0].fingerprint not in gone and not any(chain[0].is_twin_of(certificate) for certificate in own)
        )  # fmt: skip

    @property
    def _replaced(self) -> Iterator[str | None]:
        """Fingerprints of the CAs that flows have replaced. The ledger has them; if it was lost and made again, the CAs
        and ledgers in backups have them.
        """
        yield from self.ledger.replaced_cas
        if self.ledger.journal is not None:
            yield self.ledger.journal.replaces
        for backup in self.snapshot.backups:
            if backup.ca.current:
                yield backup.ca.current[0].fingerprint
            then = backup.ledger or Ledger()
            yield from then.replaced_cas
            if then.journal is not None and not then.journal.is_abort:
                yield then.journal.replaces

    def _is_confirmed(self, certificate: Certificate) -> bool:
        """Whether the user has confirmed this CA, or it is known: it is in the ledger, or has the name and the key of a
        trusted CA, so it adds no trust.
        """
        trusted = [entry.certificate for entry in self.ledger.entries if entry.state in TRUSTED_STATES]
        trusted += self.snapshot.ca.in_use
        is_known = self.ledger.find(certificate.fingerprint) is not None or any(map(certificate.is_twin_of, trusted))
        return is_known or certificate.sha256 in self.intent.trust.confirmed_roots


def is_heeded(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> bool:
    """Whether this flow heeds a source. A flow in flight ends first. A cluster without a CA gets its first CA, and
    trusts the other CAs of the source before its first pod starts.
    """
    confirms = intent.goal is Goal.CREATE and bool(snapshot.ca.current) and not _is_first_of_source(snapshot)
    return intent.goal in _HEEDING and not confirms and not in_flight(ledger) and not snapshot.ca.prepared


def _is_first_of_source(snapshot: Snapshot) -> bool:
    source, current = snapshot.source, snapshot.ca.current
    return (
        source is not None
        and not snapshot.nodes.pods
        and any(certificate.is_twin_of(current[0]) for certificate in source.certificates)
    )


def wish_of(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Wish | None:
    """The wish of the source; None if there is no usable source, or if this flow does not heed it."""
    source = snapshot.source
    if source is None or source.problem or not is_heeded(snapshot, intent, ledger):
        return None
    return Wish(source, snapshot, intent, ledger)


def later_authorities(snapshot: Snapshot) -> tuple[Chain, ...]:
    """The CAs of the source that may have issued a leaf although another CA is in use: the issuer has changed. Such a
    leaf waits until its CA is trusted and in use. Empty while the next CA is prepared: then the signing CA is known.
    """
    if snapshot.source is None or snapshot.ca.prepared:
        return ()
    return tuple(chain for chain in snapshot.source.issuing(snapshot.now) if chain[:1] != snapshot.ca.in_use)


def _find_signing(snapshot: Snapshot, issuing: tuple[Chain, ...]) -> list[Chain]:
    """The CAs, other than the CA in use, of the leaves that a run has checked and recorded. If a leaf is not recorded
    yet, the flow requests it again as soon as its CA is the next CA.
    """
    signers = {
        request.authority
        for request in snapshot.leaves.requests.values()
        if request.is_recorded and request.answer is not None and not request.outdated
    }
    return [chain for chain in issuing if chain[0].fingerprint in signers and chain[:1] != snapshot.ca.in_use]


def is_renewal(new: Certificate, snapshot: Snapshot) -> bool:
    """Whether this is the CA in use with new dates: the same name and key, and each leaf that is valid under the CA in
    use is valid under it (External Certificate Manager, "Handling Cluster CA trust rollout").
    """
    current, now = snapshot.ca.current, snapshot.now
    if not current or not new.is_twin_of(current[0]):
        return False
    leaves = [leaf.chain[:1] for leaf in snapshot.every_leaf if leaf.chain]
    own = [leaf for leaf in leaves if validate_path(leaf, current[:1], at=now).valid]
    return all(validate_path(leaf, (new,), at=now).valid for leaf in own)


#: The time between the renewal of a CA and the renewal of its last leaves by the operator. A weekly call then comes
#: before the operator, which restarts pods.
AHEAD = timedelta(days=7)


def note_upkeep(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Ledger:
    """The ledger with the upkeep that this call wishes for a CA in its time for renewal. A call without a wish for
    upkeep leaves the record alone.
    """
    if intent.parameters.upkeep is None or snapshot.ledger is None:
        return ledger
    policy, before_end = upkeep_of(snapshot, intent.parameters.upkeep)
    if policy is WhenDue.NONE:
        return replace(ledger, upkeep=None)
    recorded = ledger.upkeep
    if recorded is not None and (recorded.policy, recorded.window) == (policy, before_end):
        return ledger
    return replace(ledger, upkeep=Upkeep(policy, before_end, snapshot.now))


def upkeep_of(snapshot: Snapshot, options: UpkeepOptions) -> tuple[WhenDue, timedelta]:
    """The policy, and how long before a CA's end it takes effect: as the caller asks, else as the operator has it for a
    CA of its own.
    """
    specified = WhenDue.REPLACE_KEY if snapshot.reconciliation.replaces_key else WhenDue.RENEW
    before_end = usual_window(snapshot) if options.window is None else options.window
    return options.policy or specified, before_end


def usual_window(snapshot: Snapshot) -> timedelta:
    """How long before its end a CA is renewed unless the caller gives another time."""
    return snapshot.leaves.renewal_window + AHEAD


def due_rotation(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Goal | None:
    """The flow that the CA in use needs now; None if it needs none, or if this collection cannot make its successor.

    If clients need a renewal before the replacement, it gives the CA a later end. The replacement follows all the same.
    """
    if intent.goal is not Goal.RECONCILE or intent.parameters.upkeep is None or not snapshot.ca.current:
        return None
    policy, before_end = upkeep_of(snapshot, intent.parameters.upkeep)
    if policy is WhenDue.NONE or why_not_made_here(snapshot):
        return None
    current = snapshot.ca.current[0]
    if not is_ending(current, (), snapshot.now, before_end) and not (
        policy is WhenDue.REPLACE_KEY and _is_half_replaced(ledger.journal, current)
    ):
        return None
    return Goal.REPLACE_KEY if policy is WhenDue.REPLACE_KEY else Goal.RENEW


def _is_half_replaced(journal: Journal | None, current: Certificate) -> bool:
    """Whether the last flow has renewed the CA in use as the first part of a replacement that an earlier call of this
    kind began.
    """
    if journal is None or journal.finished_at is None or journal.is_abort:
        return False
    return journal.is_upkeep and journal.options.precedes_replacement and journal.successor == current.fingerprint


def why_not_made_here(snapshot: Snapshot) -> str:
    """Why this collection cannot make the successor of the CA in use by itself, as a sentence; empty if it can."""
    current = snapshot.ca.current
    if not current:
        return ""
    if snapshot.source is not None:
        return f"{named(current[0])} comes from {snapshot.source.name}, so its successor has to be put there."
    if snapshot.ca.in_use_elsewhere:
        return f"The key of {named(current[0])} is kept elsewhere, so its issuer has to make its successor."
    if not current[0].is_root:
        return f"Another CA has issued {named(current[0])}, so that CA has to issue its successor."
    return ""


def due_from(authority: Certificate, before_end: timedelta) -> datetime:
    """The beginning of the CA's time for renewal."""
    return authority.not_after - window(authority, before_end)


def why_due(authority: Certificate, snapshot: Snapshot, options: UpkeepOptions) -> str:
    """The reason for a flow of the upkeep, as a sentence."""
    before_end = upkeep_of(snapshot, options)[1]
    if not is_ending(authority, (), snapshot.now, before_end):
        return f"{named(authority)} was renewed so that its key can be replaced."
    begins = due_from(authority, before_end)
    return (
        f"{named(authority)} ends on {authority.not_after:%Y-%m-%d}; its time for renewal began on {begins:%Y-%m-%d}."
    )


@dataclass(frozen=True)
class Target:
    """The CA that a call leads to."""

    #: Whether a new CA is to be made.
    needs_new_ca: bool
    #: Whether the CA that the caller names is not in this cluster, and never was.
    is_unknown: bool = False
    #: The CA that this flow is about. If the next call names it, no flow starts over at its end.
    replaces: str | None = None


def resolve(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Target:
    """Whether this intent asks for a new CA now. It does not in four cases. A flow is in flight, and continues. The
    last flow of the journal is the answer: it replaced the CA that the caller names; or the caller names none, and the
    flow had this goal and is fresh. The CA that the caller supplies is in use already. The caller names a source of
    CAs, and its CA is unknown or not confirmed.
    """
    current, begun = snapshot.ca.current[0] if snapshot.ca.current else None, in_flight(ledger)
    if intent.goal is Goal.RECONCILE:
        return (
            _target_of_source(snapshot, intent, ledger)
            if snapshot.source
            else _target_by_time(snapshot, intent, ledger)
        )
    if intent.goal is Goal.UPGRADE:
        adopted = snapshot.ledger is not None and not (
            begun or snapshot.ca.prepared or snapshot.reconciliation.generated
        )
        return Target(
            intent.parameters.raise_path_length
            and adopted
            and intent.parameters.adopts is None
            and can_raise_path_length(snapshot)
        )
    if intent.goal not in ROTATIONS:
        return Target(False)
    if begun or snapshot.ca.prepared:
        return Target(False, replaces=begun.replaces if begun else current.fingerprint if current else None)
    supplied = supplied_for(snapshot, intent, ledger)
    if snapshot.source is not None and supplied is None:
        return Target(False)
    if intent.goal is Goal.CREATE:
        return Target(current is None)
    if current is None:
        return Target(False)
    if supplied is not None and supplied.fingerprint == current.fingerprint:
        # The supplied CA is in use. If a flow prepared it again, it would never end.
        return Target(False, replaces=_predecessor(current, ledger.journal) or intent.parameters.replaces)
    if intent.parameters.replaces is not None:
        return _target_by_name(intent, current, ledger)
    # A fresh flow is the answer only if no CA is supplied: it has put another CA than the supplied CA in place.
    if supplied is None and _is_fresh(snapshot, intent, ledger.journal):
        return Target(False, replaces=ledger.journal.replaces if ledger.journal else None)
    return Target(True, replaces=current.fingerprint)


def why_answered(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> str:
    """Why a requested rotation does not begin, as a part of a sentence; empty if it begins, or if none is requested."""
    current, journal = snapshot.ca.current[0] if snapshot.ca.current else None, ledger.journal
    begun = in_flight(ledger) or snapshot.ca.prepared or snapshot.source is not None
    if (
        intent.goal not in (Goal.RENEW, Goal.REPLACE_KEY)
        or current is None
        or begun
        or resolve(snapshot, intent, ledger).needs_new_ca
    ):
        return ""
    if intent.new_ca.supplied is not None and intent.new_ca.supplied.fingerprint == current.fingerprint:
        return f"the CA that is given, {named(current)}, is in use already"
    if intent.parameters.replaces is not None:
        return f"the CA that is named (replaces, strimzi_replaces) is in use no longer; {named(current)} is"
    if journal is None or journal.finished_at is None:
        return ""
    ago, hours = snapshot.now - journal.finished_at, intent.parameters.fresh_for / timedelta(hours=1)
    return (
        f"a {flow_named(journal)} ended {_period(ago)} ago, and for {hours:g} hours (fresh_for_hours, "
        "strimzi_fresh_for_hours) it answers this command. To begin another flow, name the CA in use: replaces "
        f"(strimzi_replaces) {current.sha256}"
    )


def _period(time: timedelta) -> str:
    minutes = max(0, time // timedelta(minutes=1))
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"


def _target_of_source(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Target:
    wish, current = wish_of(snapshot, intent, ledger), snapshot.ca.current
    if wish is None or not wish.authority or not current:
        return Target(False)
    return Target(wish.authority[0] != current[0], replaces=current[0].fingerprint)


def _target_by_time(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Target:
    is_busy = in_flight(ledger) is not None or bool(snapshot.ca.prepared)
    if is_busy or due_rotation(snapshot, intent, ledger) is None:
        return Target(False)
    return Target(True, replaces=snapshot.ca.current[0].fingerprint)


def supplied_for(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> PreparedAuthority | None:
    """The CA in the place of a generated CA: from the caller, or from the source that the caller names, if this flow is
    to begin with it. A source has no key.
    """
    wish = wish_of(snapshot, intent, ledger)
    if intent.new_ca.supplied is not None or wish is None or not wish.authority:
        return intent.new_ca.supplied
    return PreparedAuthority(wish.authority, wish.authority[0].public_key_sha256, key_is_elsewhere=True)


def rotation_of(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Goal:
    """The flow that this intent begins. It follows from the goal of the caller, the CA of the source, or the end of the
    CA in use.
    """
    supplied = supplied_for(snapshot, intent, ledger)
    if intent.goal is not Goal.RECONCILE:
        return intent.goal
    if supplied is None:
        return due_rotation(snapshot, intent, ledger) or intent.goal
    return Goal.RENEW if is_renewal(supplied.chain[0], snapshot) else Goal.REPLACE_KEY


def leads_to_replacement(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> bool:
    """Whether the flow in flight renews the CA in use to lead clients on from it, and this intent replaces its key
    after that.
    """
    begun, source = in_flight(ledger), snapshot.source
    if begun is None or begun.goal is not Goal.RENEW or begun.is_abort:
        return False
    if intent.goal is not Goal.RECONCILE:
        return intent.goal is Goal.REPLACE_KEY
    if source is None and intent.parameters.upkeep is not None:
        return (
            begun.is_upkeep
            and begun.options.precedes_replacement
            and upkeep_of(snapshot, intent.parameters.upkeep)[0] is WhenDue.REPLACE_KEY
        )
    if source is None or source.problem or not snapshot.ca.current:
        return False
    wanted = Wish(source, snapshot, intent, ledger).authority
    return bool(wanted) and wanted[0].public_key_sha256 != snapshot.ca.current[0].public_key_sha256


def _predecessor(current: Certificate, journal: Journal | None) -> str | None:
    return journal.replaces if journal is not None and journal.successor == current.fingerprint else None


def _target_by_name(intent: Intent, current: Certificate, ledger: Ledger) -> Target:
    given = intent.parameters.replaces or ""
    if is_named(current, given):
        return Target(True, replaces=current.fingerprint)
    wanted = given.replace(":", "").lower()
    if intent.goal is Goal.REPLACE_KEY and wanted in earlier_certificates(ledger, current):
        # Its key is still in use: a renewal is no replacement of the key.
        return Target(True, replaces=given)
    journal = ledger.journal
    replaced = set(journal.replaced_fingerprints) if journal else set()
    for certificate in [*(e.certificate for e in ledger.entries), *(r.certificate for r in ledger.removed_cas)]:
        replaced |= {certificate.fingerprint, certificate.sha256}
    return Target(False, is_unknown=wanted not in replaced, replaces=given)


def _is_fresh(snapshot: Snapshot, intent: Intent, journal: Journal | None) -> bool:
    if journal is None or journal.finished_at is None or journal.goal is not intent.goal or journal.is_abort:
        return False
    return snapshot.now - journal.finished_at < intent.parameters.fresh_for
