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

from .._errors import Forbidden, KafkaUnavailable, ReloadImpossible, RollStuck
from .._kube.resources import CONFIG_MAPS
from .._pki.certificates import Certificate
from .._strimzi.apply.work import Action, PortOpener, Work
from .._strimzi.cluster.kafka import user_listeners
from .._strimzi.cluster.observe import Observation
from .._strimzi.names import CaKind
from .._trust.evidence.parties import unanswered
from .._trust.model.names import named
from .._trust.model.nodes import ObservedListener, Unanswered
from .._trust.model.steps.nodes import Reload
from .admin import operator_context
from .nodes import Node, kafka_pods, read_node
from .reload import (
    RESTART_INSTEAD,
    ReloadTarget,
    Setting,
    read_listener_settings,
    read_user_trust,
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
    if work.open_ports is None:
        raise ReloadImpossible("Nodes", "cannot be reached from here", RESTART_INSTEAD)
    open_ports, context = work.open_ports(), operator_context(observation)
    controllers = [node for node in nodes if node.controller]
    requests = [
        _Request(
            ReloadTarget(node, controllers, _domain(work)), _settings(node, observation, work), open_ports, context
        )
        for node in sorted(wanted, key=lambda one: one.node_id)
    ]
    for wave in _waves(requests):
        _tell(wave, step, work)
    _await_listeners(step, observation, work)


@dataclass(frozen=True, eq=False)
class _Request:
    """The settings that a node is to read again, and the way to the node."""

    target: ReloadTarget
    settings: tuple[Setting, ...]
    open_ports: PortOpener
    context: ssl.SSLContext

    def send(self) -> None:
        """Send the request. Raises KafkaUnavailable where the node does not answer, which it may do later, and
        ReloadImpossible.
        """
        reload_node(self.target, self.settings, self.open_ports, self.context)


def _waves(requests: Sequence[_Request]) -> Iterator[Sequence[_Request]]:
    yield requests[:1]
    for begin in range(1, len(requests), AT_ONCE):
        yield requests[begin : begin + AT_ONCE]


def _action(node: Node, step: Reload, work: Work, seconds: float | None = None) -> Action:
    return Action(
        "reload", f"Pod {work.scope.namespace}/{node.pod}", "read certificates and trust again", step.phase.value,
        seconds=seconds,
    )  # fmt: skip


def _domain(work: Work) -> str:
    return f"{work.scope.cluster}-kafka-brokers.{work.scope.namespace}.svc"


def _tell(wave: Sequence[_Request], step: Reload, work: Work) -> None:
    """Send the request to these nodes, and again to nodes that do not answer: the quorum may have no leader for a
    moment. Raises ReloadImpossible, after all requests have ended and the nodes that have read again are recorded.
    """
    begun, left = work.clock.monotonic(), wave
    deadline = begun + work.settings.operator_timeout / timedelta(seconds=1)
    while True:
        work.alive()
        errors = _send(left)
        seconds = work.clock.monotonic() - begun
        for one in left:
            if one not in errors:
                work.record(_action(one.target.node, step, work, seconds))
        silent = {one: error for one, error in errors.items() if isinstance(error, KafkaUnavailable)}
        if refusal := next((error for one, error in errors.items() if one not in silent), None):
            raise refusal
        if not silent:
            return
        left = list(silent)
        if work.clock.monotonic() >= deadline:
            first = silent[left[0]]
            remedy = f"{first.remedy} Bring this node to health, then run the flow again."
            raise RollStuck(first.object, first.cause, remedy)
        work.clock.sleep(_PAUSE)


def _send(wave: Sequence[_Request]) -> Mapping[_Request, BaseException]:
    """The requests that failed, in order, and why. All of them have ended."""
    with ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="reload") as pool:
        answers = [pool.submit(one.send) for one in wave]
    return {one: error for one, answer in zip(wave, answers, strict=True) if (error := answer.exception())}


def _settings(node: Node, observation: Observation, work: Work) -> tuple[Setting, ...]:
    where = f"ConfigMap {work.scope.namespace}/{node.pod}, {_CONFIG}"
    try:
        found = work.client.get_or_none(CONFIG_MAPS, work.scope.namespace, node.pod)
    except Forbidden as error:
        raise ReloadImpossible(where, f"cannot be read: {error}", RESTART_INSTEAD) from None
    text = ((found or {}).get("data") or {}).get(_CONFIG)
    if text is None:
        raise ReloadImpossible(where, "does not exist", RESTART_INSTEAD)
    references = strimzi_references(work.scope, node.pod)
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
        seen = work.look_live(asked) if work.look_live else None
        if seen:
            left = frozenset(one.uid for one in seen if not _has_followed(one, step, stored))
            asked = (work.observe() if silent else observation).with_only(left)
            if not asked.snapshot.nodes.pods:
                return
            silent = unanswered(asked.snapshot.with_nodes(listeners=seen))
        work.alive()
        work.clock.sleep(_PAUSE)
    if silent:
        raise silence_error(silent, work.settings.operator_timeout, work)
    raise RollStuck(
        f"Listeners of Kafka {work.scope.namespace}/{work.scope.cluster}",
        f"had to read their certificates again, and still {_what_is_left(step)}",
        "strimzi_ca_info shows these listeners; run the flow again with spread=restart to restart them.",
    )


def _what_is_left(step: Reload) -> str:
    if step.authority is None:
        return "present others than their Secrets hold"
    return f"{'refuse' if step.trusting else 'accept'} {named(step.authority)}"


def _has_followed(one: ObservedListener, step: Reload, stored: Mapping[str, Certificate]) -> bool:
    """Whether this listener has followed. A pod's own Secret has the name of the pod."""
    if step.authority is None:
        return one.presents is not None and one.presents[0] == stored.get(one.pod)
    return not one.verifies or step.authority.fingerprint in (one.accepts if step.trusting else one.refuses)
