# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The leaves that have to be issued again, and why: one policy for requests to an issuer and for writes into Secrets.

The operator issues ending leaves again by itself. If the key of the CA is kept elsewhere, the operator cannot, and
would stand still (docs/operator.md, "Re-issue" (c) and (d)). So every flow renews them: before the end of a leaf, and
as soon as other names are wanted.

An issuer may renew leaves by itself. A flow compares the names at the issuer with the wanted names, and takes up a
renewed leaf like a due leaf (External Certificate Manager, "Tracking changes to Cluster CA end-entity certificates").

The CAs and leaves with an early end, with the program that renews each of them, and the remedy if none does
(docs/flows.md, "Upkeep").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias

from ..._leaves.trigger import (
    WHY_ASKED,
    WHY_RENEWED,
    Due,
    IssueReason,
    Question,
    Specification,
    due,
    ends_with,
    is_ending,
    why_ending,
    why_misnamed,
)
from ..._leaves.trigger import window as window_of
from ..._pki.certificates import Certificate, Chain
from ..._pki.verifiers import named_verifiers
from ..evidence.parties import is_taken_up, nodes_to_recover
from ..evidence.stored import authority_of
from ..ledger.journal import in_flight, stops_before_use
from ..ledger.target import due_from, upkeep_of, usual_window, why_not_made_here
from ..model.components import Component
from ..model.decision import Condition, Steps, Violation
from ..model.goals import Goal, Phase
from ..model.intent import Intent
from ..model.ledger import Ledger, LedgerEntry, Upkeep, UpkeepOptions, WhenDue
from ..model.names import first_told, flow_named, named
from ..model.snapshot import CaUsers, Snapshot, StoredLeaf
from ..model.steps.leaves import CorrectOrders
from .restore import find_lost_secrets
from .situation import Situation

#: How long before the operator's window a flow requests a leaf: issuers may be people.
_AHEAD = timedelta(days=15)


def leaves_before_operator_window(snapshot: Snapshot) -> tuple[StoredLeaf, ...]:
    """Leaves of the CA in use that come near the operator's window or are in it; none if the operator has the key."""
    return tuple(leaf for leaf in snapshot.every_leaf if _nears_window_of_helpless_operator(leaf, snapshot))


def _nears_window_of_helpless_operator(leaf: StoredLeaf, snapshot: Snapshot) -> bool:
    if not (snapshot.ca.in_use_elsewhere and leaf.chain and leaf.chain[0].signed_by(snapshot.ca.current[0])):
        return False
    return nears_operator_window(leaf.chain[0], snapshot.window_of(leaf), snapshot.now)


def needed_by_operator(snapshot: Snapshot) -> frozenset[str]:
    """The Secrets of leaves without which no reconcile of the operator succeeds: leaves that it cannot read, and, if it
    can issue none, leaves that it would issue.
    """
    unreadable = (leaf.secret for leaf in snapshot.every_leaf if leaf.chain is None)
    needed = {*snapshot.every_missing_leaf, *snapshot.leaves.misnamed, *unreadable}
    if not snapshot.ca.in_use_elsewhere:
        return frozenset(needed)
    return frozenset(
        needed.union(
            leaf.secret
            for leaf in snapshot.leaves.stored
            if leaf.chain and _operator_renews(leaf, leaf.chain[0], snapshot)
        )
    )


def _operator_renews(leaf: StoredLeaf, own: Certificate, snapshot: Snapshot) -> bool:
    behind, current = (leaf.chain or ())[1:], snapshot.ca.current
    is_of_another = leaf.component is Component.KAFKA and behind[-len(current) :] != current
    is_of_other_generation = leaf.generation != snapshot.ca.certificate_generation
    return is_in_operator_window(own, leaf, snapshot) or is_of_other_generation or is_of_another


def is_in_operator_window(own: Certificate, leaf: StoredLeaf, snapshot: Snapshot) -> bool:
    """Whether the operator that looks at this leaf, whose certificate this is, would renew it."""
    return own.not_after - snapshot.now < snapshot.window_of(leaf)


def is_kept_by_user_operator(secret: str, snapshot: Snapshot) -> bool:
    """Whether the User Operator keeps the certificate in this Secret of a user. In the place of a certificate that has
    ended, or that is in its window, it would issue another; without the key of the CA it fails at that, and may store
    an empty certificate.
    """
    leaf = snapshot.user_leaves.get(secret)
    return leaf is None or not leaf.chain or not is_in_operator_window(leaf.chain[0], leaf, snapshot)


def misnamed_leaves(snapshot: Snapshot) -> tuple[StoredLeaf, ...]:
    """Leaves with other names than the operator wants."""
    return tuple(leaf for leaf in snapshot.leaves.stored if leaf.secret in snapshot.leaves.misnamed)


def find_first_ending(leaves: Iterable[StoredLeaf | None]) -> tuple[StoredLeaf, Certificate] | None:
    """The leaf with the earliest end, and its certificate; None if there is no leaf."""
    ends = ((leaf, leaf.chain[0]) for leaf in leaves if leaf is not None and leaf.chain)
    return min(ends, key=lambda end: (end[1].not_after, end[0].secret), default=None)


def nears_operator_window(leaf: Certificate, window: timedelta, now: datetime) -> bool:
    """Whether a leaf is near the operator's window, or in it."""
    return now > nears_window_from(leaf, window)


def nears_window_from(leaf: Certificate, window: timedelta) -> datetime:
    """When a leaf comes near the operator's window, in which the operator renews it, so long before its end. If a leaf
    lives no longer than that, it is in the window from its first day: it is renewed at half of its life, so not every
    run renews it.
    """
    life = leaf.not_after - leaf.not_before
    outside = life - window
    ahead = window + min(_AHEAD, outside / 2) if outside > timedelta(0) else life / 2
    return leaf.not_after - ahead


#: The flows about the leaves of the CA in use; the others replace them anyway, or are about something else.
_GOALS = frozenset({Goal.RENEW_LEAVES, Goal.RECONCILE})


def describe_written_back(snapshot: Snapshot) -> Iterator[str]:
    """The corrected differences at an issuer that renews by itself, if another writer has written them back, as
    sentences for a warning.
    """
    sentences = (snapshot.leaves.standing[name].written_back for name in sorted(snapshot.leaves.standing))
    return first_told(filter(None, sentences), "Certificate", "strimzi_ca_info lists all under renewals")


def correct_orders(at: Situation) -> Steps:
    """Have the issuer renew due leaves; not while the CA is being replaced, because the flow requests every leaf then
    anyway.
    """
    if at.intent.goal not in _GOALS or at.successor is not None or at.current is None:
        return ()
    if not at.snapshot.ca.is_kept_elsewhere(at.current):
        return ()
    wrong = tuple(sorted(name for name, order in at.snapshot.leaves.standing.items() if order.differs))
    return (
        (CorrectOrders(secrets=wrong, external_issuer=at.intent.issuing.external_issuer, phase=Phase.PREPARE),)
        if wrong
        else ()
    )


def ending_leaves(snapshot: Snapshot, intent: Intent) -> tuple[StoredLeaf, ...]:
    """Leaves of the CA in use that are in their time for renewal, or whose CA is; also leaves that end with their CA.
    These are leaves of nodes. They are all leaves if the key of the CA is kept elsewhere, because then the operator
    renews none. None if the caller does not renew leaves.
    """
    return tuple(leaf for leaf in snapshot.every_leaf if _is_renewed_here(leaf, snapshot, intent))


def leaves_that_end_with_ca(snapshot: Snapshot, intent: Intent) -> tuple[StoredLeaf, ...]:
    """The leaves in their time for renewal that another leaf of the CA in use would not outlive."""
    return tuple(leaf for leaf in ending_leaves(snapshot, intent) if _ends_with(leaf, snapshot.ca.current))


def _is_renewed_here(leaf: StoredLeaf, snapshot: Snapshot, intent: Intent) -> bool:
    ca = snapshot.ca
    if intent.goal is not Goal.RENEW_LEAVES or not ca.current or leaf.generation != ca.certificate_generation:
        return False
    is_of_this_collection = leaf.component is Component.KAFKA or ca.in_use_elsewhere
    return is_of_this_collection and _is_in_its_time(leaf, ca.current[0], snapshot, intent)


def ending_under_next(snapshot: Snapshot, intent: Intent, issuer: Chain) -> tuple[str, ...]:
    """Secrets of nodes with leaves of the next CA in their time for renewal, while its flow is stopped before the
    operator is switched to it: the operator would put leaves of the old CA in their place, with a restart. Any call
    renews leaves near the operator's time.
    """
    return tuple(
        sorted(
            leaf.secret
            for leaf in snapshot.leaves.stored
            if leaf.component is Component.KAFKA
            and _is_in_its_time(leaf, issuer[0], snapshot, intent)
            and not _ends_with(leaf, issuer)
        )
    )


def _is_in_its_time(leaf: StoredLeaf, issuer: Certificate, snapshot: Snapshot, intent: Intent) -> bool:
    """Whether this CA has signed the leaf, and the leaf is near the operator's window; or, if the caller renews leaves,
    the leaf or the CA is in its time for renewal. Processes trust the signing CA, so the ends of CAs above it do not
    count. Here leaves are read again; in its window the operator would issue them with a restart.
    """
    if not leaf.chain or not leaf.chain[0].signed_by(issuer):
        return False
    own, before = leaf.chain[0], intent.parameters.renew_before
    is_asked_for = intent.goal is Goal.RENEW_LEAVES and is_ending(own, (issuer,), snapshot.now, before)
    return is_asked_for or nears_operator_window(own, snapshot.window_of(leaf), snapshot.now)


def _ends_with(leaf: StoredLeaf, issuer: Chain) -> bool:
    """Whether another leaf of this CA would last no longer."""
    return leaf.chain is not None and ends_with(leaf.chain[0], issuer)


def ended_leaves(snapshot: Snapshot) -> tuple[StoredLeaf, ...]:
    """The ended leaves among the stored leaves."""
    return tuple(leaf for leaf in snapshot.leaves.stored if leaf.chain and leaf.chain[0].has_ended(snapshot.now))


def due_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> tuple[StoredLeaf, ...]:
    """Leaves that are to be issued again under the CA in use, and leaves that their issuer has renewed by itself; none
    while a flow is about to replace this CA.
    """
    due = due_reasons(snapshot, intent, ledger)
    return tuple(leaf for leaf in snapshot.leaves.stored if leaf.secret in due)


def due_reasons(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> dict[str, Due]:
    """Why each leaf is due under the CA in use, by its Secret; also a missing leaf, if the operator cannot issue it."""
    return _why_due(snapshot, intent, _reasons_under_current(snapshot, ledger))


def due_reasons_under(snapshot: Snapshot, intent: Intent, ledger: Ledger, authority: Chain) -> dict[str, Due]:
    """Why leaves have to be issued by this CA, which is in use or is to be, by their Secret; also missing leaves. Their
    dates matter only if no CA takes the place of another.
    """
    reasons = (*_reasons_of_defects(authority), *_reasons_under_current(snapshot, ledger))
    return _why_due(snapshot, intent, reasons)


#: A reason to issue a leaf. It says why this leaf is due, or a missing leaf; None if it does not apply.
_Reason: TypeAlias = Callable[[StoredLeaf | None, Snapshot, Intent], Due | None]


def _why_due(snapshot: Snapshot, intent: Intent, reasons: Iterable[_Reason]) -> dict[str, Due]:
    """The first of these reasons that applies to each leaf, by its Secret."""
    leaves: dict[str, StoredLeaf | None] = dict.fromkeys(snapshot.every_missing_leaf)
    leaves.update((leaf.secret, leaf) for leaf in snapshot.every_leaf)
    first = {
        secret: next(filter(None, (reason(leaf, snapshot, intent) for reason in reasons)), None)
        for secret, leaf in leaves.items()
    }
    return {secret: why for secret, why in first.items() if why}


def _reasons_under_current(snapshot: Snapshot, ledger: Ledger) -> tuple[_Reason, ...]:
    """The reasons that count under the CA in use, in their order; none while a flow is about to replace this CA."""
    if ledger.undone_ca is not None:
        return _reasons_of_abort(snapshot, ledger)
    entry = ledger.find(snapshot.ca.current[0].fingerprint) if snapshot.ca.current else None
    if entry is None or not _keeps_current(entry, snapshot, ledger):
        return ()
    # Outside of a flow, good certificates are left alone until every party has taken the CA in use up.
    is_settled = in_flight(ledger) is not None or not snapshot.nodes.pods or is_taken_up(entry, snapshot, ledger)
    return (*_reasons_without_the_operator(snapshot), *(_OF_GOOD_LEAVES if is_settled else ()))


def _keeps_current(entry: LedgerEntry, snapshot: Snapshot, ledger: Ledger) -> bool:
    """Whether leaves of the CA in use have a future: no flow is about to replace it. The flow to this CA may wait for
    months, until nodes have restarted for another reason. The flow from this CA may wait for an approval. The first
    leaves end meanwhile.
    """
    begun = in_flight(ledger)
    if begun is not None and stops_before_use(begun) and begun.replaces == entry.fingerprint:
        # If its key is kept elsewhere, the flow requests leaves of the next CA already.
        return not snapshot.ca.in_use_elsewhere
    if snapshot.ca.prepared:
        return False
    return begun is None or begun.successor == entry.fingerprint


def _reasons_of_abort(snapshot: Snapshot, ledger: Ledger) -> tuple[_Reason, ...]:
    """Leaves of the CA that an abort is to get rid of are due, if that CA was not in use for everything yet; and leaves
    that the operator cannot issue.
    """
    unwanted, current = ledger.find(ledger.undone_ca), snapshot.ca.in_use
    if unwanted is None or not current or current[0] == unwanted.certificate:
        return ()
    return (partial(_why_given_up, unwanted, ledger), *_reasons_without_the_operator(snapshot))


def _reasons_without_the_operator(snapshot: Snapshot) -> tuple[_Reason, ...]:
    """The reasons for which the operator would issue a leaf of the CA in use. If it has the key, it issues all but
    misnamed leaves by itself.
    """
    return _reasons_of_defects(snapshot.ca.current) if snapshot.ca.in_use_elsewhere else (_why_misnamed,)


def _reasons_of_defects(authority: Chain) -> tuple[_Reason, ...]:
    """The reasons why this CA would issue another leaf."""
    return (partial(_why_defective, authority), _why_misnamed)


def _why_given_up(unwanted: LedgerEntry, ledger: Ledger, leaf: StoredLeaf | None, *_rest: object) -> Due | None:
    if leaf is None or authority_of(leaf, leaf.generation, ledger)[0] != unwanted.fingerprint:
        return None
    return Due(IssueReason.AUTHORITY, f"it is of {named(unwanted.certificate)}, which is given up")


def _why_defective(authority: Chain, leaf: StoredLeaf | None, snapshot: Snapshot, _intent: Intent) -> Due | None:
    return due(Question(leaf.held if leaf is not None else None, Specification(authority), snapshot.now))


def _why_misnamed(leaf: StoredLeaf | None, snapshot: Snapshot, _intent: Intent) -> Due | None:
    difference = snapshot.leaves.misnamed.get(leaf.secret) if leaf is not None else None
    return why_misnamed(difference) if difference is not None else None


def _why_asked(leaf: StoredLeaf | None, _snapshot: Snapshot, intent: Intent) -> Due | None:
    """The caller wants another leaf in the place of a good leaf."""
    is_unwanted = leaf and leaf.chain and leaf.chain[0].sha256 in intent.issuing.unwanted_leaves
    return WHY_ASKED if is_unwanted else None


def _why_renewed(leaf: StoredLeaf | None, snapshot: Snapshot, intent: Intent) -> Due | None:
    """The issuer has a later, checked leaf of the CA in use."""
    standing = snapshot.leaves.standing.get(leaf.secret) if leaf is not None and intent.goal in _GOALS else None
    if leaf is None or standing is None or not leaf.chain or leaf.generation != snapshot.ca.certificate_generation:
        return None
    is_later = standing.authority == snapshot.ca.current[0].fingerprint and standing.replaces(leaf.chain[0])
    return WHY_RENEWED if is_later else None


def _why_ending(leaf: StoredLeaf | None, snapshot: Snapshot, intent: Intent) -> Due | None:
    """The leaf is in its time for renewal, and another leaf would last longer."""
    if leaf is None or not leaf.chain or _ends_with(leaf, snapshot.ca.current):
        return None
    is_due = _is_renewed_here(leaf, snapshot, intent) or _nears_window_of_helpless_operator(leaf, snapshot)
    return why_ending(leaf.chain[0], ()) if is_due else None


#: The reasons to replace a good leaf of the CA in use, in their order.
_OF_GOOD_LEAVES: tuple[_Reason, ...] = (_why_asked, _why_renewed, _why_ending)


#: How long after the beginning of a CA's time for renewal a record of upkeep is believed: a working schedule has run by
#: then.
_PATIENCE = timedelta(days=8)


#: The last days of a CA: if a call cannot keep the CA up then, the call fails, because there is still time to do
#: something.
_LAST_DAYS = timedelta(days=7)

#: The least time between the opening of a window and the end for a renewal in it: the run in it may fail.
_LATEST_WINDOW = timedelta(days=2)


def renewal_comes_in_time(snapshot: Snapshot, intent: Intent, waiting: tuple[str, ...]) -> Iterator[Violation]:
    """The violation if a call that keeps the CA in use up has nothing to do, and the CA ends within days: a schedule is
    not to be content until then. The call waits for the work in these sentences.
    """
    upkeep = intent.parameters.upkeep
    if intent.goal is not Goal.RECONCILE or upkeep is None or not intent.allows(Phase.RETIRE):
        return
    if snapshot.ledger is None or upkeep_of(snapshot, upkeep)[0] is WhenDue.NONE:
        return
    for ending in _find_expiring_authorities(snapshot, timedelta(0), upkeep.policy):
        end = ending.certificate.not_after
        if end - snapshot.now < _LAST_DAYS:
            verb = "ended" if ending.certificate.has_ended(snapshot.now) else "ends"
            yield Violation(
                Condition.RENEWAL_COMES_IN_TIME, ending.name,
                f"{verb} on {end:%Y-%m-%d at %H:%M} UTC, and this run can neither renew nor replace it.",
                ending.remedy or " ".join(("See to what the flow waits for.", *waiting)),
            )  # fmt: skip


def describe_late_window(snapshot: Snapshot) -> str:
    """Why no maintenance window opens for a renewal before the first end, as a part of a sentence; empty if one does,
    or if pods need none.
    """
    windows = snapshot.reconciliation.windows
    if windows is None or windows.is_open:
        return ""
    held = (held.certificate for held in snapshot.ledger_or_empty.held_leaves)
    first = min((*snapshot.ca.current, *held), key=lambda one: one.not_after, default=None)
    if windows.opens_at is None:
        return "none is going to open"
    if first is None or first.not_after - windows.opens_at >= _LATEST_WINDOW:
        return ""
    return (
        f"the next window opens on {windows.opens_at:%Y-%m-%d at %H:%M} UTC, and {named(first)} ends on "
        f"{first.not_after:%Y-%m-%d at %H:%M} UTC"
    )


@dataclass(frozen=True)
class Expiring:
    """A certificate with an early end."""

    #: Its name in messages: a CA by its subject, a leaf by its Secret.
    name: str
    #: The certificate.
    certificate: Certificate
    #: Whether it is a CA.
    is_authority: bool
    #: The program or playbook that is going to renew it, in words; empty if none is.
    renewed_by: str = ""
    #: The way to its renewal, as a sentence; empty if a program or playbook is going to renew it.
    remedy: str = ""
    #: The programs that refuse it, or its leaves, because it has ended, as a sentence; empty before its end.
    refusal: str = ""

    def warning(self, now: datetime) -> str:
        """Sentences about it if it has ended or nothing renews it; else empty."""
        end = self.certificate.not_after
        if self.certificate.has_ended(now):
            remedy = self.remedy or f"It is renewed by {self.renewed_by}."
            return " ".join(filter(None, (f"{self.name} ended on {end:%Y-%m-%d}.", self.refusal, remedy)))
        if not self.remedy:
            return ""
        return (
            f"{self.name} ends on {end:%Y-%m-%d}, in {(end - now).days} days, and nothing is going to renew it. "
            f"{self.remedy}"
        )


def warnings_of(ending: Iterable[Expiring], now: datetime, violations: Iterable[Violation]) -> Iterator[str]:
    """The warnings about certificates that have ended or that nothing renews. If the end of a CA is among the
    violations, they name its remedy, and there is no warning.
    """
    late = {one.subject for one in violations if one.condition is Condition.RENEWAL_COMES_IN_TIME}
    sentences = filter(None, (expiring.warning(now) for expiring in ending if expiring.name not in late))
    return first_told(sentences, "certificate", "the playbook status names each")


def expiring(snapshot: Snapshot, within: timedelta = timedelta(0)) -> tuple[Expiring, ...]:
    """The certificates with an early end: the CA in use and the CAs above it, then its leaves with an earlier end, then
    the other CA of the cluster if nothing renews it. A certificate in its time for renewal is among them in any case.
    """
    certificates = (
        *_find_expiring_authorities(snapshot, within),
        *_find_expiring_leaves(snapshot, within),
        *_find_unrenewed_other_authorities(snapshot, within),
    )
    return tuple(_with_recovery(certificates, snapshot))


def is_recovery_due(snapshot: Snapshot) -> bool:
    """Whether nodes refuse each other because of their certificates, or Secrets are lost that a backup has: until a
    recovery has brought these back no other flow helps.
    """
    return bool(nodes_to_recover(snapshot)) or find_lost_secrets(snapshot) is not None


def _with_recovery(certificates: Iterable[Expiring], snapshot: Snapshot) -> Iterator[Expiring]:
    """The certificate with the recovery as the one remedy, if it is due."""
    is_due, is_lost = is_recovery_due(snapshot), find_lost_secrets(snapshot) is not None
    for expiring in certificates:
        if is_lost:
            # Without the lost Secrets the operator renews nothing, and neither does a flow.
            yield replace(expiring, renewed_by="", remedy=_RECOVER_SECRETS.format(ca=snapshot.names.ca))
        elif is_due and expiring.certificate.has_ended(snapshot.now):
            yield replace(expiring, renewed_by="", remedy=describe_recovery(snapshot))
        else:
            yield replace(expiring, remedy=_RECOVER_FIRST) if is_due and expiring.remedy else expiring


_RECOVER_SECRETS = "Run the recover playbook for the {ca} first: Secrets are lost that a backup has."


def describe_recovery(snapshot: Snapshot) -> str:
    """The remedy if nodes refuse each other, as sentences."""
    return f"{how_to_recover(snapshot)}."


def how_to_recover(snapshot: Snapshot) -> str:
    """The remedy if nodes refuse each other, without a full stop. An issuer signs nothing more under an ended CA."""
    current = snapshot.ca.in_use[:1]
    if snapshot.reconciliation.generated or not any(certificate.has_ended(snapshot.now) for certificate in current):
        return _RECOVER
    begun = in_flight(snapshot.ledger) is not None or snapshot.ca.prepared
    if begun or not (why := why_not_made_here(snapshot)):
        return _RECOVER
    return f"{why} Have it made, and {describe_supply(snapshot, 'recover')}"


_RECOVER = "Run the recover playbook for the cluster CA"
_RECOVER_FIRST = "Run the recover playbook for the cluster CA first."


@dataclass(frozen=True)
class FirstToEnd:
    """The certificates with the earliest end, of each kind; None if there is none."""

    #: The CA in use, or a CA above it with an earlier end.
    authority: Expiring | None
    #: A certificate of a node, of a component or of the operator.
    leaf: Expiring | None
    #: A certificate of a user from this collection.
    user: Expiring | None
    #: The other CA of the cluster, or a CA above it.
    other_ca: Expiring | None


def first_to_end(snapshot: Snapshot) -> FirstToEnd:
    """The first of each kind, however long it has left."""
    leaf, user = find_first_ending(snapshot.leaves.stored), find_first_ending(snapshot.user_leaves.values())
    return FirstToEnd(
        authority=_find_first(_find_expiring_authorities(snapshot, timedelta.max), snapshot),
        leaf=_find_first((_describe_expiring_leaf(*leaf, snapshot),), snapshot) if leaf else None,
        user=_find_first((_describe_expiring_leaf(*user, snapshot),), snapshot) if user else None,
        other_ca=_find_first(_find_expiring_other_authorities(snapshot, timedelta.max), snapshot),
    )


def _find_first(certificates: Iterable[Expiring], snapshot: Snapshot) -> Expiring | None:
    first = min(certificates, key=lambda expiring: expiring.certificate.not_after, default=None)
    return next(_with_recovery((first,), snapshot)) if first is not None else None


def describe_missing_schedule(snapshot: Snapshot) -> str:
    """A sentence if a CA was adopted and no schedule renews it yet; else empty."""
    current = snapshot.ca.in_use
    if snapshot.ledger is None or snapshot.reconciliation.generated or snapshot.ledger_or_empty.upkeep or not current:
        return ""
    if is_recovery_due(snapshot) or current[0].has_ended(snapshot.now):
        # The remedy for that comes first, and another sentence names it.
        return ""
    sentence = (
        f"{snapshot.names.kafka}: the Cluster Operator no longer renews {named(current[0])}, which ends on "
        f"{current[0].not_after:%Y-%m-%d}."
    )
    if why := why_not_made_here(snapshot):
        return f"{sentence} {why}"
    begins = _name_begin(due_from(current[0], usual_window(snapshot)), snapshot) or "now"
    policy, _before_end = upkeep_of(snapshot, UpkeepOptions())
    by_replacing = ", by replacing its key" if policy is WhenDue.REPLACE_KEY else ""
    return (
        f"{sentence} {_describe_schedule(snapshot)}, this CA "
        f"{begins}{by_replacing}.{_describe_windows_of_schedule(snapshot)}"
    )


def _describe_windows_of_schedule(snapshot: Snapshot) -> str:
    """A sentence, with a space before it, if pods restart in maintenance windows alone."""
    if snapshot.reconciliation.windows is None:
        return ""
    late = describe_late_window(snapshot)
    return f" Pods restart in maintenance windows alone: {late or 'have a run begin in each'}."


def _describe_schedule(snapshot: Snapshot) -> str:
    """A remedy, as a sentence without its full stop."""
    return (
        f"Run the reconcile playbook for the {snapshot.names.ca} on a schedule, such as once a day: it renews "
        "certificates in their time for renewal"
    )


def _find_expiring_authorities(
    snapshot: Snapshot, within: timedelta, policy: WhenDue | None = None
) -> Iterator[Expiring]:
    """The CA in use and the CAs above it; ``policy`` is the policy that the caller asks for, None if it asks for
    none.
    """
    upkeep = snapshot.ledger_or_empty.upkeep
    usual = upkeep.window if upkeep else usual_window(snapshot)
    for place, authority in enumerate(snapshot.ca.current):
        if authority.not_after - snapshot.now >= max(within, window_of(authority, usual)):
            continue
        renewed_by, remedy = (
            _describe_renewal_of_authority(snapshot, upkeep, policy)
            if place == 0
            else ("", _describe_remedy_for_ca_above(authority, snapshot))
        )
        yield Expiring(
            f"The CA {named(authority)}",
            authority,
            True,
            renewed_by,
            remedy,
            _refusal_of(authority, snapshot) if place == 0 else "",
        )


def _refusal_of(authority: Certificate, snapshot: Snapshot) -> str:
    if not (authority.has_ended(snapshot.now) and snapshot.date_checkers):
        return ""
    return (
        f"{named_verifiers(snapshot.date_checkers)} refuse its certificates until they trust a renewed CA; programs on "
        "a JVM, as nodes are, accept them."
    )


def _find_unrenewed_other_authorities(snapshot: Snapshot, within: timedelta) -> Iterator[Expiring]:
    """The other CA and the CAs above it, if nothing renews them: a schedule may have been made for one CA of the
    cluster alone.
    """
    yield from (expiring for expiring in _find_expiring_other_authorities(snapshot, within) if expiring.remedy)


def _find_expiring_other_authorities(snapshot: Snapshot, within: timedelta) -> Iterator[Expiring]:
    """The other CA of the cluster and the CAs above it."""
    other = snapshot.other_ca
    if other is not None:
        state = replace(snapshot.reconciliation, generated=other.generated)
        there = replace(
            snapshot, names=other.names, ca=other.ca, ledger=other.ledger, reconciliation=state, source=None,
            leaves=replace(snapshot.leaves, renewal_window=other.renewal_window),
            users=None if snapshot.users else CaUsers(),
        )  # fmt: skip
        yield from _find_expiring_authorities(there, within)


def _describe_renewal_of_authority(
    snapshot: Snapshot, upkeep: Upkeep | None, policy: WhenDue | None = None
) -> tuple[str, str]:
    """The program or playbook that renews the CA in use, and the remedy if none does; either is empty."""
    state, begun = snapshot.reconciliation, in_flight(snapshot.ledger)
    if begun is not None and begun.replaces == snapshot.ca.current[0].fingerprint and not begun.is_abort:
        if begun.options.stop is None:
            return f"the flow in flight ({flow_named(begun)})", ""
        return "", f"The flow that replaces it stops after the phase {begun.options.stop.after.value}: let it go on."
    if state.generated:
        return _describe_renewal_by_operator(
            snapshot.ca.current[0].not_after - snapshot.leaves.renewal_window, snapshot
        )
    if why := why_not_made_here(snapshot):
        by_policy = policy or (upkeep.policy if upkeep else upkeep_of(snapshot, UpkeepOptions())[0])
        playbook = "replace_key" if by_policy is WhenDue.REPLACE_KEY else "renew"
        return "", f"{why} Have it made, and {describe_supply(snapshot, playbook)}."
    if upkeep is None and snapshot.ca.current[0].has_ended(snapshot.now):
        return "", f"Run the renew playbook for the {snapshot.names.ca}."
    if upkeep is None:
        return "", f"{_describe_schedule(snapshot)}. Or run the renew playbook once."
    begins = due_from(snapshot.ca.current[0], upkeep.window)
    if _needs_windows(snapshot) and (late := describe_late_window(snapshot)):
        return "", (
            f"Pods have to restart for that, in maintenance windows alone: {late}. Correct "
            "spec.maintenanceTimeWindows, and have a run begin in each; or run the reconcile playbook with "
            "strimzi_ignore_maintenance_windows."
        )
    if snapshot.now - begins < _PATIENCE:
        replaces_key = ", which replaces its key" if upkeep.policy is WhenDue.REPLACE_KEY else ""
        return f"the reconcile playbook{replaces_key}{_describe_begin(begins, snapshot)}", ""
    return "", (
        f"Its time for renewal began on {begins:%Y-%m-%d}, and the ledger records since {upkeep.since:%Y-%m-%d} that "
        "the reconcile playbook renews it: run that, and see why its schedule did not, or what holds it."
    )


def _needs_windows(snapshot: Snapshot) -> bool:
    """Whether a renewal is known to restart a pod: a component, or a node that cannot read again."""
    obstacles = snapshot.nodes.in_place_obstacles
    is_held = obstacles is not None and bool(obstacles.reload or obstacles.stamps)
    return is_held or any(pod.component is not Component.KAFKA for pod in snapshot.nodes.pods)


def describe_supply(snapshot: Snapshot, playbook: str) -> str:
    """The way of this playbook to the next CA from elsewhere, as a clause in the imperative."""
    if snapshot.source is not None:
        return f"put it there, then run the {playbook} playbook" if playbook == "recover" else "put it there"
    return f"give it to the {playbook} playbook (strimzi_certificate)"


def _describe_begin(begins: datetime, snapshot: Snapshot) -> str:
    """A part of a sentence, with a comma before it; empty if the time is past."""
    return f", {begin}" if (begin := _name_begin(begins, snapshot)) else ""


def _name_begin(begins: datetime, snapshot: Snapshot) -> str:
    return f"from {begins:%Y-%m-%d} on" if begins > snapshot.now else ""


def _describe_remedy_for_ca_above(authority: Certificate, snapshot: Snapshot) -> str:
    return (
        f"It stands above {named(snapshot.ca.current[0])}, whose certificates are refused from then on. Have its "
        "issuer renew it, and give the CA with its new chain to the renew playbook (strimzi_certificate)."
    )


def describe_renewal_of_authority(snapshot: Snapshot) -> str:
    """The program or playbook that renews the CA in use, in words; empty if none does."""
    return _describe_renewal_of_authority(snapshot, snapshot.ledger_or_empty.upkeep)[0]


def _describe_renewal_by_operator(begins: datetime, snapshot: Snapshot) -> tuple[str, str]:
    """The Cluster Operator if it works on the resource, and when it is going to begin."""
    state = snapshot.reconciliation
    if state.operator.absence:
        return "", f"The Cluster Operator would, and none works on {snapshot.names.kafka}: {state.operator.absence}."
    if state.pause.is_foreign:
        return "", f"The Cluster Operator would, and {snapshot.names.kafka} is paused: end the pause."
    if doubt := doubt_about_window(begins, snapshot):
        return "", f"The Cluster Operator would, since {begins:%Y-%m-%d}: read in its log why it does not.{doubt}"
    where = " in a maintenance window" if state.windows else ""
    return f"the Cluster Operator{where}{_describe_begin(begins, snapshot)}", ""


#: The operator looks at every certificate with each reconcile, every two minutes. A restart of it, or a slow one, is
#: over by then.
_IN_TIME = timedelta(days=1)


def doubt_about_window(begins: datetime, snapshot: Snapshot) -> str:
    """A doubt about ``spec``, as a sentence with a space before it: by ``spec`` the time for renewal has begun at this
    time, and an operator that is Ready has left the certificate alone. Empty if that has another explanation.
    """
    state = snapshot.reconciliation
    is_overdue = begins + _IN_TIME < snapshot.now
    if not is_overdue or state.windows or state.pause.is_set or not state.operator.is_content:
        return ""
    return state.operator.doubt_about_spec


def _find_expiring_leaves(snapshot: Snapshot, within: timedelta) -> Iterator[Expiring]:
    current = snapshot.ca.current
    for leaf in snapshot.every_leaf:
        if not (current and leaf.chain) or not leaf.chain[0].signed_by(current[0]):
            # Another rule reports the fault.
            continue
        own = leaf.chain[0]
        before_end = max(within, window_of(own, snapshot.window_of(leaf)))
        has_ended = own.has_ended(snapshot.now)
        if own.not_after - snapshot.now < before_end and (has_ended or not ends_with(own, current)):
            yield _describe_expiring_leaf(leaf, own, snapshot)


def _describe_expiring_leaf(leaf: StoredLeaf, own: Certificate, snapshot: Snapshot) -> Expiring:
    refusal = _ENDED_LEAF if own.has_ended(snapshot.now) else ""
    return Expiring(
        f"Secret {leaf.secret}: {own.subject}", own, False, *_describe_renewal_of_leaf(leaf, own, snapshot), refusal
    )


_ENDED_LEAF = "Every program refuses it on a new connection; connections that are open go on."


def _describe_renewal_of_leaf(leaf: StoredLeaf, own: Certificate, snapshot: Snapshot) -> tuple[str, str]:
    begins = own.not_after - snapshot.window_of(leaf)
    if not snapshot.ca.in_use_elsewhere:
        # The User Operator issues users' certificates, and a pause of the Kafka resource does not stop it.
        return (
            ("the User Operator", "")
            if leaf.component is Component.USER
            else _describe_renewal_by_operator(begins, snapshot)
        )
    if snapshot.ledger_or_empty.upkeep is not None or leaf.secret in snapshot.leaves.standing:
        return f"the reconcile playbook{_describe_begin(begins, snapshot)}", ""
    return "", f"{_describe_schedule(snapshot)}."
