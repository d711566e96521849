# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The CAs and leaves with an early end, with the program that renews each of them, and the remedy if none does
(docs/flows.md, "Upkeep").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..._leaves.trigger import ends_with
from ..._leaves.trigger import window as window_of
from ..._pki.certificates import Certificate
from ..._pki.verifiers import named_verifiers
from ..evidence.parties import nodes_to_recover
from ..ledger.journal import in_flight
from ..ledger.target import due_from, upkeep_of, usual_window, why_not_made_here
from ..model.components import Component
from ..model.decision import Condition, Violation
from ..model.goals import Goal, Phase
from ..model.intent import Intent
from ..model.ledger import Upkeep, UpkeepOptions, WhenDue
from ..model.names import first_told, flow_named, named
from ..model.snapshot import CaUsers, Snapshot, StoredLeaf
from .due import find_first_ending
from .restore import find_lost_secrets

#: How long after the beginning of a CA's time for renewal a record of upkeep is believed: a working schedule has run by
#: then.
_PATIENCE = timedelta(days=8)


#: The last days of a CA: if a call cannot keep the CA up then, the call fails, because there is still time to do
#: something.
_LAST_DAYS = timedelta(days=7)

#: The least time from the opening of a window to the end of a certificate that is renewed in it: a run may fail.
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
    former = (former.certificate for former in snapshot.ledger_or_empty.former_leaves)
    first = min((*snapshot.ca.current, *former), key=lambda one: one.not_after, default=None)
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
    """The certificates. If a recovery is due, it is the remedy of each that needs one."""
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
    in_use = snapshot.ca.in_use
    if snapshot.reconciliation.generated or not any(certificate.has_ended(snapshot.now) for certificate in in_use):
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
    is_blocked = obstacles is not None and bool(obstacles.reload or obstacles.stamps)
    return is_blocked or any(pod.component is not Component.KAFKA for pod in snapshot.nodes.pods)


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


#: The operator looks at every certificate with each reconcile, every two minutes. A restart of the operator, or a
#: slow reconcile, is over by then.
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
