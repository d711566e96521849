# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The gates before a CA is used (I3). The gates validate paths and do not look for members of a list: "trusted" means
that the chain which will be presented validates under what each verifier trusts now (docs/design.md, "Gates").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..._pki.certificates import Chain
from ..model.ledger import Ledger
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation
from .outside import cannot_validate, check_clients_accept
from .verifiers import VerifyingParty, verifying_parties

#: About a pod that has only the labels of one of the cluster's.
HAS_ANOTHER_OWNER = "has the labels or the name of a process of the cluster and another owner"


def trust_gate(snapshot: Snapshot, ledger: Ledger, form: Chain) -> tuple[Violation, ...]:
    """Whether every verifier accepts leaves that are presented in this form: issuer first, then what is sent behind it."""
    return (*_closed(snapshot, ledger, form), *check_clients_accept(snapshot, ledger, form))


def alone_gate(snapshot: Snapshot, ledger: Ledger, authority: Chain) -> tuple[Violation, ...]:
    """Whether every process of the cluster accepts leaves that are presented alone, as the operator presents its own."""
    return _closed(snapshot, ledger, authority[:1])


def _closed(snapshot: Snapshot, ledger: Ledger, form: Chain) -> tuple[Violation, ...]:
    refusing = (
        _violation(party, ledger, form, snapshot)
        for party in verifying_parties(snapshot, ledger)
        if not party.accepts(form, snapshot)
    )
    return (*refusing, *map(_of_foreign, sorted(snapshot.nodes.foreign)))


def _of_foreign(pod: str) -> Violation:
    return Violation(
        Condition.EVIDENCE, f"pod {pod}", f"{HAS_ANOTHER_OWNER}, so it is not known what it trusts.",
        "Take its labels away, or let its owner make it anew, then run the flow again.",
    )  # fmt: skip


def _violation(party: VerifyingParty, ledger: Ledger, form: Chain, snapshot: Snapshot) -> Violation:
    """A gate that is closed because a process has not said whom it trusts is one without evidence, and not a refusal."""
    if party.why_refused(form, snapshot):
        return Violation(Condition.TRUST, party.name, f"{cannot_validate(form, ledger)}.", party.remedy)
    return Violation(
        Condition.EVIDENCE, party.name, "has not said that it trusts what it was started with.",
        "Find out why this node does not answer as it should, then run the flow again.",
    )  # fmt: skip


def select_refusals(closed: Iterable[Violation]) -> tuple[Violation, ...]:
    """The violations of a gate that are refusals. What is unknown keeps a gate closed, and is no reason to restart a process (I5)."""
    return tuple(one for one in closed if one.condition is not Condition.EVIDENCE)


def refusals(snapshot: Snapshot, ledger: Ledger, form: Chain) -> Iterator[tuple[VerifyingParty, str]]:
    """The processes of the cluster that would not accept leaves in this form, each with the reason."""
    for party in verifying_parties(snapshot, ledger):
        if why := party.why_refused(form, snapshot):
            yield party, why
