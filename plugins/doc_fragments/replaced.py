# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The options that name the CA of a renewal or replacement, so that a second run does nothing."""

    DOCUMENTATION = r"""
options:
  replaces:
    description:
      - Fingerprint (SHA-1 or SHA-256, with or without colons) of the CA to renew or replace.
      - Names the CA that is to go, so that a second run does nothing.
      - Without it the CA in use is meant, unless a flow of the same kind finished within O(fresh_for_hours).
    type: str
  fresh_for_hours:
    description:
      - How long a finished flow counts as the answer to the same request when O(replaces) is not given.
    type: int
    default: 24
"""
