# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call from its options to its result: composition around AnsibleModule, the only place that knows it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, NoReturn

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import AUTH, ArgumentSpec
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.libraries import missing_library
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.redaction import secrets_in_kubeconfig
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import ConnectionOptionsError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.lease import TrustLease
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(timezone.utc)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class ClusterModule:
    """One call of one module. Every way out of it is a result or a message, never a traceback."""

    def __init__(self, spec: ArgumentSpec) -> None:
        self.module = AnsibleModule(supports_check_mode=True, **(AUTH + spec).as_arguments())
        self.params: dict[str, Any] = self.module.params
        self.holder = self.params.get("run_id") or f"call-{uuid.uuid4()}"
        self._lease: TrustLease | None = None

    @property
    def has_written(self) -> bool:
        """Whether anything was changed so far; to be known also when the call fails half-way."""
        return False

    @property
    def check_mode(self) -> bool:
        return bool(self.module.check_mode)

    def execute(self, body: Callable[[], dict[str, Any]]) -> NoReturn:
        """Run the module's body and end with its result; failures become messages with a remedy."""
        self._require_libraries()
        self.hide(*secrets_in_kubeconfig(self.params.get("kubeconfig")))
        try:
            result = body()
        except (KubeError, StepError) as error:
            self.fail(f"{error} {error.remedy}")
        except ConnectionOptionsError as error:
            self.fail(str(error))
        except Exception as error:  # pylint: disable=broad-except
            # The text of an unexpected exception could hold anything.
            self.fail(
                f"Unexpected {type(error).__name__} at {_place(error)}. Please report it; the flow can be run again."
            )
        finally:
            self._end_call()
        if result.get("failed_message"):
            self.fail(result.pop("failed_message"), **result)
        self.module.exit_json(**result)
        raise SystemExit(0)

    def _require_libraries(self) -> None:
        problem = missing_library()
        if problem is None:
            return
        message, trace = problem
        self.module.fail_json(msg=message, **({"exception": trace} if trace else {}))

    def fail(self, message: str, **result: Any) -> NoReturn:
        self.module.fail_json(msg=message, **{"changed": self.has_written, **result})
        raise SystemExit(1)

    def hide(self, *values: str) -> None:
        self.module.no_log_values.update(value for value in values if value.strip())

    # What bodies work with -----------------------------------------------------------------------------------------

    def client(self) -> KubeClient:
        return connect.client_for({name: self.params.get(name) for name in AUTH.options})

    def scope(self) -> ClusterNames:
        return ClusterNames(self.params["namespace"], self.params["cluster"])

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

    def keep_lease(self) -> None:
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


def _place(error: BaseException) -> str:
    """Where it happened: file and line say nothing secret."""
    trace, place = error.__traceback__, "an unknown place"
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
