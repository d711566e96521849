# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the API says no."""

from __future__ import annotations


class ApiError(Exception):
    """An answer that is no success: its HTTP status, and what stands in ``errors``."""

    def __init__(self, status: int, *errors: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(*errors)
        self.status = status
        self.errors = errors
        self.headers = headers or {}
