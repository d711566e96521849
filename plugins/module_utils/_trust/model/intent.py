# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The intent of the caller: the second input of ``decide``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from ..._pki.certificates import Chain
from .goals import Goal, Phase, Retire
from .ledger import Layout
from .pools import Scaling
from .snapshot import Component, PreparedAuthority
from .upkeep import UpkeepAsked


class Spread(str, Enum):
    """How running nodes take up a change that they can read again (docs/operator.md, "Reload").

    AUTO: by reload where each node can be told to and the operator would not restart it afterwards; else by a restart.
    """

    AUTO = "auto"
    RELOAD = "reload"
    RESTART = "restart"


class NewRoots(str, Enum):
    """How a flow treats a CA that the source holds and the ledger does not know.

    ASK: nothing, until the user confirms its fingerprint. NEVER: the flow is held until it is gone.
    """

    ASK = "ask"
    NEVER = "never"


@dataclass(frozen=True)
class Linker:
    """An issuer that certifies other CAs. reference: of the one that certifies the next CA, as people name it. keeps_both: whether it has the keys of
    the CA in use and of the next one, where these are kept elsewhere, so that it can make the requests that they have to sign.
    """

    reference: str
    keeps_both: bool = False


@dataclass(frozen=True)
class Selection:
    """Some of a cluster's leaves: those of these components, and in these Secrets; everything where nothing is named."""

    components: frozenset[Component] = frozenset()
    secrets: frozenset[str] = frozenset()

    def has(self, secret: str, component: Component) -> bool:
        of_component = not self.components or component in self.components
        return of_component and (not self.secrets or secret in self.secrets)


@dataclass(frozen=True)
class Intent:
    """A goal and its parameters.

    replaces: fingerprint (SHA-1 or SHA-256) of the CA to renew or replace; None means the CA in use, unless a flow
    with the same goal finished within ``fresh_for``: then that one is the answer and nothing is done.
    before_kafka: with CREATE, whether the first CA is made although the Kafka resource does not exist yet.
    until: the last phase that this call enters; stop_after: the last one that the flow is to enter until it is led on (None: all).
    continue_stopped: whether this call leads a flow that was stopped, whatever its goal is.
    supplied: a CA brought by the caller in place of a generated one.
    publish: whether clients get a bundle of all trusted CAs; a bundle that exists is kept up to date in any case.
    spread: whether nodes may, must or must not read again what they can instead of being restarted.
    retire, retire_by: when nodes give up the CA that is replaced, and at the latest; None: as the flow in flight has it.
    client_grace: time between a new CA's publication and its first use; None: what a mounted Secret takes where clients
    could refuse it, and none where they could not. With none at all the CA in use is not renewed first, as it is only for them.
    link_until: until when nodes lead clients that know only the replaced CA on to the next one after the switch; None: until one of them ends.
    path_length: that of a renewed CA; None: what it has, and room for one CA below it where its leaves carry chains.
    key_type: algorithm and bits of the key that the caller asks for; None: any.
    renew_before: with RENEW_LEAVES, what a node's leaf has left, or half of its life if that is less, when it is renewed.
    trusting: CAs, each with its chain, that are to be trusted beside those of the flow. leaving: fingerprint of a CA that is
    to leave although it was never used. adopts: with UPGRADE, fingerprint of a CA that was put into the place of the
    one in use, and that is to be adopted. make_room: with UPGRADE, whether the adopted CA is renewed where it
    allows no CA below it. operator_may_renew: with DOWNGRADE, whether a CA is handed back that the
    operator renews or replaces at once. issuing: which leaves are issued here if their Secrets are missing; None: none.
    validity: of new CAs and leaves; None: as long as the Kafka resource has the operator issue them for.
    asked: reference of the issuer that is asked for leaves of a CA whose key is kept elsewhere. asked_validity: of its leaves, where it has one of its
    own; None: ``validity``. links: the issuer that can be asked for a
    link certificate by the CA in use; None: none. issue_until: how long to wait for it; None: not at
    all. insists: when the caller has asked that it is asked at once again where it had refused by then; None: no caller has. scaling: the size
    that a node pool is to get.
    new_roots: what is done about a CA of the source that is new. confirmed: SHA-256 fingerprints, in lower case without colons, of such
    CAs that the user wants. user_batch: how many certificates outside the cluster are issued anew at a time after a switch; None: as many as
    their issuer takes. layout: the Secrets that the ledger is to be kept in; None: those that it is kept in. taken: Secrets of users that this
    call could not create, because there are others of their names. unanswered: UIDs of nodes for whose answers this call has waited in vain.
    unstamped: whether this call has been refused that pods are annotated. upkeep: with RECONCILE, what is done with a CA in its time for renewal; None:
    nothing, and what earlier calls did stays recorded. unwanted: SHA-256 fingerprints of stored leaves that are to be issued anew although they are good.
    keeps_authority: with DOWNGRADE, whether the CA stays user-managed, and only the records of this collection go.
    ignores_windows: whether pods may restart outside the maintenance windows of the Kafka resource.
    """

    goal: Goal
    replaces: str | None = None
    fresh_for: timedelta = timedelta(hours=24)
    before_kafka: bool = False
    until: Phase | None = None
    stop_after: Phase | None = None
    continue_stopped: bool = False
    supplied: PreparedAuthority | None = None
    publish: bool = False
    spread: Spread = Spread.AUTO
    retire: Retire | None = None
    retire_by: datetime | None = None
    client_grace: timedelta | None = None
    link_until: datetime | None = None
    path_length: int | None = None
    key_type: tuple[str | None, int | None] = (None, None)
    renew_before: timedelta = timedelta(days=45)
    trusting: tuple[Chain, ...] = ()
    leaving: str | None = None
    adopts: str | None = None
    operator_may_renew: bool = False
    make_room: bool = False
    issuing: Selection | None = None
    validity: timedelta | None = None
    asked: str = ""
    asked_validity: timedelta | None = None
    links: Linker | None = None
    issue_until: datetime | None = None
    insists: datetime | None = None
    new_roots: NewRoots = NewRoots.ASK
    confirmed: frozenset[str] = frozenset()
    scaling: Scaling | None = None
    user_batch: int | None = None
    layout: Layout | None = None
    taken: frozenset[str] = frozenset()
    unanswered: frozenset[str] = frozenset()
    unstamped: bool = False
    upkeep: UpkeepAsked | None = None
    unwanted: frozenset[str] = frozenset()
    keeps_authority: bool = False
    ignores_windows: bool = False

    def allows(self, phase: Phase) -> bool:
        return self.until is None or phase.position <= self.until.position
