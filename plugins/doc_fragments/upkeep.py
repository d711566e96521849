# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The options that say what is done with a CA in its time for renewal."""

    DOCUMENTATION = r"""
options:
  ca_renewal:
    description:
      - What is done with the CA in use in its time for renewal. The Cluster Operator does not renew a CA that was adopted, so a schedule has to.
      - With V(renew-certificate) it gets new dates and keeps its key. With V(replace-key) its key is replaced, with the same gates as in any other
        replacement; unless O(retire) says otherwise, no node restarts for it, and the old CA leaves when each node has restarted for another reason.
      - With V(specified), what C(certificateExpirationPolicy) of the Kafka resource says, C(renew-certificate) where that says nothing.
      - With V(none), nothing. The ledger records what the last call did, so that every other call can say what is going to renew the CA, and when. A
        call without this option does nothing either, and leaves the record as it is.
      - A CA whose key is kept elsewhere, or that another CA has issued, is renewed by its issuer alone. RV(expiring) says when it has to be.
    type: str
    choices: [specified, renew-certificate, replace-key, none]
  ca_renewal_days:
    description:
      - How many days the CA has left when its time for renewal begins, or half of its life if that is less.
      - By default a week more than C(renewalDays) of the Kafka resource (30), because in that time the Cluster Operator issues certificates anew that end with
        the CA, and restarts their pods.
    type: int
"""
