# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A gate that does not hold says what, on which object, and what helps."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Violation:
    """gate: name of the rule. subject: the object. message: the cause. remedy: what to do."""

    gate: str
    subject: str
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.message} {self.remedy}"
