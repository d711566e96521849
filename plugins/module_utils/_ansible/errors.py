# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The error about an option of a module."""

from __future__ import annotations


class OptionsError(Exception):
    """An option that cannot be used. The message names it and has the remedy, and quotes no credential."""
