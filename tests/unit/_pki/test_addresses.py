# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and addresses are told apart as the library does, only sooner."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.names import address_of


@given(st.one_of(st.ip_addresses().map(str), st.text("0123456789abcdefx.:%/- ٣²", max_size=20), st.text(max_size=8)))
def test_what_the_library_reads_as_an_address_is_one(name: str) -> None:
    try:
        wanted = ipaddress.ip_address(name)
    except ValueError:
        wanted = None
    assert address_of(name) == wanted


@pytest.mark.parametrize("name", ["2001:db8::a", "::ffff:1.2.3.4", "fe80::1%eth0", "::"])
def test_addresses_that_do_not_end_in_a_digit(name: str) -> None:
    assert address_of(name) == ipaddress.ip_address(name)
