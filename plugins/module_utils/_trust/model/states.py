# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""States and edges of a CA certificate's trust (docs/design.md, "States")."""

from __future__ import annotations

from enum import Enum


class TrustState(str, Enum):
    """State of one CA certificate in the ledger; the values are what the Secret holds."""

    UNTRUSTED = "UNTRUSTED"
    TRUSTED_UNUSED = "TRUSTED_UNUSED"
    TRUSTED_IN_USE_ANY = "TRUSTED_IN_USE_ANY"
    TRUSTED_IN_USE_ALL = "TRUSTED_IN_USE_ALL"
    PHASE_OUT = "PHASE_OUT"


class Usage(str, Enum):
    """How many pods present a certificate of a CA."""

    NO_PODS = "NO_PODS"
    NONE = "NONE"
    SOME = "SOME"
    ALL = "ALL"
    UNKNOWN = "UNKNOWN"


#: Where usage leads from each trusted state. UNTRUSTED is left by the trust gate only, and the removal of a
#: PHASE_OUT CA is decided by the removal gate only; a usage that is not listed keeps the state.
_BY_USAGE: dict[TrustState, dict[Usage, TrustState]] = {
    TrustState.UNTRUSTED: {},
    TrustState.TRUSTED_UNUSED: {
        Usage.SOME: TrustState.TRUSTED_IN_USE_ANY,
        Usage.ALL: TrustState.TRUSTED_IN_USE_ALL,
    },
    TrustState.TRUSTED_IN_USE_ANY: {
        Usage.ALL: TrustState.TRUSTED_IN_USE_ALL,
        Usage.NONE: TrustState.PHASE_OUT,
    },
    TrustState.TRUSTED_IN_USE_ALL: {
        Usage.SOME: TrustState.TRUSTED_IN_USE_ANY,
        Usage.NONE: TrustState.PHASE_OUT,
    },
    TrustState.PHASE_OUT: {
        Usage.SOME: TrustState.TRUSTED_IN_USE_ANY,
        Usage.ALL: TrustState.TRUSTED_IN_USE_ALL,
    },
}

#: The states from which a CA goes to PHASE_OUT on request only: without these edges one that was never used could not leave
#: (docs/design.md, "States").
UNUSED = frozenset({TrustState.UNTRUSTED, TrustState.TRUSTED_UNUSED})

TRUSTED_STATES = frozenset(TrustState) - {TrustState.UNTRUSTED}


def after_usage(state: TrustState, usage: Usage) -> TrustState:
    """The state that follows from usage alone; the same state when nothing follows (docs/design.md, "States")."""
    return _BY_USAGE[state].get(usage, state)
