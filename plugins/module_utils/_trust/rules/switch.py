# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Switch": the operator goes from the old CA to the new one, in one pause (docs/design.md, "The switch")."""

from __future__ import annotations

from ..._pki.authorities import authority_generation
from ..._pki.certificates import Certificate
from ..evidence.stored import presenting_pods
from ..model.goals import Goal, Phase
from ..model.names import named
from ..model.states import TrustState
from ..model.steps.authority import Switch
from ..model.steps.base import Steps
from .after_switch import describe_refused_clients, with_clients_in_need
from .first_use import await_clients, may_be_used
from .in_place import why_not_annotated, why_not_in_place
from .pause import pause_first, pause_reissue
from .requests import leaves_to_await
from .retirement import is_patient
from .situation import Situation, Successor


def switch(at: Situation) -> Steps:
    """Switch when every party accepts leaves of the new CA without a link certificate, and alone, at this moment (I3).

    Where a link certificate carries leaves, they go first, and the old CA leaves the trust with the same write.
    """
    successor = at.successor
    if successor is None:
        return ()
    if at.current is None:
        return () if at.snapshot.nodes.pods else (_to(successor, at, 0, None),)
    if not may_be_used(at, successor):
        return ()
    chain = successor.entry.chain
    if at.gates.trust(with_clients_in_need(at.snapshot, successor), at.ledger, chain) or at.gates.alone(
        at.snapshot, at.ledger, chain
    ):
        return ()
    leaving = _leaving(at, at.current)
    if leaving is None and successor.introduction.link is not None:
        return ()
    # A pause is not made longer for clients.
    if waiting := await_clients(
        at, successor, at.snapshot.ca.led_to(chain, at.snapshot.now), Phase.RETIRE, _without_link(successor)
    ):
        return () if at.snapshot.reconciliation.paused_by_us else waiting
    if leaves_to_await(at):
        return ()
    if pause := pause_reissue(at):
        return pause
    step = _to(successor, at, at.generation + 1, leaving)
    return pause_first(at, step) if at.snapshot.reconciliation.exists else (step,)


def _without_link(successor: Successor) -> str:
    return (
        f"Clients that know only the CA in use accept {named(successor.entry.certificate)} by its link certificate, which "
        "goes out of use with the switch: they get time to read the Secret again."
    )


def _leaving(at: Situation, current: Certificate) -> Certificate | None:
    """The CA in use, where no party relies on it any more (I2); else None."""
    entry = at.ledger.find(current.fingerprint)
    if entry is None or entry.state is not TrustState.PHASE_OUT:
        return None
    return None if at.gates.removal(at.snapshot, at.ledger, current.fingerprint) else current


def _to(successor: Successor, at: Situation, generation: int, leaving: Certificate | None) -> Switch:
    return Switch(
        authority=successor.prepared,
        generation=generation,
        key_generation=_key_generation(successor, at),
        leaving=leaving,
        phase=Phase.RETIRE if leaving else Phase.USE,
        because=describe_refused_clients(at, successor),
        avoidable=_why_restarted(successor, at, leaving),
    )


def _key_generation(successor: Successor, at: Situation) -> int:
    """The key generation is raised with every key that the switch writes, at least to the number in the name of the CA, so
    that it is true when the cluster is handed back. Where pods cannot be told of it, the operator would restart all of them for trust
    once more: it waits for that time.
    """
    present, current = at.snapshot.ca.key_generation, at.current
    if current is None or successor.prepared.key == at.snapshot.ca.key or why_not_annotated(at):
        return present
    return max(present + 1, authority_generation(successor.entry.certificate) or 0)


def _why_restarted(successor: Successor, at: Situation, leaving: Certificate | None) -> str:
    """Why nodes restart after this switch although they could read again, as a sentence. Nodes with leaves of another
    key restart in any case, unless they may keep them until they restart anyway.
    """
    begun = at.begun
    replacing = begun is not None and begun.goal is Goal.REPLACE_KEY
    why = why_not_in_place(at)
    if (
        not why
        or at.current is None
        or not presenting_pods(at.snapshot)
        or (replacing and not leaving and not is_patient(at))
    ):
        return ""
    return f"Nodes are restarted when the operator is switched to {named(successor.entry.certificate)}: {why}"
