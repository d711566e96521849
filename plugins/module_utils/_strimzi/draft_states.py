# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The words of two published drafts for the states of a CA, and back.

Both have one word for a CA that some pods use and for one that all use, so the usage is kept beside it as
``<fingerprint>.usage``, ``ANY`` or ``ALL``. Both have a word for a CA that left the trust and that some process still trusts.
"""

from __future__ import annotations

from collections.abc import Mapping

from .._trust.model.states import TrustState

ZOMBIE = "ZOMBIE"
USAGE = ".usage"
_IN_USE = "TRUSTED_IN_USE_"
_OURS = frozenset(state.value.encode() for state in TrustState if state.value.startswith(_IN_USE))


def worded(fingerprint: str, state: bytes, in_use: str) -> tuple[str, dict[str, bytes]]:
    """The draft's word for a state, and the entry for what the draft has no word for. in_use: its word for a CA that is used."""
    text = state.decode("ascii")
    if not text.startswith(_IN_USE):
        return text, {}
    return in_use, {f"{fingerprint}{USAGE}": text.removeprefix(_IN_USE).encode("ascii")}


def state_of_word(fingerprint: str, word: bytes, stored: Mapping[str, bytes], in_use: str) -> bytes:
    """The state that the draft's word stands for; another text where it stands for none. Without a usage, as another program
    would leave it, some pods use the CA: evidence says whether all do.
    """
    if word.strip() == in_use.encode("ascii"):
        return _IN_USE.encode("ascii") + stored.get(f"{fingerprint}{USAGE}", b"ANY").strip()
    return b"another draft's " + word.strip() if word.strip() in _OURS else word
