# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The CAs and leaves that end soon, with what renews each of them, and the remedy where nothing does (docs/design.md, "Upkeep")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..._leaves.trigger import ends_with
from ..._leaves.trigger import window as window_of
from ..._pki.certificates import Certificate
from ..ledger.journal import in_flight
from ..ledger.upkeep import due_from, usual_window, why_not_made_here
from ..model.names import flow_named, named
from ..model.snapshot import Component, Snapshot, StoredLeaf
from ..model.upkeep import Upkeep

#: A record of upkeep is believed so long after a CA's time for renewal has begun: a schedule that works has run by then.
_PATIENCE = timedelta(days=8)


@dataclass(frozen=True)
class Expiring:
    """A certificate that ends soon."""

    # The name that messages give it: a CA by its subject, a leaf by its Secret.
    name: str
    certificate: Certificate
    # Whether it is a CA.
    is_authority: bool
    # The program or playbook that is going to renew it, in words; empty where nothing is.
    renewed_by: str = ""
    # How it comes to be renewed, as a sentence; empty where something is going to do so.
    remedy: str = ""

    def warning(self, now: datetime) -> str:
        """A sentence about it, where nothing renews it; empty elsewhere."""
        if not self.remedy:
            return ""
        end = self.certificate.not_after
        when = f"ended on {end:%Y-%m-%d}" if end <= now else f"ends on {end:%Y-%m-%d}, in {(end - now).days} days"
        return f"{self.name} {when}, and nothing is going to renew it. {self.remedy}"


def expiring(snapshot: Snapshot, within: timedelta = timedelta(0)) -> tuple[Expiring, ...]:
    """The certificates that end soon: the CA in use and the CAs above it, then the leaves of it that end before it does, then the other CA of the
    cluster, where nothing renews it.

    within: how soon; a certificate in its time for renewal is among them in any case.
    """
    return (*_authorities(snapshot, within), *_leaves(snapshot, within), *_other_authorities(snapshot, within))


def describe_missing_schedule(snapshot: Snapshot) -> str:
    """A sentence where a CA was adopted and no schedule renews it yet; empty elsewhere."""
    current = snapshot.ca.in_use
    if snapshot.ledger is None or snapshot.reconciliation.generated or _upkeep(snapshot) or not current:
        return ""
    told = f"{snapshot.names.kafka}: the Cluster Operator no longer renews {named(current[0])}, which ends on {current[0].not_after:%Y-%m-%d}."
    if why := why_not_made_here(snapshot):
        return f"{told} {why}"
    begins = due_from(current[0], usual_window(snapshot))
    return f"{told} {_schedule(snapshot)}, this CA from {begins:%Y-%m-%d} on."


def _schedule(snapshot: Snapshot) -> str:
    """A remedy, as a sentence without its full stop."""
    return f"Run the reconcile playbook for the {snapshot.names.ca} on a schedule, such as once a day: it renews what is in its time for renewal"


def _authorities(snapshot: Snapshot, within: timedelta) -> Iterator[Expiring]:
    upkeep = _upkeep(snapshot)
    usual = upkeep.window if upkeep else usual_window(snapshot)
    for place, authority in enumerate(snapshot.ca.current):
        if authority.not_after - snapshot.now >= max(within, window_of(authority, usual)):
            continue
        renewed_by, remedy = _of_authority(snapshot, upkeep) if place == 0 else ("", _of_one_above(authority, snapshot))
        yield Expiring(f"The CA {named(authority)}", authority, True, renewed_by, remedy)


def _other_authorities(snapshot: Snapshot, within: timedelta) -> Iterator[Expiring]:
    """The other CA and the CAs above it, where nothing renews them: a schedule may have been made for one CA of the cluster alone."""
    other = snapshot.other
    if other is not None:
        state = replace(snapshot.reconciliation, generated=other.generated)
        there = replace(
            snapshot, names=other.names, ca=other.ca, ledger=other.ledger, reconciliation=state, source=None,
            leaves=replace(snapshot.leaves, renewal_window=other.renewal_window),
        )  # fmt: skip
        yield from (one for one in _authorities(there, within) if one.remedy)


def _upkeep(snapshot: Snapshot) -> Upkeep | None:
    return snapshot.ledger.upkeep if snapshot.ledger else None


def _of_authority(snapshot: Snapshot, upkeep: Upkeep | None) -> tuple[str, str]:
    """The program or playbook that renews the CA in use, and the remedy where none does; one of the two is empty."""
    state, begun = snapshot.reconciliation, in_flight(snapshot.ledger)
    if begun is not None and begun.replaces == snapshot.ca.current[0].fingerprint and not begun.is_abort:
        if begun.stop is None:
            return f"the flow in flight ({flow_named(begun)})", ""
        return "", f"The flow that replaces it stops after the phase {begun.stop.after.value}: let it go on."
    if state.generated:
        return _operator(snapshot.ca.current[0].not_after - snapshot.leaves.renewal_window, snapshot)
    if why := why_not_made_here(snapshot):
        where = "put it there" if snapshot.source is not None else "give it to the renew playbook (strimzi_certificate)"
        return "", f"{why} Have it made, and {where}."
    if upkeep is None:
        return "", f"{_schedule(snapshot)}. Or run the renew playbook once."
    begins = due_from(snapshot.ca.current[0], upkeep.window)
    if snapshot.now - begins < _PATIENCE:
        return f"the reconcile playbook{_from(begins, snapshot)}", ""
    return "", (
        f"Its time for renewal began on {begins:%Y-%m-%d}, and the ledger records since {upkeep.since:%Y-%m-%d} that the reconcile playbook "
        "renews it: run that, and see why its schedule did not, or what holds it."
    )


def _from(begins: datetime, snapshot: Snapshot) -> str:
    return f", from {begins:%Y-%m-%d} on" if begins > snapshot.now else ""


def _of_one_above(authority: Certificate, snapshot: Snapshot) -> str:
    return (
        f"It stands above {named(snapshot.ca.current[0])}, whose certificates are refused from then on. Have its issuer renew it, and give the CA "
        "with its new chain to the renew playbook (strimzi_certificate)."
    )


def _operator(begins: datetime, snapshot: Snapshot) -> tuple[str, str]:
    """The Cluster Operator, where it works on the resource. begins: when it is going to."""
    state = snapshot.reconciliation
    if state.absent:
        return "", f"The Cluster Operator would, and none works on {snapshot.names.kafka}: {state.absent}."
    if state.paused and not state.paused_by_us:
        return "", f"The Cluster Operator would, and {snapshot.names.kafka} is paused: end the pause."
    where = " in a maintenance window" if state.windows else ""
    return f"the Cluster Operator{where}{_from(begins, snapshot)}", ""


def _leaves(snapshot: Snapshot, within: timedelta) -> Iterator[Expiring]:
    current = snapshot.ca.current
    for leaf in snapshot.every_leaf:
        if not (current and leaf.chain) or not leaf.chain[0].signed_by(current[0]):
            # Another rule tells what is wrong with it.
            continue
        own = leaf.chain[0]
        before_end = max(within, window_of(own, snapshot.window_of(leaf)))
        if own.not_after - snapshot.now < before_end and not ends_with(own, current):
            yield Expiring(f"Secret {leaf.secret}: {own.subject}", own, False, *_of_leaf(leaf, own, snapshot))


def _of_leaf(leaf: StoredLeaf, own: Certificate, snapshot: Snapshot) -> tuple[str, str]:
    begins = own.not_after - snapshot.window_of(leaf)
    if not snapshot.ca.in_use_elsewhere:
        # The User Operator issues users' certificates, and is not asked for a pause of the Kafka resource.
        return ("the User Operator", "") if leaf.component is Component.USER else _operator(begins, snapshot)
    if _upkeep(snapshot) is not None or leaf.secret in snapshot.leaves.standing:
        return f"the reconcile playbook{_from(begins, snapshot)}", ""
    return "", f"{_schedule(snapshot)}."
