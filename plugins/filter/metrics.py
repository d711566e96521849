# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: metrics
short_description: CAs of a cluster as Prometheus metrics
version_added: 1.0.0
description:
  - Turns results of M(trustops.strimzi.strimzi_ca_info) into the text format of Prometheus, for the textfile collector
    of node_exporter. The role P(trustops.strimzi.status#role) writes it with
    O(trustops.strimzi.status#role:main:strimzi_metrics_dir).
  - The metrics say when each CA and certificate ends, which CA is in use and which state each CA has, which flow is in
    flight since when, which conditions are not met, and when the call read the cluster. They contain no key. All
    metrics are gauges, and all times are Unix times.
options:
  _input:
    description:
      - A dictionary with the keys C(cluster) and C(clients), or one of them, each with the result of
        M(trustops.strimzi.strimzi_ca_info) for this CA. The filter refuses results of calls that failed, so that the
        last file stays, and its age shows.
    type: dict
    required: true
  users:
    description:
      - The result of M(trustops.strimzi.strimzi_user_info), for the certificates of users. The 50 certificates that end
        first are samples of their own. The result of a task that was skipped counts as no result.
    type: dict
    default: {}
  context:
    description:
      - The context of the kubeconfig by which the calls have reached the cluster, as the label C(kube_context). Without
        it there is no such label. The label C(kafka_uid), the UID of the Kafka resource, tells clusters of one
        namespace and name in two Kubernetes clusters apart with and without it.
    type: str
    default: ''
seealso:
  - module: trustops.strimzi.strimzi_ca_info
  - module: trustops.strimzi.strimzi_user_info
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Read the cluster CA
  trustops.strimzi.strimzi_ca_info:
    cluster: demo
    namespace: kafka
  register: seen

- name: Write the metrics under a name that node_exporter does not read
  ansible.builtin.copy:
    content: "{{ {'cluster': seen} | trustops.strimzi.metrics }}"
    dest: /var/lib/node_exporter/textfile_collector/strimzi_kafka_demo.prom.new
    mode: "0644"

- name: Put the metrics in their place at once
  ansible.builtin.command: mv -f strimzi_kafka_demo.prom.new strimzi_kafka_demo.prom
  args:
    chdir: /var/lib/node_exporter/textfile_collector
"""

RETURN = r"""
_value:
  description: The text, each metric with its HELP and TYPE lines, in an order that stays the same.
  type: str
  sample: |
    # HELP strimzi_ca_flow_in_flight Whether a flow is in flight, 1 or 0.
    # TYPE strimzi_ca_flow_in_flight gauge
    strimzi_ca_flow_in_flight{kafka_namespace="kafka",kafka_cluster="demo",kafka_uid="5e1c7a90",ca="cluster"} 0
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.facts import describe_users
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import moment
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.words import OWNERS, PHASES

# All metrics are gauges. Times are Unix times: a file stays true until the next look. The labels of
# a cluster are ``kafka_namespace`` and ``kafka_cluster``, because a scrape adds ``namespace`` and ``cluster`` itself.
# The number of samples is bounded: of users, a file has the certificates that end first.

Facts = Mapping[str, Any]
Labels = Mapping[str, str]

#: The state of a CA that no ledger knows.
NOT_ADOPTED = "NOT_ADOPTED"
#: The UID of a Kafka resource that does not exist. Prometheus, and a throttle of Event-Driven Ansible, take an empty
#: label for a missing label.
NO_UID = "none"
#: The most users whose certificates are samples of their own.
MOST_USERS = 50
#: The states of CAs, as strimzi_ca_info has them.
AUTHORITY_STATES = ("UNTRUSTED", "TRUSTED_UNUSED", "TRUSTED_IN_USE_ANY", "TRUSTED_IN_USE_ALL", "PHASE_OUT")
#: The states of counted certificates, as strimzi_ca_info has them.
LEAF_STATES = ("IN_USE", "NOT_NEEDED", "REQUESTED", "REQUIRED", "TRUST_PENDING")
#: The one violation of a cluster that was never adopted: it holds no flow.
_OF_THE_OPERATOR = "authority_is_user_managed"

#: Every metric, in the order of the file, and its HELP line.
METRICS = {
    "strimzi_ca_last_look_timestamp_seconds": "Time of the last look at this CA that succeeded.",
    "strimzi_ca_chain_expiration_timestamp_seconds": (
        "End of the CA in use, or of a CA above it that ends before it does."
    ),
    "strimzi_ca_renewal_timestamp_seconds": (
        "Start of the time in which the playbook reconcile renews or replaces the CA in use."
    ),
    "strimzi_ca_expiration_timestamp_seconds": "End of a CA.",
    "strimzi_ca_issuing": "Whether a CA is the CA in use, 1 or 0.",
    "strimzi_ca_state": "Whether a CA is in this state, 1 or 0.",
    "strimzi_ca_certificate_expiration_timestamp_seconds": (
        "End of the certificate of a node, a component or the operator."
    ),
    "strimzi_ca_certificates": "Certificates of processes, and of users that this collection issues to, in this state.",
    "strimzi_ca_certificates_without_renewal": (
        "CAs and certificates in their time for renewal that nothing is going to renew."
    ),
    "strimzi_ca_user_certificate_expiration_timestamp_seconds": (
        f"End of the certificate of a user; of the {MOST_USERS} that end first."
    ),
    "strimzi_ca_user_certificates": "Certificates of users.",
    "strimzi_ca_flow_in_flight": "Whether a flow is in flight, 1 or 0.",
    "strimzi_ca_flow_start_timestamp_seconds": "Start of the flow in flight.",
    "strimzi_ca_flow_phase": "Whether the next step of the flow in flight is of this phase, 1 or 0.",
    "strimzi_ca_violations": "Conditions of this name that are not met: what is in the way of a flow.",
}


@dataclass(frozen=True)
class Sample:
    """A value of a metric."""

    #: The name of the metric.
    metric: str
    #: The value: a number, 0 or 1 for a state, or seconds since 1970 for a time.
    value: int
    #: The values of its labels, by their names.
    labels: Labels = field(default_factory=dict)


def metrics_of(looks: Mapping[str, Facts], users: Facts, context: str) -> str:
    """The text of a file with metrics.

    The results of ``strimzi_ca_info`` lie in ``looks`` by CA, cluster or clients; ``users`` is the result of
    ``strimzi_user_info``, and ``context`` names the context of the kubeconfig. The last two may be empty.
    """
    samples = [sample for ca, seen in looks.items() for sample in _of_authority(_place(seen, ca, context), seen)]
    if looks and users:
        samples += _of_users(_place(next(iter(looks.values())), "clients", context), users)
    return _text(samples)


def _text(samples: Iterable[Sample]) -> str:
    by_metric: dict[str, dict[str, int]] = {}
    for sample in samples:
        values = by_metric.setdefault(sample.metric, {})
        line = f"{sample.metric}{{{','.join(_label(*label) for label in sample.labels.items())}}}"
        # If objects have the same labels, they are one sample with the earliest end.
        values[line] = min(sample.value, values.get(line, sample.value))
    lines = []
    for metric, about in METRICS.items():
        if metric in by_metric:
            lines += [f"# HELP {metric} {about}", f"# TYPE {metric} gauge"]
            lines += [f"{line} {value}" for line, value in sorted(by_metric[metric].items())]
    return "".join(f"{line}\n" for line in lines)


def _label(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
    # A lone surrogate has no form in UTF-8.
    return f'{name}="{escaped.encode("utf-8", "replace").decode()}"'


def _place(seen: Facts, ca: str, context: str) -> dict[str, str]:
    """The labels of every sample."""
    cluster = seen["cluster"]
    named = {
        "kafka_namespace": cluster["namespace"],
        "kafka_cluster": cluster["name"],
        "kafka_uid": cluster["uid"] or NO_UID,
        "ca": ca,
    }
    return {"kube_context": context, **named} if context else named


def _time(text: str) -> int:
    return int(moment(text).timestamp())


def _of_authority(place: Labels, seen: Facts) -> Iterator[Sample]:
    yield Sample("strimzi_ca_last_look_timestamp_seconds", _time(seen["began_at"]), place)
    if first := seen["first_to_end"]["ca"]:
        yield Sample("strimzi_ca_chain_expiration_timestamp_seconds", _time(first["not_after"]), place)
    if upkeep := seen["upkeep"]:
        yield Sample("strimzi_ca_renewal_timestamp_seconds", _time(upkeep["due_from"]), place)
    for authority in seen["cas"]:
        named = {**place, "subject": authority["subject"], "sha256": authority["sha256"]}
        yield Sample("strimzi_ca_expiration_timestamp_seconds", _time(authority["not_after"]), named)
        yield Sample("strimzi_ca_issuing", int(authority["current"]), named)
        for state in (NOT_ADOPTED, *AUTHORITY_STATES):
            is_in_it = (authority["state"] or NOT_ADOPTED) == state
            yield Sample("strimzi_ca_state", int(is_in_it), {**named, "state": state})
    yield from _of_leaves(place, seen)
    yield from _of_flow(place, seen)


def _of_leaves(place: Labels, seen: Facts) -> Iterator[Sample]:
    for leaf in seen["leaves"]:
        # A result has all users that this collection issues to. Users have samples of another metric, for the
        # certificates that end first.
        if leaf["not_after"] and leaf["component"] != "user":
            named = {**place, "component": leaf["component"], "secret": leaf["secret"]}
            yield Sample("strimzi_ca_certificate_expiration_timestamp_seconds", _time(leaf["not_after"]), named)
    states = Counter(leaf["state"] for leaf in seen["leaf_states"])
    for state in LEAF_STATES:
        yield Sample("strimzi_ca_certificates", states[state], {**place, "state": state})
    unattended = {certificate["sha256"] for certificate in seen["expiring"] if certificate["remedy"]}
    yield Sample("strimzi_ca_certificates_without_renewal", len(unattended), place)


def _of_users(place: Labels, users: Facts) -> Iterator[Sample]:
    ends = [(_time(user["not_after"]), user["name"]) for user in describe_users(users) if user["not_after"]]
    yield Sample("strimzi_ca_user_certificates", len(ends), place)
    for end, name in sorted(ends)[:MOST_USERS]:
        yield Sample("strimzi_ca_user_certificate_expiration_timestamp_seconds", end, {**place, "user": name})


def _of_flow(place: Labels, seen: Facts) -> Iterator[Sample]:
    journal = seen["journal"]
    is_in_flight = bool(journal) and not journal["finished_at"]
    yield Sample("strimzi_ca_flow_in_flight", int(is_in_flight), place)
    if is_in_flight:
        goal = "abort" if journal["is_abort"] else journal["goal"]
        named = {**place, "goal": goal, "awaits": _awaited(journal)}
        yield Sample("strimzi_ca_flow_start_timestamp_seconds", _time(journal["started_at"]), named)
        for phase in PHASES:
            yield Sample("strimzi_ca_flow_phase", int(seen["phase"] == phase), {**place, "phase": phase})
    violations_by_condition = Counter(violation["gate"] for violation in seen["violations"])
    if set(violations_by_condition) != {_OF_THE_OPERATOR}:
        for condition, number in violations_by_condition.items():
            yield Sample("strimzi_ca_violations", number, {**place, "condition": condition})


def _awaited(journal: Facts) -> str:
    """The reason why the flow may be in flight for long; "nothing" if it has none."""
    if journal["stop"]:
        return "approval"
    return "nothing" if journal["retire"] in (None, "now") else "restarts"


def metrics(looks: Mapping[str, Mapping[str, Any]], users: Mapping[str, Any] | None = None, context: str = "") -> str:
    if not isinstance(looks, Mapping) or not looks or not set(looks) <= set(OWNERS):
        raise AnsibleFilterError(
            "trustops.strimzi.metrics works on results of strimzi_ca_info by the CA that they are about, such as "
            "{'cluster': seen}. Give cluster, clients or both."
        )
    for ca, seen in looks.items():
        if not isinstance(seen, Mapping) or seen.get("failed") or "first_to_end" not in seen:
            raise AnsibleFilterError(
                f"{ca}: this is no result of strimzi_ca_info, or the result of a call that failed. Give the result of "
                "a call that succeeded."
            )
    return metrics_of(looks, users if users and "users" in users else {}, str(context or ""))


class FilterModule:
    """Ansible asks for the filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"metrics": metrics}
