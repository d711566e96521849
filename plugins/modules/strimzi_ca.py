#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_ca
short_description: Create, renew, replace or retire a CA of a Strimzi cluster
version_added: 1.0.0
description:
  - Most calls give three options - O(cluster) and O(namespace) name the C(Kafka) resource, and O(state) is the wanted
    state of its cluster CA, or with O(ca=clients) of its clients CA. Every other option has a default that fits most
    clusters.
  - Brings the CA into that state, whatever state the cluster is in, and waits until it is reached. A task that was
    interrupted continues when you run it again; once the state is reached it does nothing.
  - The flow prepares a new CA beside the CA in use, publishes it, and uses it only after gates have checked that every
    process of the cluster accepts it. The Cluster Operator stays on the old CA until the switch at the end, for which
    the flow pauses it for some seconds.
  - The module restarts Kafka nodes if the plan says so; check mode shows the plan. O(until_phase) stops the flow
    after a phase, until a later call continues it.
options:
  state:
    description:
      - V(present) makes a first CA if there is none; with O(before_kafka) before the C(Kafka) resource exists. If
        there is a CA already, RV(drift) shows how it differs from the other options, and the module renews it if it
        ends within O(renew_before_days).
      - V(renewed) gives the CA new dates under the same key and name.
      - V(replaced) puts a CA with a new key and another name in its place.
      - V(promoted) ends with the switch of the operator to a CA that V(renewed) or V(replaced) has prepared.
      - V(absent) removes the CA O(fingerprint) from the trust when no certificate in use is of that CA.
      - V(aborted) undoes a renewal or replacement that has not finished. Every node and component uses the old CA again
        and forgets the new CA. It fails if processes are about to forget the old CA. If no flow is in flight it
        changes nothing.
      - V(adopted) makes a CA that the operator generated user-managed, without changing a byte. With O(adopts) it
        adopts a CA that a person has put into the place of the CA in use. With O(raise_path_length) it renews the
        adopted CA if that allows no CA below it.
      - V(handed_back) gives the CA back to the operator. It fails if the operator would renew or replace it at once,
        unless O(operator_may_renew) is set. With O(keep_ca) the CA stays as it is, and only the records of this
        collection go.
      - V(recovered) brings back a cluster whose certificates have ended, or whose CA Secrets are lost. It puts back
        from a backup what was deleted or damaged of the CA Secrets and the ledger, if a backup fits the cluster; no
        node restarts for it.
      - Then V(recovered) restarts nodes that present ended certificates, at the same time and in place, once their next
        certificates are stored, also with a CA that the operator generates; they are away for about a minute, and the
        cluster with them if they are all of it. Before that, listeners for clients reload the next certificates
        if nodes can reload (O(spread)). It renews a user-managed CA that has ended, under the same key, before these
        nodes restart. It finishes a flow in flight, and changes nothing in a healthy cluster.
      - If a CA has ended whose key is not in the cluster, give V(recovered) the renewed CA (O(certificate),
        O(certificate_from) or O(ca_source)). It has O(issuer) sign the next certificates under the renewed CA, and
        restarts no node before these are there. Elsewhere it ignores a CA that is given.
    type: str
    choices: [present, renewed, replaced, promoted, absent, aborted, adopted, handed_back, recovered]
    default: present
  fingerprint:
    description:
      - With O(state=absent), SHA-1 or SHA-256 fingerprint of the CA to remove, with or without colons. For a renewal or
        replacement give O(replaces) instead.
    type: str
  before_kafka:
    description:
      - With O(state=present), whether the C(Kafka) resource may be missing, because you make its first CA before it.
        Without it, as with every other state, the task fails if the cluster does not exist, and names the clusters
        that exist.
    type: bool
    default: false
  ends_after:
    description:
      - With O(state=renewed) and O(state=replaced), the phase after which this task ends, so that further tasks of the
        play go on with the flow. O(until_phase) stops the flow itself.
    type: str
    choices: [prepare, trust, use]
  renew_before_days:
    description:
      - With O(state=present), how many days before its end the module renews the CA, in the second half of its life at
        most. Without it the module does not renew the CA.
    type: int
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.cluster.ca
  - trustops.strimzi.flow
  - trustops.strimzi.flow.policy
  - trustops.strimzi.flow.presenting
  - trustops.strimzi.goal.replaced
  - trustops.strimzi.goal.adopted
  - trustops.strimzi.goal.handed_back
  - trustops.strimzi.goal.authority
  - trustops.strimzi.attributes
attributes:
  idempotent:
    support: partial
    details: With O(state=renewed) and O(state=replaced) for O(fresh_for_hours) only, unless O(replaces) names the CA to
      renew or replace.
seealso:
  - module: trustops.strimzi.strimzi_ca_info
  - module: trustops.strimzi.strimzi_trusted_certs
  - module: trustops.strimzi.strimzi_ee_cert
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Make a first CA, before the Kafka resource exists
  trustops.strimzi.strimzi_ca:
    cluster: demo
    namespace: kafka
    before_kafka: true

- name: Renew the CA when fewer than 60 days are left
  trustops.strimzi.strimzi_ca:
    cluster: demo
    namespace: kafka
    renew_before_days: 60

- name: Read which CA is in use
  trustops.strimzi.strimzi_ca_info:
    cluster: demo
    namespace: kafka
  register: trust

- name: Adopt the CA that was put into the CA Secrets by hand, by its fingerprint
  trustops.strimzi.strimzi_ca:
    cluster: demo
    namespace: kafka
    state: adopted
    adopts: 6C:1F:0E:9A:2B:3C:77:01:5D:E4:90:AB:12:34:56:78:9A:BC:DE:F0:11:22:33:44:55:66:77:88:99:AA:BB:CC

- name: Replace the key of the CA, from preparation to the end
  trustops.strimzi.strimzi_ca:
    cluster: demo
    namespace: kafka
    state: replaced
    replaces: "{{ trust.cas[0].sha256 }}"

# The same replacement, phase by phase; each task waits until its state is reached.
- name: Prepare a CA with a new key, and publish it beside the old CA
  trustops.strimzi.strimzi_ca:
    cluster: demo
    namespace: kafka
    state: replaced
    fresh_for_hours: 0
    ends_after: prepare

- name: Have every process accept certificates of the new CA
  trustops.strimzi.strimzi_trusted_certs:
    cluster: demo
    namespace: kafka
    state: trusted

- name: Issue certificates of the new CA
  trustops.strimzi.strimzi_ee_cert:
    cluster: demo
    namespace: kafka
    state: issued

- name: Have every node present the new certificates
  trustops.strimzi.strimzi_roll:
    cluster: demo
    namespace: kafka

- name: Switch the operator to the new CA
  trustops.strimzi.strimzi_ca:
    cluster: demo
    namespace: kafka
    state: promoted

- name: Remove the old CA from every truststore
  trustops.strimzi.strimzi_trusted_certs:
    cluster: demo
    namespace: kafka
    state: retired

- name: Undo a replacement that another run has begun meanwhile
  trustops.strimzi.strimzi_ca:
    cluster: demo
    namespace: kafka
    state: aborted
"""

RETURN = r"""
drift:
  description: How the CA differs from the options, as sentences.
  returned: with O(state=present)
  type: list
  elements: str
  sample: []
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

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    DAYS,
    FLAG,
    ArgumentSpec,
    Field,
    OnlyWith,
    Option,
    one_of,
    word_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_module import FlowModule
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.options import FINGERPRINT, MOST_DAYS
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.tables import (
    ADOPTED,
    AUTHORITY,
    CA,
    CLUSTER,
    HANDED_BACK,
    REPLACED,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import is_absent, is_switched
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.trigger import window
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Extent, Parameters
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named

_PUT_IN_PLACE = "state=renewed puts a CA with the same key in place, state=replaced a CA with another key"


def drift_of(current: Certificate, supplied: Certificate | None, options: Mapping[str, Any]) -> list[str]:
    """A sentence for each difference from the CA that the caller brings, if it brings a CA; else from the options
    that were given.
    """
    return list(_differences(current, supplied, options))


def _differences(current: Certificate, supplied: Certificate | None, options: Mapping[str, Any]) -> Iterator[str]:
    if supplied is not None:
        if supplied != current:
            option = "certificate" if options.get("certificate") else "certificate_from"
            yield f"{option}: the call wants {named(supplied)}, and {named(current)} is in use; {_PUT_IN_PLACE}."
        return
    if options.get("key_type") is not None and options["key_type"] != current.key_name:
        yield (
            f"key_type: the call wants {options['key_type']}, and {current.subject} has {current.key_name}; "
            "state=replaced makes a new key."
        )
    days = (current.not_after - current.not_before).days
    if options.get("validity_days") is not None and options["validity_days"] != days:
        yield (
            f"validity_days: the call wants {options['validity_days']}, and {current.subject} has {days}; "
            "state=renewed gives it new dates."
        )
    if options.get("path_length") is not None and options["path_length"] != current.path_length:
        has = "none" if current.path_length is None else current.path_length
        yield (
            f"path_length: the call wants {options['path_length']}, and {current.subject} has {has}; state=renewed "
            "gives it that."
        )


GOALS = {
    "present": Goal.CREATE,
    "renewed": Goal.RENEW,
    "replaced": Goal.REPLACE_KEY,
    "promoted": Goal.RECONCILE,
    "absent": Goal.RECONCILE,
    "aborted": Goal.ABORT,
    "adopted": Goal.UPGRADE,
    "handed_back": Goal.DOWNGRADE,
    "recovered": Goal.RECOVER,
}
STATE = ArgumentSpec(
    {
        "state": Option(word_of(*GOALS), default="present"),
        "fingerprint": Option(FINGERPRINT),
        "renew_before_days": Option(DAYS, least=0, most=MOST_DAYS),
        "before_kafka": Option(FLAG, Field(Parameters, "before_kafka")),
        "ends_after": Option(
            one_of(phase for phase in Phase if phase is not Phase.RETIRE), Field(Extent, "last_phase")
        ),
    },
    required_if=(("state", "absent", ("fingerprint",)),),
    only_with=(
        OnlyWith("fingerprint", "state", ("absent",)),
        OnlyWith("renew_before_days", "state", ("present",)),
        OnlyWith("before_kafka", "state", ("present",)),
        OnlyWith("ends_after", "state", ("renewed", "replaced")),
        OnlyWith("adopts", "state", ("adopted",)),
        OnlyWith("operator_may_renew", "state", ("handed_back",)),
        OnlyWith("keep_ca", "state", ("handed_back",)),
        OnlyWith("raise_path_length", "state", ("adopted",)),
    ),
)
SPEC = CLUSTER + CA + FLOW + REPLACED + ADOPTED + HANDED_BACK + AUTHORITY + STATE


def body(module: FlowModule) -> dict[str, Any]:
    state = module.params["state"]
    if state == "present":
        return _present(module)
    if state == "promoted":
        return module.run(Goal.RECONCILE, reached=is_switched)
    if state == "absent":
        leaving = module.fingerprint_of(module.params["fingerprint"])
        return module.run(Goal.RECONCILE, reached=is_absent(leaving), leaving_ca=leaving)
    if state == "handed_back" and module.params["keep_ca"]:
        return module.leave()
    return module.run(GOALS[state])


def _present(module: FlowModule) -> dict[str, Any]:
    """Make a first CA; if there is one, renew it if the caller asks for renewals and it ends soon, and report how it
    differs from the options. While a flow is in flight, begin no renewal.
    """
    seen, before = module.observed(), module.value("renew_before_days")
    current = next(iter(seen.ca.current), None)
    is_due = current is not None and before is not None and current.not_after - seen.now < window(current, before)
    if is_due and in_flight(seen.ledger) is None:
        # A key of another kind is drift, which holds no call.
        result = module.run(Goal.RENEW, key_type=None)
        current = next(iter(module.observed().ca.current), None)
    else:
        result = module.run(Goal.CREATE)
    return {**result, "drift": drift_of(current, module.supplied, module.params) if current else []}


def main() -> None:
    module = FlowModule(SPEC)
    module.execute(lambda: body(module))


if __name__ == "__main__":
    main()
