# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The IP addresses among alternative names."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address


def address_of(name: str) -> Address | None:
    """The address that this is the text of; None for every other name."""
    # Nearly all names are host names, and to find that out by an error takes ten times as long.
    if not (name[-1:].isdigit() or ":" in name):
        return None
    try:
        return ip_address(name)
    except ValueError:
        return None


def hosts_and_addresses(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Host names, then IP addresses, each in order."""
    ordered = sorted(names)
    return [one for one in ordered if not address_of(one)], [one for one in ordered if address_of(one)]
