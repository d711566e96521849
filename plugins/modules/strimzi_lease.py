#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_lease
short_description: Give back the Lease of a flow
version_added: 1.0.0
description:
  - A flow of several module calls holds a Lease on the Kafka cluster under its O(run_id), so that a second run at the same time is refused.
  - This module gives it back at the end. A Lease that is not given back runs out by itself.
options:
  run_id:
    description:
      - The O(run_id) that the modules of the flow were given.
    type: str
    required: true
  state:
    description:
      - V(released) gives the Lease back if this run holds it.
    type: str
    choices: [released]
    default: released
extends_documentation_fragment:
  - trustops.strimzi.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.attributes
seealso:
  - module: trustops.strimzi.strimzi_ca_info
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Let others work on this cluster
  trustops.strimzi.strimzi_lease:
    cluster: demo
    namespace: kafka
    run_id: "{{ my_run_id }}"
"""

RETURN = r"""

lease:
  description: The Lease as namespace and name.
  returned: always
  type: str
  sample: kafka/demo-trust

"""

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import CLUSTER, ArgumentSpec
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import ClusterModule

LEASE = ArgumentSpec(
    {
        "run_id": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["released"], "default": "released"},
    }
)
SPEC = CLUSTER + LEASE


def main() -> None:
    module = ClusterModule(SPEC)

    def body() -> dict[str, object]:
        client, scope = module.client(), module.scope()
        released = module.lease(client).release(dry_run=module.check_mode)
        return {"changed": released, "lease": f"{scope.namespace}/{scope.lease}"}

    module.execute(body)


if __name__ == "__main__":
    main()
