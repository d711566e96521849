# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Waiting until the operator has brought the trusted CAs to clients outside the cluster."""

from __future__ import annotations

from ..._errors import OperatorSilent, TimedOut
from ..._kube.resources import PODS
from ..._kube.wait import wait_until
from ..._trust.model.clients import OutsideClient
from ..._trust.model.steps.trust import AwaitClients, AwaitOutside
from ..clients import CLIENT_PODS, observe_outside, reach_of
from ..cluster.observe import Observation
from .work import Action, Work

#: Seconds between signs of life.
_SLICE = 5.0


class _Look:
    """Whether every client has the CAs that it is to trust and has read them; checked after each event of their pods."""

    def __init__(self, observation: Observation, step: AwaitOutside, work: Work) -> None:
        self._expected = {one.name: one for one in step.settled if one.name in step.clients}
        self._work, self._trusting, seen = work, observation.snapshot.named.trusting, observation.snapshot
        self._reach = reach_of(observation.scope, observation.kafka, seen.leaves.stored, seen.ca, seen.ledger)
        self._seen: tuple[OutsideClient, ...] = ()
        self._moved = False

    def __call__(self, _pods: object) -> bool:
        found = observe_outside(self._work.client, self._reach, self._trusting)
        seen = tuple(one for one in found if one.name in self._expected)
        self._moved, self._seen = bool(self._seen) and seen != self._seen, seen
        return all(
            not one.doubt and set(self._expected[one.name].trusts or ()) <= set(one.trusts or ()) for one in seen
        )

    def moved(self) -> bool:
        return self._moved


def await_outside(step: AwaitOutside, observation: Observation, work: Work) -> None:
    """Watch the pods of these clients, which the operator restarts when a copy changes. Raises OperatorSilent."""
    what = ", ".join(step.clients)
    if work.dry_run:
        work.record(Action("wait", what, "the operator brings the trusted CAs to it", step.phase.value))
        return
    look = _Look(observation, step, work)
    begun = work.clock.monotonic()
    try:
        wait_until(
            work.client,
            PODS,
            work.scope.namespace,
            look,
            label_selector=CLIENT_PODS,
            timeout=work.settings.operator_timeout,
            monotonic=work.clock.monotonic,
            alive=work.alive,
            # A Connect of many workers takes its time, so the time limit begins anew with each change.
            restart_timeout=look.moved,
        )
    except TimedOut:
        limit = work.settings.operator_timeout.total_seconds()
        raise OperatorSilent(
            "The Cluster Operator",
            f"has not brought the trusted CAs to {what} within {limit:.0f} s",
            "See in the status of each what keeps the operator from it, or give a waiver; then run the flow again, "
            "it continues where it stopped.",
        ) from None
    seconds = work.clock.monotonic() - begun
    work.record(Action("wait", what, "the operator brought the trusted CAs to it", step.phase.value, seconds=seconds))


def await_clients(step: AwaitClients, observation: Observation, work: Work) -> None:
    """Give clients the time to read the CA certificate Secret; after a kill the next run waits only for the rest of it."""
    subject, what = f"Secret {work.scope.namespace}/{work.scope.ca_certificate_secret}", "clients read the new CA"
    if work.dry_run:
        work.record(Action("wait", subject, what, step.phase.value))
        return
    begun, left = work.clock.monotonic(), (step.until - work.clock.now()).total_seconds()
    work.tell(f"clients get {left:.0f} s to read {step.certificate.subject}")
    while (left := (step.until - work.clock.now()).total_seconds()) > 0:
        work.alive()
        work.clock.sleep(min(left, _SLICE))
    work.record(Action("wait", subject, what, step.phase.value, seconds=work.clock.monotonic() - begun))
