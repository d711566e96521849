# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The choice of the private key for the next certificate of an end entity (Improved and extensible Certificate controller, "keymanager").

The next key lies in a place of its own until it is used, and serves every request until then: only a key with a
certificate in use is worn out.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from enum import Enum

from .._pki.keys import KeySpec


class RotationPolicy(str, Enum):
    """ALWAYS: every certificate gets a key of its own. NEVER: keys are not made anew; that of the present certificate is kept."""

    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class KnownKey:
    """A private key, as far as it may be known. public: SHA-256 of its public half."""

    public: str
    spec: KeySpec


@dataclass(frozen=True)
class Keys:
    """The keys of one end entity.

    following: the next one; None where there is none, or it cannot be read. present: that of the certificate in use, likewise. problem: why it
    cannot be used, as a part of a sentence; empty where it can, and where there is none. used: the public halves of keys that
    certificates in use have.
    """

    following: KnownKey | None
    present: KnownKey | None
    problem: str = ""
    used: Set[str] = frozenset()


class Take(Enum):
    """FOLLOWING: the next key that is stored. PRESENT: that of the certificate in use. NEW: a new one. NONE: no key can be used."""

    FOLLOWING = "following"
    PRESENT = "present"
    NEW = "new"
    NONE = "none"


@dataclass(frozen=True)
class Choice:
    """why: what keeps a key from being taken, as a part of a sentence; empty but for NONE."""

    take: Take
    why: str = ""


def choose(keys: Keys, wanted: KeySpec, policy: RotationPolicy) -> Choice:
    """wanted: of a new key. Under NEVER the size and the kind are those that the user has given it."""
    if policy is RotationPolicy.NEVER:
        if keys.problem:
            return Choice(Take.NONE, keys.problem)
        if keys.present is not None:
            return Choice(Take.PRESENT)
        # There is no key to be kept; the next key must not change while a request for it is open.
        return Choice(Take.NEW if keys.following is None else Take.FOLLOWING)
    following = keys.following
    if following is None or following.spec != wanted or following.public in keys.used:
        return Choice(Take.NEW)
    return Choice(Take.FOLLOWING)
