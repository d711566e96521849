# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """When a certificate is in its time for renewal."""

    DOCUMENTATION = r"""
options:
  renew_before_days:
    description:
      - How many days a certificate has left when it is renewed, or half of its life if that is less.
      - Certificates of nodes are renewed at least 15 days before C(spec.clusterCa.renewalDays) (30), at which the Cluster Operator renews them by
        itself and restarts every node, or halfway where there is less time.
    type: int
    default: 45
"""
