"""The certificates that ``java.security.cert.CertificateFactory`` takes from a text (OpenJDK, ``sun.security.provider.X509Factory.readOneBlock``)."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator


class NotReadable(ValueError):
    """The factory fails with what it has read so far."""


def blocks(content: bytes) -> Iterator[bytes]:
    """DER. Whatever stands at the start of a line with five hyphens is a block; anything else than a certificate in one is found later."""
    rest = content
    while rest:
        if rest.startswith(b"0"):
            raise NotReadable("taken for DER")
        begin = next((found.end() for found in re.finditer(rb"(?:\A|[\r\n])-----", rest)), None)
        if begin is None:
            return
        header, newline, rest = _line(rest[begin:])
        if not newline:
            raise NotReadable("Incomplete data")
        data, hyphen, rest = rest.partition(b"-")
        if not hyphen:
            raise NotReadable("Incomplete data")
        footer, _newline, rest = _line(rest)
        header, footer = header.rstrip(), b"-" + footer.rstrip()
        if not (header.startswith(b"BEGIN ") and header.endswith(b"-----")):
            raise NotReadable("Illegal header")
        if footer != b"-----END " + header[len(b"BEGIN ") :]:
            raise NotReadable("Header and footer do not match")
        yield base64.b64decode(re.sub(rb"[^A-Za-z0-9+/=]", b"", data))


def _line(text: bytes) -> tuple[bytes, bytes, bytes]:
    """Up to the end of the line, that end, and the rest."""
    line, newline, rest = re.fullmatch(rb"([^\r\n]*)(\r\n|\r|\n|)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    return line, newline, rest
