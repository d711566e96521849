# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: metrics
short_description: CAs of a cluster as Prometheus metrics
version_added: 1.0.0
description:
  - Turns results of M(trustops.strimzi.strimzi_ca_info) into the text format of Prometheus, for the textfile collector of node_exporter. The role
    P(trustops.strimzi.status#role) writes it with O(trustops.strimzi.status#role:main:strimzi_metrics_dir).
  - It tells when each CA and certificate ends, which CA is in use and which state each has, which flow is in flight since when, the conditions that do
    not hold, and when the call looked. It holds no key. All metrics are gauges, and all times are Unix times.
options:
  _input:
    description:
      - By C(cluster) or C(clients), the result of M(trustops.strimzi.strimzi_ca_info) for this CA. Results of calls that failed are refused, so that the
        last file stays, and its age shows.
    type: dict
    required: true
  users:
    description:
      - The result of M(trustops.strimzi.strimzi_user_info), for the certificates of users. The 50 that end first are samples of their own. What a task that
        was skipped registered counts as nothing.
    type: dict
    default: {}
seealso:
  - module: trustops.strimzi.strimzi_ca_info
  - module: trustops.strimzi.strimzi_user_info
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Look at the cluster CA
  trustops.strimzi.strimzi_ca_info:
    cluster: demo
    namespace: kafka
  register: seen

- name: Write what node_exporter reads
  ansible.builtin.copy:
    content: "{{ {'cluster': seen} | trustops.strimzi.metrics }}"
    dest: /var/lib/node_exporter/textfile_collector/strimzi_kafka_demo.prom
    mode: "0644"
"""

RETURN = r"""
_value:
  description: The text, each metric with its HELP and TYPE lines, in an order that stays the same.
  type: str
  sample: |
    # HELP strimzi_ca_flow_in_flight Whether a flow is in flight, 1 or 0.
    # TYPE strimzi_ca_flow_in_flight gauge
    strimzi_ca_flow_in_flight{kafka_namespace="kafka",kafka_cluster="demo",ca="cluster"} 0
"""

from collections.abc import Callable, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.trustops.strimzi.plugins.plugin_utils._metrics import metrics_of
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.words import OWNERS


def metrics(looks: Mapping[str, Mapping[str, Any]], users: Mapping[str, Any] | None = None) -> str:
    if not isinstance(looks, Mapping) or not looks or not set(looks) <= set(OWNERS):
        raise AnsibleFilterError(
            "trustops.strimzi.metrics works on results of strimzi_ca_info by the CA that they are about, such as {'cluster': seen}. "
            "Give cluster, clients or both."
        )
    for ca, seen in looks.items():
        if not isinstance(seen, Mapping) or seen.get("failed") or "first_to_end" not in seen:
            raise AnsibleFilterError(
                f"{ca}: this is no result of strimzi_ca_info, or of a call that failed. Give the result of a call that succeeded."
            )
    return metrics_of(looks, users if users and "users" in users else {})


class FilterModule:
    """Ansible asks for the filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"metrics": metrics}
