# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a text contains a key or password of a cluster, in any form in which it could get there."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from ...tools.support.memory_cluster import MemoryCluster

_SECRET = (".key", ".password", ".p12", ".json.gz")


def keys_of(memory: MemoryCluster) -> set[str]:
    """Every key and password in the Secrets of a cluster, as stored: in base64."""
    return {
        value
        for secret in memory.api.all("secrets", memory.namespace)
        for entry, value in (secret.get("data") or {}).items()
        if entry.endswith(_SECRET) and value
    }


def leaks(text: str, keys: set[str]) -> list[str]:
    """The forms of these keys that are in the text; PEM armour counts whatever is in it."""
    found = [form for key in sorted(keys) for form in _forms(key) if form in text]
    return ["PEM armour of a private key", *found] if "PRIVATE KEY" in text else found


def _forms(key: str) -> Iterator[str]:
    content = base64.b64decode(key).decode("latin-1")
    yield key
    if "-----" not in content:
        yield content
    yield from (line for line in content.splitlines() if "-----" not in line and len(line) >= 20)
