# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The layout ``keyed``: one Secret, with the state of each CA in the name of its entry ("CA abstraction", "Trust Secrets")."""

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

_IN_USE = "TRUSTED_USED"
_WORDS = ("UNTRUSTED", "TRUSTED_UNUSED", _IN_USE, "PHASE_OUT", ZOMBIE)
_OWN = frozenset({*OWN_SUFFIXES, USAGE, *(f".{word}" for word in _WORDS)})
_STATE_IN_KEY = re.compile(r"([0-9a-f]{40})\.([A-Z_]+)")


def lay_out(data: Mapping[str, bytes], marks: Marks, scope: ClusterNames) -> tuple[Part, ...]:
    laid: dict[str, bytes] = {}
    for key, value in data.items():
        fingerprint, _dot, suffix = key.rpartition(".")
        if suffix == "state":
            word, usage = worded(fingerprint, value, _IN_USE)
            laid |= {f"{fingerprint}.{word}": data[f"{fingerprint}.crt"], **usage}
        elif suffix == "removed":
            laid[f"{fingerprint}.{ZOMBIE}"] = value
        elif suffix != "crt":
            laid[key] = value
    annotations = {names.LAYOUT: Layout.KEYED.value, **marks}
    return (Part(scope.trust_secret, laid, annotations, _OWN, "strimzi.io/trust"),)


def read(secret: Mapping[str, Any]) -> Ledger:
    stored, problems = entries(secret), []
    data = {key: value for key, value in stored.items() if not _STATE_IN_KEY.fullmatch(key) and not key.endswith(USAGE)}
    called: dict[str, str] = {}
    for key, fingerprint, word in _states(stored):
        certificate, state = f"{fingerprint}.{'removed' if word == ZOMBIE else 'crt'}", f"{fingerprint}.state"
        if certificate in called:
            problems.append(f"{called[certificate]} and {key} give one CA two states.")
        data[certificate], called[certificate] = stored[key], key
        if word != ZOMBIE:
            data[state], called[state] = state_of_word(fingerprint, word.encode("ascii"), stored, _IN_USE), key
    found = decode_ledger(Entries(data, called), marks_of(secret))
    return replace(found, layout=Layout.KEYED, problems=(*found.problems, *problems))


def _states(stored: Mapping[str, bytes]) -> list[tuple[str, str, str]]:
    """Key, fingerprint and word of each entry that holds a CA."""
    found = (_STATE_IN_KEY.fullmatch(key) for key in sorted(stored))
    return [(match.group(), match.group(1), match.group(2)) for match in found if match]
