# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The questions that the gates ask about clients outside the cluster."""

from __future__ import annotations

from collections.abc import Iterable

from ..._pki.certificates import Certificate, Chain
from ..evidence.clients import clients_asked_by_gates, trust_without
from ..model.clients import Follows, OutsideClient
from ..model.ledger import Ledger
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation
from .validation import is_valid


def check_clients_accept(snapshot: Snapshot, ledger: Ledger, form: Chain) -> tuple[Violation, ...]:
    """Violations of the clients that cannot validate leaves in this form, or of which it is not known. Behind leaves of the CA in use, and of a
    renewal of it, nodes send its link certificates.
    """
    found, form = [], snapshot.ca.behind_nodes(form, snapshot.now)
    for client in clients_asked_by_gates(snapshot, ledger):
        if client.trusts is None or not is_valid(form, client.trusts, snapshot.now, client.kind):
            message = client.doubt if client.trusts is None else cannot_validate(form, ledger)
            found.append(_violation(Condition.TRUST, client, message))
        elif client.doubt:
            found.append(_violation(Condition.TRUST, client, client.doubt))
    return tuple(found)


def check_clients_can_spare(
    snapshot: Snapshot, ledger: Ledger, leaving: Certificate, presented: Iterable[Chain]
) -> tuple[Violation, ...]:
    """Violations of the clients that could not validate leaves in these forms without the CA that leaves, or of which
    it is not known.

    When the CA was taken out already, missing knowledge does not put it back: the operator replaces the copies at that
    moment.
    """
    withdrawn = leaving.fingerprint not in snapshot.ca.projected
    given = list(presented)
    found = []
    for client in clients_asked_by_gates(snapshot, ledger):
        left = trust_without(leaving, client)
        sent = snapshot.ca.led_to if client.follows is Follows.ISSUING else snapshot.ca.behind_nodes
        forms = [sent(form, snapshot.now) for form in given]
        if left is not None and not all(is_valid(form, left, snapshot.now, client.kind) for form in forms):
            message = f"could no longer validate what nodes present without the CA {leaving.subject}"
            found.append(_violation(Condition.REMOVAL, client, f"{message} ({leaving.sha256[:16]})"))
        elif client.doubt and not withdrawn:
            found.append(_violation(Condition.REMOVAL, client, client.doubt))
    return tuple(found)


def cannot_validate(form: Chain, ledger: Ledger) -> str:
    """The message about a party that refuses this form. People do not know link certificates, so the message names the
    CA that it belongs to.
    """
    authority = form[0]
    if ledger.find(authority.fingerprint) is None:
        twins = (entry.certificate for entry in ledger.entries if entry.certificate.is_twin_of(authority))
        authority = next(twins, authority)
    return f"cannot validate certificates of the CA {authority.subject} ({authority.sha256[:16]})"


def _violation(condition: Condition, client: OutsideClient, message: str) -> Violation:
    return Violation(condition, client.name, f"{message}.", client.remedy)
