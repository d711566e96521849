# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Telling nodes of any role to read their certificates again, as the collection does."""

from __future__ import annotations

from collections.abc import Sequence

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Broker
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import FETCH_TIMEOUT
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload_request import (
    ListenerSettings,
    ReloadTarget,
    Setting,
    read_listener_settings,
    reload_node,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.safety import voters_caught_up

from .certificates import Issued
from .clients import START_SECONDS, admin_of, context_of, eventually, node
from .listening import Doors
from .nodes import KafkaNodes
from .stores import DOMAIN


def all_up(nodes: KafkaNodes) -> None:
    """Every broker is registered and every voter follows."""
    brokers, voters = {Broker(one, fenced=False) for one in nodes.having("broker")}, set(nodes.having("controller"))
    with admin_of(nodes) as admin:

        def are_up() -> bool:
            nodes.assert_running()
            return set(admin.brokers()) == brokers and voters_caught_up(admin.quorum(), FETCH_TIMEOUT) == voters

        eventually(are_up, START_SECONDS)


def settings_of(nodes: KafkaNodes, which: int) -> ListenerSettings:
    config, references = nodes.server_config(which), nodes.stores.references(which)
    return read_listener_settings(config, references, f"node {which}", has_tls=nodes.security.has_tls)


def reload(
    nodes: KafkaNodes,
    which: int,
    settings: Sequence[Setting],
    *,
    identity: Issued | None = None,
    trusted: Sequence[Issued] = (),
) -> list[tuple[str, int]]:
    """As the operator, trusting the nodes' CA, unless told otherwise. Returns through which doors it went."""
    doors, nodes_by_id = Doors(nodes), {one: node(one, roles) for one, roles in nodes.roles.items()}
    target = ReloadTarget(nodes_by_id[which], [one for one in nodes_by_id.values() if one.controller], DOMAIN)
    reload_node(target, settings, doors, context_of(nodes, identity, trusted or [nodes.authority]), seconds=15)
    return doors.opened
