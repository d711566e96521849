# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The answers of one listener of a running process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..._pki.certificates import Chain


@dataclass(frozen=True)
class ObservedListener:
    """The answers of one listener."""

    pod: str
    #: UID of its pod, because another pod can get the name.
    uid: str
    port: int
    #: The chain as sent; None when it was not seen, then ``why`` is a sentence.
    presents: Chain | None = None
    #: Fingerprints of CAs that it was seen to trust, or not to.
    accepts: frozenset[str] = frozenset()
    refuses: frozenset[str] = frozenset()
    #: Why that is not known of a CA.
    doubts: Mapping[str, str] = field(default_factory=dict)
    #: How it was seen.
    source: str = ""
    why: str = ""
    #: Whether it verifies clients by the cluster's CAs.
    verifies: bool = True
    #: Fingerprints of the CAs of which it told a name that CAs with other keys have too, and whose keys are not here for a probe.
    shared: frozenset[str] = frozenset()
    #: Whether no handshake can show anything of it, because the API server refuses connections to it whatever its process does.
    barred: bool = False

    @property
    def is_silent(self) -> bool:
        """Whether it has said nothing at all."""
        return self.presents is None and not self.accepts and not self.refuses


@dataclass(frozen=True)
class Unanswered:
    """A node that was asked and has not answered: what it presents and whom it trusts is unknown.

    uid: of its pod. worker: the machine that it runs on; empty where that is not known. why: its state, and what the connection met, without
    a full stop.
    """

    pod: str
    uid: str
    worker: str
    why: str

    @property
    def sentence(self) -> str:
        """Its name, worker and cause, as a part of a sentence."""
        where = f" on worker {self.worker}" if self.worker else ""
        return f"{self.pod}{where} ({self.why})"
