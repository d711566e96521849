# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A certificate as people's tools leave it, and whether a JVM reads it."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from .certificates import key, make

ONE, OTHER = make("One", key(1)), make("Other", key(2))
PEM, NEXT, _KEY = ONE.certificate.pem, OTHER.certificate.pem, ONE.key.reveal()
_BASE64 = base64.b64encode(ONE.certificate.der)
_BEGIN, _END = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"


@dataclass(frozen=True)
class Form:
    name: str
    content: bytes
    #: The message about it; empty where a JVM reads its certificates.
    why: str = ""

    def __str__(self) -> str:
        return self.name


def _relabelled(label: bytes) -> bytes:
    return PEM.replace(b"BEGIN CERT", b"BEGIN " + label).replace(b"END CERT", b"END " + label)


_OTHER_LINE = "something else than PEM stands in one of its lines"
_KEY_BESIDE = "a private key stands beside the certificate"
_NO_START = "it does not begin at the start of a line, as where it is indented"
#: Texts in which this collection would find the certificates.
TEXTS = (
    Form("as it is", PEM),
    Form("two", PEM + NEXT),
    Form("lines of Windows", PEM.replace(b"\n", b"\r\n")),
    Form("lines of old", PEM.replace(b"\n", b"\r")),
    Form("without an end of the line", PEM.strip()),
    Form("one line between begin and end", _BEGIN + b"\n" + _BASE64 + b"\n" + _END + b"\n"),
    Form("spaces at the end of lines", PEM.replace(b"\n", b" \n")),
    Form("attributes before it", b"Bag Attributes\n    localKeyID: 01\nsubject=CN = One\n\n" + PEM),
    Form("a comment between", PEM + b"# the next one\n" + NEXT),
    Form("blank lines", b"\n" + PEM + b"\n\n" + NEXT + b"\n"),
    Form("a label of old", _relabelled(b"X509 CERT")),
    Form("a byte order mark", b"\xef\xbb\xbf" + PEM, "it begins with a byte order mark"),
    Form("a byte order mark before two", b"\xef\xbb\xbf" + PEM + NEXT, "it begins with a byte order mark"),
    Form("quotes", b'"' + PEM.strip() + b'"', "it stands in quotes"),
    Form("quotes of a shell", b"'" + PEM.strip() + b"'", "it stands in quotes"),
    Form("indented", b"".join(b"    " + line + b"\n" for line in PEM.splitlines()), _NO_START),
    Form("a tab", b"\t" + PEM, _NO_START),
    Form("one line", _BEGIN + b" " + _BASE64 + b" " + _END, "it stands in one line"),
    Form("a key before it", _KEY + PEM, _KEY_BESIDE),
    Form("a key after it", PEM + _KEY, _KEY_BESIDE),
    Form("another one right behind", PEM.strip() + NEXT, _OTHER_LINE),
    Form("the second one indented", PEM + b" " + NEXT, _OTHER_LINE),
    Form("a quote at its end", PEM.strip() + b'"\n', _OTHER_LINE),
    Form("a rule of hyphens", b"-" * 20 + b"\n" + PEM, _OTHER_LINE),
    Form("a digit before it", b"0 certificates\n" + PEM, _OTHER_LINE),
)
#: Texts in which it finds none. A JVM reads some of them, and other programs do not.
NO_TEXTS = (
    Form("UTF-16", PEM.decode().encode("utf-16"), "it is UTF-16, and PEM is ASCII"),
    Form("UTF-16 without a mark", PEM.decode().encode("utf-16-le"), "it is UTF-16, and PEM is ASCII"),
    Form("DER", ONE.certificate.der, "it is DER"),
    Form("PKCS#7", b"-----BEGIN PKCS7-----\n" + _BASE64 + b"\n-----END PKCS7-----\n", "it is a PKCS#7 container"),
    Form(
        "a form of OpenSSL", _relabelled(b"TRUSTED CERT"),
        "it is a TRUSTED CERTIFICATE, which is a form of OpenSSL alone",
    ),
    Form("line breaks written out", PEM.replace(b"\n", b"\\n"), r"its line breaks are written as \n"),
    Form(
        "encoded twice", base64.b64encode(PEM), "it is base64 text of a PEM text, encoded once too often",
    ),
    Form(
        "encoded twice, in lines", base64.encodebytes(PEM), "it is base64 text of a PEM text, encoded once too often",
    ),
    Form("base64 alone", _BASE64, "it is base64 text without the lines BEGIN CERTIFICATE and END CERTIFICATE"),
)  # fmt: skip
