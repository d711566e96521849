# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How a call asks the running nodes: whether it asks them at all, and what a failure says about the next look."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from .._errors import KubeError, OptionsError
from .._trust.model.nodes import ObservedListener

#: Seconds for all listeners together: 500 nodes, some of them slow to answer.
LOOK_SECONDS = 120.0


class Evidence(str, Enum):
    """The evidence that the gates rest on: stored annotations and leaves, or these and the nodes' own answers.

    AUTO is HANDSHAKE where nodes are within reach. A node that has not answered yet is: it restarts just now, or hangs.
    """

    AUTO = "auto"
    HANDSHAKE = "handshake"
    ANNOTATIONS = "annotations"


class LiveLook:
    """The looks of one call. source and why: the evidence of the last look, and why it is not handshakes."""

    def __init__(self, evidence: Evidence) -> None:
        self._wanted = evidence
        self.source = Evidence.ANNOTATIONS
        self.why = "" if evidence is not Evidence.ANNOTATIONS else "asked for"

    def take(self, ask: Callable[[], tuple[ObservedListener, ...]]) -> tuple[ObservedListener, ...] | None:
        """The answers of the listeners; None where no node is within reach and only stored evidence counts. ask:
        asks all nodes.

        A missing answer is no evidence, and no reason to go by what is stored (I5).
        """
        if self._wanted is Evidence.ANNOTATIONS:
            return None
        try:
            seen = ask()
        except (KubeError, OptionsError) as error:
            # A failure that may pass is no reason to rest on stored evidence for the whole call.
            if self._wanted is Evidence.HANDSHAKE or (isinstance(error, KubeError) and error.is_transient):
                raise
            self._give_up(f"{error} {error.remedy}")
            return None
        if self._wanted is Evidence.AUTO and all(one.barred for one in seen):
            self._give_up(next((one.why for one in seen), "no node has a listener that answers which CAs it trusts"))
            return None
        if any(one.presents for one in seen):
            # The nodes are within reach, whatever a later look meets.
            self._wanted = Evidence.HANDSHAKE
        self.source, self.why = Evidence.HANDSHAKE, ""
        return seen

    def _give_up(self, why: str) -> None:
        """Do not ask again in this call: the answer would be the same, and slow."""
        self._wanted, self.source, self.why = Evidence.ANNOTATIONS, Evidence.ANNOTATIONS, why
