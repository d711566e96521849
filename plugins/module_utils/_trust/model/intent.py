# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The wishes of the caller, and the intent, which is a goal with wishes: the second input of ``decide``. Each part is
about one subject, and has a default for each of its fields. The defaults of options stand here and nowhere else:
argument specs and documentation take them from here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, TypeVar

from ..._leaves.request import RotationPolicy
from ..._pki.certificates import Chain
from ..._pki.keys import KeyAlgorithm, KeySpec, KeyType
from ..._pki.usability import KeyPolicy
from .components import Component
from .goals import Goal, Phase, Retirement
from .ledger import Layout, UpkeepOptions
from .pools import Scaling
from .snapshot import PreparedAuthority


class Spread(str, Enum):
    """The way in which running nodes take up a change if they can read it again (docs/operator.md, "Reload")."""

    #: By reload if each node can reload and the operator would not restart it afterwards; else by a restart.
    AUTO = "auto"
    #: By reload; the flow is held if a node cannot reload.
    RELOAD = "reload"
    #: By a restart.
    RESTART = "restart"


class Strategy(str, Enum):
    """The program that restarts Kafka nodes: the operator's KafkaRoller on request, or this collection under
    the same rules.
    """

    OPERATOR = "operator"
    DIRECT = "direct"


_RACK = "rack"
#: A number or a share of nodes.
_SHARE = re.compile(r"0*([1-9][0-9]{0,5})(%?)")


@dataclass(frozen=True)
class BatchLimit:
    """How many Kafka nodes may restart at a time, if the state of Kafka lets them. Each field limits it."""

    #: The most nodes; None: any number.
    nodes: int | None = None
    #: The most nodes, in percent of the nodes of the same role, but at least one; None: any share.
    percent: int | None = None
    #: Whether the nodes have to be of the same rack.
    one_rack: bool = False

    def most(self, count: int) -> int:
        """The most nodes of so many nodes of the same role."""
        share = count if self.percent is None else max(1, count * self.percent // 100)
        return share if self.nodes is None else min(share, self.nodes)

    @classmethod
    def read(cls, text: str) -> BatchLimit | None:
        """The limit with this text: a number, a share in percent, or ``rack``. None if the text is no limit."""
        if text == _RACK:
            return cls(one_rack=True)
        share = _SHARE.fullmatch(text)
        number = int(share[1]) if share else 0
        if share is None or (share[2] and number > 100):
            return None
        return cls(percent=number) if share[2] else cls(nodes=number)

    @property
    def text(self) -> str:
        """The limit as a caller writes it."""
        if self.one_rack:
            return _RACK
        return f"{self.nodes}" if self.percent is None else f"{self.percent}%"

    def allows(self, other: BatchLimit) -> bool:
        """Whether this limit allows as many nodes at a time as the other limit does, in each cluster."""
        in_number = self.nodes is None or (other.nodes is not None and other.nodes <= self.nodes)
        in_share = self.percent is None or (other.percent is not None and other.percent <= self.percent)
        return other == ONE_BY_ONE or (in_number and in_share and (other.one_rack or not self.one_rack))


#: The limit with which one node after the other restarts.
ONE_BY_ONE = BatchLimit(nodes=1)


class NewRoots(str, Enum):
    """The treatment of a CA of the source that is not in the ledger."""

    #: The flow does nothing about the CA until the user confirms its fingerprint.
    ASK = "ask"
    #: The flow is held until the CA is gone from the source.
    NEVER = "never"


@dataclass(frozen=True)
class LinkIssuer:
    """An issuer of certificates for other CAs."""

    #: The issuer that certifies the next CA, as messages name it.
    reference: str
    #: Whether it has the keys of both the CA in use and the next CA, if these are kept elsewhere. Then it can also make
    #: the requests for link certificates, which the key of the certified CA has to sign.
    keeps_both_keys: bool = False


@dataclass(frozen=True)
class Selection:
    """Some of a cluster's leaves; all leaves if both fields are empty."""

    #: The components of these leaves; empty: all.
    components: frozenset[Component] = frozenset()
    #: The Secrets of these leaves; empty: all.
    secrets: frozenset[str] = frozenset()

    def has(self, secret: str, component: Component) -> bool:
        of_component = not self.components or component in self.components
        return of_component and (not self.secrets or secret in self.secrets)


@dataclass(frozen=True)
class Parameters:
    """The parameters of single goals, each with its goals."""

    #: RENEW, REPLACE_KEY: fingerprint (SHA-1 or SHA-256) of the CA to renew or replace. None: the CA in use, unless a
    #: flow with the same goal finished within ``fresh_for``. Then this flow is the answer, and this call does nothing.
    replaces: str | None = None
    #: RENEW, REPLACE_KEY: how long after its end a finished flow with the same goal answers a call without a CA.
    fresh_for: timedelta = timedelta(hours=24)
    #: CREATE: whether the first CA is made although the Kafka resource does not exist yet.
    before_kafka: bool = False
    #: UPGRADE: fingerprint of a CA for the flow to adopt, in the place of the CA in use.
    adopts: str | None = None
    #: UPGRADE: whether the flow renews an adopted CA without room for a CA below it.
    raise_path_length: bool = False
    #: DOWNGRADE: whether the flow hands back a CA even if the operator renews or replaces it at once.
    operator_may_renew: bool = False
    #: DOWNGRADE: whether the CA stays user-managed, and only the records of this collection go.
    keeps_authority: bool = False
    #: RENEW_LEAVES: the rest of its life at which a node's leaf is renewed; half of its life if this is less.
    renew_before: timedelta = timedelta(days=45)
    #: RECONCILE: the treatment of a CA in its time for renewal. None: nothing begins, and earlier records stay.
    upkeep: UpkeepOptions | None = None
    #: RECONCILE: the next size of a node pool.
    scaling: Scaling | None = None
    #: RECONCILE: the Secrets for the ledger from now on; None: its present Secrets.
    layout: Layout | None = None


@dataclass(frozen=True)
class Extent:
    """How far this call and its flow go."""

    #: The last phase of this call; None: all.
    last_phase: Phase | None = None
    #: The last phase of the flow until its own playbook leads it on; None: all.
    stop_after: Phase | None = None
    #: Whether this call leads a stopped flow on, whatever its goal is.
    continue_stopped: bool = False

    def up_to(self, phase: Phase) -> Extent:
        """As this extent, but no further than the given phase, nor than the phase after which the flow stops."""
        ends = (self.last_phase, self.stop_after, phase)
        return replace(self, last_phase=min(filter(None, ends), key=lambda end: end.position))


@dataclass(frozen=True)
class NewCa:
    """The CA in the place of the CA in use after a renewal or a replacement."""

    #: A CA from the caller in the place of a generated CA.
    supplied: PreparedAuthority | None = None
    #: Path length of the CA. None: the length of ``made_path_length`` for a CA with a new key; for a renewed CA its
    #: present path length, with room for one CA below it if its leaves carry chains.
    path_length: int | None = None
    #: The kind of key that the caller wants; None: any. A key made here is of ``made_key`` then.
    key_type: KeyType | None = None
    #: Life of the CA, and of new leaves; None: the operator's, by the Kafka resource.
    validity: timedelta | None = None
    #: The rules for it and its leaves; None: no rules of the caller.
    policy: KeyPolicy | None = None

    @property
    def made_key(self) -> KeySpec:
        """The kind of key if one is made for the CA."""
        return (self.key_type or KeyType.RSA_4096).spec

    @property
    def made_path_length(self) -> int:
        """The path length of a CA with a new key: by default it has room for a link certificate below it."""
        return 1 if self.path_length is None else self.path_length


@dataclass(frozen=True)
class WantedTrust:
    """The CAs for nodes and clients to trust."""

    #: CAs, each with its chain, for nodes to trust beside the CAs of the flow.
    additional_cas: tuple[Chain, ...] = ()
    #: Fingerprint of a leaving CA whose leaves were never in use.
    leaving_ca: str | None = None
    #: Whether clients get a bundle of all trusted CAs. A call keeps an existing bundle up to date in any case.
    publishes_bundle: bool = False
    #: The treatment of a new CA of the source.
    new_roots: NewRoots = NewRoots.ASK
    #: SHA-256 fingerprints, in lower case without colons, of new CAs of the source, confirmed by the user.
    confirmed_roots: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Pace:
    """How nodes take up changes, and when they, clients and users do so."""

    #: Whether nodes may, must or must not reload in the place of a restart, as far as they can.
    spread: Spread = Spread.AUTO
    #: When nodes give up the replaced CA; None: as the flow in flight has it.
    retire: Retirement | None = None
    #: The program for restarts of Kafka nodes. With DIRECT a restart needs no operator that can reconcile.
    strategy: Strategy = Strategy.OPERATOR
    #: How many Kafka nodes restart at a time with DIRECT.
    batch: BatchLimit = ONE_BY_ONE
    #: Whether pods may restart outside the maintenance windows of the Kafka resource.
    ignores_windows: bool = False
    #: Time between the publication of a CA and its first use. None: the time of a mounted Secret if clients could
    #: refuse the CA, and no time otherwise. With a time of zero no flow renews the CA in use first, as this renewal
    #: serves these clients only.
    client_grace: timedelta | None = None
    #: Until when nodes lead clients with only the replaced CA on to the next CA after the switch; None: until one of
    #: the two ends.
    link_until: datetime | None = None
    #: How many users get their certificates at a time after a switch; None: as many as their issuer takes.
    user_batch: int | None = None


#: Keys of RSA, because the operator and the agent in each Kafka node read no other keys.
_LEAF_KEY = KeySpec(KeyAlgorithm.RSA, 2048)


@dataclass(frozen=True)
class Issuing:
    """The certificates that this call issues or requests, and their issuer."""

    #: The leaves for this collection to issue if their Secrets are missing; None: none.
    missing_leaves: Selection | None = None
    #: SHA-256 fingerprints of good stored leaves that the caller wants replaced.
    unwanted_leaves: frozenset[str] = frozenset()
    #: Kind and size of the keys of leaves, if this collection makes the keys.
    leaf_key: KeySpec = _LEAF_KEY
    #: The rule by which a new leaf gets a new key.
    rotation: RotationPolicy = RotationPolicy.ALWAYS
    #: Reference of the issuer of leaves, if the key of their CA is kept elsewhere.
    external_issuer: str = ""
    #: Life of the leaves of this issuer, if it has its own; None: the life in ``NewCa``.
    external_validity: timedelta | None = None
    #: The issuer of a certificate for the next CA by the CA in use; None: there is none.
    link_issuer: LinkIssuer | None = None
    #: Until when the call waits for an issuer; None: not at all.
    issuer_deadline: datetime | None = None
    #: When the caller asked to repeat at once the requests that had failed by then; None: no caller did.
    retry_requested_at: datetime | None = None


@dataclass(frozen=True)
class Records:
    """The records of a call in the cluster, beside the ledger."""

    #: Whether the call backs up the CA Secrets and the ledger before its first write and after each change.
    backs_up: bool = True
    #: Whether the call records its decisions, writes and restarts in the audit trail.
    audits: bool = True


@dataclass(frozen=True)
class ObstaclesMet:
    """The obstacles of this call so far."""

    #: Secrets of users that this call could not create, because other Secrets have their names.
    taken_names: frozenset[str] = frozenset()
    #: UIDs of nodes for whose answers this call has waited in vain.
    silent_nodes: frozenset[str] = frozenset()
    #: Whether the API server has refused this call to annotate pods.
    annotation_refused: bool = False


_AnyWishes = TypeVar("_AnyWishes", bound="Wishes")


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """All wishes of a call, whatever its goal is."""

    #: The parameters of single goals.
    parameters: Parameters = Parameters()
    #: The permitted phases.
    extent: Extent = Extent()
    #: The form of a new CA.
    new_ca: NewCa = NewCa()
    #: The trusted CAs beside it, and the treatment of new CAs of the source.
    trust: WantedTrust = WantedTrust()
    #: Reload or restart, and the times for nodes, clients and users.
    pace: Pace = Pace()
    #: The leaves to issue, and their issuer.
    issuing: Issuing = Issuing()
    #: The records of the call.
    records: Records = Records()

    def changed(self: _AnyWishes, **values: Any) -> _AnyWishes:
        """As this, with these values of fields, each by its name in its part."""
        wishes = self
        for name, value in values.items():
            part = _PARTS[name]
            wishes = replace(wishes, **{part: replace(getattr(wishes, part), **{name: value})})
        return wishes

    def towards(self, goal: Goal) -> Intent:
        return Intent(goal, **{part.name: getattr(self, part.name) for part in fields(Wishes)})


#: The wishes of a caller without any.
NO_WISHES = Wishes()
#: The part of each field.
_PARTS = {field.name: part.name for part in fields(Wishes) for field in fields(getattr(NO_WISHES, part.name))}


@dataclass(frozen=True)
class Intent(Wishes):
    """A goal and all wishes of a call about it."""

    #: The state to which the call brings the CA.
    goal: Goal
    #: The obstacles of this call so far; empty when it begins.
    obstacles: ObstaclesMet = ObstaclesMet()

    def about(self, authority: str | None) -> Intent:
        """The intent for this CA (fingerprint) as the CA to renew or replace."""
        return replace(self, parameters=replace(self.parameters, replaces=authority))

    def to_the_end(self) -> Intent:
        """The intent without a phase to stop after, for a look at the whole flow."""
        return replace(self, extent=replace(self.extent, last_phase=None, stop_after=None))

    def allows(self, phase: Phase) -> bool:
        return self.extent.last_phase is None or phase.position <= self.extent.last_phase.position
