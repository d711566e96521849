# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A ledger as its documentation describes it (docs/storage.md, "Layouts"), read without the collection's code."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

Object = dict[str, Any]
#: Finds a Secret by its name.
Find = Callable[[str], Object | None]

SINGLE, STATES, KEYED = "demo-cluster-ca-trusted-certs", "demo-cluster-ca-trust-state", "demo-cluster-ca-trust"
LEDGERS = (SINGLE, STATES, KEYED)
_MARK = "trustops.strimzi/layout"


def about(ca: str, find: Find) -> Find:
    """Finds the Secrets of the ledger of this CA by the names of those of the cluster CA."""
    return lambda name: find(name.replace("-cluster-ca-", f"-{ca}-ca-"))


def layout_of(find: Find) -> str:
    """The layout that counts; empty where there is no ledger."""
    if shared := find(SINGLE):
        return _mark(shared) or "single"
    return "keyed" if (find(KEYED) and _mark(find(KEYED))) else ""


def entries_of(find: Find) -> dict[str, bytes]:
    """All entries under the names that they have in the layout ``single``."""
    layout = layout_of(find)
    if layout == "single":
        return _data(find(SINGLE))
    if layout == "split":
        return _of_split(_data(find(SINGLE)), _data(find(STATES)))
    return _of_keyed(_data(find(KEYED))) if layout == "keyed" else {}


def states_of(find: Find) -> dict[str, str]:
    """The state of each CA by its fingerprint."""
    found = entries_of(find)
    return {key.removesuffix(".state"): value.decode() for key, value in found.items() if key.endswith(".state")}


def _of_split(certificates: dict[str, bytes], states: dict[str, bytes]) -> dict[str, bytes]:
    found = {key: value for key, value in states.items() if "." in key and not key.endswith(".usage")}
    for fingerprint, word in states.items():
        if "." not in fingerprint and word != b"ZOMBIE":
            found[f"{fingerprint}.state"] = _state(word.decode(), states.get(f"{fingerprint}.usage"))
            found[f"{fingerprint}.crt"] = certificates[f"{fingerprint}.crt"]
    return found


def _of_keyed(data: dict[str, bytes]) -> dict[str, bytes]:
    found = {}
    for key, value in data.items():
        fingerprint, _dot, suffix = key.partition(".")
        if suffix == "ZOMBIE":
            found[f"{fingerprint}.removed"] = value
        elif suffix.isupper():
            found[f"{fingerprint}.crt"] = value
            found[f"{fingerprint}.state"] = _state(suffix, data.get(f"{fingerprint}.usage"))
        elif suffix != "usage":
            found[key] = value
    return found


def _state(word: str, usage: bytes | None) -> bytes:
    return (f"TRUSTED_IN_USE_{usage.decode()}" if usage else word).encode()


def _mark(secret: Object | None) -> str:
    return ((secret or {"metadata": {}})["metadata"].get("annotations") or {}).get(_MARK, "")


def _data(secret: Object | None) -> dict[str, bytes]:
    return {key: base64.b64decode(value) for key, value in ((secret or {}).get("data") or {}).items()}
