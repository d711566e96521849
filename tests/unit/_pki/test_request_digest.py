# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A request that is made again is known by what it asks for."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RequestError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request, request_digest

from ...support.certificates import key

SUBJECT, NAMES = DistinguishedName("demo-kafka"), frozenset({"demo-kafka-0.example", "192.0.2.4"})


def test_signed_again_it_is_the_same_request() -> None:
    """ECDSA signs differently each time."""
    first, again = (build_request(SUBJECT, NAMES, key(1)) for _time in range(2))
    assert first != again
    assert request_digest(first) == request_digest(again)


@pytest.mark.parametrize(
    "other",
    [
        build_request(SUBJECT, NAMES, key(2)),
        build_request(SUBJECT, NAMES | {"more.example"}, key(1)),
        build_request(DistinguishedName("other"), NAMES, key(1)),
    ],
    ids=["key", "names", "subject"],
)
def test_what_asks_for_something_else_is_another_one(other: bytes) -> None:
    assert request_digest(other) != request_digest(build_request(SUBJECT, NAMES, key(1)))


@pytest.mark.parametrize(
    "content", [b"", b"x", b"-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"]
)
def test_what_is_no_request_has_no_digest(content: bytes) -> None:
    with pytest.raises(RequestError):
        request_digest(content)
