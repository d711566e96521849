# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The issuer that the options name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._strimzi.issuer_settings import CertManagerIssuer, ExternalIssuer, IssuerSettings


def issuer_settings(options: Mapping[str, Any] | None) -> IssuerSettings:
    """options: the value of ``issuer``; None: nobody is named, and requests wait for a person or a tool."""
    if options is None or options["type"] == "external":
        return ExternalIssuer()
    return CertManagerIssuer(options["name"], options["kind"], options["group"])
