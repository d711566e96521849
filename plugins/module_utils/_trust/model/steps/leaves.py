# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps about leaves: they write leaves into their Secrets, ask another issuer for leaves and collect them, and correct
the orders of an issuer that renews by itself. Further steps are about users: the User Operator issues their
certificates, and programs take them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from ...._leaves.request import LeafRequest
from ...._pki.certificates import Certificate, Chain
from ..clients import ReissuePause
from ..components import Component
from ..decision import Look, StandIn, Step, look_at_gate
from ..goals import Phase
from ..names import counted, listed, named
from ..snapshot import DnsDomain, DomainSource, Snapshot, StoredLeaf


@dataclass(frozen=True, kw_only=True)
class IssueLeaves(Step):
    """Issue leaves into these Secrets."""

    #: Names of the Secrets of the leaves.
    secrets: tuple[str, ...]
    #: The signing CA, with its chain.
    issuer: Chain
    #: The generation of the CA in use, for the annotations of the Secrets.
    generation: int
    #: The certificate that leads from the issuer to ``ca.crt``. The leaves are presented with it and ``ca.crt`` behind
    #: them. None if the issuer is ``ca.crt``, or if no link is needed.
    link: Certificate | None = None

    def sentence(self) -> str:
        linked = ", presented behind its link certificate" if self.link else ""
        return f"issue {counted(len(self.secrets), 'certificate')} of {named(self.issuer[0])}{linked}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        own = frozenset(self.secrets)
        made = [
            StoredLeaf(name, f"{name}.crt", component, None, None)
            for name, component in snapshot.leaves.missing.items()
            if name in own
        ]
        every = (*snapshot.leaves.stored, *made)
        # If a leaf stays, such as the operator's own, it is not among the replaced leaves.
        issued = {
            component: stand_in.leaf(self.issuer)
            for component in dict.fromkeys(leaf.component for leaf in every if leaf.secret in own)
        }
        # The key comes with the certificate.
        leaves = tuple(
            replace(
                leaf,
                chain=(issued[leaf.component], *self._chain_behind(leaf, snapshot)),
                generation=self.generation,
                problem="",
                key_beside="",
            )
            if leaf.secret in own
            else leaf
            for leaf in every
        )
        missing = {name: component for name, component in snapshot.leaves.missing.items() if name not in own}
        # From here on a running process presents another leaf than the stored leaf.
        pods = tuple(
            replace(pod, presents_stored=pod.presents_stored and own.isdisjoint(pod.leaves))
            for pod in snapshot.nodes.pods
        )
        misnamed = {name: why for name, why in snapshot.leaves.misnamed.items() if name not in own}
        of_user = (stand_in.leaf(self.issuer), *self.issuer)
        made_for = {
            name: StoredLeaf(name, "user.crt", Component.USER, of_user, self.generation) for name in self.secrets
        }
        # Certificates that their issuer has renewed are in use then.
        standing = {
            name: replace(order, latest=(), authority="") if name in own else order
            for name, order in snapshot.leaves.standing.items()
        }
        after = replace(snapshot.leaves, stored=leaves, missing=missing, misnamed=misnamed, standing=standing)
        return _with_served(replace(snapshot, leaves=after).with_nodes(pods=pods), made_for, self.issuer)

    def _chain_behind(self, leaf: StoredLeaf, snapshot: Snapshot) -> Chain:
        if self.link is not None:
            return (self.link, *snapshot.ca.current)
        if leaf.component is Component.KAFKA:
            return snapshot.ca.behind_nodes(self.issuer, snapshot.now)
        return self.issuer

    def look(self, snapshot: Snapshot) -> Look:
        return look_at_gate(snapshot)


def _with_served(snapshot: Snapshot, made: Mapping[str, StoredLeaf], issuer: Chain) -> Snapshot:
    """The snapshot in which users have these new leaves, by their Secrets. Leaves of processes among them change
    nothing here.
    """
    issuing = frozenset({issuer[0].fingerprint})
    served = {name: made.get(name, leaf) for name, leaf in snapshot.user_leaves.items()}
    presenters = tuple(
        replace(presenter, authorities=issuing, is_outdated=False)
        if presenter.secret and presenter.secret in made
        else presenter
        for presenter in snapshot.presenters
    )
    return snapshot.with_users(user_leaves=served, presenters=presenters)


def _chain_kept(leaf: StoredLeaf, snapshot: Snapshot) -> Chain | None:
    """Nodes present the CA in use behind the leaf, and its link certificates between; components keep their chain."""
    if leaf.component is not Component.KAFKA or not leaf.chain:
        return leaf.chain
    return (leaf.chain[0], *snapshot.ca.behind_nodes(snapshot.ca.current, snapshot.now))


@dataclass(frozen=True, kw_only=True)
class RechainLeaves(Step):
    """Put the chain of the CA in use behind the leaves with a signature by its key, and keep these leaves. Paused,
    unless it is only about link certificates and the leaves have this generation.
    """

    #: Names of the Secrets of the leaves.
    secrets: tuple[str, ...]
    #: The generation of the CA in use, for the annotations of the Secrets.
    generation: int
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        return (
            f"put the chain of the CA in use behind {counted(len(self.secrets), 'certificate')}, generation "
            f"{self.generation}"
        )

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        own = frozenset(self.secrets)
        leaves = (
            replace(leaf, chain=_chain_kept(leaf, snapshot), generation=self.generation) if leaf.secret in own else leaf
            for leaf in snapshot.leaves.stored
        )
        kept = {
            name: replace(leaf, generation=self.generation)
            for name, leaf in snapshot.user_leaves.items()
            if leaf is not None and name in own
        }
        after = replace(snapshot.leaves, stored=tuple(leaves))
        return _with_served(replace(snapshot, leaves=after), kept, snapshot.ca.current)


@dataclass(frozen=True, kw_only=True)
class AskForLeaves(Step):
    """Make keys for the leaves of these Secrets, and request their certificates from an issuer."""

    #: Names of the Secrets of the leaves.
    secrets: tuple[str, ...]
    #: The CA that is to sign, with its chain.
    issuer: Chain
    #: The reference of the issuer.
    external_issuer: str
    #: Whether the leaves are for future nodes.
    spare: bool = False
    #: The DNS domain of their names; None if none of them has such names.
    domain: DnsDomain | None = None

    def sentence(self) -> str:
        what = counted(len(self.secrets), "spare certificate" if self.spare else "certificate")
        return f"ask {self.external_issuer} for {what} of {named(self.issuer[0])}{self._describe_domain()}"

    def _describe_domain(self) -> str:
        if self.domain is None:
            return ""
        is_assumed = self.domain.source is DomainSource.DEFAULT
        return (
            ", with names that end in "
            f"{self.domain.name}{', an assumption (dns_domain, strimzi_dns_domain)' * is_assumed}"
        )

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        """In a forecast, every issuer answers at once."""
        authority = self.issuer[0].fingerprint
        made = {
            name: LeafRequest(
                name,
                self.external_issuer,
                authority,
                snapshot.now,
                is_open=False,
                answer=(stand_in.leaf(self.issuer), *self.issuer),
            )
            for name in self.secrets
        }
        return _with_requests(snapshot, {**snapshot.leaves.requests, **made})


def _with_requests(snapshot: Snapshot, requests: Mapping[str, LeafRequest]) -> Snapshot:
    return replace(snapshot, leaves=replace(snapshot.leaves, requests=requests))


def _record_requests(snapshot: Snapshot, secrets: tuple[str, ...]) -> Snapshot:
    requests, own = snapshot.leaves.requests, frozenset(secrets)
    changed = {name: replace(request, is_recorded=True) for name, request in requests.items() if name in own}
    return _with_requests(snapshot, {**requests, **changed})


@dataclass(frozen=True, kw_only=True)
class CollectLeaves(Step):
    """Record refusals, and the returned certificates that have passed every check: their issuer is not needed any
    more.
    """

    #: Names of the Secrets of the leaves.
    secrets: tuple[str, ...]
    #: The reference of the issuer.
    external_issuer: str

    def sentence(self) -> str:
        return f"record {counted(len(self.secrets), 'answer')} of {self.external_issuer}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _record_requests(snapshot, self.secrets)


@dataclass(frozen=True, kw_only=True)
class AwaitIssuer(Step):
    """Wait for the issuer, but not beyond ``deadline``: the next run goes on."""

    #: The Secrets of the leaves without an answer of the issuer.
    secrets: tuple[str, ...]
    #: The CA that has to sign them, with its chain.
    issuer: Chain
    #: Reference of the issuer.
    external_issuer: str
    #: The end of the wait, in UTC.
    deadline: datetime
    #: Other runs may work in the meantime.
    releases_lease: ClassVar[bool] = True
    #: The step writes nothing.
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        return f"wait until {self.external_issuer} has issued {counted(len(self.secrets), 'certificate')}"

    @property
    def awaited(self) -> str:
        return f"{counted(len(self.secrets), 'certificate')} of {self.external_issuer}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        leaf, own = stand_in.leaf(self.issuer), frozenset(self.secrets)
        answered = {
            name: replace(request, answer=request.answer or (leaf, *self.issuer), is_open=False)
            for name, request in snapshot.leaves.requests.items()
            if name in own
        }
        return _record_requests(_with_requests(snapshot, {**snapshot.leaves.requests, **answered}), self.secrets)


@dataclass(frozen=True, kw_only=True)
class ForgetRequests(Step):
    """Remove requests that are served or not wanted any more, with the keys for them."""

    #: Names of the Secrets of the requested leaves.
    secrets: tuple[str, ...]
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        return f"remove {counted(len(self.secrets), 'request')} for certificates that are not needed any more"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        own = frozenset(self.secrets)
        left = {name: request for name, request in snapshot.leaves.requests.items() if name not in own}
        return _with_requests(snapshot, left)


@dataclass(frozen=True, kw_only=True)
class CorrectOrders(Step):
    """Correct what the issuer is to renew for these Secrets."""

    #: Names of the Secrets of the leaves.
    secrets: tuple[str, ...]
    #: The reference of the issuer.
    external_issuer: str

    def sentence(self) -> str:
        return f"correct what {self.external_issuer} is to renew for {listed(self.secrets)}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        """Only the orders change: a later run sees the issuer's certificates for them."""
        leaves, own = snapshot.leaves, frozenset(self.secrets)
        corrected = {name: replace(order, differs="") for name, order in leaves.standing.items() if name in own}
        return replace(snapshot, leaves=replace(leaves, standing={**leaves.standing, **corrected}))


def _with_certificate_of(snapshot: Snapshot, names: Iterable[str], authority: Certificate) -> Snapshot:
    issuing = frozenset({authority.fingerprint})
    return _with_presenters(snapshot, names, authorities=issuing, is_outdated=False, pause=ReissuePause.NONE)


def _paused(snapshot: Snapshot, names: Iterable[str], pause: ReissuePause) -> Snapshot:
    return _with_presenters(snapshot, names, pause=pause)


def _with_presenters(snapshot: Snapshot, names: Iterable[str], **changes: Any) -> Snapshot:
    """The snapshot with these changes of the presenters of these names."""
    own = frozenset(names)
    presenters = (
        replace(presenter, **changes) if presenter.name in own else presenter for presenter in snapshot.presenters
    )
    return snapshot.with_users(presenters=tuple(presenters))


@dataclass(frozen=True, kw_only=True)
class PauseReissue(Step):
    """Keep the User Operator from issuing certificates for these users until it is their turn."""

    #: The users, as presenters are named.
    names: tuple[str, ...]
    #: The phase of the flow.
    phase: Phase = Phase.USE

    def sentence(self) -> str:
        return f"keep the User Operator from issuing {counted(len(self.names), 'certificate')} until it is their turn"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _paused(snapshot, self.names, ReissuePause.OURS)

    def look(self, snapshot: Snapshot) -> Look:
        return Look.REMEMBERED if snapshot.nodes.pods else Look.NONE


@dataclass(frozen=True, kw_only=True)
class ResumeReissue(Step):
    """Let the User Operator issue certificates for these users again."""

    #: The users, as presenters are named.
    names: tuple[str, ...]
    #: The phase of the flow.
    phase: Phase = Phase.USE

    def sentence(self) -> str:
        return f"let the User Operator issue {counted(len(self.names), 'certificate')} again"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _paused(snapshot, self.names, ReissuePause.NONE)

    def look(self, snapshot: Snapshot) -> Look:
        return Look.REMEMBERED if snapshot.nodes.pods else Look.NONE


@dataclass(frozen=True, kw_only=True)
class AwaitReissue(Step):
    """Have the operator in charge issue certificates outside the cluster again, by the CA in use."""

    #: The names of the presenters of the certificates.
    names: tuple[str, ...]
    #: The CA in use, which signs.
    authority: Certificate
    #: How many at a time, after a first certificate; None if the operator may take as many as it can.
    batch: int | None = None
    #: The phase of the flow.
    phase: Phase = Phase.USE
    #: A call may decide on the step again: it does nothing twice.
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        batches = f", {self.batch} at a time" if self.batch else ""
        return (
            f"have the User Operator issue {counted(len(self.names), 'certificate')} of "
            f"{named(self.authority)}{batches}"
        )

    @property
    def awaited(self) -> str:
        return f"{counted(len(self.names), 'certificate')} of the User Operator"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _with_certificate_of(snapshot, self.names, self.authority)


@dataclass(frozen=True, kw_only=True)
class AwaitKept(Step):
    """Let the operator in charge of certificates outside the cluster go on, and check that it keeps the certificates
    that this collection has written for it.
    """

    #: The names of the presenters of the certificates.
    names: tuple[str, ...]
    #: The CA in use. It has signed the certificates.
    authority: Certificate
    #: The phase of the flow.
    phase: Phase = Phase.USE
    #: A call may decide on the step again: it does nothing twice.
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        return f"see that the User Operator keeps {counted(len(self.names), 'certificate')} of {named(self.authority)}"

    @property
    def awaited(self) -> str:
        return "the User Operator"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _paused(snapshot, self.names, ReissuePause.NONE)


@dataclass(frozen=True, kw_only=True)
class AwaitPickUp(Step):
    """Wait until programs present their new certificate: an operator restarts them for it, or copies it to them."""

    #: The programs, as presenters are named.
    names: tuple[str, ...]
    #: The CA in use. It has signed the new certificates.
    authority: Certificate
    #: Fingerprint of the CA of the certificates that they give up; None if the flow replaces none.
    replaced: str | None = None
    #: The phase of the flow.
    phase: Phase = Phase.USE
    #: A call may decide on the step again: it does nothing twice.
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        return f"wait until {listed(self.names)} present certificates of {named(self.authority)}"

    @property
    def awaited(self) -> str:
        return counted(len(self.names), "program")

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _with_certificate_of(snapshot, self.names, self.authority)
