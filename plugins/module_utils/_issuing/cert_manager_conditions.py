# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Conditions in the status of objects of cert-manager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._pki.printable import fit_in_line

Object = Mapping[str, Any]


def status_of(item: Object) -> Object:
    status: Object = item.get("status") or {}
    return status


def conditions_of(item: Object) -> dict[str, Object]:
    """By their type."""
    return {str(one.get("type")): one for one in status_of(item).get("conditions") or ()}


def holds(conditions: Mapping[str, Object], kind: str) -> bool:
    return conditions.get(kind, {}).get("status") == "True"


def said(condition: Object) -> str:
    """The message of a condition, else its reason, on one line; it may come from any writer."""
    return fit_in_line(str(condition.get("message") or condition.get("reason") or "")) or "no reason is given"
