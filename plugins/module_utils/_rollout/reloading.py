# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A reload: every node that needs it gets the request to read its certificates again, until its listeners show
that it has.

The first node gets the request alone; when it refuses, no other gets it. The rest follow side by side, a few at a time.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from .._errors import CollectionError, Forbidden, KafkaUnavailable, ReloadImpossible, RollStuck
from .._handshake.tls import Deadline
from .._kube.resources import CONFIG_MAPS, PODS
from .._pki.certificates import Certificate
from .._strimzi.apply.work import Action, PortOpener, Work
from .._strimzi.cluster.kafka import user_listeners
from .._strimzi.cluster.observe import Observation
from .._strimzi.names import CaKind
from .._tls.contexts import accept_ended
from .._trust.evidence.parties import unanswered
from .._trust.model.listeners import CONTROL_PLANE, REPLICATION, ObservedListener, Unanswered
from .._trust.model.names import listed, named
from .._trust.model.steps.nodes import Reload, ReloadOutside
from .admin import operator_context
from .kafka_pods import Node, kafka_pods, read_node, uid_of
from .reload_request import (
    RESTART_INSTEAD,
    References,
    ReloadTarget,
    Setting,
    read_leaves_outside,
    read_listener_settings,
    read_user_trust,
    reload_by_controllers,
    reload_node,
    strimzi_references,
)
from .roll import silence_error

_PAUSE = 1.0
_CONFIG = "server.config"
#: Nodes that get the request at the same time. A reload takes a fraction of a second, and the nodes stay up meanwhile.
AT_ONCE = 8


def carry_out_reload(step: Reload, observation: Observation, work: Work) -> None:
    """Tell each node, then wait until all of their listeners show it. Raises ReloadImpossible, RollStuck."""
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
        _Request(
            ReloadTarget(node, controllers, _domain(work)),
            _settings_to_reload(node, observation, work),
            open_ports,
            context,
        )
        for node in sorted(wanted, key=lambda node: node.node_id)
    ]
    for wave in _split_into_waves(requests):
        _send_requests(wave, step, work)
    _await_listeners(step, observation, work)


#: Before a restart, which all nodes wait for: seconds after which no further node gets the request; seconds for the requests to one node; and seconds
#: for listeners to follow.
_OUTSIDE, _OF_ONE, _FOLLOWING = 15.0, 10.0, 8.0


def reload_outside(step: ReloadOutside, observation: Observation, work: Work) -> None:
    """Send each node the requests, then report the listeners that present the stored leaf; the other listeners do so after the restart that follows. Raises
    what ``work.renew_lease`` raises, and nothing else.
    """
    nodes = [read_node(pod) for pod in kafka_pods(observation.pods.values(), observation.owners)]
    wanted = sorted((node for node in nodes if node.uid in step.uids), key=lambda node: node.node_id)
    if work.dry_run:
        for node in wanted:
            work.record(_action_outside(node, "", step, work))
        return
    begun = work.clock.monotonic()
    try:
        telling = _open_outside([node for node in nodes if node.controller], observation, work)
    except CollectionError as error:
        work.tell(f"No node reads its certificates before the restart: {error}")
        return
    refused = _send_outside(wanted, telling)
    followed = _await_outside(step, observation, work)
    for node in wanted:
        ports = listed(sorted(str(port) for uid, port in followed if uid == node.uid))
        if ports:
            work.record(_action_outside(node, f" on ports {ports}", step, work, work.clock.monotonic() - begun))
            work.tell(f"{node.pod} presents its next certificate on ports {ports} already")
        else:
            why = f": {refused[node.uid]}" if node.uid in refused else ""
            work.tell(f"{node.pod} presents its next certificate after the restart only{why}")


def _open_outside(controllers: Sequence[Node], observation: Observation, work: Work) -> _Outside:
    """The way to the controllers. Raises CollectionError where the call cannot send a request."""
    if work.nodes is None:
        raise ReloadImpossible("Nodes", "cannot be reached from here", RESTART_INSTEAD)
    return _Outside(work.nodes.open_ports(), accept_ended(operator_context(observation)), controllers, work)


def _send_outside(wanted: Sequence[Node], telling: _Outside) -> Mapping[str, CollectionError]:
    """The refusals by the UIDs of the nodes. Raises what ``work.renew_lease`` raises."""
    work = telling.work
    refused, begun = dict[str, CollectionError](), work.clock.monotonic()
    for wave in _split_into_waves(wanted):
        work.renew_lease()
        if work.clock.monotonic() - begun >= _OUTSIDE:
            break
        with ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="reload") as pool:
            answers = list(pool.map(telling.tell, wave))
        refused.update({node.uid: why for node, why in zip(wave, answers, strict=True) if why is not None})
    return refused


@dataclass(frozen=True, eq=False)
class _Outside:
    """The way to nodes that present certificates which have ended."""

    #: Opens a connection to a port of a pod.
    open_ports: PortOpener
    #: Settings for TLS as the Cluster Operator, which accept certificates that have ended.
    context: ssl.SSLContext
    #: All controllers of the cluster.
    controllers: Sequence[Node]
    #: The work of the call, which renews its Lease, reads and records.
    work: Work

    def tell(self, node: Node) -> CollectionError | None:
        """The first refusal: it does not keep the listeners after it from reading."""
        target, deadline = ReloadTarget(node, self.controllers, _domain(self.work)), Deadline.after(_OF_ONE)
        refused: CollectionError | None = None
        try:
            where, text, references = _config_of(node, self.work)
            for settings in read_leaves_outside(text, references, where):
                try:
                    reload_by_controllers(target, settings, self.open_ports, self.context, deadline)
                except ReloadImpossible as error:
                    refused = refused or error
        except CollectionError as error:
            return refused or error
        return refused


def _await_outside(step: ReloadOutside, observation: Observation, work: Work) -> frozenset[tuple[str, int]]:
    """The listeners, by the UID of the pod and the port, that present the stored leaf, once all do so or the time is over; none where the call cannot ask."""
    stored = {leaf.secret: leaf.chain[0] for leaf in observation.snapshot.leaves.stored if leaf.chain}
    asked, deadline = observation.with_only(step.uids), work.clock.monotonic() + _FOLLOWING
    while True:
        failed = False
        try:
            answers = work.look_live(asked) or ()
        except CollectionError:
            answers, failed = (), True
        seen = [answer for answer in answers if answer.port not in (REPLICATION, CONTROL_PLANE)]
        done = [
            listener
            for listener in seen
            if listener.presents is not None and listener.presents[0] == stored.get(listener.pod)
        ]
        if (len(done) == len(seen) and not failed) or work.clock.monotonic() >= deadline:
            return frozenset((listener.uid, listener.port) for listener in done)
        work.renew_lease()
        work.clock.sleep(_PAUSE)


def _action_outside(node: Node, where: str, step: ReloadOutside, work: Work, seconds: float | None = None) -> Action:
    what = f"read certificates again{where} before the restart"
    return Action("reload", f"Pod {work.scope.namespace}/{node.pod}", what, step.phase.value, seconds=seconds)


@dataclass(frozen=True, eq=False)
class _Request:
    """The settings that a node is to read again, and the way to the node."""

    #: The node that is to reload, and the way to it.
    target: ReloadTarget
    #: The settings that the node is to read again, all in one request.
    settings: tuple[Setting, ...]
    #: Opens a connection to a port of a pod.
    open_ports: PortOpener
    #: Settings for TLS as the Cluster Operator.
    context: ssl.SSLContext

    def send(self) -> None:
        """Send the request. Raises KafkaUnavailable where the node does not answer, which it may do later, and
        ReloadImpossible.
        """
        reload_node(self.target, self.settings, self.open_ports, self.context)


_Item = TypeVar("_Item")


def _split_into_waves(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    """The first alone, then a few at a time."""
    yield items[:1]
    for begin in range(1, len(items), AT_ONCE):
        yield items[begin : begin + AT_ONCE]


def _action(node: Node, step: Reload, work: Work, seconds: float | None = None) -> Action:
    return Action(
        "reload", f"Pod {work.scope.namespace}/{node.pod}", "read certificates and trust again", step.phase.value,
        seconds=seconds,
    )  # fmt: skip


def _domain(work: Work) -> str:
    return f"{work.scope.cluster}-kafka-brokers.{work.scope.namespace}.svc"


def _send_requests(wave: Sequence[_Request], step: Reload, work: Work) -> None:
    """Send the request to these nodes, and again to nodes that do not answer: the quorum may have no leader for a
    moment. A node that has restarted or left meanwhile has nothing to read. Raises ReloadImpossible, after all requests
    have ended and the nodes that have read again are recorded.
    """
    begun, left = work.clock.monotonic(), wave
    deadline = begun + work.settings.operator_timeout / timedelta(seconds=1)
    while True:
        work.renew_lease()
        errors = _send(left)
        seconds = work.clock.monotonic() - begun
        for request in left:
            if request not in errors:
                work.record(_action(request.target.node, step, work, seconds))
        silent = {node: error for node, error in errors.items() if isinstance(error, KafkaUnavailable)}
        if refusal := next((error for node, error in errors.items() if node not in silent), None):
            raise refusal
        running = _uids_of_pods(work) if silent else frozenset()
        left = [request for request in silent if request.target.node.uid in running]
        if not left:
            return
        if work.clock.monotonic() >= deadline:
            first = silent[left[0]]
            remedy = f"{first.remedy} Bring this node to health, then run the flow again."
            raise RollStuck(first.object, first.cause, remedy)
        work.clock.sleep(_PAUSE)


def _uids_of_pods(work: Work) -> frozenset[str]:
    found = work.client.list(PODS, work.scope.namespace, label_selector=work.scope.selector).items
    return frozenset(map(uid_of, found))


def _send(wave: Sequence[_Request]) -> Mapping[_Request, BaseException]:
    """The requests that failed, in order, and why. All of them have ended."""
    with ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="reload") as pool:
        answers = [pool.submit(request.send) for request in wave]
    return {request: error for request, answer in zip(wave, answers, strict=True) if (error := answer.exception())}


def _config_of(node: Node, work: Work) -> tuple[str, str, References]:
    """The name of ``server.config`` of this node in messages, its text, and its references to Secrets. Raises ReloadImpossible, KubeError."""
    where = f"ConfigMap {work.scope.namespace}/{node.pod}, {_CONFIG}"
    try:
        found = work.client.get_or_none(CONFIG_MAPS, work.scope.namespace, node.pod)
    except Forbidden as error:
        raise ReloadImpossible(where, f"cannot be read: {error}", RESTART_INSTEAD) from None
    text = ((found or {}).get("data") or {}).get(_CONFIG)
    if text is None:
        raise ReloadImpossible(where, "does not exist", RESTART_INSTEAD)
    return where, text, strimzi_references(work.scope, node.pod)


def _settings_to_reload(node: Node, observation: Observation, work: Work) -> tuple[Setting, ...]:
    where, text, references = _config_of(node, work)
    if work.scope.ca is CaKind.CLIENTS:
        managed = (listener for listener in user_listeners(observation.kafka or {}) if listener.managed)
        return read_user_trust(text, references, managed, where)
    settings = read_listener_settings(text, references, where)
    return (*settings.trust, *settings.leaf)


def _await_listeners(step: Reload, observation: Observation, work: Work) -> None:
    """Wait until the listeners have followed, which takes seconds. The gates judge whether they have; this only gives
    them the time.

    Nodes that have followed get no further question, because answering costs them time that slows down the others. A
    node that has restarted meanwhile has read everything. Raises NodesSilent, RollStuck.
    """
    stored = {leaf.secret: leaf.chain[0] for leaf in observation.snapshot.leaves.stored if leaf.chain}
    deadline = work.clock.monotonic() + work.settings.operator_timeout / timedelta(seconds=1)
    asked = observation.with_only(step.uids)
    silent: tuple[Unanswered, ...] = ()
    while work.clock.monotonic() < deadline:
        seen = work.look_live(asked)
        if seen:
            left = frozenset(listener.uid for listener in seen if not _has_followed(listener, step, stored))
            asked = (work.observe() if silent else observation).with_only(left)
            if not asked.snapshot.nodes.pods:
                return
            silent = unanswered(asked.snapshot.with_nodes(listeners=seen))
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
        return "present others than their Secrets hold"
    return f"{'refuse' if step.trusting else 'accept'} {named(step.authority)}"


def _has_followed(listener: ObservedListener, step: Reload, stored: Mapping[str, Certificate]) -> bool:
    """Whether this listener has followed. A pod's own Secret has the name of the pod."""
    if step.authority is None:
        return listener.presents is not None and listener.presents[0] == stored.get(listener.pod)
    return not listener.verifies or step.authority.fingerprint in (
        listener.accepts if step.trusting else listener.refuses
    )
