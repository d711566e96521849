#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_roll
short_description: Restart the pods of a Strimzi cluster that need it, or the pods that you name
version_added: 1.0.0
description:
  - Most calls give three options - O(cluster) and O(namespace) name the C(Kafka) resource, and O(reason) says why its
    nodes restart. Every other option has a default that fits most clusters.
  - Without O(reason), has every process of the cluster present its stored certificate - it waits for the operator's
    restarts, has nodes reload their certificates, or restarts nodes that cannot reload.
  - With O(reason), restarts pods - all Kafka nodes, or O(pods), or the pods of O(components). It does so if no flow
    is in flight, or if the flow only waits for restarts.
  - It restarts one Kafka node at a time, or one O(batch), by the operator's own rules, and waits until all pods are
    ready. A task that was interrupted continues when you run it again, and restarts no pod twice; with O(reason) only
    if O(since) is given, because nothing else shows which pods have restarted for it. If a killed task has left
    requests to the operator for other Kafka nodes, the next task with O(reason) takes back these requests. Used in a
    playbook, it shows a line for every restart while it happens.
options:
  reason:
    description:
      - Why pods are to restart, for the log and the report. With a reason the module restarts them although nothing
        else requires it. An empty text counts as not given.
    type: str
  pods:
    description:
      - With O(reason), names of the pods to restart. An empty list restarts none.
    type: list
    elements: str
  components:
    description:
      - With O(reason), the components whose pods are to restart. Kafka nodes by default.
    type: list
    elements: str
    choices: [kafka, entity-operator, cruise-control, kafka-exporter]
  since:
    description:
      - With O(reason), a time in ISO 8601, UTC if no offset is given. The module restarts only pods that were
        created before it, so that the same task run again does nothing. Pods are dated by the clock of the Kubernetes
        API server, and the module reads this time by the same clock - if it is not over yet, by at most five
        minutes, the module waits for it before it restarts a pod; a later time is refused.
    type: str
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.cluster.ca
  - trustops.strimzi.flow
  - trustops.strimzi.flow.policy
  - trustops.strimzi.flow.presenting
  - trustops.strimzi.attributes
attributes:
  idempotent:
    support: partial
    details: With O(reason), only if O(since) is given.
seealso:
  - module: trustops.strimzi.strimzi_ca_info
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Have every process present its stored certificate
  trustops.strimzi.strimzi_roll:
    cluster: demo
    namespace: kafka

- name: Restart every Kafka node
  trustops.strimzi.strimzi_roll:
    cluster: demo
    namespace: kafka
    reason: a new kernel on the workers

- name: Restart one Kafka node
  trustops.strimzi.strimzi_roll:
    cluster: demo
    namespace: kafka
    reason: its volume was resized
    pods: [demo-kafka-0]
"""

RETURN = r"""
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
node_pools: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:node_pools).', returned: always, type: list,
  elements: dict}
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

from datetime import datetime, timedelta
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    TEXT,
    TEXTS,
    TIME,
    ArgumentSpec,
    Kind,
    Option,
    some_of,
    time_text,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_module import FlowModule
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.tables import (
    CA,
    CLUSTER,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.restart import Chosen, restart
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import IN_PODS, Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

#: How far the clock that gave the time ``since`` may be ahead of the clock here.
CLOCKS_DIFFER = timedelta(minutes=5)


class RollModule(FlowModule):
    """A call that restarts pods."""

    def restart(self, reason: str) -> dict[str, Any]:
        """Restart the pods that the options choose, for this reason."""
        self.require_library_of_strategy()
        work = self.work()
        work.tell(f"restarting for this reason: {reason}")
        seen = restart(work, self._chosen(), self._since(), lambda: self.take_lease(work.client))
        return self.described(seen)

    def _since(self) -> datetime | None:
        since: datetime | None = self.value("since")
        if since is not None and since > SystemClock().now() + CLOCKS_DIFFER:
            self.fail(
                f"since: {time_text(since)} is still to come. Pods that this task makes would be older than that, and "
                "the same task would restart them again. Give a time that is over."
            )
        return since

    def _chosen(self) -> Chosen:
        """The pods that the options choose. An empty list, such as a template may give, chooses none."""
        pods, components = self.params["pods"], self.params["components"]
        if pods is not None:
            return Chosen(pods=frozenset(pods))
        return Chosen(components=frozenset(map(Component, ("kafka",) if components is None else components)))


ROLL = ArgumentSpec(
    {
        "reason": Option(TEXT),
        "pods": Option(TEXTS),
        "components": Option(some_of(IN_PODS)),
        "since": Option(Kind(TIME.facts, lambda text, call: TIME.read(text, call) if text else None)),
    },
    mutually_exclusive=(("pods", "components"),),
    required_by={"pods": ("reason",), "components": ("reason",), "since": ("reason",)},
)
SPEC = CLUSTER + CA + FLOW + ROLL


def body(module: RollModule) -> dict[str, Any]:
    reason = (module.params["reason"] or "").strip()
    if reason:
        return module.restart(reason)
    # For Ansible an empty reason is a reason, so it does not refuse these options beside it.
    if given := [name for name in ROLL.required_by if module.params[name] not in (None, "")]:
        module.fail(f"missing parameter(s) required by '{given[0]}': reason")
    return module.run(Goal.RECONCILE, Phase.USE)


def main() -> None:
    module = RollModule(SPEC)
    module.execute(lambda: body(module))


if __name__ == "__main__":
    main()
