# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The Secrets of a ledger in each of its layouts, and back (docs/storage.md, "Layouts").

A layout renames the entries of ``entries``. Certificates and states stand at their places in its draft. If the draft
has no place for an entry, it stands beside them under its name in the layout ``single``.

The layout ``keyed``: one Secret, with the state of each CA in the name of its entry ("CA abstraction", "Trust
Secrets"). The layout ``split``: the certificates of all CAs in one Secret, their states in another ("Decouple CA
certificate management from end-entity certificate management", "New trust-state Kubernetes Secret", "New trusted-certs
Kubernetes Secret").

Both published drafts have a single word for a CA that some pods use and a CA that all use, so the usage stands beside
it as ``<fingerprint>.usage``, ``ANY`` or ``ALL``. Both have a word for a CA outside the trust that some process still
trusts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ..._trust.model.ledger import Layout, Ledger, TrustState
from .. import names
from ..names import ClusterNames
from ..secret_data import annotation, entries
from .entries import OWN_SUFFIXES, Entries, Marks, decode_ledger, encode_ledger, encode_marks, marks_of

_FINGERPRINT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Part:
    """A Secret with a ledger, or with a part of it."""

    #: The name of the Secret.
    name: str
    #: The content of all its wanted entries of the ledger.
    entries: Mapping[str, bytes]
    #: Annotations to set; the value None removes an annotation.
    annotations: Mapping[str, str | None]
    #: The endings of our entries behind a fingerprint.
    own_suffixes: frozenset[str]
    #: The type of the Secret.
    type: str = "Opaque"

    def superfluous(self, stored: Mapping[str, Any]) -> tuple[str, ...]:
        """Entries of ours that this part of the ledger does not have."""
        return tuple(key for key in entries(stored) if key not in self.entries and self._is_own(key))

    def _is_own(self, key: str) -> bool:
        return bool(_FINGERPRINT.match(key)) and key[40:] in self.own_suffixes


ZOMBIE = "ZOMBIE"
USAGE = ".usage"
_IN_USE = "TRUSTED_IN_USE_"
_OURS = frozenset(state.value.encode() for state in TrustState if state.value.startswith(_IN_USE))


def worded(fingerprint: str, state: bytes, in_use: str) -> tuple[str, dict[str, bytes]]:
    """The draft's word for a state, and the entry for the facts without a word in the draft. Its word for a CA in use
    is ``in_use``.
    """
    text = state.decode("ascii")
    if not text.startswith(_IN_USE):
        return text, {}
    return in_use, {f"{fingerprint}{USAGE}": text.removeprefix(_IN_USE).encode("ascii")}


def state_of_word(fingerprint: str, word: bytes, stored: Mapping[str, bytes], in_use: str) -> bytes:
    """The state of the draft's word; another text if the word has none. Without a usage, as another program would leave
    it, some pods use the CA: evidence says whether all do.
    """
    if word.strip() == in_use.encode("ascii"):
        return _IN_USE.encode("ascii") + stored.get(f"{fingerprint}{USAGE}", b"ANY").strip()
    return b"another draft's " + word.strip() if word.strip() in _OURS else word


_KEYED_IN_USE = "TRUSTED_USED"
_WORDS = ("UNTRUSTED", "TRUSTED_UNUSED", _KEYED_IN_USE, "PHASE_OUT", ZOMBIE)
_OWN = frozenset({*OWN_SUFFIXES, USAGE, *(f".{word}" for word in _WORDS)})


def is_entry_of_ledger(name: str) -> bool:
    """Whether a ledger, in any layout, has entries of such a name."""
    return bool(_FINGERPRINT.fullmatch(name)) or name[name.rfind(".") :] in _OWN


_STATE_IN_KEY = re.compile(r"([0-9a-f]{40})\.([A-Z_]+)")


def lay_out_keyed(data: Mapping[str, bytes], marks: Marks, scope: ClusterNames) -> tuple[Part, ...]:
    laid: dict[str, bytes] = {}
    for key, value in data.items():
        fingerprint, _dot, suffix = key.rpartition(".")
        if suffix == "state":
            word, usage = worded(fingerprint, value, _KEYED_IN_USE)
            laid |= {f"{fingerprint}.{word}": data[f"{fingerprint}.crt"], **usage}
        elif suffix == "removed":
            laid[f"{fingerprint}.{ZOMBIE}"] = value
        elif suffix != "crt":
            laid[key] = value
    annotations = {names.LAYOUT: Layout.KEYED.value, **marks}
    return (Part(scope.trust_secret, laid, annotations, _OWN, "strimzi.io/trust"),)


def read_keyed(secret: Mapping[str, Any]) -> Ledger:
    stored, problems = entries(secret), []
    data = {key: value for key, value in stored.items() if not _STATE_IN_KEY.fullmatch(key) and not key.endswith(USAGE)}
    called: dict[str, str] = {}
    for key, fingerprint, word in _states(stored):
        certificate, state = f"{fingerprint}.{'removed' if word == ZOMBIE else 'crt'}", f"{fingerprint}.state"
        if certificate in called:
            problems.append(f"{called[certificate]} and {key} give one CA two states.")
        data[certificate], called[certificate] = stored[key], key
        if word != ZOMBIE:
            data[state], called[state] = state_of_word(fingerprint, word.encode("ascii"), stored, _KEYED_IN_USE), key
    ledger = decode_ledger(Entries(data, called), marks_of(secret))
    return replace(ledger, layout=Layout.KEYED, problems=(*ledger.problems, *problems))


def _states(stored: Mapping[str, bytes]) -> list[tuple[str, str, str]]:
    """Key, fingerprint and word of each entry with a CA."""
    matches = (_STATE_IN_KEY.fullmatch(key) for key in sorted(stored))
    return [(match.group(), match.group(1), match.group(2)) for match in matches if match]


_SPLIT_IN_USE = "TRUSTED_IN_USE"


def lay_out_split(data: Mapping[str, bytes], marks: Marks, scope: ClusterNames) -> tuple[Part, ...]:
    certificates: dict[str, bytes] = {}
    states: dict[str, bytes] = {}
    for key, value in data.items():
        fingerprint, _dot, suffix = key.rpartition(".")
        if suffix == "crt":
            certificates[key] = value
        elif suffix == "state":
            word, usage = worded(fingerprint, value, _SPLIT_IN_USE)
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


def read_split(certificates: Mapping[str, Any], states: Mapping[str, Any]) -> Ledger:
    """The ledger in the layout ``split``. If a certificate has no state, it is left from a write that was cut short: it
    counts for nothing.
    """
    stored, problems = entries(states), []
    data = {key: value for key, value in stored.items() if "." in key and not key.endswith(USAGE)}
    called = {}
    for fingerprint in filter(_FINGERPRINT.fullmatch, stored):
        word = stored[fingerprint]
        if word.strip() != ZOMBIE.encode("ascii"):
            data[f"{fingerprint}.state"] = state_of_word(fingerprint, word, stored, _SPLIT_IN_USE)
            called[f"{fingerprint}.state"] = fingerprint
        elif f"{fingerprint}.removed" not in stored:
            problems.append(f"{fingerprint} is {ZOMBIE}, and its certificate, {fingerprint}.removed, is missing.")
    chains = {key.removesuffix(".crt"): value for key, value in entries(certificates).items() if key.endswith(".crt")}
    data |= {f"{fingerprint}.crt": value for fingerprint, value in chains.items() if f"{fingerprint}.state" in data}
    ledger = decode_ledger(Entries(data, called), marks_of(states))
    return replace(ledger, layout=Layout.SPLIT, problems=(*ledger.problems, *problems))


Secrets: TypeAlias = Mapping[str, Mapping[str, Any]]


def lay_out(ledger: Ledger, scope: ClusterNames) -> tuple[Part, ...]:
    """The Secrets of this ledger. The last Secret marks them as the ledger."""
    return _LAYOUTS[ledger.layout](encode_ledger(ledger), encode_marks(ledger), scope)


def read_ledger(secrets: Secrets, scope: ClusterNames) -> Ledger | None:
    """The ledger in whichever layout it is; None if there is none."""
    ledger = _find_ledger(secrets, scope)
    if ledger is None or ledger.problems:
        return ledger
    parts = {part.name: part for part in lay_out(ledger, scope)}
    stored = ledger_parts(secrets, scope)
    untidy = any(name not in parts or parts[name].superfluous(secrets[name]) for name in stored)
    return replace(ledger, has_leftovers=untidy)


def ledger_parts(secrets: Secrets, scope: ClusterNames) -> tuple[str, ...]:
    """Names of the Secrets of a ledger, or of a part of it. Another tool with a draft's layout may have a Secret of
    this name: it is ours only with our annotation.
    """
    shared = scope.trusted_certificates_secret
    return tuple(
        name for name in scope.ledger_secrets
        if name in secrets and (name == shared or annotation(secrets[name], names.LAYOUT))
    )  # fmt: skip


def _find_ledger(secrets: Secrets, scope: ClusterNames) -> Ledger | None:
    """The ledger. If there are several, it is the ledger that begins with the common Secret of ``single`` and
    ``split``. A change of the layout writes or deletes this Secret after all other writes, and before all other
    deletions.
    """
    stored = ledger_parts(secrets, scope)
    certificates, states = scope.trusted_certificates_secret, scope.trust_state_secret
    if certificates not in stored:
        if scope.trust_secret in stored:
            return read_keyed(secrets[scope.trust_secret])
        return _half_ledger(certificates) if states in stored else None
    mark = annotation(secrets[certificates], names.LAYOUT)
    if mark is None:
        return _read_single(secrets[certificates])
    if mark != Layout.SPLIT.value:
        return Ledger(problems=(f"its annotation {names.LAYOUT} is {mark!r}, which is no layout of this Secret.",))
    return read_split(secrets[certificates], secrets[states]) if states in stored else _half_ledger(states)


def _half_ledger(missing: str) -> Ledger:
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
    Layout.SPLIT: lay_out_split,
    Layout.KEYED: lay_out_keyed,
}
