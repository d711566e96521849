# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo says who keeps the CA's key without showing the key."""

from __future__ import annotations

import pytest

from ..support.authorities import root
from .keys import Keeper, who_keeps

AUTHORITY, ANOTHER = root(), root()
KEY, FOREIGN = (authority.keys[0].reveal() for authority in (AUTHORITY, ANOTHER))


@pytest.mark.parametrize(
    ("content", "said"),
    [(KEY, "the CA's key"), (FOREIGN, "another key"), (b"It is with an issuer.\n", "no key: It is with an issuer.")],
)
def test_kinds_of_keys_that_a_keeper_has(content: bytes, said: str) -> None:
    shown = who_keeps(Keeper(AUTHORITY.pem, {"here": content}))
    assert shown.splitlines()[-1].split(maxsplit=1) == ["here", said]
    assert "PRIVATE" not in shown


@pytest.mark.parametrize(("left", "said"), [((), "none"), (("a", "b"), "a, b")])
def test_requests_that_are_left(left: tuple[str, ...], said: str) -> None:
    shown = who_keeps(Keeper(AUTHORITY.pem, {"here": KEY}, left))
    assert shown.endswith(f"\n\nRequests for certificates that are left: {said}.")
