# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The layout ``split``: the certificates of all CAs in one Secret, their states in another ("Decouple CA certificate management
from end-entity certificate management", "New trust-state Kubernetes Secret", "New trusted-certs Kubernetes Secret").

What the draft has no place for is kept beside the states.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .._trust.model.ledger import Layout, Ledger
from . import names
from .draft_states import USAGE, ZOMBIE, state_of_word, worded
from .ledger_entries import OWN_SUFFIXES, Entries, Marks, decode_ledger, marks_of
from .ledger_part import Part
from .names import ClusterNames
from .secret_data import entries

_IN_USE = "TRUSTED_IN_USE"
_FINGERPRINT = re.compile(r"[0-9a-f]{40}")


def lay_out(data: Mapping[str, bytes], marks: Marks, scope: ClusterNames) -> tuple[Part, ...]:
    certificates: dict[str, bytes] = {}
    states: dict[str, bytes] = {}
    for key, value in data.items():
        fingerprint, _dot, suffix = key.rpartition(".")
        if suffix == "crt":
            certificates[key] = value
        elif suffix == "state":
            word, usage = worded(fingerprint, value, _IN_USE)
            states |= {fingerprint: word.encode("ascii"), **usage}
        else:
            states[key] = value
        if suffix == "removed":
            states.setdefault(fingerprint, ZOMBIE.encode("ascii"))
    mark, own = {names.LAYOUT: Layout.SPLIT.value}, frozenset(OWN_SUFFIXES)
    return (
        Part(scope.trust_state_secret, states, {**mark, **marks}, own | {"", USAGE}),
        Part(scope.trusted_certificates_secret, certificates, {**mark, **dict.fromkeys(marks)}, own),
    )


def read(certificates: Mapping[str, Any], states: Mapping[str, Any]) -> Ledger:
    """A certificate without a state came with a write that was cut short, or is left from one: it counts for nothing."""
    stored, problems = entries(states), []
    data = {key: value for key, value in stored.items() if "." in key and not key.endswith(USAGE)}
    called = {}
    for fingerprint in filter(_FINGERPRINT.fullmatch, stored):
        word = stored[fingerprint]
        if word.strip() != ZOMBIE.encode("ascii"):
            data[f"{fingerprint}.state"] = state_of_word(fingerprint, word, stored, _IN_USE)
            called[f"{fingerprint}.state"] = fingerprint
        elif f"{fingerprint}.removed" not in stored:
            problems.append(f"{fingerprint} is {ZOMBIE}, and its certificate, {fingerprint}.removed, is missing.")
    held = {key.removesuffix(".crt"): value for key, value in entries(certificates).items() if key.endswith(".crt")}
    data |= {f"{fingerprint}.crt": value for fingerprint, value in held.items() if f"{fingerprint}.state" in data}
    found = decode_ledger(Entries(data, called), marks_of(states))
    return replace(found, layout=Layout.SPLIT, problems=(*found.problems, *problems))
