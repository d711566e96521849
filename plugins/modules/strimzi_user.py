#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_user
short_description: Change who issues the certificates of a Strimzi user, without its Secret going away
version_added: 1.0.0
description:
  - Every call gives O(cluster) and O(namespace), which name the C(Kafka) resource, the O(user), and its new O(authentication).
  - Moves a C(KafkaUser) from the authentication C(tls), with certificates that the User Operator issues, to C(tls-external), with certificates that
    another issuer issues, such as cert-manager; or back. Name, rights and quotas stay as they are.
  - The User Operator deletes the Secret of a user whose authentication changes, and pods that mount it could not start any more. So the user is paused
    first, its Secret is taken from the User Operator, and only then the authentication changes. The Secret stays, with the certificate that it has,
    until you delete it; programs move to the other Secret one by one.
  - On the way back the User Operator issues a certificate into the Secret of the user's name. The task ends when it is there.
  - Interrupted anywhere, the same task continues. Where the resource is kept elsewhere too (Git, Helm), change it there as well.
options:
  user:
    description: Name of the KafkaUser.
    type: str
    required: true
  user_namespace:
    description: Its namespace. By default the one that the cluster's User Operator watches.
    type: str
  authentication:
    description:
      - V(tls-external) leaves the certificate to another issuer. Where O(presenting_secrets) names Secrets, one has to hold a certificate with the
        subject C(CN=<user>) that brokers accept; without any, the task warns that no issuer may be at work.
      - V(tls) gives it back to the User Operator, unless the key of the clients CA is kept elsewhere - it could issue none then.
    type: str
    required: true
    choices: [tls, tls-external]
  operator_timeout:
    description: Seconds to wait for one reaction of the User Operator.
    type: int
    default: 300
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.flow.presenting
  - trustops.strimzi.attributes
seealso:
  - module: trustops.strimzi.strimzi_user_info
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Leave the certificates of a user to cert-manager
  trustops.strimzi.strimzi_user:
    cluster: demo
    namespace: kafka
    user: partner
    authentication: tls-external
    presenting_secrets: ["partner-cm:tls.crt"]

- name: Give them back to the User Operator
  trustops.strimzi.strimzi_user:
    cluster: demo
    namespace: kafka
    user: partner
    authentication: tls
"""

RETURN = r"""
user:
  description: The user as it is after the task; in check mode as it would be. C(secret) is the one of the User Operator.
  returned: always
  type: dict
  sample: {name: partner, namespace: kafka, authentication: tls-external, secret: partner}
actions:
  description: Every write and restart of this call, in order; in check mode the first ones that it would take, of which the plan has all.
  returned: always
  type: list
  elements: dict
  sample: [{verb: update, object: Secret kafka/demo-cluster-ca-cert, what: "trust CN=cluster-ca v1,O=io.strimzi", phase: prepare, seconds: null, away: null}]
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
"""

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    CLUSTER,
    PRESENTING,
    ArgumentSpec,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.user_module import UserModule

USER = ArgumentSpec(
    {
        "user": {"type": "str", "required": True},
        "user_namespace": {"type": "str"},
        "authentication": {"type": "str", "choices": ["tls", "tls-external"], "required": True},
        "operator_timeout": {"type": "int", "default": 300},
    }
)


def main() -> None:
    module = UserModule(CLUSTER + PRESENTING + USER)
    module.execute(module.change)


if __name__ == "__main__":
    main()
