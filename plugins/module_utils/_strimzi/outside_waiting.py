# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Waiting until the operator has brought the trusted CAs to clients outside the cluster."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import TimedOut
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.wait import wait_until
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.client_resources import CLIENT_PODS
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.outside_clients import observe_outside
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import OutsideClient, settled
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import AwaitOutside


class _Look:
    """Whether every client trusts, and has read, what it is to; asked after each event of their pods."""

    def __init__(self, observation: Observation, step: AwaitOutside, work: Work) -> None:
        clients = settled(observation.snapshot).outside
        self._expected = {one.name: one for one in clients if one.name in step.clients}
        self._work = work
        self._seen: tuple[OutsideClient, ...] = ()
        self._moved = False

    def __call__(self, _pods: object) -> bool:
        found = observe_outside(self._work.client, self._work.scope, self._work.settings.outside.trusting)
        seen = tuple(one for one in found if one.name in self._expected)
        self._moved, self._seen = bool(self._seen) and seen != self._seen, seen
        return all(
            not one.doubt and set(self._expected[one.name].trusts or ()) <= set(one.trusts or ()) for one in seen
        )

    def moved(self) -> bool:
        return self._moved


def await_outside(step: AwaitOutside, observation: Observation, work: Work) -> list[Action]:
    """Their pods are watched: a copy that changes restarts them. Raises OperatorSilent."""
    what = ", ".join(step.clients)
    if work.dry_run:
        return [Action("wait", what, "the operator brings the trusted CAs to it", step.phase.value)]
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
            # A Connect of many workers takes its time; what counts is that it goes on.
            restart_timeout=look.moved,
        )
    except TimedOut:
        limit = work.settings.operator_timeout.total_seconds()
        raise OperatorSilent(
            f"The Cluster Operator has not brought the trusted CAs to {what} within {limit:.0f} s.",
            "See in the status of each what keeps the operator from it, or give a waiver; then run the flow again, "
            "it continues where it stopped.",
        ) from None
    seconds = work.clock.monotonic() - begun
    return [Action("wait", what, "the operator brought the trusted CAs to it", step.phase.value, seconds=seconds)]
