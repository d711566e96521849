# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The option for the goal of a flow."""

    DOCUMENTATION = r"""
options:
  goal:
    description:
      - The flow that RV(plan) is about. A flow that is in flight is continued, whatever goal is given.
      - V(renew_leaves) renews the nodes' certificates under the same CA.
      - V(reconcile) finishes what was begun. It begins a renewal or a replacement only where the source of CAs (the option C(ca_source)) holds another CA.
      - V(create), V(renew), V(replace_key), V(upgrade), V(downgrade) and V(abort) are the flows of the roles of these names.
    type: str
    choices: [create, renew, replace_key, upgrade, downgrade, renew_leaves, reconcile, abort]
    default: reconcile
"""
