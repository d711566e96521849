# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A Lease per Kafka cluster: one run at a time (I10), and a run that was killed does not lock out the next for long."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import (
    AlreadyExists,
    Attempt,
    Conflict,
    KubeError,
    TimedOut,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import LEASES
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.wait import wait_until

#: Long enough for the pauses between the tasks of a playbook, short enough to wait out after a crash.
DURATION = timedelta(seconds=30)
_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"


class LeaseHeld(KubeError):
    """Another run is alive."""


class TrustLease:
    """The Lease of one cluster. Expiry is judged by watching it, never by comparing clocks of two machines."""

    def __init__(
        self,
        client: KubeClient,
        namespace: str,
        name: str,
        holder: str,
        *,
        now: Callable[[], datetime],
        monotonic: Callable[[], float],
    ) -> None:
        self._client = client
        self._namespace = namespace
        self._name = name
        self._holder = holder
        self._now = now
        self._monotonic = monotonic
        self._held: dict[str, Any] | None = None
        self._renewed_at = 0.0

    def acquire(self) -> None:
        """Take the Lease. While another holds it: wait whether it is renewed (then LeaseHeld) or runs out."""
        while True:
            current = self._client.get_or_none(LEASES, self._namespace, self._name)
            try:
                if current is None:
                    self._took(self._client.create(LEASES, self._namespace, self._body()))
                    return
                holder = current["spec"].get("holderIdentity")
                if holder and holder != self._holder:
                    self._watch_out(current)
                self._took(self._patch(current, self._spec(current)))
                return
            except (AlreadyExists, Conflict):
                continue

    def renew_if_due(self) -> None:
        """Renew when a third of the duration has passed. Raises LeaseHeld when somebody took it over."""
        if self._held is None or self._monotonic() - self._renewed_at < DURATION.total_seconds() / 3:
            return
        try:
            self._took(self._patch(self._held, {"renewTime": self._timestamp()}))
        except Conflict:
            self._held = None
            raise self._refusal({"holderIdentity": "another run"}) from None

    def release(self) -> None:
        """Give it back; a Lease that is no longer ours is left alone."""
        current = self._client.get_or_none(LEASES, self._namespace, self._name)
        self._held = None
        if current is None or current["spec"].get("holderIdentity") != self._holder:
            return
        try:
            self._patch(current, {"holderIdentity": ""})
        except Conflict:
            return

    def _watch_out(self, seen: dict[str, Any]) -> None:
        def moved(objects: Any) -> bool:
            lease = objects.get(self._name)
            return lease is None or lease["metadata"]["resourceVersion"] != seen["metadata"]["resourceVersion"]

        seconds = int(seen["spec"].get("leaseDurationSeconds") or DURATION.total_seconds())
        try:
            wait_until(
                self._client, LEASES, self._namespace, moved, field_selector=f"metadata.name={self._name}",
                timeout=timedelta(seconds=seconds), monotonic=self._monotonic, alive=lambda: None,
            )  # fmt: skip
        except TimedOut:
            return
        current = self._client.get_or_none(LEASES, self._namespace, self._name)
        spec = current["spec"] if current else {}
        if spec.get("holderIdentity") == seen["spec"].get("holderIdentity"):
            raise self._refusal(spec)
        # Released or taken by a third: look again.
        raise Conflict(self._attempt("read"), "the Lease changed hands", "Read it again.")

    def _refusal(self, spec: dict[str, Any]) -> LeaseHeld:
        return LeaseHeld(
            self._attempt("update"),
            f"another run ({spec.get('holderIdentity')}, since {spec.get('acquireTime', 'unknown')}) is working on this "
            "cluster right now",
            "Let it finish, or stop it; this run changed nothing. After a crash the Lease runs out by itself "
            f"within {DURATION.total_seconds():.0f} s.",
        )

    def _attempt(self, verb: str) -> Attempt:
        return Attempt(verb, LEASES, self._namespace, self._name)

    def _took(self, lease: dict[str, Any]) -> None:
        self._held = lease
        self._renewed_at = self._monotonic()

    def _patch(self, current: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
        version = str(current["metadata"]["resourceVersion"])
        return self._client.patch(LEASES, self._namespace, self._name, {"spec": spec}, resource_version=version)

    def _spec(self, current: dict[str, Any]) -> dict[str, Any]:
        taken_over = current["spec"].get("holderIdentity") not in (self._holder, "", None)
        spec = {
            "holderIdentity": self._holder,
            "leaseDurationSeconds": int(DURATION.total_seconds()),
            "renewTime": self._timestamp(),
        }
        if current["spec"].get("holderIdentity") != self._holder:
            spec["acquireTime"] = self._timestamp()
        if taken_over:
            spec["leaseTransitions"] = int(current["spec"].get("leaseTransitions") or 0) + 1
        return spec

    def _body(self) -> dict[str, Any]:
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name},
            "spec": {
                "holderIdentity": self._holder,
                "leaseDurationSeconds": int(DURATION.total_seconds()),
                "acquireTime": self._timestamp(),
                "renewTime": self._timestamp(),
            },
        }

    def _timestamp(self) -> str:
        return self._now().strftime(_TIME)
