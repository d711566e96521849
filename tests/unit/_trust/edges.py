# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of docs/design.md, "States", copied out line by line."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Usage

from .ledgers import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED

BY_USAGE = [
    (UNUSED, Usage.NO_PODS, UNUSED),
    (UNUSED, Usage.NONE, UNUSED),
    (UNUSED, Usage.SOME, ANY),
    (UNUSED, Usage.ALL, ALL),
    (ANY, Usage.NO_PODS, ANY),
    (ANY, Usage.SOME, ANY),
    (ANY, Usage.ALL, ALL),
    (ANY, Usage.NONE, PHASE_OUT),
    (ALL, Usage.NO_PODS, ALL),
    (ALL, Usage.ALL, ALL),
    (ALL, Usage.SOME, ANY),
    (ALL, Usage.NONE, PHASE_OUT),
    (PHASE_OUT, Usage.NO_PODS, PHASE_OUT),
    (PHASE_OUT, Usage.ALL, ALL),
    (PHASE_OUT, Usage.SOME, ANY),
    # The entry is removed then, which is the business of the removal gate.
    (PHASE_OUT, Usage.NONE, PHASE_OUT),
    # No node uses a CA that is not trusted: only the trust gate leads on.
    (UNTRUSTED, Usage.NO_PODS, UNTRUSTED),
    (UNTRUSTED, Usage.NONE, UNTRUSTED),
    (UNTRUSTED, Usage.SOME, UNTRUSTED),
    (UNTRUSTED, Usage.ALL, UNTRUSTED),
]

EDGES = {
    (None, UNTRUSTED),  # it is new
    (None, UNUSED),  # a cluster is adopted
    (UNTRUSTED, UNUSED),  # the trust gate is open
    (UNTRUSTED, PHASE_OUT),  # the user asks for it
    (UNUSED, PHASE_OUT),  # the same
    (PHASE_OUT, None),  # no party relies on it any more
    *((before, after) for before, _usage, after in BY_USAGE if before is not after),
}
