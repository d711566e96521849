# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The option that says which CA of the cluster is meant."""

    DOCUMENTATION = r"""
options:
  ca:
    description:
      - Which CA of the cluster this is about. The C(cluster) CA is that of the nodes and components, which verify each other by it. By the
        C(clients) CA brokers verify the users of listeners with the authentication C(tls), and the User Operator issues their certificates of it.
      - Each has a ledger, a Lease and flows of its own. A flow on one waits for no flow on the other, and does nothing in a pause of it.
    type: str
    choices: [cluster, clients]
    default: cluster
"""
