# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A listener of TLS 1.2 that shows the certificates of another server, which are public, and has no key."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate

_HELLO, _CERTIFICATE, _KEY_EXCHANGE, _REQUEST, _DONE = 2, 11, 12, 13, 14
_HANDSHAKE, _ALERT = 22, 21


class Impostor:
    """Sends a whole first flight at once; an answer to it is refused with unknown_ca. As a byte stream.

    chain: of an ECDSA leaf. names: the CAs that it asks certificates of. signed: whether it pretends to have signed
    its part of the key exchange.
    """

    def __init__(self, chain: Sequence[Certificate], names: Sequence[Certificate] = (), *, signed: bool = True) -> None:
        self._answers = [_flight(chain, names, signed), _record(b"\x02\x30", _ALERT)]

    def send(self, data: bytes, timeout: float) -> None:
        """Takes no notice of anything that comes."""

    def recv(self, timeout: float) -> bytes:
        return self._answers.pop(0) if self._answers else b""


def _flight(chain: Sequence[Certificate], names: Sequence[Certificate], signed: bool) -> bytes:
    secure_renegotiation, uncompressed = bytes.fromhex("ff01000100"), bytes.fromhex("000b00020100")
    suite = bytes.fromhex("c02b")  # TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
    hello = b"\x03\x03" + os.urandom(32) + b"\x00" + suite + b"\x00" + _vector(2, secure_renegotiation + uncompressed)
    certificates = _vector(3, b"".join(_vector(3, certificate.der) for certificate in chain))
    listed = _vector(2, b"".join(_vector(2, name.subject_der) for name in names))
    request = _vector(1, b"\x01\x40") + _vector(2, bytes.fromhex("04030804")) + listed
    messages = [_message(_HELLO, hello), _message(_CERTIFICATE, certificates)]
    if signed:
        messages.append(_message(_KEY_EXCHANGE, _forged_key_exchange()))
    return _record(b"".join([*messages, _message(_REQUEST, request), _message(_DONE, b"")]), _HANDSHAKE)


def _forged_key_exchange() -> bytes:
    point = bytes.fromhex(  # the generator of P-256: a valid key share whose secret is 1
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    )
    return b"\x03\x00\x17" + _vector(1, point) + bytes.fromhex("0403") + _vector(2, os.urandom(70))


def _vector(size: int, content: bytes) -> bytes:
    return len(content).to_bytes(size, "big") + content


def _message(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + _vector(3, body)


def _record(content: bytes, kind: int) -> bytes:
    return bytes([kind]) + b"\x03\x03" + _vector(2, content)
