# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The text that stands in the place of a private key that is kept elsewhere.

It names the key, so that it can be told which CA it stands for. The operator takes any text, as long as it has nothing to
sign (docs/operator.md, "Tried by hand", 5 and 6).
"""

from __future__ import annotations

import re

_TEXT = "The private key with the public key SHA-256 {} is kept elsewhere."
_PATTERN = re.compile(re.escape(_TEXT).replace(r"\{\}", "([0-9a-f]{64})").encode("ascii"))


def placeholder(public_key_sha256: str) -> str:
    """public_key_sha256: of the SubjectPublicKeyInfo, lower-case hex."""
    return _TEXT.format(public_key_sha256)


def named_key(content: bytes) -> str | None:
    """SHA-256 of the public key that such a text names; None for any other content."""
    match = _PATTERN.fullmatch(content.strip())
    return match.group(1).decode("ascii") if match else None
