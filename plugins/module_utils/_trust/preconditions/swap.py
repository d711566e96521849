# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions where another CA was put into the place of the one in use, and before it is adopted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..evidence.stored import chains_to
from ..ledger.swap import Swap, find_adoption, find_swap, pods_yet_to_restart
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.names import counted, is_named, named
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation
from .authority import date_problems
from .supplied import verifier_problems

#: How many objects a sentence names; there are as many leaves as nodes.
_NAMED = 3


def authority_is_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Only the caller can say that another CA in the place of the one in use is meant, and says which: no gate was asked
    whether it is trusted (I3).
    """
    swap = find_swap(snapshot)
    if swap is not None and not _is_of_the_operator(snapshot, intent) and find_adoption(snapshot, intent) is None:
        yield Violation(
            Condition.AUTHORITY_IS_KNOWN, snapshot.names.certificate_secret,
            f"holds the CA {swap.certificate.subject}, SHA-256 {swap.certificate.sha256}, as ca.crt. No flow has put it there: by "
            f"the ledger the CA {swap.replaced.certificate.subject}, SHA-256 {swap.replaced.certificate.sha256}, is in use. "
            f"{_signatures(snapshot, swap)}",
            f"Put {named(swap.replaced.certificate)} and its key back; the ledger has the certificate. Or have the other one "
            "adopted through every gate: run the upgrade playbook with its SHA-256 as strimzi_adopts.",
        )  # fmt: skip
    elif intent.adopts is not None and intent.goal is Goal.UPGRADE and not _is_here(snapshot, intent.adopts):
        yield Violation(
            Condition.AUTHORITY_IS_KNOWN, snapshot.names.certificate_secret,
            f"holds no CA with the fingerprint {intent.adopts}, which is to be adopted.",
            f"Give the SHA-256 of the CA that is meant, or none where no CA is to be adopted; that of ca.crt is {_sha256_of_current(snapshot)}.",
        )  # fmt: skip


def _is_of_the_operator(snapshot: Snapshot, intent: Intent) -> bool:
    """A CA that the operator generates is the operator's to replace; a ledger of before says nothing until the cluster is
    adopted again.
    """
    return snapshot.reconciliation.generated and intent.goal is not Goal.UPGRADE


def _is_here(snapshot: Snapshot, fingerprint: str) -> bool:
    """Whether the cluster has this CA, also where it was adopted before and has come as far as the ledger."""
    chains = [snapshot.ca.current, *(one.chain for one in snapshot.ca.prepared)]
    chains += [entry.chain for entry in (snapshot.ledger.entries if snapshot.ledger else ())]
    return any(is_named(chain[0], fingerprint) for chain in chains if chain)


def _sha256_of_current(snapshot: Snapshot) -> str:
    return snapshot.ca.current[0].sha256 if snapshot.ca.current else "none"


def _signatures(snapshot: Snapshot, swap: Swap) -> str:
    """Sentences that say which stored leaves are of which of the two CAs."""
    pair = (swap.replaced.certificate, swap.certificate)
    found = {
        one: [leaf.secret for leaf in snapshot.leaves.stored if leaf.chain and chains_to(leaf.chain, one)]
        for one in pair
    }
    return " ".join(f"{named(one)} has signed {_several(secrets, 'certificate')}." for one, secrets in found.items())


def _several(names: Iterable[str], what: str) -> str:
    every = sorted(names)
    shown = ", ".join(every[:_NAMED]) + (", ..." if len(every) > _NAMED else "")
    return f"{counted(len(every), what)} ({shown})" if every else f"no {what}"


def adopted_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Before a CA is adopted: every party can use it, and every process can be brought to trust it before it meets it."""
    swap = find_adoption(snapshot, intent)
    if swap is None:
        return
    condition, here = Condition.ADOPTED_IS_USABLE, snapshot.names.certificate_secret
    own, replaced = swap.certificate, swap.replaced.certificate
    back = f"Put {named(replaced)} and its key back"
    yield from verifier_problems(condition, f"{here}, ca.crt", swap.chain, f"{back}, or put there")
    if not own.is_ca:
        yield Violation(condition, f"{here}, ca.crt", f"{own.subject} is not a CA certificate.", f"{back}.")
    for other in snapshot.ca.prepared:
        if other.chain[0] != own:
            yield Violation(
                condition, snapshot.names.key_secret, f"holds {named(other.chain[0])}, which a flow has prepared as the next CA.",
                f"{back} and finish that flow; or remove {other.fingerprint}.crt and {other.fingerprint}.key there, which "
                "ends it.",
            )  # fmt: skip
    yield from _cannot_be_gated(snapshot, swap, back)


def _cannot_be_gated(snapshot: Snapshot, swap: Swap, back: str) -> Iterator[Violation]:
    """Where some processes have yet to start with the adopted CA, the replaced one takes its place again meanwhile. That
    is too late when it has ended, or when the operator has put leaves of the adopted one under processes that refuse them.
    """
    condition, waiting = Condition.ADOPTED_IS_USABLE, [pod.name for pod in pods_yet_to_restart(snapshot)]
    if not waiting:
        return
    yield from date_problems(
        condition, snapshot, snapshot.names.ledger, swap.replaced.chain[:1],
        "Have every pod restarted with the CA that lies in ca.crt, then adopt it.",
    )  # fmt: skip
    stored = [leaf.secret for leaf in snapshot.leaves.stored if leaf.chain and chains_to(leaf.chain, swap.certificate)]
    if stored:
        yield Violation(
            condition, snapshot.names.certificate_secret,
            f"is too far gone: {_several(stored, 'certificate')} of {named(swap.certificate)} are stored already, and "
            f"{_several(waiting, 'pod')} that have not restarted since would refuse what the next one presents.",
            f"{back}. Where its key is lost, have the operator restart every pod, which cannot be without failed connections; "
            "then adopt the CA.",
        )  # fmt: skip
