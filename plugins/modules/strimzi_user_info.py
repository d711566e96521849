#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_user_info
short_description: Show the certificates of a Strimzi cluster's users, and who presents them
version_added: 1.0.0
description:
  - Lists every KafkaUser of a cluster, the certificate in its Secret, the clients CA under which brokers accept that, and the pods and resources
    that present it. It changes nothing.
  - It is what has to be known before the clients CA is renewed or replaced, be it by Strimzi or by hand. Strimzi issues all users anew as soon as it
    has another clients CA, and does not wait until every broker trusts it.
  - Of a Secret only facts are kept; no private key is shown. PKCS#12 files are not opened.
  - Certificates that nobody keeps in the Secret of a KafkaUser are not seen, such as those of users with C(tls-external), or of superusers whose
    names are in the Kafka resource.
options: {}
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
- name: Look at the users
  trustops.strimzi.strimzi_user_info:
    cluster: demo
    namespace: kafka
  register: seen

- name: Show which applications have not read their new certificate yet
  ansible.builtin.debug:
    msg: "{{ seen.users | map(attribute='presenters') | flatten | selectattr('up_to_date', 'equalto', false) | map(attribute='name') }}"

- name: Fail where a broker would refuse a user
  ansible.builtin.assert:
    that: seen.problems | length == 0
    fail_msg: "{{ seen.problems | join(' ') }}"
"""

RETURN = r"""
"""

from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import CLUSTER
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import ClusterModule, SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.user_results import describe_users
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users import read_users


def body(module: ClusterModule) -> dict[str, Any]:
    return {**module.done_so_far(), **describe_users(read_users(module.client(), module.scope(), SystemClock().now()))}


def main() -> None:
    module = ClusterModule(CLUSTER)
    module.execute(lambda: body(module))


if __name__ == "__main__":
    main()
