# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What ``decide`` asks for. Plain values; who carries them out is told by ``face`` (one module per face).

Some go with the work of any module (``SHARED``): with one call for each, most of a flow would be starting modules.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, TypeAlias

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain


class Face(str, Enum):
    """The module that carries a step out."""

    TRUST = "strimzi_trusted_certs"
    AUTHORITY = "strimzi_ca"
    LEAVES = "strimzi_ee_cert"
    ROLL = "strimzi_roll"
    RECONCILIATION = "strimzi_reconciliation"


class RollReason(str, Enum):
    """Why processes must start anew (DESIGN section 7)."""

    TRUST = "trust"
    USE = "use"
    RETIRE = "retire"
    LEAF = "leaf"
    HAND_OVER = "hand_over"


@dataclass(frozen=True)
class WriteLedger:
    """Write the ledger Secret."""

    ledger: Ledger
    phase: Phase
    face: ClassVar[Face] = Face.TRUST


@dataclass(frozen=True)
class DeleteLedger:
    """Delete the ledger Secret: the cluster was handed back."""

    phase: Phase = Phase.RETIRE
    face: ClassVar[Face] = Face.TRUST


@dataclass(frozen=True)
class Project:
    """Put CAs of the ledger under keys of their own into the CA certificate Secret."""

    chains: tuple[Chain, ...]
    phase: Phase = Phase.PREPARE
    face: ClassVar[Face] = Face.TRUST


@dataclass(frozen=True)
class Withdraw:
    """Take a CA out of the CA certificate Secret (behind the removal gate only)."""

    fingerprint: str
    phase: Phase = Phase.RETIRE
    face: ClassVar[Face] = Face.TRUST


@dataclass(frozen=True)
class AwaitBundle:
    """Wait until the operator's trust bundle holds ``present`` and lacks ``absent`` (fingerprints)."""

    present: frozenset[str]
    absent: frozenset[str]
    phase: Phase
    face: ClassVar[Face] = Face.TRUST


@dataclass(frozen=True)
class AwaitOutside:
    """Wait until these clients outside the cluster (by name) hold, and have read, what the operator copies to them."""

    clients: tuple[str, ...]
    phase: Phase
    face: ClassVar[Face] = Face.TRUST


@dataclass(frozen=True)
class Publish:
    """Publish these CAs, with their chains, to clients outside the cluster."""

    chains: tuple[Chain, ...]
    phase: Phase
    face: ClassVar[Face] = Face.TRUST


@dataclass(frozen=True)
class PrepareAuthority:
    """Make the next CA (or take the supplied one) and put it, with its key, into the CA key Secret.

    bridged: together with a certificate of its key by the CA that it replaces.
    """

    goal: Goal
    replaces: Chain
    generation: int
    bridged: bool = False
    phase: Phase = Phase.PREPARE
    face: ClassVar[Face] = Face.AUTHORITY


@dataclass(frozen=True)
class Promote:
    """Make a prepared CA the issuing one: key first, then certificate and generation in one write.

    bridged: by its bridge, so that leaves are presented with the certificate of the CA that it replaces.
    """

    fingerprint: str
    generation: int
    bridged: bool = False
    phase: Phase = Phase.USE
    face: ClassVar[Face] = Face.AUTHORITY


@dataclass(frozen=True)
class RestoreKey:
    """Put the kept key of the issuing CA back: a promotion was begun, and its gate no longer holds."""

    fingerprint: str
    phase: Phase = Phase.USE
    face: ClassVar[Face] = Face.AUTHORITY


@dataclass(frozen=True)
class TidyKeys:
    """Remove prepared entries that were promoted and kept keys of CAs that left the ledger."""

    prepared: frozenset[str]
    kept_keys: frozenset[str]
    phase: Phase
    face: ClassVar[Face] = Face.AUTHORITY


@dataclass(frozen=True)
class SetGenerated:
    """Set ``spec.clusterCa.generateCertificateAuthority`` and wait until the operator has seen it."""

    generated: bool
    phase: Phase
    face: ClassVar[Face] = Face.AUTHORITY


@dataclass(frozen=True)
class TrueKeyGeneration:
    """Raise the key generation to what the CA's name says, on the key Secret and on every pod (paused only)."""

    generation: int
    phase: Phase = Phase.USE
    face: ClassVar[Face] = Face.AUTHORITY


@dataclass(frozen=True)
class IssueLeaves:
    """Issue leaves from the current CA into these Secrets (paused only)."""

    secrets: tuple[str, ...]
    generation: int
    phase: Phase = Phase.USE
    face: ClassVar[Face] = Face.LEAVES


@dataclass(frozen=True)
class RechainLeaves:
    """Put the chain of the current CA behind leaves that its key has signed, and keep them (paused only)."""

    secrets: tuple[str, ...]
    generation: int
    phase: Phase = Phase.RETIRE
    face: ClassVar[Face] = Face.LEAVES


@dataclass(frozen=True)
class KeepLeaves:
    """Say that these leaves stay in use under this generation (paused only): their CA is trusted by everybody, and
    what would be issued in their place is not yet."""

    secrets: tuple[str, ...]
    generation: int
    phase: Phase = Phase.USE
    face: ClassVar[Face] = Face.LEAVES


@dataclass(frozen=True)
class StampPods:
    """Give the nodes' pods, live and to be made, the annotations that the operator would give them (paused only)."""

    generation: int
    phase: Phase = Phase.RETIRE
    face: ClassVar[Face] = Face.ROLL


@dataclass(frozen=True)
class Reload:
    """Have the listeners of these nodes (UIDs) read their certificates and trust again.

    authority: the CA that they are to refuse then; None where only their leaf has changed.
    """

    uids: frozenset[str]
    authority: str | None
    phase: Phase = Phase.RETIRE
    face: ClassVar[Face] = Face.ROLL


@dataclass(frozen=True)
class Pause:
    """Pause the Kafka resource and wait until the operator confirms it."""

    phase: Phase = Phase.USE
    face: ClassVar[Face] = Face.RECONCILIATION


@dataclass(frozen=True)
class Resume:
    """Take our pause off again."""

    phase: Phase = Phase.USE
    face: ClassVar[Face] = Face.RECONCILIATION


@dataclass(frozen=True)
class Roll:
    """Have these pods (UIDs) replaced. For USE the operator does it by itself and the step only waits."""

    reason: RollReason
    uids: frozenset[str]
    authority: str | None
    phase: Phase
    face: ClassVar[Face] = Face.ROLL


Step: TypeAlias = (
    WriteLedger
    | DeleteLedger
    | Project
    | Withdraw
    | AwaitBundle
    | AwaitOutside
    | Publish
    | PrepareAuthority
    | Promote
    | RestoreKey
    | TidyKeys
    | SetGenerated
    | TrueKeyGeneration
    | IssueLeaves
    | KeepLeaves
    | RechainLeaves
    | StampPods
    | Reload
    | Pause
    | Resume
    | Roll
)

#: What a module that is at work carries out as well, whoever's it is: the books that its own steps change, keys that
#: are left over then, and the pauses around them. Who is not at work leaves them alone: a module that has nothing to do
#: pauses nobody.
SHARED = (WriteLedger, TidyKeys, Pause, Resume)

#: What one rule asks for; nothing where it has nothing to say.
Steps: TypeAlias = tuple[Step, ...]
