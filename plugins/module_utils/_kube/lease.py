# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A Lease per Kafka cluster: one run at a time (I10). If a run is killed, it locks the next run out for a short time
only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NoReturn

from .._errors import AlreadyExists, Conflict, LeaseTaken, NotFound, StepError, TimedOut, Unavailable, Unreachable
from .client import KubeClient, drop_sentence
from .resources import LEASES, Attempt, managers_of, owns, read_time
from .response_time import OBSERVATION
from .wait import Objects, wait_until

#: Long enough for the pauses between the tasks of a playbook, short enough to wait out after a crash.
DURATION = timedelta(seconds=30)
#: How long the Lease of another run is watched at most: longer than any run takes from one renewal to the next.
LONGEST = timedelta(minutes=5)
#: How long a Lease outlasts its duration, by the clock of the API server, before it counts as run out. The clocks of
#: several API servers differ, and the API server notes the time of a write to a second.
TOLERANCE = timedelta(seconds=15)
_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"


class TrustLease:
    """The Lease of one cluster.

    Expiry is measured by watching the Lease on a monotonic clock of this machine, as client-go does; clocks of two
    machines are not compared. If the Lease has run out before this run comes, this run does not watch it. That is known
    from the API server, which notes when ``renewTime`` was last written (``metadata.managedFields``), by the clock that
    dates its answers; ``renewTime`` itself must say no later time.
    """

    def __init__(
        self,
        client: KubeClient,
        namespace: str,
        name: str,
        holder: str,
        *,
        now: Callable[[], datetime],
        monotonic: Callable[[], float],
        duration: timedelta = DURATION,
        cluster: str | None = None,
        labels: Mapping[str, str] | None = None,
        tell: Callable[[str], None] = drop_sentence,
        why_taken: Callable[[Mapping[str, Any]], StepError | None] = lambda lease: None,
    ) -> None:
        """The holder is the name of the call. The time of day by ``now``, in UTC, is only written down; seconds by
        ``monotonic`` count, also while the machine sleeps. The Lease gets the labels when it is created. The function
        ``tell`` gets a sentence with the name of the cluster before the call waits for the Lease of another holder. The
        function ``why_taken`` gives the error if the Lease of another program has this name.
        """
        self._client = client
        self._namespace = namespace
        self._name = name
        self._holder = holder
        self._now = now
        self._monotonic = monotonic
        self._shortest = duration.total_seconds()
        self._protects = (
            f"Kafka cluster {namespace}/{cluster}" if cluster else f"what Lease {namespace}/{name} protects"
        )
        self._labels = dict(labels or {})
        self._tell = tell
        self._why_taken = why_taken
        self._lease: dict[str, Any] | None = None
        self._renewed_at = 0.0

    @property
    def is_owned(self) -> bool:
        """Whether this run has taken the Lease and not given it back. A failed attempt may have taken it as well;
        ``release`` undoes that.
        """
        return self._lease is not None

    def acquire(self) -> bool:
        """Take the Lease if it is free, has this holder, or runs out while it is watched. Return whether another run
        had it.

        If another run owns it, it is watched. A renewal proves that run alive (LeaseTaken at once); no renewal for its
        duration proves it dead. So does the API server's note that the last renewal is longer ago than that.
        """
        return self._acquire(self._await_expiry)

    def acquire_at_once(self) -> None:
        """Take the Lease if it is free or has this holder. Raises LeaseTaken if another run owns it."""
        self._acquire(self._refuse)

    def _acquire(self, get_past: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]) -> bool:
        """Take the Lease, and return whether another run had it. From the Lease of another run, ``get_past`` leads to
        the Lease as this run takes it. Raises LeaseTaken, and StepError if the Lease is another program's.
        """
        had_another = False
        while True:
            current: Mapping[str, Any] | None = self._client.get_or_none(LEASES, self._namespace, self._name)
            if current is not None and (error := self._why_taken(current)) is not None:
                raise error
            holder = _spec(current).get("holderIdentity")
            if current is not None and holder and holder != self._holder:
                current, had_another = get_past(current), True
            try:
                self._take(current)
                return had_another
            except NotFound:
                if current is None:
                    # There was no Lease to be gone: the namespace does not exist.
                    raise
            except (AlreadyExists, Conflict):
                # Another run was faster: look again which run has it now.
                had_another = True

    def renew_if_due(self) -> None:
        """Renew after a third of the shortest duration. Raises LeaseTaken if another run has taken the Lease over."""
        if self._lease is None or self._seconds_since_renewal() < self._shortest / 3:
            return
        try:
            self._renew(self._lease)
        except (Unreachable, Unavailable):
            # If the Lease has not run out, no other run can have taken it. The attempt itself may have taken long.
            if self._seconds_since_renewal() >= self._seconds_left(_spec(self._lease)):
                raise

    @property
    def _duration(self) -> int:
        """Seconds of the Lease after a renewal sent now: before the next renewal a run may observe the cluster."""
        return int(min(self._client.response_time.within(self._shortest, OBSERVATION), LONGEST.total_seconds()))

    def _seconds_since_renewal(self) -> float:
        return self._monotonic() - self._renewed_at

    def _renew(self, current: Mapping[str, Any]) -> None:
        try:
            self._write(current, {"renewTime": self._timestamp(), "leaseDurationSeconds": self._duration})
        except (Conflict, NotFound):
            # The Lease was edited, deleted, or renewed by a request whose answer was lost. This run still owns it
            # unless it names another holder.
            self.acquire_at_once()

    def release(self) -> bool:
        """Give the Lease back, and return whether this run owned it. A Lease of another holder is left alone."""
        self._lease = None
        while True:
            current = self._client.get_or_none(LEASES, self._namespace, self._name)
            if current is None or _spec(current).get("holderIdentity") != self._holder:
                return False
            try:
                self._patch(current, {"holderIdentity": ""})
                return True
            except (Conflict, NotFound):
                continue

    def delete(self) -> bool:
        """Delete the Lease, and return whether it was there. A Lease of another holder is left alone."""
        self._lease = None
        current = self._client.get_or_none(LEASES, self._namespace, self._name)
        if current is None or _spec(current).get("holderIdentity") not in (None, "", self._holder):
            return False
        if self._why_taken(current) is not None:
            return False
        version = current["metadata"]["resourceVersion"]
        try:
            self._client.delete(LEASES, self._namespace, self._name, resource_version=version)
        except (Conflict, NotFound):
            # Another run has taken it, or deleted it.
            return False
        return True

    def _refuse(self, current: Mapping[str, Any]) -> NoReturn:
        raise self._refusal(_spec(current), self._age(_spec(current)))

    def _await_expiry(self, seen: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Wait until the Lease has run out or was given back, and return it. Raises LeaseTaken."""
        spec, ownership = _spec(seen), _ownership(seen)
        if (idle := self._seconds_idle(seen)) > self._seconds_left(spec) + TOLERANCE.total_seconds():
            self._tell(
                f"another run ({self._describe_holder(spec, idle)}) has the Lease of {self._protects}, and has not "
                f"renewed it for longer than the {self._seconds_left(spec):.0f} s that it lasts: that run is dead, and "
                "this run takes over."
            )
            return seen

        def moved(objects: Objects) -> bool:
            return _ownership(objects.get(self._name)) != ownership

        seconds = self._seconds_left(spec)
        self._tell(
            f"another run ({self._describe_holder(spec, self._age(spec))}) has the Lease of {self._protects}; it is "
            f"watched for up to {seconds:.0f} s: a run that does not renew it in that time is dead, and this run takes "
            "over."
        )
        try:
            objects = wait_until(
                self._client, LEASES, self._namespace, moved, field_selector=f"metadata.name={self._name}",
                timeout=timedelta(seconds=seconds), monotonic=self._monotonic, alive=lambda: None,
            )  # fmt: skip
        except TimedOut as error:
            return error.observed[self._name]
        lease = objects.get(self._name)
        if _spec(lease).get("holderIdentity") not in (None, "", self._holder):
            raise self._refusal(_spec(lease), 0.0)
        return lease

    def _take(self, current: Mapping[str, Any] | None) -> None:
        now = self._timestamp()
        spec: dict[str, Any] = {
            "holderIdentity": self._holder,
            "leaseDurationSeconds": self._duration,
            "renewTime": now,
        }
        former = _spec(current)
        if former.get("holderIdentity") != self._holder:
            spec["acquireTime"] = now
            spec["leaseTransitions"] = _count(former.get("leaseTransitions")) + bool(former.get("holderIdentity"))
        self._write(current, spec)

    def _write(self, current: Mapping[str, Any] | None, spec: dict[str, Any]) -> None:
        begun = self._monotonic()
        if current is None:
            metadata = {"name": self._name, "namespace": self._namespace, "labels": self._labels}
            body = {"apiVersion": LEASES.api_version, "kind": LEASES.kind, "metadata": metadata, "spec": spec}
            self._lease = self._client.create(LEASES, self._namespace, body)
        else:
            self._lease = self._patch(current, spec)
        # The time before the request: for other runs the Lease may have begun then.
        self._renewed_at = begun

    def _patch(self, current: Mapping[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
        version = str(current["metadata"]["resourceVersion"])
        return self._client.patch(LEASES, self._namespace, self._name, {"spec": spec}, resource_version=version)

    def _refusal(self, spec: Mapping[str, Any], age: float) -> LeaseTaken:
        return LeaseTaken(
            Attempt("patch", LEASES, self._namespace, self._name),
            f"Another run ({self._describe_holder(spec, age)})",
            f"is working on {self._protects}.",
            "Let it finish, or stop it, then run again: a flow continues where it stopped. If it was killed, its "
            f"Lease runs out by itself {self._seconds_left(spec):.0f} s after its last renewal.",
        )

    def _seconds_left(self, spec: Mapping[str, Any]) -> float:
        """Seconds left after its last renewal. Another program may write any number into a Lease, so the wait for it is
        bounded.
        """
        lease_duration = spec.get("leaseDurationSeconds")
        seconds = float(lease_duration) if isinstance(lease_duration, int) and lease_duration > 0 else self._shortest
        return min(seconds, LONGEST.total_seconds())

    def _seconds_idle(self, lease: Mapping[str, Any]) -> float:
        """Seconds since the last renewal by the clock of the API server; 0 if that is unknown. If the clock of the
        holder is behind, the note of the API server tells the later time; the later of both counts.
        """
        noted = [manager.get("time") for manager in managers_of(lease) if owns(manager, ("spec", "renewTime"))]
        renewed, now = [read_time(time) for time in (*noted, _spec(lease).get("renewTime"))], self._client.server_time
        times = [time for time in renewed if time is not None]
        return (now - max(times)).total_seconds() if noted and None not in renewed and now is not None else 0.0

    @staticmethod
    def _describe_holder(spec: Mapping[str, Any], age: float) -> str:
        acquired = spec.get("acquireTime")
        since = "an unknown time" if read_time(acquired) is None else "".join(str(acquired).split())
        # A name with line ends would look like lines of this collection.
        holder = " ".join(str(spec.get("holderIdentity")).split())[:100]
        return f"holder {holder}, since {since}, renewed {age:.0f} s ago"

    def _age(self, spec: Mapping[str, Any]) -> float:
        """Seconds since the renewal by the other machine's clock: for the message only."""
        renewed = read_time(spec.get("renewTime"))
        return 0.0 if renewed is None else max(0.0, (self._now() - renewed).total_seconds())

    def _timestamp(self) -> str:
        return self._now().strftime(_TIME)


def _count(number: object) -> int:
    """A number that can still be incremented: the API server takes no larger number."""
    return number if isinstance(number, int) and 0 <= number < 2**31 - 1 else 0


def _spec(lease: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return (lease or {}).get("spec") or {}


def _ownership(lease: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The fields of a Lease that runs write. If another program writes another field, a label or an annotation, it
    renews no Lease.
    """
    spec = _spec(lease)
    return {name: spec.get(name) for name in ("holderIdentity", "renewTime", "acquireTime", "leaseTransitions")}
