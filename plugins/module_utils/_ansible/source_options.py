# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The options about where CAs come from that a cluster is to trust, and about new ones among them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .._errors import OptionsError
from .._strimzi.ca_source import CaSourceReference

_SHA_256 = re.compile(r"[0-9a-f]{64}")


def source_of(options: Mapping[str, Any]) -> CaSourceReference | None:
    """None where no source is named. Without a namespace it is in the cluster's."""
    given = options.get("ca_source")
    if not given:
        return None
    return CaSourceReference(given["kind"], given["namespace"] or options["namespace"], given["name"], given["key"])


def confirmed_of(options: Mapping[str, Any]) -> frozenset[str]:
    """SHA-256 fingerprints, in lower case without colons. Raises OptionsError."""
    found = frozenset(text.replace(":", "").strip().lower() for text in options.get("confirm_roots") or ())
    for one in found:
        if not _SHA_256.fullmatch(one):
            raise OptionsError(
                "confirm_roots:",
                f"{one!r} is not a SHA-256 fingerprint",
                "Give the 64 hexadecimal digits, as openssl x509 -noout -fingerprint -sha256 prints them.",
            )
    return found
