# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The options of a CA that is handed back."""

    DOCUMENTATION = r"""
options:
  operator_may_renew:
    description:
      - Whether a CA is handed back that is in the operator's time for renewal (C(renewalDays)). The Cluster Operator renews it at once and restarts
        every pod, or with C(certificateExpirationPolicy=replace-key) makes a new key without a check that the new CA is trusted; in the next
        maintenance window where there are any. The plan says which.
      - For the flow that hands back only. Without it such a CA is held, and has to be renewed first.
    type: bool
    default: false
  keep_ca:
    description:
      - Whether the CA stays user-managed (C(generateCertificateAuthority=false)), and the operator does not get it. The ledger goes, with what it
        records, open requests, the Lease and the annotations of this collection on the Kafka resource and the CA Secrets. No pod restarts, and every
        process goes on with what it has.
      - From then on nothing renews the CA. Adopting it again begins a new ledger.
    type: bool
    default: false
"""
