# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Distinguished names as the laxest verifier compares them."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from cryptography.x509 import Name

FoldedName: TypeAlias = tuple[tuple[tuple[str, str], ...], ...]


def folded(name: Name) -> FoldedName:
    """The same for all names that some verifier takes for one: JVMs and OpenSSL mind neither case nor spaces nor types of
    strings, each within limits of its own, and Go compares bytes (docs/operator.md, "Names of CAs").

    Where two names could be confused, this tells them to be the same. It never makes a certificate the issuer of another.
    """
    return tuple(
        tuple(sorted((attribute.oid.dotted_string, _folded_text(attribute.value)) for attribute in part))
        for part in name.rdns
    )


def _folded_text(value: str | bytes) -> str:
    text = value if isinstance(value, str) else value.hex()
    return unicodedata.normalize("NFKD", " ".join(text.split()).casefold())
