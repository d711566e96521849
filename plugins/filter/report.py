# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: report
short_description: Facts about what a flow did
version_added: 1.0.0
description:
  - Turns the results of the modules that a flow called into the content of C(report.json).
options:
  _input:
    description:
      - The results of the modules in the order of the calls, M(trustops.strimzi.strimzi_ca_info) first. The filter
        ignores results of skipped tasks and empty dictionaries.
    type: list
    elements: dict
    required: true
  goal:
    description: The goal of the flow.
    type: str
    required: true
  check_mode:
    description: Whether the run only planned, and changed nothing.
    type: bool
    default: false
  now:
    description: The end of the run and the day that the days until expiry count from, as C(2026-01-31T12:00:00Z). The
      current time by default.
    type: str
  cluster:
    description: Name of the Kafka resource, for a flow that failed before it read the resource.
    type: str
    default: ''
  namespace:
    description: Namespace of the Kafka resource, for a flow that failed before it read the resource.
    type: str
    default: ''
  ca:
    description: Which CA of the cluster the flow is about.
    type: str
    choices: [cluster, clients]
    default: cluster
  given:
    description: The variables that the caller has given, by name, for the command that carries a plan out.
    type: dict
    default: {}
seealso:
  - plugin: trustops.strimzi.report_view
    plugin_type: filter
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: How many pods trust a CA that was removed
  ansible.builtin.debug:
    msg: "{{ ([plan, roll] | trustops.strimzi.report(goal='replace_key')).removed_ca_trusted_by }}"
"""

RETURN = r"""
_value:
  description: The facts.
  type: dict
  contains:
    schema: {description: Version of this structure., type: int, sample: 2}
    cluster: {description: The Kafka resource as seen last., type: dict, sample: {name: demo, namespace: kafka}}
    goal: {description: The goal of the flow., type: str, sample: replace_key}
    ca: {description: "The CA of the flow, V(cluster) or V(clients).", type: str, sample: cluster}
    check_mode: {description: "Whether the run only planned, and changed nothing.", type: bool, sample: false}
    done: {description: "Whether the flow has reached its goal, or the phase after which it stops.", type: bool,
      sample: true}
    result:
      description: How it ended - V(done), V(nothing_to_do), V(stopped), V(planned), V(unfinished), V(held) or
        V(failed).
      type: str
      sample: done
    audit:
      description: The last entry of the audit trail after the run, as RV(trustops.strimzi.strimzi_ca#module:audit);
        null if the run added none.
      type: dict
      sample: null
    started_at: {description: "Start of the run; null if it was not noted.", type: str,
      sample: "2026-01-31T12:00:00Z"}
    finished_at: {description: End of the run., type: str, sample: "2026-01-31T12:00:46Z"}
    seconds: {description: How long the run took., type: float, sample: 46.0}
    worked_seconds: {description: How many seconds of the run calls worked and waited., type: float, sample: 21.4}
    writes: {description: How often the run created or updated or deleted an object., type: int, sample: 25}
    restarts: {description: "How many pods restarted during the run, for any reason.", type: int, sample: 18}
    nodes: {description: How many Kafka nodes there are., type: int, sample: 3}
    rolls: {description: The largest number of restarts of a Kafka node., type: int, sample: 3}
    nodes_away_together: {description: "The most Kafka nodes that were away at once in a roll; null without a roll.",
      type: int, sample: 1}
    rounds:
      description: The rounds in which calls restarted Kafka nodes, each with C(phase) and C(nodes). A node that was
        restarted alone beside them is a round. Empty if each node restarted alone, and in check mode.
      type: list
      elements: dict
      sample:
        - {phase: trust, nodes: [demo-kafka-0, demo-kafka-1]}
    removed_ca_trusted_by: {description: How many pods still trust a CA that was removed., type: int, sample: 0}
    removed_ca_known_by:
      description: Nodes whose listeners refuse a removed CA, while their Raft clients and agents know it until they
        restart.
      type: list
      elements: str
      sample: []
    cas:
      description: The CAs of the ledger as modules return them, with C(name), C(days_left) and C(state_before).
      type: list
      elements: dict
      sample: [{name: cluster-ca v1, state: TRUSTED_IN_USE_ALL, state_before: null, days_left: 364}]
    cas_before: {description: The CAs of the ledger at the start., type: list, elements: dict, sample: []}
    removed: {description: "CAs that left the ledger, with C(pods) that still trust them.", type: list, elements: dict,
      sample: []}
    pods: {description: The pods as modules return them with how often each was restarted., type: list, elements: dict,
      sample: []}
    pods_before: {description: The pods at the start., type: list, elements: dict, sample: []}
    parties: {description: Groups of parties that present and trust the same., type: list, elements: dict,
      sample: [{component: kafka, count: 3}]}
    parties_before: {description: The same at the start., type: list, elements: dict, sample: []}
    look: {description: "When a call last made handshakes with the listeners, or why none did.", type: dict,
      sample: {seen_at: "2026-01-31T12:00:40Z", why: ""}}
    channels:
      description: Each listener, each Raft client and agent of a node that knows a removed CA, and every other party.
      type: list
      elements: dict
      contains:
        kind: {description: "V(listener), V(node) that no call asked, V(raft), V(client), or the component.", type: str,
          sample: listener}
        party: {description: The pod or the client., type: str, sample: demo-kafka-0}
        port: {description: Port of a listener; 0 of anything else., type: int, sample: 9091}
        verifies: {description: Whether it verifies clients by these CAs., type: bool, sample: true}
        evidence: {description: "V(handshake), or V(stored) when the channel was not observed.", type: str,
          sample: handshake}
        presents: {description: "CAs of its certificates, by the first 12 digits of their SHA-256.", type: list,
          elements: str, sample: [6c1f0e9a2b3c]}
        trusts: {description: CAs that it trusts., type: list, elements: str, sample: [6c1f0e9a2b3c]}
        refuses: {description: CAs that it has refused in handshakes., type: list, elements: str,
          sample: [9b2c41aa0d11]}
        why: {description: Sentences about missing evidence and its cause., type: list, elements: str, sample: []}
    proof:
      description: How many listeners have shown whether they trust the removed CAs, and how many nodes no call asked.
      type: dict
      sample: {listeners_asked: 6, listeners_refusing: 6, listeners_trusting: 0, nodes_not_asked: 0}
    outside:
      description: Clients outside the cluster as modules return them, with the waiver of each.
      type: list
      elements: dict
      sample: [{client: KafkaConnect kafka/connect, trusts: ["cluster-ca v1 (6c1f0e9a2b3c)"], doubt: "", waiver: null}]
    waivers:
      description: The waivers of the last call, also of a CA, a rebalance or the clock.
      type: list
      elements: dict
      sample: [{client: the clock, until: "2026-12-24T18:00:00Z", reason: a time service sets it}]
    unmanaged: {description: "Listeners whose owner decides which CAs they trust, as modules return them.", type: list,
      elements: str, sample: []}
    presenters:
      description: The parties that present certificates of the clients CA, as modules return them - how many, and the
        parties that are not done, with the waiver of each.
      type: dict
      sample: {count: 2, others: []}
    users:
      description: Every user and every certificate in a named Secret, if M(trustops.strimzi.strimzi_user_info) was
        among the calls.
      type: list
      elements: dict
      contains:
        name: {description: The KafkaUser or the Secret., type: str, sample: KafkaUser kafka/orders}
        authentication: {description: Its authentication., type: str, sample: tls}
        subject: {description: Subject of the certificate., type: str, sample: CN=orders}
        issuer: {description: "The clients CA under which it is valid, else the issuer in the certificate.", type: str,
          sample: clients-ca v0 (6c1f0e9a2b3c)}
        sha256: {description: SHA-256 fingerprint., type: str, sample: "77aa01"}
        not_after: {description: Its end., type: str, sample: "2027-01-01T00:00:00Z"}
        read_by: {description: The programs that read it., type: list, elements: dict,
          sample: [{name: Pod kafka/orders-0, up_to_date: true}]}
        problem: {description: A sentence about its problem; empty without one., type: str, sample: ""}
    leaves: {description: The end-entity certificates in their Secrets., type: list, elements: dict, sample: []}
    leaves_before: {description: The same at the start., type: list, elements: dict, sample: []}
    phases:
      description: The work of the run, by phases.
      type: list
      elements: dict
      contains:
        phase: {description: The phase., type: str, sample: trust}
        seconds: {description: How long calls worked and waited in this phase., type: float, sample: 4.8}
        writes:
          description: The objects that were written.
          type: list
          elements: dict
          sample: [{object: Kafka kafka/demo, kind: Kafka, name: demo, times: 1, what: []}]
        restarts: {description: The pods that were restarted., type: list, elements: dict,
          sample: [{pod: demo-kafka-0, seconds: 1.1}]}
        waits: {description: The waits of the calls., type: list, elements: dict, sample: []}
        work: {description: The calls with their start and length., type: list, elements: dict, sample: []}
    plan: {description: "In check mode, the steps of the plan.", type: list, elements: dict, sample: []}
    planned_rolls: {description: How often the plan restarts Kafka nodes one after the other., type: int, sample: 0}
    planned_rounds:
      description: In how many rounds the plan restarts Kafka nodes. If the run changed the cluster, this is about the
        plan at its start.
      type: int
      sample: 0
    planned_restarts: {description: How many restarts of pods the plan takes., type: int, sample: 0}
    planned_seconds:
      description: "How long the plan takes, estimated: least and most; null if there is no estimate."
      type: dict
      sample: {least: 145, most: 420}
    planned_lives:
      description: "How long CAs and certificates last beside the plan, as modules return it."
      type: list
      elements: dict
      sample:
        - {name: 3 certificates of the Kafka nodes, not_after: "2027-01-01T00:00:00Z", seconds_left: 2592000,
          lasts: true}
    choices: {description: "The reasons for the plan, such as why nodes restart.", type: list, elements: str,
      sample: []}
    unheard: {description: "The nodes that had yet to answer when the plan was made, as modules return them.",
      type: list, elements: dict, sample: []}
    plan_hash: {description: The hash of the plan; empty if nothing was planned., type: str,
      sample: 3f2a9c11-77ab02dd-c01dbeef-4f53cda1}
    command: {description: The command that carries this plan out; empty if nothing was planned., type: str,
      sample: ansible-playbook trustops.strimzi.renew -e strimzi_cluster=demo -e strimzi_namespace=kafka}
    not_in_command: {description: Variables that were given and that the command needs as well., type: list,
      elements: str, sample: [strimzi_issuer]}
    pending: {description: Steps that are left because the flow stops after a phase., type: list, elements: str,
      sample: []}
    waiting: {description: "Processes that still trust an old CA or present an old certificate, and until when.",
      type: list, elements: str, sample: []}
    client_warnings: {description: "Clients that are going to refuse nodes, and since when others are safe.",
      type: list, elements: str, sample: []}
    violations: {description: "Conditions that stop the flow, each with its remedy.", type: list, elements: dict,
      sample: []}
    failure: {description: "The message of the call that failed; null when none did.", type: str, sample: null}
    journal: {description: "The flow in flight, or the last flow that finished.", type: dict,
      sample: {goal: replace_key}}
    steps: {description: The log of the calls that did something., type: list, elements: dict, sample: []}
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import printable
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.facts import facts_of
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import Run, moment
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.words import OWNERS


def report(
    calls: Sequence[Mapping[str, Any]],
    goal: str,
    check_mode: bool = False,
    now: str | None = None,
    cluster: str = "",
    namespace: str = "",
    ca: str = "cluster",
    given: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    if ca not in OWNERS:
        raise AnsibleFilterError(f"ca: {printable(ca)} is no CA of a cluster. Give cluster or clients.")
    is_list = isinstance(calls, Sequence) and not isinstance(calls, str)
    if not is_list or not all(isinstance(call, Mapping) for call in calls):
        raise AnsibleFilterError("trustops.strimzi.report works on a list of the results of this collection's modules.")
    try:
        end = moment(now) if now else datetime.now(timezone.utc)
    except ValueError as error:
        raise AnsibleFilterError(f"now: {error}. Write it as 2026-01-31T12:00:00Z.") from None
    where = {"name": cluster, "namespace": namespace}
    return facts_of(Run.of(_shown(calls), goal, ca, check_mode, where, _shown(given or {})), end)


def _shown(value: Any) -> Any:
    """Results in a form for a page: they contain messages of servers, for instance, as these came."""
    if isinstance(value, str):
        return printable(value, keep="\n")
    if isinstance(value, Mapping):
        return {key: _shown(inner) for key, inner in value.items()}
    return [_shown(inner) for inner in value] if isinstance(value, (list, tuple)) else value


class FilterModule:
    """Ansible asks for the filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"report": report}
