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
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import Any

from .._engine.outcome import CallOutcome
from .._errors import CertificateError, KubeError, PrivateKeyError
from .._issuing.kinds import issuer_settings
from .._kube.client import KubeClient
from .._kube.response_time import ResponseTime
from .._leaves.request import RotationPolicy
from .._pki.certificates import Certificate, Chain, parse_chain
from .._pki.keys import KeyAlgorithm, KeySpec, KeyType, load_key
from .._pki.usability import KeyPolicy
from .._strimzi.apply.work import Display, NodeAccess, PortOpener, Settings, Strategy, Work
from .._strimzi.cluster.ca_secrets import SuppliedAuthority
from .._strimzi.cluster.dns_domain import is_domain
from .._strimzi.cluster.node_pools import Growth
from .._strimzi.cluster.observe import Observation, Surroundings
from .._strimzi.issuer_settings import CertManagerCertificates, ExternalIssuer
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
    NewRoots,
    Pace,
    Parameters,
    Selection,
    Spread,
    WantedTrust,
)
from .._trust.model.ledger import Layout, UpkeepOptions, WhenDue
from .._trust.model.listeners import ObservedListener
from .._trust.model.names import FLOW_NAMES, flow_named
from .._trust.model.pools import Scaling
from .._trust.model.snapshot import PreparedAuthority, Snapshot
from .._trust.preconditions.cluster import describe_clock_doubt, describe_unknown_operator, unlabelled_and_read
from .._trust.rules.due import describe_written_back, expiring, is_recovery_due, warnings_of
from .._trust.rules.pause import failure_that_holds_nothing
from . import connect
from .arguments import ArgumentSpec, problem_of, retire_of, time_of, time_text
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
from .options import (
    LOOK_SECONDS,
    AuthorityReference,
    Evidence,
    LiveLook,
    confirmed_of,
    outside_of,
    read_authority,
    source_of,
)
from .results import (
    describe_decision,
    describe_listeners,
    describe_snapshot,
    describe_source,
    describe_transitions,
    diff_of,
    failure_text,
)


def unfinished_flow(snapshot: Snapshot, goal: Goal, continues_stopped: bool) -> str:
    """Sentences about an unfinished flow that comes before a flow with this goal; empty where none does, where it has
    the same goal, or where it is stopped and the caller continues no stopped flow, so that the flow refuses the call; and where a recovery comes before it.
    """
    begun = in_flight(snapshot.ledger)
    if begun is None or goal not in ROTATIONS or (begun.goal is goal and not begun.is_abort):
        return ""
    if is_recovery_due(snapshot):
        return ""
    if begun.options.stop is not None and not continues_stopped:
        return ""
    return (
        f"{snapshot.names.kafka}: a flow of {begun.started_at:%Y-%m-%d} ({flow_named(begun)}) has not finished, so this task goes on with that flow and begins "
        f"none of its own ({FLOW_NAMES[goal]}). Run it again for its own when that has finished."
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
        """The last entry of the audit trail, after what this call has done; None where it has changed nothing."""
        work = self._work
        if (
            work is None
            or not work.settings.audits
            or work.dry_run
            or not any(action.is_change for action in work.actions)
        ):
            return None
        # Imported only by calls that have written.
        from .._strimzi.apply.audit import trail_of

        trail = trail_of(work)
        try:
            trail.record_actions()
        except KubeError as error:
            work.warnings.append(f"{error} {trail.name} lacks the last actions of this call; the result has them.")
            return None
        return {"object": trail.name, "entry": trail.head.number, "sha256": trail.head.sha256}

    @property
    def supplied(self) -> Certificate | None:
        """The CA that the caller brings; None where it brings none."""
        return self._supplied.chain[0] if self._supplied else None

    @property
    def left_half_way(self) -> str:
        return str(self._work.left_behind) if self._work else ""

    def work(self) -> Work:
        if problem := problem_of(self.params):
            self.fail(problem)
        client = self.client()
        self._supplied = self._read_supplied(client)
        work = Work(client, self.scope(), SystemClock(), self._settings(), self.check_mode)
        work.renew_lease = self.keep_lease
        work.release_lease = self.give_lease_back
        opener = partial(connect.opener_for, self.params, work.client, work.scope)
        progress = self.params.get("progress_file")
        work.display = Display(report=reporter(progress), begin=beginner(progress))
        self._live_look = look = LiveLook(Evidence(self.params.get("evidence") or "auto"))
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
        if self.params["strategy"] != "direct":
            return
        from .._rollout.admin import missing_library

        problem = missing_library()
        if problem:
            raise problem

    def intent(
        self,
        work: Work,
        goal: Goal,
        until: Phase = Phase.RETIRE,
        *,
        before_kafka: bool = False,
        key_type: KeyType | None = None,
        trusting: tuple[Chain, ...] = (),
        leaving: str | None = None,
        missing: Selection | None = None,
        unwanted: frozenset[str] = frozenset(),
        layout: Layout | None = None,
    ) -> Intent:
        """The intent of this call, which enters no phase after ``until``, also where the caller allows later phases. The keywords that follow are the
        fields of these names, of the parts of ``Intent``.
        """
        supplied = self._supplied
        return Intent(
            goal,
            parameters=Parameters(
                replaces=self.params.get("replaces") or None,
                fresh_for=timedelta(hours=self.params.get("fresh_for_hours") or 0),
                before_kafka=before_kafka or bool(self.params.get("before_kafka")),
                adopts=self.params.get("adopts") or None,
                raise_path_length=bool(self.params.get("raise_path_length")),
                operator_may_renew=bool(self.params.get("operator_may_renew")),
                keeps_authority=bool(self.params.get("keep_ca")),
                renew_before=timedelta(days=self.params.get("renew_before_days") or 0),
                upkeep=self._upkeep(),
                scaling=self.scaling,
                layout=layout,
            ),
            extent=self._extent(until),
            new_ca=NewCa(
                supplied=_as_prepared(supplied) if supplied else None,
                path_length=self.params.get("path_length"),
                key_type=key_type,
                validity=self._validity,
                policy=self._policy(),
            ),
            trust=WantedTrust(
                additional_cas=trusting,
                leaving_ca=leaving,
                publishes_bundle=bool(self.params.get("client_bundle")),
                new_roots=NewRoots(self.params.get("trust_new_roots") or "ask"),
                confirmed_roots=confirmed_of(self.params),
            ),
            pace=self._pace(),
            issuing=replace(self._issuing(work), missing_leaves=missing, unwanted_leaves=unwanted),
        )

    def _extent(self, until: Phase) -> Extent:
        """How far this call goes: it enters no phase after ``until``, also where the caller allows later phases."""
        asked = Phase(self.params.get("until_phase") or Phase.RETIRE.value)
        last = Phase(self.params.get("ends_after") or Phase.RETIRE.value)
        return Extent(
            last_phase=min(asked, last, until, key=lambda phase: phase.position),
            stop_after=None if asked is Phase.RETIRE else asked,
            continue_stopped=bool(self.params.get("continue_stopped")),
        )

    def _pace(self) -> Pace:
        grace = self.params.get("client_grace")
        return Pace(
            spread=Spread(self.params.get("spread") or "auto"),
            retire=self._retire(),
            restarts_directly=self.params.get("strategy") == "direct",
            ignores_windows=bool(self.params.get("ignore_maintenance_windows")),
            client_grace=None if grace is None else timedelta(seconds=grace),
            link_until=self.time("link_until"),
            user_batch=self.params.get("user_batch"),
        )

    def _issuing(self, work: Work) -> Issuing:
        settings = work.settings.issuer
        common = Issuing(
            leaf_key_size=self.params.get("leaf_key_size") or 2048,
            external_issuer=ExternalIssuer.reference,
            issuer_deadline=self._issue_until(),
            retry_requested_at=work.clock.now() if self.params.get("retry_failed") else None,
        )
        if isinstance(settings, ExternalIssuer):
            return common
        # Imported only where the options name an issuer.
        from .._issuing.issuer import LinkingIssuer
        from .._issuing.kinds import issuer_of

        issuer = issuer_of(work)
        return replace(
            common,
            external_issuer=issuer.reference,
            external_validity=settings.validity if isinstance(settings, CertManagerCertificates) else None,
            link_issuer=issuer.linker if isinstance(issuer, LinkingIssuer) else None,
        )

    @property
    def key_type(self) -> KeyType | None:
        """The kind of key that the caller asks for; None where any will do."""
        given = self.params.get("key_type")
        return KeyType(given) if given else None

    def _policy(self) -> KeyPolicy | None:
        given = self.params.get("key_policy")
        if given is None:
            return None
        ca_days, leaf_days = given["ca_days"], given["leaf_days"]
        return KeyPolicy(
            name=given["name"],
            rsa_bits=given["rsa_bits"],
            curves=frozenset(given["curves"] or ()),
            hashes=frozenset(given["hashes"] or ()),
            ca_life=None if ca_days is None else timedelta(days=ca_days),
            leaf_life=None if leaf_days is None else timedelta(days=leaf_days),
        )

    def _upkeep(self) -> UpkeepOptions | None:
        policy, days = self.params.get("ca_renewal"), self.params.get("ca_renewal_days")
        if policy is None:
            return None
        return UpkeepOptions(
            None if policy == "specified" else WhenDue(policy), None if days is None else timedelta(days=days)
        )

    def _issue_until(self) -> datetime | None:
        seconds = self.params.get("issue_timeout") or 0
        return SystemClock().now() + timedelta(seconds=seconds) if seconds > 0 else None

    def _retire(self) -> Retirement | None:
        given = self.params.get("retire")
        retire = retire_of(given) if given else None
        if isinstance(retire, datetime) and retire <= SystemClock().now():
            self.module.warn(
                f"retire: {time_text(retire)} is over, so nodes that still hold the old CA are restarted at once. Give a later time "
                "where they are to wait."
            )
        return retire

    def time(self, option: str) -> datetime | None:
        text = self.params.get(option)
        try:
            return time_of(text) if text else None
        except ValueError:
            self.fail(f"{option}: {text!r} is not a time. Give one such as 2026-12-24T18:00:00Z.")

    def _settings(self) -> Settings:
        return Settings(
            ca_key=(self.key_type or KeyType.RSA_4096).spec,
            policy=self._policy(),
            leaf_key=KeySpec(KeyAlgorithm.RSA, self.params.get("leaf_key_size") or 2048),
            validity=self._validity,
            path_length=1 if self.params.get("path_length") is None else self.params["path_length"],
            supplied=self._supplied,
            operator_timeout=timedelta(seconds=self.params.get("operator_timeout") or 300),
            pod_timeout=timedelta(seconds=self.params.get("pod_timeout") or 600),
            holder=self.holder,
            strategy=Strategy(self.params.get("strategy") or "operator"),
            kafka_bootstrap=tuple(self.params.get("kafka_bootstrap") or ()),
            surroundings=Surroundings(
                outside_clients=outside_of(self.params),
                source=source_of(self.params),
                growth=self._growth(),
                dns_domain=self._dns_domain(),
            ),
            issuer=issuer_settings(self.params.get("issuer")),
            rotation=RotationPolicy(self.params.get("rotation_policy") or "always"),
            chooses_keys="leaf_key_size" in self.params,
            backs_up=bool(self.params.get("backup")),
            audits=self.params["audit"],
        )

    @cached_property
    def _validity(self) -> timedelta | None:
        days = self.params.get("validity_days")
        return timedelta(days=days) if days else None

    def _dns_domain(self) -> str:
        given = str(self.params.get("dns_domain") or "").rstrip(".")
        if given and not is_domain(given):
            self.fail(
                f"dns_domain: {given!r} is no DNS domain. Give the domain of Services in this Kubernetes cluster, such as cluster.local."
            )
        return given

    def _growth(self) -> Growth:
        return Growth(self.params.get("spare_leaves") or 0, self.scaling)

    @cached_property
    def scaling(self) -> Scaling | None:
        """The size that the caller gives a node pool."""
        pool, replicas = self.params.get("pool"), self.params.get("replicas")
        return None if pool is None or replicas is None else Scaling(pool, replicas)

    def _read_supplied(self, client: KubeClient) -> SuppliedAuthority | None:
        """The CA that the caller brings."""
        certificate, key, given = (
            self.params.get(option) for option in ("certificate", "private_key", "certificate_from")
        )
        if given:
            reference = AuthorityReference(given["namespace"] or self.params["namespace"], given["secret"])
            found = read_authority(client, reference)
            self.hide(*(forms_of(found.key.reveal()) if found.key is not None else ()))
            return found
        # A module without the second option means something else by the first.
        if not certificate or "private_key" not in self.params:
            return None
        if key is None:
            return SuppliedAuthority(self.certificates("certificate"), None)
        if not key:
            # A text that came out empty, as of a file that is not there, would make this a CA whose key is kept elsewhere.
            self.fail(
                "private_key: it is empty. Give the key of the first certificate, or leave the option out where the key is kept elsewhere."
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
        ending = expiring(seen, timedelta(days=self.params.get("expiring_within_days") or 0))
        told = (
            *describe_unmanaged_listeners(seen),
            *describe_clock_doubt(seen),
            *describe_unknown_operator(seen),
            *unlabelled_and_read(seen),
            *describe_unnameable_users(seen),
            *warnings_of(ending, seen.now, outcome.decision.violations),
            *describe_written_back(seen),
            *outcome.client_warnings,
        )
        for sentence in told:
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

    def _evidence(self) -> dict[str, str]:
        source = self._live_look.source if self._live_look else Evidence.ANNOTATIONS
        return {"source": source.value, "why": self._live_look.reason if self._live_look else ""}

    def hide_secrets(self, observation: Observation) -> None:
        self.hide(*secrets_of(observation))

    def certificates(self, option: str) -> Chain:
        text = self.params[option]
        if "PRIVATE KEY" in text:
            self.fail(
                f"{option}: a private key is in it, and Ansible does not treat this option as a secret. Give certificates alone."
            )
        try:
            return parse_chain(text.encode("utf-8"))
        except CertificateError as error:
            self.fail(f"{option}: {error}. Give the CA certificate in PEM form, its chain after it.")

    def warn_of_unfinished(self, before: Observation, goal: Goal) -> None:
        """Warn of a flow that is still to be finished in the cluster as this call has found it."""
        if unfinished := unfinished_flow(before.snapshot, goal, bool(self.params.get("continue_stopped"))):
            self.module.warn(unfinished)

    def described(self, seen: Observation) -> dict[str, Any]:
        """The result of a call that took part in no flow."""
        return self.result(CallOutcome(seen, Decision(done=True), None, seen))
