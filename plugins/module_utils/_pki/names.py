# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Names in certificates: distinguished names, as the laxest verifier compares them and as rewriting issuers spell them;
IP addresses among alternative names; and name constraints of a CA (RFC 5280 section 4.2.1.10), as far as all verifiers
read them in the same way.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, TypeAlias

from ._cryptography import NameOID, StringType, x509

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography.x509 import GeneralName, Name, NameAttribute


#: The characters that Go permits in a PrintableString: the set of X.680 section 41.4.
_PRINTABLE = re.compile(r"[A-Za-z0-9 '()+,\-./:=?]*")

FoldedName: TypeAlias = tuple[tuple[tuple[str, str], ...], ...]


def fold_name(name: Name) -> FoldedName:
    """A form of a name for comparisons. If some verifier considers two names equal, their forms are the same. JVMs and
    OpenSSL mind neither case nor spaces nor types of strings, each within limits of its own. Go compares bytes
    (docs/operator.md, "Names of CAs").

    No certificate becomes the issuer of another by this form.
    """
    return tuple(
        tuple(sorted((attribute.oid.dotted_string, _folded_text(attribute.value)) for attribute in part))
        for part in name.rdns
    )


def _folded_text(value: str | bytes) -> str:
    text = value if isinstance(value, str) else value.hex()
    return unicodedata.normalize("NFKD", " ".join(text.split()).casefold())


def rewritten(name: Name) -> Name:
    """The same name as issuers written in Go encode it, whatever its strings were before. Each part is encoded by
    itself, as PrintableString if that can contain it, else as UTF8String (docs/operator.md, "Names of CAs").
    """
    return x509.Name([_rewritten(attribute) for attribute in name])


def _rewritten(attribute: NameAttribute[str | bytes]) -> NameAttribute[str | bytes]:
    value = attribute.value
    if isinstance(value, bytes):
        return attribute
    kind = StringType.PrintableString if _PRINTABLE.fullmatch(value) else StringType.UTF8String
    return x509.NameAttribute(attribute.oid, value, _type=kind)


Address: TypeAlias = IPv4Address | IPv6Address


def address_of(name: str) -> Address | None:
    """The IP address of this text; None for every other name."""
    # Nearly all names are host names. It takes ten times as long to find that out by an error.
    if not (name[-1:].isdigit() or ":" in name):
        return None
    try:
        return ip_address(name)
    except ValueError:
        return None


def hosts_and_addresses(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Host names, then IP addresses, each in order."""
    ordered = sorted(names)
    return [name for name in ordered if not address_of(name)], [name for name in ordered if address_of(name)]


Network: TypeAlias = "IPv4Network | IPv6Network"
#: A DNS name is text, also if the text reads as an address.
Comparable: TypeAlias = "str | Address"

#: The form in which JVMs or OpenSSL take a common name for a DNS name.
_HOST = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#@:]+)(?::[0-9]+)?(?:[/?#].*)?")
_MAILBOX = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@([^@]+)")
_LONGEST_IPV4 = len("255.255.255.255")


@dataclass(frozen=True)
class Names:
    """The names of a certificate that the constraints of its issuers may refuse."""

    #: Its alternative DNS names and IP addresses.
    alternative: frozenset[Comparable]
    #: Alternative names that Go can compare with no constraint: it refuses them below every CA with constraints, of
    #: whatever kind.
    unmatched: frozenset[str]
    #: The common names that OpenSSL takes for DNS names if the certificate is a leaf.
    to_openssl: frozenset[Comparable]
    #: The common names that a JVM takes for DNS names or addresses.
    to_jvm: frozenset[Comparable]
    #: The number of parts of the subject and of alternative names: OpenSSL compares each with each constraint.
    count: int


@dataclass(frozen=True)
class Subtrees:
    """The permitted or excluded subtrees of name constraints (RFC 5280, 4.2.1.10)."""

    #: DNS names in lower case, with the names below them. A leading dot leaves the name itself out.
    names: tuple[str, ...] = ()
    #: Networks with all of their addresses.
    networks: tuple[Network, ...] = ()


@dataclass(frozen=True)
class NameConstraints:
    """Constraints on DNS names and IP addresses. If a name could be taken in two ways, the stricter way counts."""

    #: The only subtrees that a name may be in. If none is of its kind, every name of this kind is permitted.
    permitted: Subtrees
    #: The subtrees that no name may be in, also if they lie within a permitted subtree.
    excluded: Subtrees

    @property
    def count(self) -> int:
        return sum(len(names.names) + len(names.networks) for names in (self.permitted, self.excluded))

    def admits(self, name: Comparable) -> bool:
        """Whether a certificate below may contain this DNS name or IP address. If a DNS name is not the name of a host,
        Go refuses it, whatever the constraints are about.
        """
        if isinstance(name, str):
            return _is_plain(name) and self._admits_name(name.lower())
        return self._admits_address(name)

    def _admits_address(self, address: Address) -> bool:
        """Whether the constraints permit this address. Both families are a single kind of name: if only networks of one
        family are permitted, no address of the other family is. A JVM applies all constraints of one family to the
        other too, or stumbles over them.
        """
        permitted, excluded = self.permitted.networks, self.excluded.networks
        if any(address in network for network in excluded) or any(
            _confuses(network, address) for network in (*permitted, *excluded)
        ):
            return False
        return not permitted or any(address in network for network in permitted)

    def _admits_name(self, name: str) -> bool:
        if not (self.permitted.names or self.excluded.names):
            return True
        # A wildcard stands for every name below, and some of these may be excluded.
        plain = name[2:] if name.startswith("*.") else name
        if "*" in plain:
            return False
        if any(_is_within(plain, excluded.lstrip(".")) for excluded in self.excluded.names):
            return False
        if plain != name and any(_is_within(excluded.lstrip("."), plain) for excluded in self.excluded.names):
            return False
        return not self.permitted.names or any(_is_within(plain, permitted) for permitted in self.permitted.names)


def _is_within(name: str, subtree: str) -> bool:
    """Whether a name is in a subtree. Whole labels count: "a.svc" is within "svc", and "asvc" is not."""
    return name == subtree or name.endswith(subtree if subtree.startswith(".") else f".{subtree}")


def _is_plain(name: str) -> bool:
    """Whether Go takes it for the name of a host: visible ASCII characters, and no empty label."""
    return all(name.split(".")) and all("!" <= character <= "~" for character in name)


def _confuses(network: Network, address: Address) -> bool:
    return network.prefixlen == 0 and network.version != address.version


def read(extension: x509.NameConstraints, certificate: bytes) -> NameConstraints | None:
    """The constraints in the extension of a certificate in DER form; None if verifiers take them in different ways, or
    not at all.

    Go refuses a critical extension with names of directories in it. JVMs stumble over an empty DNS name. Verifiers
    refuse bounds of subtrees, and the library leaves them out: then it encodes to other bytes than the certificate has.
    """
    if extension.public_bytes() not in certificate:
        return None
    permitted, excluded = (
        _subtrees(subtrees or ()) for subtrees in (extension.permitted_subtrees, extension.excluded_subtrees)
    )
    return None if permitted is None or excluded is None else NameConstraints(permitted, excluded)


def _subtrees(general_names: Iterable[GeneralName]) -> Subtrees | None:
    names, networks = [], []
    for name in general_names:
        if isinstance(name, x509.DNSName) and name.value.strip(".") and not name.value.endswith("."):
            names.append(name.value.lower())
        elif isinstance(name, x509.IPAddress) and isinstance(name.value, (IPv4Network, IPv6Network)):
            networks.append(name.value)
        else:
            return None
    return Subtrees(tuple(names), tuple(networks))


def names_of(subject: Name, alternative: Sequence[GeneralName]) -> Names:
    """The names of a certificate. If it has no alternative DNS name, JVMs and OpenSSL take a fitting common name for a
    DNS name. If it has no alternative IP address, a JVM takes a common name in the form of an address for an address.
    """
    unmatched = [name for name in alternative if not _is_matched(name)]
    dns: set[Comparable] = {name.value for name in alternative if isinstance(name, x509.DNSName)}
    ips: set[Comparable] = {
        name.value
        for name in alternative
        if isinstance(name, x509.IPAddress) and isinstance(name.value, (IPv4Address, IPv6Address))
    }
    common = [str(attribute.value) for attribute in subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    hosts = [] if dns else [name for name in common if _HOST.fullmatch(name)]
    addresses = {name: address for name in common if (address := _literal(name)) is not None}
    to_jvm: set[Comparable] = {host for host in hosts if host not in addresses}
    if not ips:
        to_jvm.update(address for text, address in addresses.items() if not text.isdecimal())
    return Names(
        frozenset(dns | ips), frozenset(str(name.value) for name in unmatched),
        frozenset(host for host in hosts if "." in host), frozenset(to_jvm),
        len(list(subject)) + len(alternative),
    )  # fmt: skip


def _is_matched(name: GeneralName) -> bool:
    """Whether Go can compare the name with constraints. It has to find the name of a host in a URI and an e-mail
    address, and an address in an IP address. DNS names are judged elsewhere, and Go looks at no further kinds of names.
    """
    if isinstance(name, x509.IPAddress):
        return not isinstance(name.value, (IPv4Network, IPv6Network))
    if not isinstance(name, (x509.UniformResourceIdentifier, x509.RFC822Name)):
        return True
    match = (_MAILBOX if isinstance(name, x509.RFC822Name) else _URI).fullmatch(name.value)
    return match is not None and _is_plain(match[1]) and address_of(match[1]) is None


def _literal(name: str) -> Address | None:
    """The address for which a JVM takes a text: "10.1" is 10.0.0.1 to it. If the text is a number alone, such as "7", a
    JVM takes it for an address and then compares it with nothing.
    """
    parts = name.split(".")
    if len(name) > _LONGEST_IPV4 or len(parts) > 4 or not (name.isascii() and all(part.isdecimal() for part in parts)):
        return address_of(name)
    *upper, last = map(int, parts)
    rest = 256 ** (4 - len(upper))
    if max(upper, default=0) > 255 or last >= rest:
        return None
    return IPv4Address(int.from_bytes(bytes(upper), "big") * rest + last)
