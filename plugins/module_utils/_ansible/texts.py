# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How results write a time and the name of a CA."""

from __future__ import annotations

from datetime import datetime

from .._pki.certificates import Certificate


def time_text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def label(certificate: Certificate) -> str:
    """How a CA is named in lists: common name and the start of its SHA-256."""
    name = next((part[3:] for part in certificate.subject.split(",") if part.startswith("CN=")), certificate.subject)
    return f"{name} ({certificate.sha256[:12]})"
