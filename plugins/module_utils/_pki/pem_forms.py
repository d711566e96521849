# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The name of a form other than PEM, or of a form for which a JVM is stricter than this collection.

The operator, Kafka and most clients read certificates with the class CertificateFactory of the JVM. It takes a
certificate only at the start of a line. If it meets anything else than a certificate, it gives up, and other libraries
go on.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_START = re.compile(rb"(?:\A|(?<=[\r\n]))-{5}")
_BLOCK = re.compile(rb"-----BEGIN ([^\r\n]*)-----[^\S\r\n]*[\r\n]([^-]*)-----END \1-----[^\S\r\n]*(?:\r\n|\r|\n|\Z)")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=]")
_BEFORE = re.compile(rb"([^\r\n]*)-----BEGIN (?:X509 )?CERTIFICATE-----(.?)", re.DOTALL)
#: A JVM takes a text for DER if it begins with this byte.
_SEQUENCE = b"\x30"
#: The start of each DER text of a few hundred bytes and more (ITU-T X.690, 8.1).
_DER = re.compile(rb"\x30[\x81-\x83]")
_ESCAPED = re.compile(rb"-----\\r?\\?n")


class _Unreadable(Exception):
    """A JVM reads no further here."""


def why_not_for_a_jvm(content: bytes, certificates: Sequence[bytes]) -> str:
    """Why a JVM cannot read a text with these certificates (DER), as a part of a sentence; empty if it reads all."""
    try:
        if tuple(_blocks(content)) == tuple(certificates):
            return ""
    except _Unreadable:
        pass
    if content.startswith(_BYTE_ORDER_MARK):
        return "it begins with a byte order mark"
    if b"PRIVATE KEY-----" in content:
        return "a private key stands beside the certificate"
    before, after = next(iter(_BEFORE.findall(content)), (b"", b""))
    if before.strip() in (b'"', b"'"):
        return "it stands in quotes"
    if before:
        return "it does not begin at the start of a line, as where it is indented"
    if after not in (b"\r", b"\n"):
        return "it stands in one line"
    return "something else than PEM stands in one of its lines"


def _blocks(content: bytes) -> Iterator[bytes]:
    """The certificates that a JVM takes from a text, as DER. Raises _Unreadable."""
    while begin := _START.search(content):
        block = None if content.startswith(_SEQUENCE) else _BLOCK.match(content, begin.start())
        if block is None:
            raise _Unreadable
        yield _decoded(block.group(2))
        content = content[block.end() :]


def _decoded(body: bytes) -> bytes:
    try:
        return base64.b64decode(_NOT_BASE64.sub(b"", body), validate=True)
    except ValueError:
        raise _Unreadable from None


def form_of(content: bytes) -> str:
    """The form of a text without a readable certificate, as the end of a sentence; empty if no known tool leaves this
    form.
    """
    if content.startswith(_UTF_16) or b"\x00C\x00E\x00R\x00T" in content:
        return "it is UTF-16, and PEM is ASCII"
    if _DER.match(content):
        return "it is DER"
    if b"-----BEGIN PKCS7-----" in content:
        return "it is a PKCS#7 container"
    if b"-----BEGIN TRUSTED CERTIFICATE-----" in content:
        return "it is a TRUSTED CERTIFICATE, which is a form of OpenSSL alone"
    if _ESCAPED.search(content):
        return r"its line breaks are written as \n"
    inner = _decode_base64(content)
    if b"-----BEGIN " in inner:
        return "it is base64 text of a PEM text, encoded once too often"
    if _DER.match(inner):
        return "it is base64 text without the lines BEGIN CERTIFICATE and END CERTIFICATE"
    return ""


def _decode_base64(content: bytes) -> bytes:
    try:
        return base64.b64decode(b"".join(content.split()), validate=True)
    except ValueError:
        return b""
