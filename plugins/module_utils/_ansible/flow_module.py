# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call that looks at the trust of a cluster or takes its part in a flow: from options to the engine and back."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from functools import cached_property, partial
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import AUTH, ArgumentSpec
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import CarryOut, Outcome, run
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.limits import key_spec, problem_of
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.listener_results import describe_listeners
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.live_look import Evidence, LiveLook
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import ClusterModule, SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.outside_options import (
    OutsideOptionsError,
    outside_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.redaction import forms_of, secrets_of
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import (
    describe_decision,
    describe_snapshot,
    describe_transitions,
    diff_of,
    failure_text,
    time_text,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    CertificateError,
    parse_certificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKeyError,
    load_key,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.outside_clients import Outside
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import (
    PortOpener,
    Settings,
    Strategy,
    SuppliedAuthority,
    Work,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Phase, Spread, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import PreparedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Face
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.waivers import unmatched


def _why_no_reload() -> str:
    """Asked only where a look is taken: most calls need no Kafka library."""
    from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import missing_library

    return str(missing_library("spread=reload", "spread=restart") or "")


class FlowModule(ClusterModule):
    """One call of a module that has the options of a flow."""

    def __init__(self, spec: ArgumentSpec) -> None:
        super().__init__(spec)
        self._work: Work | None = None
        self._eyes: LiveLook | None = None
        self._begun = time.monotonic()

    @property
    def has_written(self) -> bool:
        return self._work is not None and self._work.changed

    def work(self) -> Work:
        work = Work(self.client(), self.scope(), SystemClock(), self._settings(), self.check_mode)
        work.alive = self.keep_lease
        work.open_ports = self._opener(work)
        work.unreloadable = _why_no_reload
        work.look_live = self._eyes = LiveLook(
            Evidence(self.params.get("evidence") or "auto"), work.open_ports, SystemClock()
        )
        self._work = work
        return work

    def _opener(self, work: Work) -> Callable[[], PortOpener]:
        if self.params.get("pod_access") == "direct":
            return partial(connect.direct_opener_for, work.client, work.scope)
        options = {name: self.params.get(name) for name in AUTH.options}
        return partial(connect.port_opener_for, options, self.params["namespace"])

    def intent(self, goal: str) -> Intent:
        supplied = self._supplied
        return Intent(
            goal=Goal(goal),
            way=Way(self.params.get("way") or "cooperate"),
            replaces=self.params.get("replaces") or None,
            fresh_for=timedelta(hours=self.params.get("fresh_for_hours") or 0),
            until=Phase(self.params.get("until_phase") or "retire"),
            publish=bool(self.params.get("client_bundle")),
            bridge=Bridge(self.params.get("bridge") or "auto"),
            spread=Spread(self.params.get("spread") or "auto"),
            renew_before=timedelta(days=self.params.get("renew_before_days") or 0),
            supplied=PreparedAuthority(supplied.chain, supplied.key.public_key_sha256) if supplied else None,
        )

    def _settings(self) -> Settings:
        problem = problem_of(self.params)
        if problem:
            self.fail(problem)
        return Settings(
            ca_key=key_spec(self.params),
            leaf_key=KeySpec(KeyAlgorithm.RSA, 2048),
            validity=timedelta(days=self.params.get("validity_days") or 365),
            path_length=self.params.get("path_length", 1),
            supplied=self._supplied,
            operator_timeout=timedelta(seconds=self.params.get("operator_timeout") or 300),
            pod_timeout=timedelta(seconds=self.params.get("pod_timeout") or 600),
            holder=self.holder,
            strategy=Strategy(self.params.get("strategy") or "operator"),
            kafka_bootstrap=tuple(self.params.get("kafka_bootstrap") or ()),
            outside=self._outside(),
        )

    def _outside(self) -> Outside:
        try:
            return outside_of(self.params)
        except OutsideOptionsError as error:
            self.fail(str(error))

    @cached_property
    def _supplied(self) -> SuppliedAuthority | None:
        certificate, key = self.params.get("certificate"), self.params.get("private_key")
        if not certificate or not key:
            return None
        self.hide(*forms_of(key.encode("utf-8")))
        try:
            return SuppliedAuthority(parse_certificates(certificate.encode("utf-8")), load_key(key.encode("utf-8")))
        except CertificateError as error:
            self.fail(f"certificate: {error}. Give the CA certificate in PEM form, its chain after it.")
        except PrivateKeyError as error:
            self.fail(f"private_key: {error}. Give the key of the first certificate, unencrypted.")

    def run(
        self, face: Face, carry_out: CarryOut, goal: str, report: Callable[[str], None] | None = None
    ) -> dict[str, Any]:
        """Carry out this module's part of the flow and describe it."""
        work, intent = self.work(), self.intent(goal)
        if report is not None:
            work.report = report
        return self.result(run(work, intent, face, carry_out, lambda: self.take_lease(work.client)))

    def result(self, outcome: Outcome) -> dict[str, Any]:
        self.hide_secrets(outcome.observation)
        for warning in outcome.warnings:
            self.module.warn(warning)
        for waiver in unmatched(outcome.observation.snapshot):
            self.module.warn(
                f"waivers: no client {waiver.client} was seen outside the cluster; correct the name, or take it out."
            )
        looked = outcome.looked.snapshot if outcome.looked else None
        result = {
            "changed": outcome.changed,
            **describe_snapshot(outcome.observation.snapshot),
            **describe_decision(outcome.decision),
            "replaces": outcome.replaces,
            "spread": outcome.spread.value,
            "evidence": {**self._evidence(), "seen_at": time_text(looked.now) if looked else None},
            "listeners": describe_listeners(looked),
            "transitions": describe_transitions(outcome.transitions),
            "actions": [action.as_result() for action in outcome.actions],
            "seconds": round(time.monotonic() - self._begun, 1),
        }
        if self.module._diff:  # pylint: disable=protected-access
            result["diff"] = diff_of(outcome.actions)
        if outcome.decision.violations:
            result["failed_message"] = failure_text(outcome.decision.violations, outcome.observation.snapshot)
        return result

    def _evidence(self) -> dict[str, str]:
        source = self._eyes.source if self._eyes else Evidence.ANNOTATIONS
        return {"source": source.value, "why": self._eyes.why if self._eyes else ""}

    def hide_secrets(self, observation: Observation) -> None:
        self.hide(*secrets_of(observation))
