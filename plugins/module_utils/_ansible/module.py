# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call from its options to its result. Only this file and ``quiet_module`` know AnsibleModule."""

from __future__ import annotations

import platform
import sys
import time
import uuid
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, NoReturn

from .._errors import CollectionError, KubeError
from .._kube.client import KubeClient
from .._kube.lease import TrustLease
from .._strimzi.names import CaKind, ClusterNames
from . import connect
from .arguments import AUTH, ArgumentSpec
from .libraries import missing_library
from .object_names import name_problem
from .progress import reporter
from .quiet_module import QuietModule
from .remains import remove_remains


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(timezone.utc)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class ClusterModule:
    """A call of one module. It ends with a result or a message, and with no traceback."""

    def __init__(self, spec: ArgumentSpec) -> None:
        self.module = QuietModule(supports_check_mode=True, **(AUTH + spec).as_arguments())
        self.params: dict[str, Any] = self.module.params
        self._spec = spec
        # The holder of the Lease: another call that waits for this one has to know where it runs.
        self.holder = f"call-{uuid.uuid4()}@{platform.node()}"
        self._lease: TrustLease | None = None

    def done_so_far(self) -> dict[str, Any]:
        """The part of a result about what was done; also of the result of a call that fails half-way."""
        return {"changed": False}

    @property
    def left_half_way(self) -> str:
        """The sentences that a failure begins with: what it leaves, such as a paused operator, and what ends that; empty where it leaves nothing."""
        return ""

    @property
    def check_mode(self) -> bool:
        return bool(self.module.check_mode)

    def execute(self, body: Callable[[], dict[str, Any]]) -> NoReturn:
        """Run the module's body and end with its result; failures become messages with a remedy."""
        self._require_libraries()
        if problem := self._spec.problem_of(self.params) or name_problem(self.params):
            self.fail(problem)
        # A person who keeps these files wants to look at them.
        if not self.module._keep_remote_files:  # pylint: disable=protected-access
            remove_remains(__file__, sys.orig_argv)
        try:
            result = body()
        except CollectionError as error:
            self.fail(f"{error} {error.remedy}")
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

    def _require_libraries(self) -> None:
        problem = missing_library()
        if problem is None:
            return
        message, trace = problem
        self.module.fail_json(msg=message, **({"exception": trace} if trace else {}))

    def fail(self, message: str, **result: Any) -> NoReturn:
        self.module.fail_json(
            msg=" ".join(filter(None, (self.left_half_way, message))), **{**self.done_so_far(), **result}
        )

    def hide(self, *values: str) -> None:
        self.module.no_log_values.update(value for value in values if value.strip())

    # The tools of bodies -----------------------------------------------------------------------------------------

    def client(self) -> KubeClient:
        client = connect.client_for(connect.connection_options(self.params), self.module.warn)
        client.tell = self._report
        return client

    def scope(self) -> ClusterNames:
        ca = CaKind(self.params.get("ca") or CaKind.CLUSTER.value)
        return ClusterNames(self.params["namespace"], self.params["cluster"], ca)

    # The Lease -----------------------------------------------------------------------------------------------------

    def lease(self, client: KubeClient) -> TrustLease:
        scope, clock = self.scope(), SystemClock()
        return TrustLease(
            client, scope.namespace, scope.lease, self.holder,
            now=clock.now, monotonic=clock.monotonic, cluster=scope.cluster, labels=scope.labels, tell=self._tell,
        )  # fmt: skip

    def _tell(self, sentence: str) -> None:
        """Tell the sentence while the call works where a console shows it, else at the end of the call."""
        if self.params.get("progress_file"):
            self._report(sentence)
        else:
            self.module.warn(sentence)

    def _report(self, sentence: str) -> None:
        """Tell the sentence while the call works, where a console shows it."""
        reporter(self.params.get("progress_file"))(f"[{self.params['namespace']}/{self.params['cluster']}] {sentence}")

    def take_lease(self, client: KubeClient) -> None:
        """Take the Lease before the first write of a call, so that only one run works at a time (I10)."""
        if self._lease is None:
            self._lease = self.lease(client)
        if not self._lease.is_held:
            self._lease.acquire()

    def keep_lease(self) -> None:
        if self._lease is not None:
            self._lease.renew_if_due()

    def give_lease_back(self) -> None:
        """Give the Lease back before a wait in which other runs may work. ``take_lease`` takes it anew before the next write."""
        self._end_call()
        self._lease = None

    def delete_lease(self, client: KubeClient) -> bool:
        """Delete the Lease, and return whether it was there. Where that is not permitted it stays, which does no harm."""
        lease, self._lease = self._lease or self.lease(client), None
        try:
            return lease.delete()
        except KubeError as error:
            scope = self.scope()
            self.module.warn(
                f"{error} The Lease stays: kubectl delete lease {scope.lease} --namespace {scope.namespace} removes it."
            )
            return False

    def _end_call(self) -> None:
        if self._lease is not None:
            self._release_quietly(self._lease)

    def _release_quietly(self, lease: TrustLease) -> None:
        try:
            lease.release()
        except KubeError as error:
            self.module.warn(f"The Lease could not be given back and will run out by itself: {error}")


def _place(error: BaseException) -> str:
    """The file and the line where the error happened, which hold no secret."""
    trace, place = error.__traceback__, "an unknown place"
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
