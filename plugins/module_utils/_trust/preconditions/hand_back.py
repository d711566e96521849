# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions before the CA is handed back to the operator."""

from __future__ import annotations

from collections.abc import Iterator

from ..._pki.authorities import DistinguishedName, authority_generation
from ..ledger.journal import in_flight
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.snapshot import Snapshot
from ..model.states import TrustState
from ..model.violations import Condition, Violation
from ..rules.hand_over import foresee_operator_renewal

_REPLACE_FIRST = "Run the replace_key playbook without a certificate, then hand the cluster back."


def operator_could_renew(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator renews under its own name and number, whatever the CA is called, and drops the old certificate with the same
    write (docs/operator.md, "Generated CA"): leaves that name another issuer, or the issuer by another key identifier,
    are then worthless before the first pod has restarted."""
    if not _gives(snapshot, intent) or not snapshot.ca.current:
        return
    current = snapshot.ca.current[0]
    number = authority_generation(current)
    if number is not None:
        # A key generation that is lower is raised first (``raise_key_generation``).
        number = max(number, snapshot.ca.key_generation)
    subject, renewed = current.subject, DistinguishedName(f"{snapshot.names.common_name} v{number}")
    if snapshot.ca.is_kept_elsewhere(current):
        yield Violation(
            Condition.OPERATOR_COULD_RENEW, snapshot.names.certificate_secret,
            f"holds the CA {subject}, whose key is kept elsewhere: the operator could issue nothing.",
            _REPLACE_FIRST,
        )  # fmt: skip
    elif subject != renewed.text:
        yield Violation(
            Condition.OPERATOR_COULD_RENEW, snapshot.names.certificate_secret,
            f"holds the CA {subject}, which the operator would renew under another name and so break every connection.",
            _REPLACE_FIRST,
        )  # fmt: skip
    elif current.subject_der != renewed.der:
        yield Violation(
            Condition.OPERATOR_COULD_RENEW, snapshot.names.certificate_secret,
            f"holds the CA {subject}, whose name the operator would write with other types of strings and so break connections of Go "
            "programs.", _REPLACE_FIRST,
        )  # fmt: skip
    elif current.identifier_in_leaves != current.usual_key_identifier:
        yield Violation(
            Condition.OPERATOR_COULD_RENEW, snapshot.names.certificate_secret,
            f"holds the CA {subject} with a subject key identifier of its own, which the operator would renew with the usual one "
            "and so break connections of JVMs and OpenSSL.",
            _REPLACE_FIRST,
        )  # fmt: skip


def operator_keeps_authority(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator renews a CA of its own in its time for renewal, with restarts, or makes a new key without a check that it is trusted: the
    caller has to want that.
    """
    if intent.operator_may_renew or not _gives(snapshot, intent):
        return
    if foretold := foresee_operator_renewal(snapshot):
        yield Violation(
            Condition.OPERATOR_KEEPS_AUTHORITY, snapshot.names.certificate_secret, foretold,
            "Run the renew playbook, which restarts nothing where nodes can be told to read again, then hand the CA back; or leave it to the operator "
            "with operator_may_renew (strimzi_operator_may_renew).",
        )  # fmt: skip


def _gives(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the operator is to get the CA."""
    return intent.goal is Goal.DOWNGRADE and not intent.keeps_authority and not snapshot.reconciliation.generated


def ready_to_hand_back(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if intent.goal is not Goal.DOWNGRADE or snapshot.ledger is None or snapshot.reconciliation.generated:
        return
    unfinished = in_flight(snapshot.ledger)
    removing = any(removed.awaiting for removed in snapshot.ledger.removed)
    if unfinished or snapshot.ca.prepared or removing:
        yield Violation(
            Condition.READY_TO_HAND_BACK, snapshot.names.ledger, "records a rotation that has not finished.",
            "Finish it by running its playbook again, then hand the cluster back.",
        )  # fmt: skip
    for entry in snapshot.ledger.entries:
        current = bool(snapshot.ca.current) and entry.fingerprint == snapshot.ca.current[0].fingerprint
        presented = any(not pod.verifies_only for pod in snapshot.nodes.pods)
        if not current or (presented and entry.state is not TrustState.TRUSTED_IN_USE_ALL and unfinished is None):
            yield Violation(
                Condition.READY_TO_HAND_BACK, snapshot.names.ledger,
                f"holds {entry.certificate.subject} as {entry.state.value}; only the CA in use may be left.",
                "Run the reconcile playbook, remove what is not needed, then hand the cluster back.",
            )  # fmt: skip
