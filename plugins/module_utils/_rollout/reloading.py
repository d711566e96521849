# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A reload: every node that needs it is told to read its certificates again, until its listeners show that it has."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from datetime import timedelta

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import Forbidden
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import CONFIG_MAPS
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import KafkaUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.identity import operator_context
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.listener_settings import (
    NotReloadable,
    Setting,
    read_listener_settings,
    strimzi_references,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.nodes import kafka_pods, read_node
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.order import Node
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload import ReloadTarget, reload_node
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import PortOpener, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Reload

_CONFIG = "server.config"
_PAUSE = 1.0


def carry_out_reload(step: Reload, observation: Observation, work: Work) -> list[Action]:
    """Tell each node, then wait until all of their listeners show it. Raises ReloadImpossible, RollStuck."""
    nodes = [read_node(pod) for pod in kafka_pods(observation.pods.values(), observation.scope)]
    wanted = [node for node in nodes if node.uid in step.uids]
    if work.dry_run:
        return [_action(node, step, work) for node in wanted]
    if work.open_ports is None:
        raise NotReloadable("Nodes cannot be reached from here.")
    open_ports, context = work.open_ports(), operator_context(observation)
    controllers = [node for node in nodes if node.controller]
    actions = []
    for node in sorted(wanted, key=lambda one: one.node_id):
        work.alive()
        begun = work.clock.monotonic()
        _tell(ReloadTarget(node, controllers, _domain(work)), open_ports, context, work)
        actions.append(_action(node, step, work, work.clock.monotonic() - begun))
        work.report(f"{node.pod} has been told to read its certificates again")
    work.changed = work.changed or bool(actions)
    _await_listeners(step, observation, work)
    return actions


def _action(node: Node, step: Reload, work: Work, seconds: float | None = None) -> Action:
    return Action(
        "reload", f"Pod {work.scope.namespace}/{node.pod}", "read certificates and trust again", step.phase.value,
        seconds=seconds,
    )  # fmt: skip


def _domain(work: Work) -> str:
    return f"{work.scope.cluster}-kafka-brokers.{work.scope.namespace}.svc"


def _tell(target: ReloadTarget, open_ports: PortOpener, context: ssl.SSLContext, work: Work) -> None:
    """What does not answer is asked again: it may be a moment without a leader."""
    settings = _settings(target.node, work)
    deadline = work.clock.monotonic() + work.settings.operator_timeout / timedelta(seconds=1)
    while True:
        try:
            return reload_node(target, settings, open_ports, context)
        except KafkaUnavailable as error:
            if work.clock.monotonic() >= deadline:
                raise RollStuck(str(error), "Bring this node to health, then run the flow again.") from None
        work.alive()
        work.clock.sleep(_PAUSE)


def _settings(node: Node, work: Work) -> tuple[Setting, ...]:
    where = f"ConfigMap {work.scope.namespace}/{node.pod}, {_CONFIG}"
    try:
        found = work.client.get_or_none(CONFIG_MAPS, work.scope.namespace, node.pod)
    except Forbidden as error:
        raise NotReloadable(f"{where} cannot be read: {error}") from None
    text = ((found or {}).get("data") or {}).get(_CONFIG)
    if text is None:
        raise NotReloadable(f"{where} does not exist.")
    settings = read_listener_settings(text, strimzi_references(work.scope, node.pod), where)
    return (*settings.trust, *settings.leaf)


def _await_listeners(step: Reload, observation: Observation, work: Work) -> None:
    """They follow within seconds. Whether they have is for the gates to judge; this only gives them the time."""
    stored = {leaf.secret: leaf.chain[0] for leaf in observation.snapshot.leaves if leaf.chain}
    deadline = work.clock.monotonic() + work.settings.operator_timeout / timedelta(seconds=1)
    while work.clock.monotonic() < deadline:
        seen = work.look_live(observation) if work.look_live else None
        asked = [one for one in seen or () if one.uid in step.uids]
        if asked and all(_has_followed(one, step, stored) for one in asked):
            return
        work.alive()
        work.clock.sleep(_PAUSE)
    raise RollStuck(
        f"Listeners of Kafka {work.scope.namespace}/{work.scope.cluster} were told to read their certificates again, and "
        f"still {'accept a CA that has left the trust' if step.authority else 'present others than their Secrets hold'}.",
        "See in strimzi_ca_info which they are; run the flow again with spread=restart to restart them.",
    )


def _has_followed(one: ObservedListener, step: Reload, stored: Mapping[str, Certificate]) -> bool:
    """A pod's own Secret has its name."""
    if step.authority is None:
        return one.presents is not None and one.presents[0] == stored.get(one.pod)
    return not one.verifies or step.authority in one.refuses
