# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The wish of the CA source: the CA that leaves are to be of, and the CAs that are to be trusted beside it (docs/design.md, "Where
trust comes from").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..._pki.certificates import Certificate, Chain
from ..._pki.paths import validate_path
from ..model.goals import ROTATIONS, Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.snapshot import Component, Snapshot
from ..model.source import CaSource
from ..model.states import TRUSTED_STATES
from .journal import in_flight

#: The goals of flows that do what the source asks for.
_HEEDING = ROTATIONS | {Goal.RECONCILE}


@dataclass(frozen=True)
class Wish:
    """The wish of the source now, as far as it is known which CA it means and that the user wants it."""

    source: CaSource
    snapshot: Snapshot
    intent: Intent
    ledger: Ledger

    @cached_property
    def issuing(self) -> tuple[Chain, ...]:
        return self.source.issuing(self.snapshot.now)

    @cached_property
    def meant(self) -> Chain:
        """The CA that leaves are to be of; empty where it cannot be told.

        It is the one that the issuer has signed leaves with; else the CA in use, or its latest renewal, where that or a CA above it is
        here; else the only one. Before the first CA, where no leaf can be asked for, it is any of them: all are trusted, and the first leaf that comes
        back tells.
        """
        current, signing = self.snapshot.ca.current, _signing(self.snapshot, self.issuing)
        if len(signing) == 1:
            return signing[0]
        if current and self._has_in_use:
            renewed = (chain for chain in self.issuing if chain[0].is_twin_of(current[0]))
            return next((chain for chain in renewed if chain[0].not_after > current[0].not_after), current)
        return self.issuing[0] if len(self.issuing) == 1 or (self.issuing and self._has_no_leaf) else ()

    @property
    def sample(self) -> str:
        """The Secret whose leaf is asked for to learn which of several CAs signs, because that is one of them and it cannot be told; empty where it can,
        and where there is no leaf yet. Processes trust all of these CAs meanwhile, so any of them may sign; before the first CA no process runs.
        """
        if self.meant or len(self.issuing) < 2:
            return ""
        snapshot = self.snapshot
        found = {leaf.secret: leaf.component for leaf in snapshot.every_leaf}
        leaves = found if snapshot.ca.current else {**snapshot.leaves.missing, **found}
        return min(leaves, key=lambda secret: (leaves[secret] is not Component.CLUSTER_OPERATOR, secret), default="")

    @property
    def _has_no_leaf(self) -> bool:
        """Whether there is no CA in use yet, and no leaf either, stored, missing or presented: the first clients CA comes before the first user."""
        snapshot = self.snapshot
        presented = any(one.authorities != frozenset() for one in snapshot.users.presenters)
        return not (snapshot.ca.current or snapshot.every_leaf or snapshot.every_missing or presented)

    @property
    def _has_in_use(self) -> bool:
        """Whether the source has the CA in use, or a CA above it: bundles often hold roots alone, and an intermediate CA below one is in use."""
        current, ends = self.snapshot.ca.current, [chain[0] for chain in self.issuing]
        return any(one.is_twin_of(current[0]) for one in self.source.certificates) or any(
            one.is_twin_of(above) for one in ends for above in current[1:]
        )

    @property
    def authority(self) -> Chain:
        """The CA that is meant; empty also where the user has yet to confirm it."""
        return self.meant if self.meant and self._is_confirmed(self.meant[0]) else ()

    @cached_property
    def beside(self) -> tuple[Chain, ...]:
        """The CAs that are to be trusted beside it, and that the ledger does not have yet."""
        wanted = (chain for chain in self._others if self._is_confirmed(chain[0]))
        return tuple(chain for chain in wanted if self.ledger.find(chain[0].fingerprint) is None)

    @cached_property
    def unconfirmed(self) -> tuple[Certificate, ...]:
        """The CAs that are not confirmed yet; nothing is done about them."""
        asked = dict.fromkeys((*([self.meant] if self.meant else self.issuing), *self._others))
        return tuple(chain[0] for chain in asked if not self._is_confirmed(chain[0]))

    @property
    def _others(self) -> tuple[Chain, ...]:
        """A CA that a flow has replaced is not trusted anew because it still lies in the source."""
        gone = {self.intent.leaving, self.ledger.journal.replaces if self.ledger.journal else None}
        own = (*self.meant[:1], *self.snapshot.ca.current)
        return tuple(
            chain for chain in self.issuing
            if chain[0].fingerprint not in gone and not any(chain[0].is_twin_of(one) for one in own)
        )  # fmt: skip

    def _is_confirmed(self, certificate: Certificate) -> bool:
        """Whether the user has confirmed this CA, or it is known: it is in the ledger, or has the name and the key of a CA that is
        trusted, so that it adds no trust.
        """
        trusted = [entry.certificate for entry in self.ledger.entries if entry.state in TRUSTED_STATES]
        trusted += self.snapshot.ca.in_use
        known = self.ledger.find(certificate.fingerprint) is not None or any(map(certificate.is_twin_of, trusted))
        return known or certificate.sha256 in self.intent.confirmed


def is_heeded(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> bool:
    """Whether this flow does what a source asks for. A flow in flight ends first. A cluster without a CA gets its first one, and trusts the others of the
    source before its first pod starts.
    """
    confirms = intent.goal is Goal.CREATE and bool(snapshot.ca.current) and not _is_first_of_source(snapshot)
    return intent.goal in _HEEDING and not confirms and not in_flight(ledger) and not snapshot.ca.prepared


def _is_first_of_source(snapshot: Snapshot) -> bool:
    source, current = snapshot.source, snapshot.ca.current
    return (
        source is not None
        and not snapshot.nodes.pods
        and any(one.is_twin_of(current[0]) for one in source.certificates)
    )


def wish_of(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Wish | None:
    """The wish of the source; None where there is no source that can be used, or where this flow does not heed it."""
    source = snapshot.source
    if source is None or source.problem or not is_heeded(snapshot, intent, ledger):
        return None
    return Wish(source, snapshot, intent, ledger)


def later_authorities(snapshot: Snapshot) -> tuple[Chain, ...]:
    """The CAs of the source of which a leaf may come although another one is in use: the issuer has changed. Such a leaf waits until
    its CA is trusted and in use. None while the next CA is prepared: then it is known which one is to sign.
    """
    if snapshot.source is None or snapshot.ca.prepared:
        return ()
    return tuple(chain for chain in snapshot.source.issuing(snapshot.now) if chain[:1] != snapshot.ca.in_use)


def _signing(snapshot: Snapshot, issuing: tuple[Chain, ...]) -> list[Chain]:
    """The CAs, other than the one in use, of which checked leaves are at hand. One that has come and is not recorded yet would be asked for again as soon as
    its CA is the next one.
    """
    signers = {
        one.authority
        for one in snapshot.leaves.requests.values()
        if one.is_recorded and one.answer is not None and not one.outdated
    }
    return [chain for chain in issuing if chain[0].fingerprint in signers and chain[:1] != snapshot.ca.in_use]


def is_renewal(new: Certificate, snapshot: Snapshot) -> bool:
    """Whether this is the CA in use with new dates: the same name and key, and every leaf that validates under the CA in use validates
    under it (External Certificate Manager, "Handling Cluster CA trust rollout").
    """
    current, now = snapshot.ca.current, snapshot.now
    if not current or not new.is_twin_of(current[0]):
        return False
    leaves = [leaf.chain[:1] for leaf in snapshot.every_leaf if leaf.chain]
    own = [
        leaf
        for leaf in leaves
        if validate_path(leaf, current[:1], at=now, dated_anchors=snapshot.users.dated_anchors).valid
    ]
    return all(validate_path(leaf, (new,), at=now).valid for leaf in own)
