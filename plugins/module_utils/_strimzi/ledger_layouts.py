# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The Secrets of a ledger in each of its layouts, and back (docs/design.md, "Layouts").

A layout is a renaming of the entries of ``ledger_entries``: certificates and states are where its draft has them, and what the
draft has no place for is beside them under the names that the layout ``single`` has for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from .._trust.model.ledger import Layout, Ledger
from . import ledger_keyed, ledger_split, names
from .ledger_entries import OWN_SUFFIXES, Entries, Marks, decode_ledger, encode_ledger, encode_marks, marks_of
from .ledger_part import Part
from .names import ClusterNames
from .secret_data import annotation, entries

Secrets: TypeAlias = Mapping[str, Mapping[str, Any]]


def lay_out(ledger: Ledger, scope: ClusterNames) -> tuple[Part, ...]:
    """The Secrets that hold this ledger. The last one says that they do."""
    return _LAYOUTS[ledger.layout](encode_ledger(ledger), encode_marks(ledger), scope)


def read_ledger(secrets: Secrets, scope: ClusterNames) -> Ledger | None:
    """The ledger in whichever layout it is; None where there is none."""
    found = _found(secrets, scope)
    if found is None or found.problems:
        return found
    parts = {part.name: part for part in lay_out(found, scope)}
    stored = ledger_parts(secrets, scope)
    untidy = any(name not in parts or parts[name].superfluous(secrets[name]) for name in stored)
    return replace(found, untidy=untidy)


def ledger_parts(secrets: Secrets, scope: ClusterNames) -> tuple[str, ...]:
    """Names of the Secrets that are a ledger, or a part of one. Another tool that follows a draft may have a Secret of this name: it is
    ours only with our annotation.
    """
    shared = scope.trusted_certificates_secret
    return tuple(
        name for name in scope.ledger_secrets
        if name in secrets and (name == shared or annotation(secrets[name], names.LAYOUT))
    )  # fmt: skip


def _found(secrets: Secrets, scope: ClusterNames) -> Ledger | None:
    """Of several ledgers the one that begins with the Secret that ``single`` and ``split`` have in common. A change of the layout
    writes or deletes this Secret when everything else is written, and before anything else is deleted.
    """
    stored = ledger_parts(secrets, scope)
    certificates, states = scope.trusted_certificates_secret, scope.trust_state_secret
    if certificates not in stored:
        if scope.trust_secret in stored:
            return ledger_keyed.read(secrets[scope.trust_secret])
        return _half(certificates) if states in stored else None
    mark = annotation(secrets[certificates], names.LAYOUT)
    if mark is None:
        return _read_single(secrets[certificates])
    if mark != Layout.SPLIT.value:
        return Ledger(problems=(f"its annotation {names.LAYOUT} is {mark!r}, which is no layout of this Secret.",))
    return ledger_split.read(secrets[certificates], secrets[states]) if states in stored else _half(states)


def _half(missing: str) -> Ledger:
    return Ledger(
        layout=Layout.SPLIT, problems=(f"Secret {missing}, which is the other half of the ledger, is missing.",)
    )


def _lay_out_single(data: Mapping[str, bytes], marks: Marks, scope: ClusterNames) -> tuple[Part, ...]:
    annotations = {names.LAYOUT: None, **marks}
    return (Part(scope.trusted_certificates_secret, data, annotations, frozenset(OWN_SUFFIXES)),)


def _read_single(secret: Mapping[str, Any]) -> Ledger:
    return decode_ledger(Entries(entries(secret)), marks_of(secret))


_LAYOUTS: Mapping[Layout, Callable[[Mapping[str, bytes], Marks, ClusterNames], tuple[Part, ...]]] = {
    Layout.SINGLE: _lay_out_single,
    Layout.SPLIT: ledger_split.lay_out,
    Layout.KEYED: ledger_keyed.lay_out,
}
