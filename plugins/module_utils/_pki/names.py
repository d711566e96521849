# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Distinguished names: as the laxest verifier compares them, and as issuers that write them anew spell them."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, TypeAlias

from ._cryptography import StringType, x509

if TYPE_CHECKING:
    from cryptography.x509 import Name, NameAttribute

#: The characters that Go permits in a PrintableString: those of X.680 section 41.4.
_PRINTABLE = re.compile(r"[A-Za-z0-9 '()+,\-./:=?]*")

FoldedName: TypeAlias = tuple[tuple[tuple[str, str], ...], ...]


def fold_name(name: Name) -> FoldedName:
    """A form that is the same for all names that some verifier takes for one: JVMs and OpenSSL mind neither case nor spaces nor types of
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


def rewritten(name: Name) -> Name:
    """The same name as issuers that are written in Go encode it, whatever its strings were before: each part by itself, as
    PrintableString where that can hold it, else as UTF8String (docs/operator.md, "Names of CAs").
    """
    return x509.Name([_rewritten(attribute) for attribute in name])


def _rewritten(attribute: NameAttribute[str | bytes]) -> NameAttribute[str | bytes]:
    value = attribute.value
    if isinstance(value, bytes):
        return attribute
    kind = StringType.PrintableString if _PRINTABLE.fullmatch(value) else StringType.UTF8String
    return x509.NameAttribute(attribute.oid, value, _type=kind)
