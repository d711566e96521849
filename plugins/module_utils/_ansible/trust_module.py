# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call about the trust of a cluster: from its options to the input of the engine, and from the outcome
to a result.

A call continues an unfinished flow before it begins the requested flow (docs/design.md, I10).
"""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from .._engine.outcome import CallOutcome
from .._errors import CertificateError, KubeError, PrivateKeyError
from .._kube.client import KubeClient
from .._kube.response_time import ResponseTime
from .._pki.certificates import Certificate, Chain, parse_chain
from .._pki.keys import load_key
from .._strimzi.apply.work import Display, NodeAccess, Work
from .._strimzi.cluster.ca_secrets import SuppliedAuthority
from .._strimzi.cluster.clients import OutsideOptions
from .._strimzi.cluster.node_pools import NO_GROWTH, Growth
from .._strimzi.cluster.observe import Observation, Surroundings
from .._strimzi.issuer_settings import CertManagerCertificates, ExternalIssuer
from .._strimzi.settings import Settings
from .._trust.evidence.stored import describe_unmanaged_listeners, unmatched_waivers
from .._trust.gates.verifiers import describe_unnameable_users
from .._trust.ledger.journal import in_flight
from .._trust.model.decision import Decision
from .._trust.model.goals import ROTATIONS, Goal, Phase, Retirement
from .._trust.model.intent import (
    Extent,
    Intent,
    Issuing,
    NewCa,
    Pace,
    Parameters,
    Records,
    Strategy,
    WantedTrust,
    Wishes,
)
from .._trust.model.listeners import ObservedListener
from .._trust.model.names import FLOW_NAMES, flow_named
from .._trust.model.snapshot import PreparedAuthority, Snapshot
from .._trust.preconditions.cluster import describe_clock_doubt, describe_unknown_operator, unlabelled_and_read
from .._trust.rules.due import describe_written_back
from .._trust.rules.expiring import Expiring, expiring, is_recovery_due, warnings_of
from .._trust.rules.pause import failure_that_holds_nothing
from . import connect
from .arguments import ArgumentSpec, time_text
from .connect import forms_of, secrets_of
from .handed_count import as_result, from_option
from .module import ClusterModule, SystemClock, beginner, reporter
from .node_results import (
    describe_expiring,
    describe_first_to_end,
    describe_other_authority,
    describe_pools,
    describe_upkeep,
)
from .options import LOOK_SECONDS, AuthorityReference, Evidence, LiveLook, read_authority
from .results import (
    describe_decision,
    describe_listeners,
    describe_snapshot,
    describe_source,
    describe_transitions,
    diff_of,
    failure_text,
)

if TYPE_CHECKING:
    from .._kube.pod_access import PortOpener


def unfinished_flow(snapshot: Snapshot, goal: Goal, continues_stopped: bool) -> str:
    """Sentences about an unfinished flow that comes before a flow with this goal; empty if none does, if it has
    the same goal, or if a recovery comes before it. They are also empty if the flow is stopped and the caller
    continues no stopped flow: then the flow refuses the call.
    """
    begun = in_flight(snapshot.ledger)
    if begun is None or goal not in ROTATIONS or (begun.goal is goal and not begun.is_abort):
        return ""
    if is_recovery_due(snapshot):
        return ""
    if begun.options.stop is not None and not continues_stopped:
        return ""
    return (
        f"{snapshot.names.kafka}: a flow of {begun.started_at:%Y-%m-%d} ({flow_named(begun)}) has not finished, so "
        f"this task goes on with that flow and begins none of its own ({FLOW_NAMES[goal]}). Run it again for its own "
        "when that has finished."
    )


def _why_no_reload() -> str:
    """Why nodes cannot reload, as a sentence. Called only when a look is taken, because most calls need
    no Kafka library.
    """
    from .._rollout.admin import missing_library

    return str(missing_library("spread=reload", "spread=restart") or "")


def _answers(
    observation: Observation, open_port: PortOpener, response_time: ResponseTime
) -> tuple[ObservedListener, ...]:
    # Imported only when a look is taken, because most calls take none.
    from .._strimzi.cluster.listeners import look_at

    return look_at(observation, open_port, now=SystemClock().now(), seconds=LOOK_SECONDS, response_time=response_time)


def _as_prepared(supplied: SuppliedAuthority) -> PreparedAuthority:
    if supplied.key is None:
        return PreparedAuthority(supplied.chain, supplied.chain[0].public_key_sha256, key_is_elsewhere=True)
    return PreparedAuthority(supplied.chain, supplied.key.public_key_sha256)


class TrustModule(ClusterModule):
    """A call of a module that has the options of a flow, or some of them."""

    def __init__(self, spec: ArgumentSpec) -> None:
        super().__init__(spec)
        self._work: Work | None = None
        self._live_look: LiveLook | None = None
        self._supplied: SuppliedAuthority | None = None
        self._begun, self._began_at = time.monotonic(), time_text(SystemClock().now())

    def done_so_far(self) -> dict[str, Any]:
        actions = self._work.actions if self._work else []
        trail = self._complete_trail()
        # Each warning shows once, whatever the result of the call.
        while self._work and self._work.warnings:
            self.module.warn(self._work.warnings.pop(0))
        done = {
            "changed": any(action.is_change for action in actions),
            "actions": [action.as_result() for action in actions],
            "began_at": self._began_at,
            "seconds": round(time.monotonic() - self._begun, 1),
            "audit": trail,
        }
        if self.module._diff:  # pylint: disable=protected-access
            done["diff"] = diff_of(actions)
        return done

    def _complete_trail(self) -> dict[str, Any] | None:
        """The last entry of the audit trail, after what this call has done; None if it has changed nothing."""
        work = self._work
        if (
            work is None
            or not work.wishes.records.audits
            or work.dry_run
            or not any(action.is_change for action in work.actions)
        ):
            return None
        # Imported only by calls that have written.
        from .._strimzi.apply.audit import AuditTrail

        trail = AuditTrail(work)
        try:
            trail.record_actions()
        except KubeError as error:
            work.warnings.append(f"{error} {trail.name} lacks the last actions of this call; the result has them.")
            return None
        return {"object": trail.name, "entry": trail.head.number, "sha256": trail.head.sha256}

    @property
    def supplied(self) -> Certificate | None:
        """The CA that the caller brings; None if it brings none."""
        return self._supplied.chain[0] if self._supplied else None

    @property
    def left_half_way(self) -> str:
        return str(self._work.left_behind) if self._work else ""

    def work(self) -> Work:
        self._spec.check(self.params, SystemClock().now())
        # Options come first: a wrong value fails the call without a login.
        wishes, settings = self._wishes(), self._settings()
        client = self.client()
        self._supplied = supplied = self._read_supplied(client)
        if supplied:
            wishes = wishes.changed(supplied=_as_prepared(supplied))
        work = Work(client, self.scope(), SystemClock(), settings, self.check_mode, wishes)
        work.supplied_key = supplied.key if supplied else None
        work.chooses_keys = "leaf_key_size" in self.params
        work.renew_lease = self.keep_lease
        work.release_lease = self.give_lease_back
        opener = partial(connect.opener_for, self.params, work.client, work.scope)
        progress = self.params.get("progress_file")
        work.display = Display(report=reporter(progress), begin=beginner(progress))
        if "evidence" in self.params:
            self._live_look = look = LiveLook(self.value("evidence"))
            work.nodes = NodeAccess(
                look_live=lambda observation: look.take(lambda: _answers(observation, opener(), client.response_time)),
                open_ports=opener,
                run_commands=partial(connect.runner_for, self.params, work.scope.namespace),
                reload_obstacle=_why_no_reload,
                why_unasked=lambda: look.reason,
            )
        if given := self.params.get("restart_count"):
            work.shared_count = from_option(given)
        self._work = work
        return work

    def require_library_of_strategy(self) -> None:
        """Fail at once and not only when the first node is to restart. Raises StepError."""
        if self.said(Pace).strategy is not Strategy.DIRECT:
            return
        from .._rollout.admin import missing_library

        problem = missing_library()
        if problem:
            raise problem

    def intent(self, work: Work, goal: Goal, until: Phase = Phase.RETIRE, **more: Any) -> Intent:
        """The intent of this call, which enters no phase after ``until``, also if the caller allows later phases.
        Each further keyword names a field of a part of ``Wishes``, which has the given value whatever the options say.
        """
        wishes = work.wishes.changed(**more)
        self._warn_of_past_time(wishes.pace.retire)
        return replace(
            wishes, extent=wishes.extent.up_to(until), issuing=self._with_issuer(work, wishes.issuing)
        ).towards(goal)

    def _with_issuer(self, work: Work, issuing: Issuing) -> Issuing:
        settings = work.settings.issuer
        if isinstance(settings, ExternalIssuer):
            return replace(issuing, external_issuer=ExternalIssuer.reference)
        # Imported only if the options name an issuer.
        from .._issuing.issuer import LinkingIssuer
        from .._issuing.kinds import issuer_of

        issuer = issuer_of(work)
        return replace(
            issuing,
            external_issuer=issuer.reference,
            external_validity=settings.validity if isinstance(settings, CertManagerCertificates) else None,
            link_issuer=issuer.linker if isinstance(issuer, LinkingIssuer) else None,
        )

    def _warn_of_past_time(self, retire: Retirement | None) -> None:
        if isinstance(retire, datetime) and retire <= SystemClock().now():
            self.module.warn(
                f"retire: {time_text(retire)} is over, so nodes that still trust the old CA are restarted at once. "
                "Give a later time if they are to wait."
            )

    def _wishes(self) -> Wishes:
        """The wishes that the options say."""
        return Wishes(
            parameters=self.said(Parameters),
            extent=self.said(Extent),
            new_ca=self.said(NewCa),
            trust=self.said(WantedTrust),
            pace=self.said(Pace),
            issuing=self.said(Issuing),
            records=self.said(Records),
        )

    def _settings(self) -> Settings:
        surroundings = replace(self.said(Surroundings), outside_clients=self.said(OutsideOptions), growth=self.growth())
        return replace(self.said(Settings), holder=self.holder, surroundings=surroundings)

    def growth(self) -> Growth:
        """The nodes for which this call has leaves made before they exist."""
        if "spare_leaves" not in self.params:
            return NO_GROWTH
        return replace(self.said(Growth), scaling=self.said(Parameters).scaling)

    def _read_supplied(self, client: KubeClient) -> SuppliedAuthority | None:
        """The CA that the caller brings."""
        certificate, key, given = (
            self.params.get(option) for option in ("certificate", "private_key", "certificate_from")
        )
        if given:
            reference = AuthorityReference(given["namespace"] or self.params["namespace"], given["secret"])
            supplied = read_authority(client, reference)
            self.hide(*(forms_of(supplied.key.reveal()) if supplied.key is not None else ()))
            return supplied
        # A module without the second option means something else by the first.
        if not certificate or "private_key" not in self.params:
            return None
        if key is None:
            return SuppliedAuthority(self.certificates("certificate"), None)
        if not key:
            # A text that came out empty, as of a file that is not there, would make this a CA whose key is kept
            # elsewhere.
            self.fail(
                "private_key: it is empty. Give the key of the first certificate, or leave the option out if the "
                "key is kept elsewhere."
            )
        self.hide(*forms_of(key.encode("utf-8")))
        chain = self.certificates("certificate")
        try:
            return SuppliedAuthority(chain, load_key(key.encode("utf-8")))
        except PrivateKeyError as error:
            self.fail(f"private_key: {error}. Give the key of the first certificate, unencrypted.")

    def result(self, outcome: CallOutcome) -> dict[str, Any]:
        self.hide_secrets(outcome.observation)
        for waiver in unmatched_waivers(outcome.observation.snapshot):
            self.module.warn(
                f"waivers: no client {waiver.client} was seen outside the cluster; correct the name, or take it out."
            )
        seen = outcome.observation.snapshot
        ending = self.ending(seen)
        warnings = (
            *describe_unmanaged_listeners(seen),
            *describe_clock_doubt(seen),
            *describe_unknown_operator(seen),
            *unlabelled_and_read(seen),
            *describe_unnameable_users(seen),
            *warnings_of(ending, seen.now, outcome.decision.violations),
            *describe_written_back(seen),
            *outcome.client_warnings,
        )
        for sentence in warnings:
            self.module.warn(sentence)
        if sentence := failure_that_holds_nothing(seen, outcome.decision):
            self.module.warn(sentence)
        looked = outcome.last_look.snapshot if outcome.last_look else None
        handed = self._work.earlier_answers if self._work else None
        has_asked = looked is not None and (handed is None or looked.nodes.listeners is not handed.listeners)
        result = {
            **self.done_so_far(),
            **describe_snapshot(outcome.observation.snapshot, outcome.decision.issue_reasons),
            "node_pools": describe_pools(outcome.before.snapshot, outcome.observation.snapshot),
            "ca_source": describe_source(outcome.observation.snapshot),
            "upkeep": describe_upkeep(seen),
            "expiring": [describe_expiring(expiring, seen.now) for expiring in ending],
            "first_to_end": describe_first_to_end(seen),
            "other_ca": describe_other_authority(seen),
            **describe_decision(outcome.decision),
            "replaces": outcome.replaces,
            "client_warnings": list(outcome.client_warnings),
            "evidence": {**self._evidence(), "seen_at": time_text(looked.now) if looked and has_asked else None},
            "listeners": describe_listeners(looked),
            "transitions": describe_transitions(outcome.transitions),
            "restart_count": as_result(outcome.shared_count),
        }
        if outcome.decision.violations:
            result["failed_message"] = failure_text(outcome.decision.violations, outcome.observation.snapshot)
        return result

    def ending(self, seen: Snapshot) -> tuple[Expiring, ...]:
        """The certificates that a result names because they end soon."""
        return expiring(seen)

    def _evidence(self) -> dict[str, str]:
        source = self._live_look.source if self._live_look else Evidence.ANNOTATIONS
        return {"source": source.value, "why": self._live_look.reason if self._live_look else ""}

    def hide_secrets(self, observation: Observation) -> None:
        self.hide(*secrets_of(observation))

    def certificates(self, option: str) -> Chain:
        text = self.params[option]
        if "PRIVATE KEY" in text:
            self.fail(
                f"{option}: a private key is in it, and Ansible does not treat this option as a secret. Give "
                "certificates alone."
            )
        try:
            return parse_chain(text.encode("utf-8"))
        except CertificateError as error:
            self.fail(f"{option}: {error}. Give the CA certificate in PEM form, its chain after it.")

    def warn_of_unfinished(self, before: Observation, goal: Goal) -> None:
        """Warn of a flow that is still to be finished in the cluster as this call has found it."""
        if unfinished := unfinished_flow(before.snapshot, goal, self.said(Extent).continue_stopped):
            self.module.warn(unfinished)

    def described(self, seen: Observation) -> dict[str, Any]:
        """The result of a call that took part in no flow."""
        return self.result(CallOutcome(seen, Decision(done=True), None, seen))
