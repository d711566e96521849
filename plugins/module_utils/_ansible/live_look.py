# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Looking at the running nodes through the API server, as far as that is wanted and possible."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import ConnectionOptionsError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Clock
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import ObservedListener

if TYPE_CHECKING:
    from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import PortOpener

#: Seconds for all listeners together: 500 nodes, some of them slow to answer.
_LIMIT = 120.0


class Evidence(str, Enum):
    """What the gates rest on: stored annotations and leaves, or these and the nodes' own answers.

    AUTO is HANDSHAKE where any node can be reached at all.
    """

    AUTO = "auto"
    HANDSHAKE = "handshake"
    ANNOTATIONS = "annotations"


class LiveLook:
    """Callable for ``Work.look_live``. source and why: what the last look rested on, and why not on handshakes."""

    def __init__(self, evidence: Evidence, opener: Callable[[], PortOpener], clock: Clock) -> None:
        self._wanted = evidence
        self._opener = opener
        self._clock = clock
        self.source = Evidence.ANNOTATIONS
        self.why = "" if evidence is not Evidence.ANNOTATIONS else "asked for"

    def __call__(self, observation: Observation) -> tuple[ObservedListener, ...] | None:
        """None: nobody can be asked, and stored evidence has to do."""
        if self._wanted is Evidence.ANNOTATIONS:
            return None
        # Loaded only where somebody looks: most calls do not.
        from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.looking import look_at

        try:
            seen = look_at(observation, self._opener(), now=self._clock.now(), seconds=_LIMIT)
        except (KubeError, ConnectionOptionsError) as error:
            if self._wanted is Evidence.HANDSHAKE:
                raise
            self._give_up(str(error))
            return None
        if self._wanted is Evidence.AUTO and not any(one.presents for one in seen):
            self._give_up(next((one.why for one in seen), "no node has a listener that can be asked"))
            return None
        # Nodes that fall silent from here on hold the flow; stored evidence does not speak for them.
        self._wanted = self.source = Evidence.HANDSHAKE
        self.why = ""
        return seen

    def _give_up(self, why: str) -> None:
        """Not asked again in this call: it would be in vain, and slow."""
        self._wanted, self.source, self.why = Evidence.ANNOTATIONS, Evidence.ANNOTATIONS, why
