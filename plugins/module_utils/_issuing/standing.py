# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The leaves that an issuer which renews by itself keeps for a cluster, compared with the wanted ones and judged like every
certificate that comes back (External Certificate Manager, "Tracking changes to Cluster CA end-entity certificates").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property

from .._leaves.standing import Standing
from .._pki.certificates import Certificate, Chain
from .._strimzi.leaves import LeafSecret
from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .._strimzi.writes import Write, write_all
from .._trust.model.steps.standing import CorrectOrders
from .acceptance import Acceptances, known_certificates
from .configured import issuer_of
from .entities import every_leaf, subject_for
from .issuer import IssuedCertificate, Kept, LeafOrder, Refused, RenewingIssuer
from .pending import authorities, signer_of


def with_standing(observation: Observation, work: Work) -> Observation:
    """The observation with what the issuer keeps, where it is one that renews by itself and a CA here is one whose key
    another issuer has. Raises KubeError.
    """
    issuer = issuer_of(work)
    if not isinstance(issuer, RenewingIssuer) or not observation.snapshot.ca.elsewhere:
        return observation
    judge = _Judge(observation)
    standing = {
        leaf.secret: judge.standing(leaf, kept)
        for leaf, kept in _reviewed(every_leaf(observation), issuer, observation, work)
    }
    snapshot = observation.snapshot
    leaves = replace(snapshot.leaves, standing=standing)
    return replace(observation, snapshot=replace(snapshot, leaves=leaves))


def _reviewed(
    leaves: Iterable[LeafSecret], issuer: RenewingIssuer, observation: Observation, work: Work
) -> list[tuple[LeafSecret, Kept]]:
    orders = {leaf: _plain(leaf, observation, work) for leaf in leaves}
    kept = issuer.review(tuple(orders.values()))
    return [(leaf, kept[order.name]) for leaf, order in orders.items()]


def _plain(leaf: LeafSecret, observation: Observation, work: Work) -> LeafOrder:
    return LeafOrder(leaf.secret, subject_for(leaf, observation), b"", work.validity(observation))


def standing_order(leaf: LeafSecret, authority: Chain, observation: Observation, work: Work) -> LeafOrder:
    """The order for a leaf of this CA. A certificate that the issuer has already will do where it is good and not the stored one."""
    stored = next((one.chain for one in observation.snapshot.every_leaf if one.secret == leaf.secret), None)
    standing = observation.snapshot.leaves.standing.get(leaf.secret)
    unfit = {stored[0].sha256} if stored else set()
    if standing is not None and standing.latest and standing.authority != authority[0].fingerprint:
        unfit.add(standing.latest[0].sha256)
    return replace(_plain(leaf, observation, work), unfit=frozenset(unfit))


def correct_orders(step: CorrectOrders, observation: Observation, work: Work) -> None:
    """Write what the issuer is to renew. Each write is decided on what is found now, and made only where that has not
    changed since. Raises KubeError.
    """
    issuer = issuer_of(work)
    if isinstance(issuer, RenewingIssuer):
        wanted = [leaf for leaf in every_leaf(observation) if leaf.secret in step.secrets]
        found = (kept.correction for _leaf, kept in _reviewed(wanted, issuer, observation, work))
        writes: tuple[Write, ...] = tuple(one for one in found if one is not None)
        write_all(writes, work, step.phase.value)


@dataclass(frozen=True)
class _Judge:
    observation: Observation

    def standing(self, leaf: LeafSecret, kept: Kept) -> Standing:
        found = Standing(leaf.secret, told=kept.trouble, differs=kept.differs)
        answer = kept.answer
        if isinstance(answer, Refused):
            return replace(found, told=f"{answer.why} {answer.remedy}")
        if not isinstance(answer, IssuedCertificate):
            return found if kept.differs else replace(found, told=found.told or answer.why)
        found = replace(found, latest=(answer.leaf, *answer.chain))
        why = self._why_not(leaf, answer)
        return replace(found, told=why) if why else replace(found, authority=self._signer(answer.leaf)[0].fingerprint)

    def _why_not(self, leaf: LeafSecret, answer: IssuedCertificate) -> str:
        """Why this certificate is not to be used, as a sentence; empty where it may be."""
        name = f"The certificate that the issuer has for {leaf.secret} (SHA-256 {answer.leaf.sha256[:16]})"
        authority, now = self._signer(answer.leaf), self.observation.snapshot.now
        if not authority:
            return (
                f"{name} waits: it is of {answer.leaf.issuer}, a CA that this cluster does not use. The stored certificate stays in use. "
                "Replace the CA by that one (rotate_cluster_ca), or correct the issuer."
            )
        if answer.key is None:
            return f"{name} is not used: its key is not there. Correct the issuer."
        if timedelta(0) < answer.leaf.not_before - now:
            return f"{name} waits: it is valid from {answer.leaf.not_before:%Y-%m-%d %H:%M:%S} UTC on; clocks differ."
        subject = subject_for(leaf, self.observation)
        problems = "; ".join(self._acceptances.of(authority).refusals(answer, subject, answer.key))
        return f"{name} is not used: {problems}. Correct the issuer." if problems else ""

    def _signer(self, leaf: Certificate) -> Chain:
        return signer_of(leaf, self._authorities)

    @cached_property
    def _authorities(self) -> tuple[Chain, ...]:
        return authorities(self.observation.snapshot)

    @cached_property
    def _acceptances(self) -> Acceptances:
        snapshot = self.observation.snapshot
        return Acceptances(known_certificates(snapshot), snapshot.now)
