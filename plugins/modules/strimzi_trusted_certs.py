#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_trusted_certs
short_description: Add CAs to the truststores of a Strimzi cluster, and remove them
version_added: 1.0.0
description:
  - Most calls give three options - O(cluster) and O(namespace) name the C(Kafka) resource, and O(state) is the wanted
    state of its trusted CAs. Every other option has a default that fits most clusters.
  - Keeps the ledger, which says which process trusts which CA, and finishes pending changes in every process of the
    cluster. The ledger is the Secret C(<cluster>-cluster-ca-trusted-certs), unless O(layout) has put it elsewhere.
  - Returns the trusted CAs in RV(trusted_certificates).
options:
  state:
    description:
      - V(trusted) publishes every CA that is to be trusted, reads it back from the operator's trust bundle, and has
        every process accept it; processes that would refuse its certificates restart.
      - V(retired) finishes the flow in flight, and removes every CA that no process uses any more from the trust.
        O(ca_renewal) says whether it renews the CA in use in its time for renewal.
      - V(converted) moves the ledger into the Secrets of O(layout). Nothing restarts, and no truststore changes. A flow
        in flight goes on unchanged.
    type: str
    choices: [trusted, retired, converted]
    default: trusted
  layout:
    description:
      - The Secrets into which O(state=converted) moves the ledger. All other tasks find the ledger in any layout, and
        leave it there.
      - With V(single), one Secret, C(<cluster>-cluster-ca-trusted-certs), with entries C(<sha1>.crt) and
        C(<sha1>.state).
      - With V(split), the states are in C(<cluster>-cluster-ca-trust-state), with entries C(<sha1>), and the
        certificates in C(<cluster>-cluster-ca-trusted-certs), as C(<sha1>.crt).
      - With V(keyed), one Secret of type C(strimzi.io/trust), C(<cluster>-cluster-ca-trust), with entries
        C(<sha1>.<state>).
      - Entries without a place in a layout stand in the same Secrets under names of this collection. Handing the CA
        back deletes the ledger in any layout.
    type: str
    choices: [single, split, keyed]
  certificate:
    description:
      - A CA certificate in PEM form, with its chain after it, to trust beside the other CAs. The collection issues no
        certificates with it. Not with O(state=converted).
      - M(trustops.strimzi.strimzi_ca) with C(state=absent) removes this CA again.
    type: str
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.cluster.ca
  - trustops.strimzi.flow
  - trustops.strimzi.flow.policy
  - trustops.strimzi.flow.presenting
  - trustops.strimzi.goal.upkeep
  - trustops.strimzi.attributes
seealso:
  - module: trustops.strimzi.strimzi_ca
  - module: trustops.strimzi.strimzi_ca_info
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Have every process trust the CAs of the CA certificate Secret
  trustops.strimzi.strimzi_trusted_certs:
    cluster: demo
    namespace: kafka
  register: trust

- name: Write the trusted CAs to a file for a client
  ansible.builtin.copy:
    dest: /tmp/kafka-ca.pem
    content: "{{ trust.trusted_certificates | join }}"
    mode: "0644"

- name: Keep states and certificates in two Secrets
  trustops.strimzi.strimzi_trusted_certs:
    cluster: demo
    namespace: kafka
    state: converted
    layout: split

- name: Finish pending CA changes
  trustops.strimzi.strimzi_trusted_certs:
    cluster: demo
    namespace: kafka
    state: retired

- name: Renew the CA when the operator would, in a task that runs every day
  trustops.strimzi.strimzi_trusted_certs:
    cluster: demo
    namespace: kafka
    state: retired
    ca_renewal: specified
"""

RETURN = r"""
trusted_certificates:
  description: The CAs that every process trusts, in PEM form, each with its chain.
  returned: always
  type: list
  elements: str
  sample: ["-----BEGIN CERTIFICATE-----\n..."]
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

from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    TEXT,
    ArgumentSpec,
    Field,
    OnlyWith,
    Option,
    one_of,
    word_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_module import FlowModule
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.tables import (
    CA,
    CLUSTER,
    UPKEEP,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import is_laid_out, is_trusted
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Parameters
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout

STATE = ArgumentSpec(
    {
        "state": Option(word_of("trusted", "retired", "converted"), default="trusted"),
        "certificate": Option(TEXT),
        "layout": Option(one_of(Layout), Field(Parameters, "layout")),
    },
    required_if=(("state", "converted", ("layout",)),),
    only_with=(
        OnlyWith("layout", "state", ("converted",)),
        OnlyWith("certificate", "state", ("trusted", "retired")),
        OnlyWith("ca_renewal", "state", ("retired",)),
    ),
)
SPEC = CLUSTER + CA + FLOW + UPKEEP + STATE


def body(module: FlowModule) -> dict[str, Any]:
    return {**_result(module), "trusted_certificates": module.trusted_certificates()}


def _result(module: FlowModule) -> dict[str, Any]:
    if module.params["state"] == "converted":
        layout: Layout = module.value("layout")
        result = module.run(Goal.RECONCILE, reached=is_laid_out(layout))
        kept = result["ledger"] or {}
        there = result["cluster"]["exists"]
        return _converted(result) if there and kept.get("complete") and kept["layout"] == layout.value else result
    trusting = module.chains_of("certificate")
    if module.params["state"] == "trusted":
        # The time that clients get comes after the processes of the cluster trust the CA, so this call does not end
        # before it.
        return module.run(Goal.RECONCILE, Phase.TRUST, required=is_trusted(trusting), additional_cas=trusting)
    return module.run(Goal.RECONCILE, additional_cas=trusting)


def _converted(result: dict[str, Any]) -> dict[str, Any]:
    """The result once the ledger has its layout: work that is left for other flows, or holds them, is no part of it."""
    succeeded = {name: value for name, value in result.items() if name != "failed_message"}
    return {**succeeded, "done": True, "pending": [], "violations": []}


def main() -> None:
    module = FlowModule(SPEC)
    module.execute(lambda: body(module))


if __name__ == "__main__":
    main()
