# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of the ways to nodes, which conftest.py blocks."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OptionsError

BLOCKED = OptionsError("kubeconfig", "leads to no node", "Give another one.")
#: The sentences of the error, as results have them.
WHY_BLOCKED = f"{BLOCKED} {BLOCKED.remedy}"
