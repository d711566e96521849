#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_node_pool
short_description: Scale a node pool of a Strimzi cluster
version_added: 1.0.0
description:
  - Most calls give O(cluster) and O(namespace), which name the C(Kafka) resource, the O(pool), and how many O(replicas)
    it is to have. Every other option has a default that fits most clusters.
  - Gives a C(KafkaNodePool) another number of nodes.
  - If the key of the cluster CA is not in the cluster, the operator cannot issue certificates of new nodes. This
    module stores them before it scales the node pool, while the operator is paused, because the operator deletes
    certificates of nodes that no node pool has. It uses certificates that wait (O(spare_leaves)), and requests missing
    certificates before any pause. As long as one of them is still to come the call ends without an error and scales
    nothing. RV(waiting) says so, and the next call goes on.
  - If the key is in the cluster, or if the pool shrinks, the module only sets the number. The operator decides
    whether a broker may go, and deletes the Secrets of the nodes that it removes; RV(node_pools) says which, and what
    becomes of certificates that wait.
  - If the pool grows, the module refuses to scale in the middle of a flow that changes a CA whose key is elsewhere.
options:
  pool:
    description:
      - Name of the C(KafkaNodePool).
    type: str
    required: true
  replicas:
    description:
      - How many nodes it is to have.
    type: int
    required: true
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.flow
  - trustops.strimzi.flow.policy
  - trustops.strimzi.flow.presenting
  - trustops.strimzi.attributes
seealso:
  - module: trustops.strimzi.strimzi_ca_info
  - module: trustops.strimzi.strimzi_ee_cert
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Add a node
  trustops.strimzi.strimzi_node_pool:
    cluster: demo
    namespace: kafka
    pool: kafka
    replicas: 4
"""

RETURN = r"""
node_pools:
  description: The node pools, if the key of the CA is elsewhere or the call scales a pool, and how far each can grow
    without the issuer.
  returned: always
  type: list
  elements: dict
  contains:
    name: {description: The KafkaNodePool., type: str, returned: always, sample: brokers}
    replicas: {description: How many nodes its resource asks for., type: int, returned: always, sample: 3}
    at_hand:
      description: Numbers of its next nodes whose certificates have come.
      type: list
      elements: int
      returned: always
      sample: [3]
    awaited:
      description: Numbers of its next nodes whose certificates are still to come.
      type: list
      elements: int
      returned: always
      sample: []
    leaving:
      description: Numbers of the nodes that the operator removes.
      type: list
      elements: int
      returned: always
      sample: []
    when_added:
      description: Which names of certificates of new nodes are unknown yet, and what follows, as a sentence; empty
        if all are known.
      type: str
      returned: always
      sample: ""
    when_removed:
      description: What becomes of certificates when it has removed them, as sentences; empty if it has none to
        remove.
      type: str
      returned: always
      sample: ""
done:
  description: Whether the flow has nothing left to do, up to the last phase that is allowed; a task may ask for less
    than that.
  returned: always
  type: bool
  sample: true
pending:
  description: The steps and waits that are left, as sentences.
  returned: always
  type: list
  elements: str
  sample: []
waiting:
  description: Sentences about events that the flow waits for, and about old CAs and certificates that pods keep in use,
    with their end.
  returned: always
  type: list
  elements: str
  sample: []
actions:
  description:
    - Every write and restart of this call, in order; in check mode the first steps that it would take; C(plan) has all.
    - C(object) names the object for people; C(kind), C(namespace) and C(name) are its parts, and null for an issuer and
      for several objects. C(reason) is the reason of a restart and C(component) the component that runs in the pod,
      both null elsewhere. C(round) is the number of the round of this call in which a Kafka node restarted, and null
      if nodes do not restart in rounds. C(of_ledger) says whether the object has the ledger.
  returned: always
  type: list
  elements: dict
  sample:
    - verb: update
      object: Secret kafka/demo-cluster-ca-cert
      kind: Secret
      namespace: kafka
      name: demo-cluster-ca-cert
      what: "trust CN=cluster-ca v1,O=io.strimzi"
      phase: prepare
      seconds: null
      away: null
      round: null
      reason: null
      component: null
      of_ledger: false
began_at:
  description: When this call began.
  returned: always
  type: str
  sample: "2026-01-01T00:00:00Z"
seconds:
  description: How long this call worked and waited.
  returned: always
  type: float
  sample: 12.5
audit:
  description: The last entry of the audit trail after this call, as a proof of the entries before it; null if it
    added none.
  returned: always
  type: dict
  contains:
    object:
      description: The ConfigMap with the entries.
      type: str
      returned: always
      sample: ConfigMap kafka/demo-cluster-ca-audit
    entry: {description: Number of the last entry., type: int, returned: always, sample: 17}
    sha256:
      description: SHA-256 of its line.
      type: str
      returned: always
      sample: 7b5f6d0c9a1e4f8b2d3c5a697887a6b5c4d3e2f10f1e2d3c4b5a69788796a5b4
cluster: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:cluster).', returned: always, type: dict}
cas: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:cas).', returned: always, type: list, elements: dict}
removed: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:removed).', returned: always, type: list,
  elements: dict}
former_leaves: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:former_leaves).', returned: always,
  type: list, elements: dict}
pods: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:pods).', returned: always, type: list,
  elements: dict}
presenters: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:presenters).', returned: always, type: dict}
outside: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:outside).', returned: always, type: list,
  elements: dict}
waivers: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:waivers).', returned: always, type: list,
  elements: dict}
unmanaged: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:unmanaged).', returned: always, type: list,
  elements: str}
leaves: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:leaves).', returned: always, type: list,
  elements: dict}
leaf_states: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:leaf_states).', returned: always, type: list,
  elements: dict}
leaf_requests: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:leaf_requests).', returned: always,
  type: list, elements: dict}
renewals: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:renewals).', returned: always, type: list,
  elements: dict}
upkeep: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:upkeep).', returned: always, type: dict}
expiring: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:expiring).', returned: always, type: list,
  elements: dict}
first_to_end: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:first_to_end).', returned: always,
  type: dict}
other_ca: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:other_ca).', returned: always, type: dict}
ca_source: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:ca_source).', returned: always, type: dict}
ledger: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:ledger).', returned: always, type: dict}
journal: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:journal).', returned: always, type: dict}
backups: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:backups).', returned: always, type: list,
  elements: dict}
replaces: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:replaces).', returned: always, type: str}
client_warnings: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:client_warnings).', returned: always,
  type: list, elements: str}
transitions: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:transitions).', returned: always, type: list,
  elements: dict}
evidence: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:evidence).', returned: always, type: dict}
listeners: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:listeners).', returned: always, type: list,
  elements: dict}
violations: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:violations).', returned: always, type: list,
  elements: dict}
phase: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:phase).', returned: always, type: str}
plan: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:plan).', returned: 'in check mode of a flow,
  and always by strimzi_ca_info', type: list, elements: dict}
planned_phases: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_phases).', returned: with RV(plan),
  type: list, elements: str}
planned_rolls: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_rolls).', returned: with RV(plan),
  type: int}
planned_rounds: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_rounds).', returned: with RV(plan),
  type: int}
planned_restarts: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_restarts).',
  returned: with RV(plan), type: int}
planned_seconds: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_seconds).',
  returned: with RV(plan), type: dict}
planned_lives: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_lives).', returned: with RV(plan),
  type: list, elements: dict}
planned_from: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_from).', returned: with RV(plan),
  type: dict}
choices: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:choices).', returned: with RV(plan), type: list,
  elements: str}
restart_count: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:restart_count).', returned: always,
  type: dict}
"""

from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    NUMBER,
    ArgumentSpec,
    Call,
    Field,
    Kind,
    Option,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_module import FlowModule
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.tables import (
    CLUSTER,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import is_scaled
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Parameters
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import Scaling


def _scaling(pool: str, call: Call) -> Scaling:
    return Scaling(pool, call.options["replicas"])


SIZE = ArgumentSpec(
    {
        "pool": Option(Kind({"type": "str"}, _scaling), Field(Parameters, "scaling"), required=True),
        "replicas": Option(NUMBER, required=True, least=0),
    }
)
SPEC = CLUSTER + FLOW + SIZE


def body(module: FlowModule) -> dict[str, Any]:
    wanted: Scaling = module.value("pool")
    result = module.run(Goal.RECONCILE, Phase.USE, is_scaled(wanted))
    pool = next((pool for pool in result["node_pools"] if pool["name"] == wanted.pool), None)
    is_there = pool is not None and pool["replicas"] == wanted.replicas and not result["violations"]
    return _scaled(result) if is_there else result


def _scaled(result: dict[str, Any]) -> dict[str, Any]:
    """The result once the pool has its size: work that is left for other flows is no part of it."""
    sentences = [pool[when] for pool in result["node_pools"] for when in ("when_added", "when_removed") if pool[when]]
    return {**result, "done": True, "pending": [], "waiting": [*result["waiting"], *sentences]}


def main() -> None:
    module = FlowModule(SPEC)
    module.execute(lambda: body(module))


if __name__ == "__main__":
    main()
