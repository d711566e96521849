# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The Secrets that the ledger is kept in: those that the caller asks for, else those that it is kept in already."""

from __future__ import annotations

from dataclasses import replace

from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.snapshot import Snapshot


def lay_out(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Ledger:
    """The same ledger in the layout that it is to have, with nothing beside it.

    A new ledger is one Secret first, because one write either makes it or does not.
    """
    if snapshot.ledger is None:
        return ledger
    return replace(ledger, layout=intent.layout or ledger.layout, untidy=False)
