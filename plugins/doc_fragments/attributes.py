# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The attributes that all modules of this collection have."""

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in check mode and say what would be done.
    support: full
  diff_mode:
    description: Shows public facts (subjects, fingerprints, states) before and after, never content.
    support: full
  idempotent:
    description: A second run with the same options changes nothing.
    support: full
  action_group:
    description: Use C(group/trustops.strimzi.strimzi) in C(module_defaults) to set common options once.
    support: full
    membership:
      - trustops.strimzi.strimzi
"""
