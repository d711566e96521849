# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.plugin_utils._progress import FollowedModule


class ActionModule(FollowedModule):
    """Shows what the module of the same name does while it works."""
