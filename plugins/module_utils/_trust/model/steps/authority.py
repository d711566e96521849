# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps that make CAs, switch the operator to another CA, and hand the CA to the operator or take it over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from ...._pki.certificates import Certificate, Chain
from ..authority_order import AuthorityOrder
from ..clients import Presenter, Renewal
from ..decision import Look, StandIn, Step, look_at_gate
from ..goals import Goal, Phase
from ..ledger import Beginning, FlowOptions, Stop
from ..names import counted, listed, named
from ..snapshot import Backup, PreparedAuthority, Snapshot, StateSecrets, StoredLeaf
from .trust import without_entry


@dataclass(frozen=True, kw_only=True)
class PrepareAuthority(AuthorityOrder, Step):
    """Make the next CA of the order, or take the supplied CA, and put it with its key into the CA key Secret."""

    #: The phase after which the flow of this step stops; None if it goes on to its end.
    stop: Stop | None = None
    #: Whether a replacement of the key follows this renewal.
    precedes_replacement: bool = False
    #: The beginning of the flow; None if the call that opens its journal says it.
    beginning: Beginning | None = None
    #: The phase of the flow.
    phase: Phase = Phase.PREPARE

    def sentence(self) -> str:
        if self.goal is Goal.RENEW:
            return f"prepare a renewed certificate of {named(self.replaces[0])}{self._other_length()}"
        replaced = f" to replace {named(self.replaces[0])}" if self.replaces else ""
        if self.links is None:
            return f"prepare a CA with a new key{replaced}"
        issuer, back_issuer = self.links.issuer, self.links.back_issuer
        signed = f", signed by {issuer}" if issuer else ""
        back = f", and a link certificate of that CA, signed by {back_issuer}" if back_issuer else ""
        return f"prepare a CA with a new key{replaced}, and a link certificate by that CA{signed}{back}"

    def _other_length(self) -> str:
        length = self.supplied[0].path_length if self.supplied else self.path_length
        if length == self.replaces[0].path_length:
            return ""
        return f" that allows {'any number of CAs' if length is None else counted(length, 'CA')} below it"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        made = stand_in.authority(self)
        kept = snapshot.ca.kept_keys | {made.fingerprint}
        elsewhere = snapshot.ca.keys_elsewhere | ({made.key} if made.key_is_elsewhere and made.key else set())
        served = _users_to_serve(snapshot) if made.key_is_elsewhere else snapshot.user_leaves
        return snapshot.with_users(user_leaves=served).with_ca(
            prepared=(*snapshot.ca.prepared, made), kept_keys=kept, keys_elsewhere=elsewhere,
            flow_options=FlowOptions(snapshot.outside_clients.named_places, self.stop, self.precedes_replacement),
            beginning=self.beginning,
        )  # fmt: skip


def _users_to_serve(snapshot: Snapshot) -> Mapping[str, StoredLeaf | None]:
    """The users whose certificates this collection issues from now on, by Secret; nothing has looked at their present
    leaves before.
    """
    return snapshot.user_leaves or {presenter.secret: None for presenter in snapshot.presenters if presenter.secret}


@dataclass(frozen=True, kw_only=True)
class PrepareAgain(Step):
    """Make the replaced CA the next CA: its key is kept."""

    #: The replaced CA, with the CAs above it.
    chain: Chain
    #: The phase of the flow.
    phase: Phase = Phase.PREPARE

    def sentence(self) -> str:
        return f"go back to {named(self.chain[0])}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        ca, key = snapshot.ca, self.chain[0].public_key_sha256
        again = PreparedAuthority(self.chain, key, key_is_elsewhere=ca.is_kept_elsewhere(self.chain[0]))
        return snapshot.with_ca(
            prepared=(*_without(ca.prepared, again), again), kept_keys=ca.kept_keys | {again.fingerprint}
        )


@dataclass(frozen=True, kw_only=True)
class Switch(Step):
    """Make a prepared CA the operator's: its key first, then certificate and generation in one write."""

    #: The prepared CA.
    authority: PreparedAuthority
    #: The generation of its certificate. The operator compares it with pods and leaves.
    generation: int
    #: The generation of its key. It does not change if the key stays, or if pods cannot be annotated with another.
    key_generation: int
    #: The CA that the same write takes out of the trust (behind the removal gate); None if the replaced CA stays
    #: trusted for now.
    leaving: Certificate | None = None
    #: The phase of the flow.
    phase: Phase = Phase.USE

    def sentence(self) -> str:
        gone = f", and take {named(self.leaving)} out of the trusted CAs" if self.leaving else ""
        return f"switch the operator to {named(self.authority.chain[0])}, generation {self.generation}{gone}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        ca = snapshot.ca
        others, kept = without_entry(ca, self.authority.fingerprint), ca.kept_keys
        if ca.current and ca.current[0] != self.leaving:
            others[ca.current[0].expired_name()] = ca.current
        if ca.current and ca.key != self.authority.key:
            kept = kept | {ca.current[0].fingerprint}
        presenters = tuple(_after_switch(presenter, self.authority.fingerprint) for presenter in snapshot.presenters)
        return snapshot.with_users(presenters=presenters).with_ca(
            current=self.authority.chain, other_entries=others, key=self.authority.key, kept_keys=kept,
            certificate_generation=self.generation, key_generation=self.key_generation,
        )  # fmt: skip

    def look(self, snapshot: Snapshot) -> Look:
        return look_at_gate(snapshot)


def _after_switch(presenter: Presenter, authority: str) -> Presenter:
    if presenter.renewal is Renewal.AT_ONCE:
        return replace(presenter, authorities=frozenset({authority}))
    return replace(presenter, is_outdated=True) if presenter.renewal is Renewal.ISSUED else presenter


@dataclass(frozen=True, kw_only=True)
class RestoreKey(Step):
    """Put the kept key of the CA in use back: a switch was begun, and its gates are closed again."""

    #: The CA in use.
    certificate: Certificate
    #: The earlier generation of its key.
    key_generation: int
    #: The phase of the flow.
    phase: Phase = Phase.USE

    def sentence(self) -> str:
        return f"put the key of {named(self.certificate)} back"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return snapshot.with_ca(key=self.certificate.public_key_sha256, key_generation=self.key_generation)


@dataclass(frozen=True, kw_only=True)
class PutBack(Step):
    """Put a CA back into its place, and keep the CA that is in this place now as the next CA (paused only)."""

    #: The returning CA, with the CAs above it.
    chain: Chain
    #: The generation of the returning CA.
    generation: int
    #: The generation that the key gets again: the key generation of the pods.
    key_generation: int
    #: The stop of the flow that begins with this step; None if it goes on to its end.
    stop: Stop | None = None
    #: The beginning of the flow; None if the call that opens its journal says it.
    beginning: Beginning | None = None
    #: The phase of the flow that begins with this step.
    phase: Phase = Phase.PREPARE

    def sentence(self) -> str:
        return f"put {named(self.chain[0])} back into its place, and keep the CA that lies there as the next CA"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        ca = snapshot.ca
        next_one = PreparedAuthority(ca.current, ca.key, key_is_elsewhere=ca.in_use_elsewhere)
        others = without_entry(ca, self.chain[0].fingerprint)
        others[f"{next_one.fingerprint}.crt"] = ca.current
        return snapshot.with_ca(
            current=self.chain, other_entries=others, prepared=(*_without(ca.prepared, next_one), next_one),
            kept_keys=ca.kept_keys | {next_one.fingerprint},
            certificate_generation=self.generation, key_generation=self.key_generation,
            flow_options=FlowOptions(snapshot.outside_clients.named_places, self.stop),
            beginning=self.beginning,
        )  # fmt: skip


def _without(prepared: tuple[PreparedAuthority, ...], other: PreparedAuthority) -> tuple[PreparedAuthority, ...]:
    return tuple(authority for authority in prepared if authority.fingerprint != other.fingerprint)


@dataclass(frozen=True, kw_only=True)
class RestoreSecrets(Step):
    """Put Secrets with the state of the CA back from a backup: missing entries come back, and other entries stay."""

    #: The backup with the state of this CA.
    backup: Backup
    #: The Secrets that get their content back.
    damaged: frozenset[StateSecrets]
    #: The phase of the flow.
    phase: Phase = Phase.PREPARE

    def sentence(self) -> str:
        what = listed([f"the {secret.value}" for secret in StateSecrets if secret in self.damaged])
        own = self.backup.ca.current[0]
        return f"put {what} of {named(own)} back from {self.backup.name} of {self.backup.kept_at:%Y-%m-%d %H:%M} UTC"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return self.restore(snapshot)

    def restore(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with these Secrets as they were; no CA is new, so none needs a stand-in."""
        kept, defects = self.backup.ca, replace(snapshot.ca.defects, problems=(), unnumbered_generations=())
        ca = replace(snapshot.ca, defects=defects)
        if StateSecrets.CERTIFICATE in self.damaged:
            ca = replace(
                ca, current=kept.current, other_entries={**ca.other_entries, **kept.other_entries},
                certificate_generation=kept.certificate_generation,
                retired=kept.retired, defects=replace(defects, is_current_unusable=False),
            )  # fmt: skip
        if StateSecrets.KEY in self.damaged:
            ca = replace(
                ca, key=kept.key, key_generation=kept.key_generation, prepared=kept.prepared,
                kept_keys=ca.kept_keys | kept.kept_keys,
                kept_links={**ca.kept_links, **kept.kept_links}, keys_elsewhere=ca.keys_elsewhere | kept.keys_elsewhere,
                flow_options=kept.flow_options, beginning=kept.beginning,
            )  # fmt: skip
        ledger = self.backup.ledger if StateSecrets.LEDGER in self.damaged else snapshot.ledger
        return replace(snapshot, ca=ca, ledger=ledger, reconciliation=replace(snapshot.reconciliation, request=""))


@dataclass(frozen=True, kw_only=True)
class TidyKeys(Step):
    """Remove entries of the key Secret that the flow needs no more."""

    #: Fingerprints of CAs to which the operator was switched.
    prepared: frozenset[str]
    #: Fingerprints of CAs with keys beside ``ca.key``.
    kept_keys: frozenset[str]
    #: Fingerprints of CAs whose link certificates are to go. The link certificates of a CA in ``prepared`` stay unless
    #: the CA is among these.
    links: frozenset[str] = frozenset()
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        return "remove keys that are no longer needed"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        ca = snapshot.ca
        left = tuple(authority for authority in ca.prepared if authority.fingerprint not in self.prepared)
        waiting = {authority.fingerprint for authority in left}
        links = {name: links for name, links in ca.links.items() if name not in self.links | waiting}
        return snapshot.with_ca(
            prepared=left, kept_keys=ca.kept_keys - self.prepared - self.kept_keys, kept_links=links
        )


@dataclass(frozen=True, kw_only=True)
class SetGenerated(Step):
    """Say in the Kafka resource whether the operator generates the CA, and wait until the operator has seen that."""

    #: Whether the operator generates the CA from then on.
    generated: bool
    #: The CA, as messages name it.
    ca: str
    #: UIDs of the pods that the operator restarts then, because it renews the CA.
    renewing: frozenset[str] = frozenset()

    def sentence(self) -> str:
        return f"{'give' if self.generated else 'take'} the {self.ca} {'to' if self.generated else 'from'} the operator"

    @property
    def restarts(self) -> frozenset[str]:
        return self.renewing

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return replace(snapshot, reconciliation=replace(snapshot.reconciliation, generated=self.generated))


@dataclass(frozen=True, kw_only=True)
class RaiseKeyGeneration(Step):
    """Raise the key generation of the key Secret to the number in the CA's name (paused only)."""

    #: The key generation from then on.
    generation: int
    #: The phase of the flow.
    phase: Phase = Phase.USE

    def sentence(self) -> str:
        return f"raise the key generation to {self.generation}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return snapshot.with_ca(key_generation=self.generation)
