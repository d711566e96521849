# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Trust": processes that would refuse the next CA's leaves come to trust it before these are used: by a restart, or by reading
their trust again where nothing but listeners verifies.
"""

from __future__ import annotations

from ..evidence.clients import without_outside_clients
from ..evidence.stored import verifying_only
from ..gates.trust import select_refusals
from ..model.goals import Phase
from ..model.ledger import LedgerEntry
from ..model.names import named
from ..model.snapshot import Component
from ..model.states import TrustState
from ..model.steps.base import Step, Steps
from ..model.steps.nodes import Reload, Roll, RollReason
from .in_place import why_restarted_later, why_trust_not_reloaded
from .retirement import is_patient
from .situation import Situation, Successor


def restart_to_trust(at: Situation) -> Steps:
    """Restart processes that started before a CA was in the bundle, unless they accept its leaves anyway."""
    for entry in at.ledger.entries:
        waiting = (entry.awaiting or frozenset()) & at.snapshot.uids
        if not waiting or entry.state is TrustState.PHASE_OUT or not _is_refused(at, entry):
            continue
        because = ""
        if at.successor is not None and at.successor.entry == entry:
            waiting, because = _restarted_for(at, at.successor, waiting)
        if waiting:
            return (_made_known(at, entry, waiting, because),)
    return ()


def _made_known(at: Situation, entry: LedgerEntry, waiting: frozenset[str], because: str) -> Step:
    about = entry.certificate
    able = waiting & verifying_only(at.snapshot)
    why = why_trust_not_reloaded(at, about) if able else ""
    if able and not why:
        return Reload(uids=able, authority=about, trusting=True, phase=Phase.TRUST, because=because)
    avoidable = f"Nodes are restarted to trust {named(about)}: {why}" if why else why_restarted_later(at, about)
    return Roll(
        reason=RollReason.TRUST, uids=waiting, authority=about, phase=Phase.TRUST, because=because, avoidable=avoidable
    )


def _is_refused(at: Situation, entry: LedgerEntry) -> bool:
    """Whether a process would refuse its leaves with its chain, as nodes present them, or alone, as the operator does."""
    inside = without_outside_clients(at.snapshot)
    closed = (*at.gates.trust(inside, at.ledger, entry.chain), *at.gates.alone(inside, at.ledger, entry.chain))
    return bool(select_refusals(closed))


def _restarted_for(at: Situation, successor: Successor, waiting: frozenset[str]) -> tuple[frozenset[str], str]:
    """The pods that restart for trust, and why. Behind a link certificate only components that refuse it do; all others
    restart when they take up its leaves.
    """
    new, introduction = named(successor.entry.certificate), successor.introduction
    if introduction.link is None:
        why = introduction.because
        return waiting, f"{new} is trusted everywhere before it is used: {why}" if why else ""
    if introduction.learners:
        who = ", ".join(f"pod {pod.name} ({why})" for pod, why in introduction.learners.items())
        return frozenset(
            pod.uid for pod in introduction.learners
        ), f"{new} is made known first, by a restart, to {who}."
    return (frozenset(), "") if _is_being_taken_up(at, successor) else (waiting, "")


def _is_being_taken_up(at: Situation, successor: Successor) -> bool:
    """Whether a leaf has yet to take the place of an older one, for which its process restarts anyway."""
    own = frozenset({successor.entry.fingerprint})
    return (
        is_patient(at)
        or any(seen.authorities != own for seen in at.presented)
        or any(
            not at.is_of(leaf, successor.entry.certificate)
            for leaf in at.snapshot.leaves.stored
            if leaf.component is not Component.CLUSTER_OPERATOR
        )
    )
