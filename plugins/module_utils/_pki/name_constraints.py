# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Name constraints of a CA (RFC 5280 section 4.2.1.10), as far as all verifiers read them in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from typing import TYPE_CHECKING, TypeAlias

from ._cryptography import x509
from .addresses import Address, address_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cryptography.x509 import GeneralName

Network: TypeAlias = "IPv4Network | IPv6Network"


@dataclass(frozen=True)
class Subtrees:
    """names: DNS names in lower case, with what lies below them, or with a leading dot for what lies below them only."""

    names: tuple[str, ...] = ()
    networks: tuple[Network, ...] = ()


@dataclass(frozen=True)
class NameConstraints:
    """Of DNS names and IP addresses. Where a name could be taken in two ways, the stricter one counts."""

    permitted: Subtrees
    excluded: Subtrees

    def admits(self, name: str) -> bool:
        """Whether a certificate below may hold this DNS name or IP address."""
        address = address_of(name)
        return self._admits_name(name.lower()) if address is None else self._admits_address(address)

    def _admits_address(self, address: Address) -> bool:
        """Both families are one kind of name: where only networks of one are permitted, no address of the other is. A JVM
        takes all of one family for the other one too, or stumbles over it.
        """
        permitted, excluded = self.permitted.networks, self.excluded.networks
        if any(address in one for one in excluded) or any(_confuses(one, address) for one in (*permitted, *excluded)):
            return False
        return not permitted or any(address in one for one in permitted)

    def _admits_name(self, name: str) -> bool:
        if not (self.permitted.names or self.excluded.names):
            return True
        # A wildcard stands for every name below, one of which may be excluded.
        plain = name[2:] if name.startswith("*.") else name
        if not plain.strip(".") or plain.startswith(".") or plain.endswith(".") or "*" in plain:
            return False
        if any(_within(plain, one.lstrip(".")) for one in self.excluded.names):
            return False
        if plain != name and any(_within(one.lstrip("."), plain) for one in self.excluded.names):
            return False
        return not self.permitted.names or any(_within(plain, one) for one in self.permitted.names)


def _within(name: str, subtree: str) -> bool:
    """Whole labels count: "a.svc" is within "svc", and "asvc" is not."""
    return name == subtree or name.endswith(subtree if subtree.startswith(".") else f".{subtree}")


def _confuses(network: Network, address: Address) -> bool:
    return network.prefixlen == 0 and network.version != address.version


def read(extension: x509.NameConstraints, certificate: bytes) -> NameConstraints | None:
    """The constraints; None where verifiers take them in different ways, or not at all. certificate: its DER form.

    Go refuses a critical extension with names of directories in it, and JVMs stumble over an empty DNS name. The library
    leaves bounds of subtrees out, which verifiers refuse: then its bytes are not those of the certificate.
    """
    if extension.public_bytes() not in certificate:
        return None
    permitted, excluded = (_subtrees(one or ()) for one in (extension.permitted_subtrees, extension.excluded_subtrees))
    return None if permitted is None or excluded is None else NameConstraints(permitted, excluded)


def _subtrees(found: Iterable[GeneralName]) -> Subtrees | None:
    names, networks = [], []
    for one in found:
        if isinstance(one, x509.DNSName) and one.value.strip(".") and not one.value.endswith("."):
            names.append(one.value.lower())
        elif isinstance(one, x509.IPAddress) and isinstance(one.value, (IPv4Network, IPv6Network)):
            networks.append(one.value)
        else:
            return None
    return Subtrees(tuple(names), tuple(networks))
