# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of TLS 1.2 in the clear: what it finds, and that whatever comes it raises nothing but its own error."""

from __future__ import annotations

import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import MalformedHandshake
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.handshake import (
    MAXIMUM_FLIGHT,
    Flight,
    read_flight,
)

HELLO, CERTIFICATE, REQUEST, DONE = 2, 11, 13, 14


def vector(size: int, content: bytes) -> bytes:
    return len(content).to_bytes(size, "big") + content


def message(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + vector(3, body)


def record(content: bytes, kind: int = 22) -> bytes:
    return bytes([kind]) + b"\x03\x03" + vector(2, content)


def certificates(*chain: bytes) -> bytes:
    return message(CERTIFICATE, vector(3, b"".join(vector(3, one) for one in chain)))


def request(*names: bytes, types: bytes = b"\x01\x40", algorithms: bytes = b"\x04\x03") -> bytes:
    listed = vector(2, b"".join(vector(2, name) for name in names))
    return message(REQUEST, vector(1, types) + vector(2, algorithms) + listed)


WHOLE = message(HELLO, bytes(40)) + certificates(b"leaf", b"ca") + request(b"one", b"two") + message(DONE, b"")
CHANGE = record(b"\x01", 20)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 64, 16384])
def test_messages_are_put_together_however_they_are_cut_into_records(size: int) -> None:
    data = b"".join(record(WHOLE[at : at + size]) for at in range(0, len(WHOLE), size))
    assert read_flight(data) == Flight((b"leaf", b"ca"), (b"one", b"two"))


def test_nothing_behind_the_change_to_encryption_is_read() -> None:
    encrypted = record(request(b"forged"))
    assert read_flight(record(certificates(b"leaf")) + CHANGE + encrypted) == Flight((b"leaf",), None)
    assert read_flight(record(certificates(b"leaf")) + CHANGE + b"\xff" * 50) == Flight((b"leaf",), None)


def test_alerts_between_are_no_matter() -> None:
    whole, warning = certificates(b"leaf"), record(b"\x01\x5a", 21)
    assert read_flight(record(whole[:5]) + warning + record(whole[5:]) + warning).certificates == (b"leaf",)


def test_what_was_cut_off_is_not_there() -> None:
    whole = record(certificates(b"leaf") + request(b"one"))
    found = {read_flight(whole[:size]) for size in range(len(whole))}
    assert found == {Flight()}
    parts = record(certificates(b"leaf")) + record(request(b"one"))
    assert read_flight(parts[:-1]) == Flight((b"leaf",), None)
    assert read_flight(record(certificates(b"leaf") + request(b"one")[:-1])) == Flight((b"leaf",), None)


def test_not_asked_and_asked_without_names_are_two_things() -> None:
    assert read_flight(record(message(DONE, b""))).authorities is None
    assert read_flight(record(request())).authorities == ()
    assert read_flight(record(certificates())).certificates == ()


@pytest.mark.parametrize(
    "data",
    [
        record(b"x", 23),
        record(b"x", 99),
        b"HTTP/1.1 400 Bad Request",
        b"\x16\x02\x00\x00\x01x",
        b"\x16\x03\x03\x40\x01" + bytes(16385),
        record(message(REQUEST, b"")),
        record(message(REQUEST, vector(1, b"\x40") + vector(2, b"\x04\x03") + b"\x00\x05abc")),
        record(message(REQUEST, vector(1, b"\x40") + vector(2, b"\x04\x03") + vector(2, b"\x00\x05abc"))),
        record(message(REQUEST, vector(1, b"\x40") + vector(2, b"") + vector(2, b"") + b"more")),
        record(request(b"")),
        record(certificates(b"")),
        record(message(CERTIFICATE, vector(3, b"\x00\x00\x09abc"))),
        record(message(CERTIFICATE, vector(3, b"") + b"more")),
        record(certificates(b"leaf") * 2),
        record(request(b"one") * 2),
        record(bytes([CERTIFICATE]) + b"\xff\xff\xff"),
        CHANGE + bytes(MAXIMUM_FLIGHT),
    ],
)
def test_what_contradicts_itself_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedHandshake):
        read_flight(data)


@given(st.binary(max_size=600))
@example(record(WHOLE))
def test_any_bytes_raise_nothing_else(data: bytes) -> None:
    _read(data)


@given(st.lists(st.tuples(st.sampled_from([0, 1, 2, 11, 13, 14, 16, 255]), st.binary(max_size=80)), max_size=6))
def test_any_messages_raise_nothing_else(messages: list[tuple[int, bytes]]) -> None:
    _read(record(b"".join(message(kind, body) for kind, body in messages)))


@given(st.integers(0, len(record(WHOLE)) - 1), st.integers(0, 255), st.integers(0, len(record(WHOLE))))
def test_a_handshake_with_a_wrong_byte_raises_nothing_else(at: int, byte: int, end: int) -> None:
    data = bytearray(record(WHOLE))
    data[at] = byte
    _read(bytes(data[:end]))


@given(
    st.lists(st.binary(min_size=1, max_size=300), max_size=5),
    st.lists(st.binary(min_size=1, max_size=300), max_size=5),
    st.integers(1, 4000),
)
def test_what_is_written_is_read(chain: list[bytes], names: list[bytes], size: int) -> None:
    data = certificates(*chain) + request(*names)
    cut = b"".join(record(data[at : at + size]) for at in range(0, len(data), size))
    assert read_flight(cut) == Flight(tuple(chain), tuple(names))


def _read(data: bytes) -> None:
    """Everything that the reader finds is part of the bytes that it was given."""
    try:
        found = read_flight(data)
    except MalformedHandshake:
        return
    for one in (*(found.certificates or ()), *(found.authorities or ())):
        assert 0 < len(one) <= len(data)


def test_the_bounds_are_those_of_the_protocol() -> None:
    largest = record(certificates(bytes(16000)) + bytes(16384 - 16010))
    assert struct.unpack("!H", largest[3:5])[0] == 16384
    assert read_flight(largest).certificates == (bytes(16000),)
