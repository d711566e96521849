# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call from its options to its result: composition around AnsibleModule, the only place that knows it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any, NoReturn

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import AUTH, ArgumentSpec
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import NoProgress, Outcome, run
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.libraries import missing_library
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.limits import key_spec, problem_of
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.live_look import Evidence, LiveLook
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.redaction import (
    forms_of,
    secrets_in_kubeconfig,
    secrets_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import (
    describe_decision,
    describe_snapshot,
    describe_transitions,
    diff_of,
    failure_text,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import ConnectionOptionsError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.lease import TrustLease
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
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import (
    Settings,
    Strategy,
    SuppliedAuthority,
    Work,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import PreparedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Face


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(timezone.utc)

    def monotonic(self) -> float:
        return time.monotonic()


class TrustModule:
    """One call of one module. Every way out of it is a result or a message, never a traceback."""

    def __init__(self, spec: ArgumentSpec) -> None:
        self.module = AnsibleModule(supports_check_mode=True, **(AUTH + spec).as_arguments())
        self.params: dict[str, Any] = self.module.params
        self.holder = self.params.get("run_id") or f"call-{uuid.uuid4()}"
        self._lease: TrustLease | None = None
        self._work: Work | None = None
        self._eyes: LiveLook | None = None
        self._begun = time.monotonic()

    @property
    def check_mode(self) -> bool:
        return bool(self.module.check_mode)

    def execute(self, body: Callable[[], dict[str, Any]]) -> NoReturn:
        """Run the module's body and end with its result; failures become messages with a remedy."""
        self._require_libraries()
        self._hide(*secrets_in_kubeconfig(self.params.get("kubeconfig")))
        try:
            result = body()
        except KubeError as error:
            self._fail(f"{error} {error.remedy}")
        except StepError as error:
            self._fail(f"{error} {error.remedy}")
        except (ConnectionOptionsError, NoProgress) as error:
            self._fail(str(error))
        except Exception as error:  # pylint: disable=broad-except
            # The text of an unexpected exception could hold anything.
            self._fail(
                f"Unexpected {type(error).__name__} at {_place(error)}. Please report it; the flow can be run again."
            )
        finally:
            self._end_call()
        if result.get("failed_message"):
            self._fail(result.pop("failed_message"), **result)
        self.module.exit_json(**result)
        raise SystemExit(0)

    def _require_libraries(self) -> None:
        problem = missing_library()
        if problem is None:
            return
        message, trace = problem
        self.module.fail_json(msg=message, **({"exception": trace} if trace else {}))

    def _fail(self, message: str, **result: Any) -> NoReturn:
        changed = self._work is not None and self._work.changed
        self.module.fail_json(msg=message, **{"changed": changed, **result})
        raise SystemExit(1)

    def _hide(self, *values: str) -> None:
        self.module.no_log_values.update(value for value in values if value.strip())

    # What bodies work with -----------------------------------------------------------------------------------------

    def client(self) -> KubeClient:
        return connect.client_for({name: self.params.get(name) for name in AUTH.options})

    def scope(self) -> ClusterNames:
        return ClusterNames(self.params["namespace"], self.params["cluster"])

    def work(self) -> Work:
        work = Work(self.client(), self.scope(), SystemClock(), self._settings(), self.check_mode)
        work.alive = self._keep_lease
        work.look_live = self._eyes = self._live_look()
        self._work = work
        return work

    def _live_look(self) -> LiveLook:
        options = {name: self.params.get(name) for name in AUTH.options}
        opener = partial(connect.port_opener_for, options, self.params["namespace"])
        return LiveLook(Evidence(self.params.get("evidence") or "auto"), opener, SystemClock())

    def intent(self, goal: str) -> Intent:
        supplied = self._supplied()
        return Intent(
            goal=Goal(goal),
            way=Way(self.params.get("way") or "cooperate"),
            replaces=self.params.get("replaces") or None,
            fresh_for=timedelta(hours=self.params.get("fresh_for_hours") or 0),
            until=Phase(self.params.get("until_phase") or "retire"),
            publish=bool(self.params.get("client_bundle")),
            supplied=PreparedAuthority(supplied.chain, supplied.key.public_key_sha256) if supplied else None,
        )

    def _settings(self) -> Settings:
        problem = problem_of(self.params)
        if problem:
            self._fail(problem)
        return Settings(
            ca_key=key_spec(self.params),
            leaf_key=KeySpec(KeyAlgorithm.RSA, 2048),
            validity=timedelta(days=self.params.get("validity_days") or 365),
            path_length=self.params.get("path_length", 1),
            supplied=self._supplied(),
            operator_timeout=timedelta(seconds=self.params.get("operator_timeout") or 300),
            pod_timeout=timedelta(seconds=self.params.get("pod_timeout") or 600),
            holder=self.holder,
            strategy=Strategy(self.params.get("strategy") or "operator"),
            kafka_bootstrap=tuple(self.params.get("kafka_bootstrap") or ()),
        )

    def _supplied(self) -> SuppliedAuthority | None:
        certificate, key = self.params.get("certificate"), self.params.get("private_key")
        if not certificate or not key:
            return None
        self._hide(*forms_of(key.encode("utf-8")))
        try:
            return SuppliedAuthority(parse_certificates(certificate.encode("utf-8")), load_key(key.encode("utf-8")))
        except CertificateError as error:
            self._fail(f"certificate: {error}. Give the CA certificate in PEM form, its chain after it.")
        except PrivateKeyError as error:
            self._fail(f"private_key: {error}. Give the key of the first certificate, unencrypted.")

    # The Lease -----------------------------------------------------------------------------------------------------

    def lease(self, client: KubeClient) -> TrustLease:
        scope, clock = self.scope(), SystemClock()
        return TrustLease(
            client, scope.namespace, scope.lease, self.holder,
            now=clock.now, monotonic=clock.monotonic, cluster=scope.cluster, labels=scope.labels,
        )  # fmt: skip

    def take_lease(self, client: KubeClient) -> None:
        """Before the first write of a call: one run at a time (I10)."""
        if self._lease is None:
            self._lease = self.lease(client)
            self._lease.acquire()

    def _keep_lease(self) -> None:
        if self._lease is not None:
            self._lease.renew_if_due()

    def _end_call(self) -> None:
        # A flow of several calls keeps its Lease; it is given back by strimzi_lease.
        if self._lease is not None and not self.params.get("run_id"):
            self._release_quietly(self._lease)

    def _release_quietly(self, lease: TrustLease) -> None:
        try:
            lease.release()
        except KubeError as error:
            self.module.warn(f"The Lease could not be given back and will run out by itself: {error}")

    # The engine ----------------------------------------------------------------------------------------------------

    def run(self, face: Face, goal: str, report: Callable[[str], None] | None = None) -> dict[str, Any]:
        """Carry out this module's part of the flow and describe it."""
        work, intent = self.work(), self.intent(goal)
        if report is not None:
            work.report = report
        return self.result(run(work, intent, face, lambda: self.take_lease(work.client)))

    def result(self, outcome: Outcome) -> dict[str, Any]:
        self.hide_secrets(outcome.observation)
        result = {
            "changed": outcome.changed,
            **describe_snapshot(outcome.observation.snapshot),
            **describe_decision(outcome.decision),
            "replaces": outcome.replaces,
            "evidence": self._evidence(),
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
        self._hide(*secrets_of(observation))


def _place(error: BaseException) -> str:
    """Where it happened: file and line say nothing secret."""
    trace, place = error.__traceback__, "an unknown place"
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
