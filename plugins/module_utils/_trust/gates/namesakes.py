# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The gate before a certificate is issued outside the cluster: its holder is named as no process of the cluster. Brokers know those by the
subject alone, and let them do everything, so an issuer that adds an organization would make it one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation


def describe_unnameable_users(snapshot: Snapshot) -> tuple[str, ...]:
    """Users that no issuer can name in a certificate, as sentences. No flow waits for one of them: it presents nothing."""
    return tuple(
        f"{name} gets no certificate: {why}. Give the user another name."
        for name, why in snapshot.users.unnameable.items()
    )


def namesakes(snapshot: Snapshot) -> Iterator[Violation]:
    for name in snapshot.users.namesakes:
        yield Violation(
            Condition.PRESENTERS_CAN_BE_ISSUED_TO, name,
            "is named as one of Strimzi's own processes, and gets no certificate of an issuer elsewhere: one that adds their organization would "
            "let it do everything in Kafka.",
            "Give the user another name.",
        )  # fmt: skip
