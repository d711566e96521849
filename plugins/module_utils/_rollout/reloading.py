# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A reload: every node that needs it gets the request to read its certificates again, until its listeners show the
result.

The first node gets the request alone; if it refuses, no other gets it. The rest follow side by side, in waves.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._errors import Forbidden, KafkaUnavailable, ReloadImpossible, RollStuck
from .._kube.resources import CONFIG_MAPS, PODS
from .._kube.response_time import CONVERSATION, Countdown
from .._pki.certificates import Certificate
from .._strimzi.apply.work import Action, Target, Work
from .._strimzi.cluster.observe import Observation
from .._strimzi.cluster.specified_listeners import user_listeners
from .._strimzi.names import CaKind
from .._trust.evidence.parties import unanswered
from .._trust.model.listeners import ObservedListener, Unanswered
from .._trust.model.names import named
from .._trust.model.steps.nodes import Reload
from .._trust.model.waves import SLOW, Waves
from .admin import operator_context
from .answers import silence_error
from .kafka_pods import Node, kafka_pods, read_node, uid_of
from .reload_request import (
    RESTART_INSTEAD,
    References,
    ReloadTarget,
    Setting,
    import_library,
    read_listener_settings,
    read_user_trust,
    reload_node,
    strimzi_references,
)

if TYPE_CHECKING:
    from .._kube.pod_access import PortOpener

#: Seconds between two requests to nodes, and between two looks at them.
_PAUSE = 1.0
_CONFIG = "server.config"
#: Seconds for the request to one node if the API server answers at once: half the life of a Lease, which is not renewed
#: meanwhile. A broker tests the new certificates for each of its network threads before it answers: tenths of a second
#: with a free CPU, some seconds without. The second number is that of the API server's answers in a conversation with
#: the node, and in another with the active controller.
_LIMIT, _ANSWERS = 15.0, 2 * CONVERSATION
#: The least number of looks at nodes, however long each takes: the first may come too early.
_LEAST_LOOKS = 3


def carry_out_reload(step: Reload, observation: Observation, work: Work) -> None:
    """Send the nodes the request, then wait until all of their listeners show the result. Raises ReloadImpossible,
    RollStuck, NodesSilent.
    """
    nodes = [read_node(pod) for pod in kafka_pods(observation.pods.values(), observation.owners)]
    wanted = [node for node in nodes if node.uid in step.uids]
    if work.dry_run:
        for node in wanted:
            work.record(_action(node, step, work))
        return
    if work.nodes is None:
        raise ReloadImpossible("Nodes", "cannot be reached from here", RESTART_INSTEAD)
    open_ports, context = work.nodes.open_ports(), operator_context(observation)
    controllers = [node for node in nodes if node.controller]
    requests = [
        Request(
            ReloadTarget(node, controllers, domain_of(work)),
            _settings_to_reload(node, observation, work),
            open_ports,
            context,
            work,
        )
        for node in sorted(wanted, key=lambda node: node.node_id)
    ]
    send_in_waves(requests, step, work)
    _await_listeners(step, observation, work)


@dataclass(frozen=True, eq=False)
class Request:
    """The settings for a node to read again, and the way to the node."""

    #: The node that is to reload, and the way to it.
    target: ReloadTarget
    #: The settings for the node to read again, all in one request.
    settings: tuple[Setting, ...]
    #: Opens a connection to a port of a pod.
    open_ports: PortOpener
    #: Settings for TLS as the Cluster Operator; None if nodes speak no TLS among each other.
    context: ssl.SSLContext | None
    #: The work of the call: it knows how long the API server takes.
    work: Work

    def send(self) -> None:
        """Send the request. Raises KafkaUnavailable if the node does not answer; it may answer later. Raises
        ReloadImpossible.
        """
        limit = self.work.client.response_time.within(_LIMIT, _ANSWERS)
        reload_node(self.target, self.settings, self.open_ports, self.context, seconds=limit)


def send_in_waves(requests: Sequence[Request], step: Reload, work: Work) -> None:
    """Send the requests, several at a time. Raises ReloadImpossible, RollStuck."""
    import_library()
    waves = Waves(len(requests), work.client.response_time.within(SLOW, _ANSWERS))
    left = requests
    while left:
        wave, left = left[: waves.size], left[waves.size :]
        begun = work.clock.monotonic()
        _send_requests(wave, step, work)
        took = work.clock.monotonic() - begun
        rest = min(waves.rest_after(took), _LIMIT)
        if rest and left:
            work.tell(f"nodes take {took:.0f} s to read again: from here on {waves.size} at a time")
            work.renew_lease()
            work.clock.sleep(rest)


def _action(node: Node, step: Reload, work: Work, seconds: float | None = None) -> Action:
    return Action(
        "reload", Target("Pod", work.scope.namespace, node.pod), "read certificates and trust again", step.phase.value,
        seconds=seconds,
    )  # fmt: skip


def domain_of(work: Work) -> str:
    """The domain of the nodes' names in their certificates."""
    return f"{work.scope.cluster}-kafka-brokers.{work.scope.namespace}.svc"


def _send_requests(wave: Sequence[Request], step: Reload, work: Work) -> None:
    """Send the request to these nodes, and again if a node does not answer: the quorum may have no leader for a moment.
    If a node has restarted or left meanwhile, it has nothing to read. Raises ReloadImpossible, after all requests have
    ended and the reloaded nodes are recorded.
    """
    clock, left = work.clock, wave
    begun, countdown = clock.monotonic(), _countdown(work)
    while True:
        work.renew_lease()
        sent = clock.monotonic()
        errors = _send(left)
        countdown.looked_since(sent)
        seconds = clock.monotonic() - begun
        for request in left:
            if request not in errors:
                work.record(_action(request.target.node, step, work, seconds))
        silent = {request: error for request, error in errors.items() if isinstance(error, KafkaUnavailable)}
        if refusal := next((error for request, error in errors.items() if request not in silent), None):
            raise refusal
        running = _uids_of_pods(work) if silent else frozenset()
        left = [request for request in silent if request.target.node.uid in running]
        if not left:
            return
        if countdown.is_over:
            first = silent[left[0]]
            remedy = f"{first.remedy} Bring this node to health, then run the flow again."
            raise RollStuck(first.object, first.cause, remedy)
        clock.sleep(_PAUSE)


def _countdown(work: Work) -> Countdown:
    return Countdown(work.clock.monotonic, work.settings.operator_timeout.total_seconds(), _LEAST_LOOKS)


def _uids_of_pods(work: Work) -> frozenset[str]:
    listed_pods = work.client.list(PODS, work.scope.namespace, label_selector=work.scope.selector).items
    return frozenset(map(uid_of, listed_pods))


def _send(wave: Sequence[Request]) -> Mapping[Request, BaseException]:
    """The failed requests, in order, and why. All requests have ended."""
    with ThreadPoolExecutor(max_workers=len(wave), thread_name_prefix="reload") as pool:
        answers = [pool.submit(request.send) for request in wave]
    return {request: error for request, answer in zip(wave, answers, strict=True) if (error := answer.exception())}


def config_of(node: Node, work: Work) -> tuple[str, str, References]:
    """The name of ``server.config`` of this node in messages, its text, and its references to Secrets. Raises
    ReloadImpossible, KubeError.
    """
    where = f"ConfigMap {work.scope.namespace}/{node.pod}, {_CONFIG}"
    try:
        config_map = work.client.get_or_none(CONFIG_MAPS, work.scope.namespace, node.pod)
    except Forbidden as error:
        raise ReloadImpossible(where, f"cannot be read: {error}", RESTART_INSTEAD) from None
    text = ((config_map or {}).get("data") or {}).get(_CONFIG)
    if text is None:
        raise ReloadImpossible(where, "does not exist", RESTART_INSTEAD)
    return where, text, strimzi_references(work.scope, node.pod)


def _settings_to_reload(node: Node, observation: Observation, work: Work) -> tuple[Setting, ...]:
    where, text, references = config_of(node, work)
    if work.scope.ca is CaKind.CLIENTS:
        managed = (listener for listener in user_listeners(observation.kafka or {}) if listener.managed)
        return read_user_trust(text, references, managed, where)
    settings = read_listener_settings(text, references, where, has_tls=observation.snapshot.security.has_tls)
    return (*settings.trust, *settings.leaf)


def _await_listeners(step: Reload, observation: Observation, work: Work) -> None:
    """Give the listeners of these nodes the time to follow, which takes seconds. The gates judge whether they have.

    A node that has followed gets no further question, because its answers cost time and slow down the other nodes. A
    node that has restarted meanwhile has read everything. Raises NodesSilent if a node has not answered in time, and
    RollStuck if a listener has not followed.
    """
    stored = observation.snapshot.leaves.certificates
    countdown, observation_of_awaited = _countdown(work), observation.with_only(step.uids)
    silent: tuple[Unanswered, ...] = ()
    while not countdown.is_over:
        begun = work.clock.monotonic()
        seen = work.look_live(observation_of_awaited)
        countdown.looked_since(begun)
        if seen:
            left = frozenset(listener.uid for listener in seen if not _has_followed(listener, step, stored))
            observation_of_awaited = (work.observe() if silent else observation).with_only(left)
            if not observation_of_awaited.snapshot.nodes.pods:
                return
            silent = unanswered(observation_of_awaited.snapshot.with_nodes(listeners=seen))
        work.renew_lease()
        work.clock.sleep(_PAUSE)
    if silent:
        raise silence_error(silent, work.settings.operator_timeout, work)
    raise RollStuck(
        f"Listeners of Kafka {work.scope.namespace}/{work.scope.cluster}",
        f"had to read their certificates again, and still {_describe_remaining(step)}",
        "strimzi_ca_info shows these listeners; run the flow again with spread=restart to restart them.",
    )


def _describe_remaining(step: Reload) -> str:
    if step.authority is None:
        return "present other certificates than their Secrets contain"
    return f"{'refuse' if step.trusting else 'accept'} {named(step.authority)}"


def _has_followed(listener: ObservedListener, step: Reload, stored: Mapping[str, Certificate]) -> bool:
    """Whether this listener has followed. A pod's own Secret has the name of the pod."""
    if step.authority is None:
        return listener.presents is not None and listener.presents[0] == stored.get(listener.pod)
    return not listener.verifies or step.authority.fingerprint in (
        listener.accepts if step.trusting else listener.refuses
    )
