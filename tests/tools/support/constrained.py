# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAs that demand something of the certificates below them, and leaves that keep to it or do not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_address, ip_network

from cryptography import x509
from cryptography.x509.oid import NameOID

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate

from .certificates import Entity, key, make

Extensions = Sequence[tuple[x509.ExtensionType, bool]]
POLICY, ANOTHER_POLICY = "1.2.3.4", "1.2.3.5"
_MAPPING = bytes.fromhex("300c300a06032a030406032a0305")


def _subtree(text: str) -> x509.GeneralName:
    """A network where it is one, a name of a directory in angle brackets, and a DNS name otherwise."""
    if "/" in text:
        return x509.IPAddress(ip_network(text))
    if text.startswith("<"):
        return x509.DirectoryName(x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, text.strip("<>"))]))
    return x509.DNSName(text)


def _alternative(text: str) -> x509.GeneralName:
    """A URI or a mailbox where it has the form of one, an address where it ends with a digit or has a colon, and a DNS name otherwise and in angle
    brackets.
    """
    if text.startswith("<"):
        return x509.DNSName(text.strip("<>"))
    if re.match("[a-z]+:[^:0-9]", text):
        return x509.UniformResourceIdentifier(text)
    if "@" in text:
        return x509.RFC822Name(text)
    return x509.IPAddress(ip_address(text)) if text[-1].isdigit() or ":" in text else x509.DNSName(text)


def names(
    permitted: Iterable[str] = (), excluded: Iterable[str] = (), *, critical: bool = True
) -> tuple[x509.ExtensionType, bool]:
    allowed, forbidden = (list(map(_subtree, names)) or None for names in (permitted, excluded))
    return x509.NameConstraints(allowed, forbidden), critical


def policies(*oids: str) -> tuple[x509.ExtensionType, bool]:
    return x509.CertificatePolicies([x509.PolicyInformation(x509.ObjectIdentifier(oid), None) for oid in oids]), False


def explicit_policy(after: int | None, inhibit_mapping: int | None = None) -> tuple[x509.ExtensionType, bool]:
    return x509.PolicyConstraints(after, inhibit_mapping), True


MAPPING = (x509.UnrecognizedExtension(x509.ObjectIdentifier("2.5.29.33"), _MAPPING), True)


@dataclass(frozen=True)
class Constrained:
    """A path with three CAs, and the extensions of its certificates."""

    #: The extensions of the root.
    root: Extensions = ()
    #: The extensions of the CA below the root.
    upper: Extensions = ()
    #: The extensions of the CA that issues the leaf.
    lower: Extensions = ()
    #: The alternative names of the leaf.
    san: Sequence[str] = ("a.svc",)
    #: The other extensions of the leaf.
    leaf: Extensions = ()
    #: The common name of the leaf.
    called: str = "the leaf"
    #: The common name of the CA that issues the leaf.
    lower_called: str = "the lower CA"

    @cached_property
    def chain(self) -> tuple[Certificate, ...]:
        """Leaf first, root last."""
        root = make("the root", key(1), extra=self.root)
        upper = make("the upper CA", key(2), root, extra=self.upper)
        lower = make(self.lower_called, key(3), upper, extra=self.lower)
        return self._leaf(lower), lower.certificate, upper.certificate, root.certificate

    def _leaf(self, issuer: Entity) -> Certificate:
        general = [_alternative(name) for name in self.san]
        extra = [*([(x509.SubjectAlternativeName(general), False)] if general else []), *self.leaf]
        return make(self.called, key(4), issuer, ca=False, extra=extra).certificate


@dataclass(frozen=True)
class Case:
    name: str
    made: Constrained
    #: Whether all verifiers accept it; where it does not, at least one refuses.
    holds: bool
    reason: str = field(default="")


def _good(name: str, **parts: object) -> Case:
    return Case(name, Constrained(**parts), True)  # type: ignore[arg-type]


def _bad(name: str, reason: str, **parts: object) -> Case:
    return Case(name, Constrained(**parts), False, reason)  # type: ignore[arg-type]


_KAFKA = ("demo-kafka-0.demo-kafka-brokers.kafka.svc", "demo-kafka-0.demo-kafka-brokers.kafka.svc.cluster.local")
_SUBTREES = [f"a{number}.svc" for number in range(1024)]
_NAMES, _POLICIES, _UNKNOWN = "the name constraints of", "requires certificate policies", "cannot be judged here"

CASES = (
    _good("permitted", upper=[names(["svc", "cluster.local"])], san=_KAFKA),
    _bad("one is not permitted", _NAMES, upper=[names(["svc"])], san=_KAFKA),
    _good("permitted, not critical", lower=[names(["svc"], critical=False)]),
    _bad("not permitted, not critical", _NAMES, lower=[names(["local"], critical=False)]),
    _good("permitted by the root", root=[names(["svc"])]),
    _bad("not permitted by the root", _NAMES, root=[names(["local"])]),
    _good("permitted by all", root=[names(["svc"])], lower=[names(["a.svc", "local"])]),
    _bad("permitted by some", _NAMES, root=[names(["svc"])], lower=[names(["local"])]),
    _good("two CAs with the same", upper=[names(["svc"])], lower=[names(["svc"])]),
    _bad("no whole label", _NAMES, lower=[names(["vc"])]),
    _good("case does not matter", lower=[names(["SVC"])], san=["A.svc"]),
    _bad("excluded, case does not matter", _NAMES, lower=[names([], ["SVC"])]),
    _good("leading dot", lower=[names([".svc"])]),
    _bad("leading dot, the name itself", _NAMES, lower=[names([".a.svc"])]),
    _good("not excluded", lower=[names([], ["local"])]),
    _bad("excluded", _NAMES, lower=[names([], ["svc"])]),
    _bad("permitted and excluded", _NAMES, lower=[names(["svc"], ["a.svc"])]),
    _good("wildcard", lower=[names(["b.svc"])], san=["*.b.svc"]),
    _good("wildcard beside what is excluded", lower=[names([], ["c.svc"])], san=["*.b.svc"]),
    _bad("wildcard over what is excluded", _NAMES, lower=[names([], ["a.b.svc"])], san=["*.b.svc"]),
    _bad("wildcard above what is permitted", _NAMES, lower=[names(["a.b.svc"])], san=["*.b.svc"]),
    _good("address", lower=[names(["10.0.0.0/8"])], san=["10.1.2.3"]),
    _bad("address not permitted", _NAMES, lower=[names(["10.0.0.0/8"])], san=["11.1.2.3"]),
    _good("address not excluded", lower=[names([], ["10.0.0.0/8"])], san=["11.1.2.3"]),
    _bad("address excluded", _NAMES, lower=[names([], ["10.0.0.0/8"])], san=["10.1.2.3"]),
    _bad("address of another family than permitted", _NAMES, lower=[names(["10.0.0.0/8"])], san=["fd00::1"]),
    _good("address of another family than excluded", lower=[names([], ["10.0.0.0/8"])], san=["fd00::1"]),
    _bad("all of another family", _NAMES, lower=[names([], ["::/0"])], san=["10.1.2.3"]),
    _good("no address at all", lower=[names([], ["0.0.0.0/0", "::/0"])]),
    _bad("an address although there may be none", _NAMES, lower=[names([], ["0.0.0.0/0", "::/0"])], san=["fd00::1"]),
    _bad("all of a family above another family", "which JVMs cannot put together", upper=[names([], ["10.0.0.0/8"])], lower=[names([], ["::/0"])]),
    _bad("nothing that both permit", "which JVMs cannot put together", upper=[names(["svc"])], lower=[names(["local"])], san=[]),
    _good("another kind of name", lower=[names(["svc"])], san=["a.svc", "10.1.2.3"]),
    _good("a common name with spaces", lower=[names(["svc"])], san=[]),
    _bad("a common name that could be one of DNS", _NAMES, lower=[names(["svc"])], san=[], called="leaf"),
    _good("a common name beside DNS names", lower=[names(["svc"])], called="leaf"),
    _bad("a CA's common name that could be one of DNS", _NAMES, upper=[names(["svc"])], lower_called="issuing"),
    _good("a CA's common name under a root's constraints", root=[names(["svc"])], lower_called="issuing"),
    _good("a common name without a dot under a root's constraints", root=[names(["svc"])], san=[], called="leaf"),
    _bad("a common name with a dot under a root's constraints", _NAMES, root=[names(["svc"])], san=[], called="a.local"),
    _good("a common name that is none of a host", lower=[names(["svc"])], san=[], called="a@local"),
    _bad("an address for a common name beside DNS names", _NAMES, lower=[names(["10.0.0.0/8"])], called="11.1.2.3"),
    _good("a permitted address for a common name", lower=[names(["10.0.0.0/8"])], called="10.1.2.3"),
    _good("an address for a common name beside addresses", lower=[names(["10.0.0.0/8"])], san=["10.1.2.3"], called="11.1.2.3"),
    _bad("an address for a common name where DNS names count", _NAMES, lower=[names(["svc"])], san=["10.1.2.3"], called="10.1.2.3"),
    _good("a number for a common name", lower=[names(["10.0.0.0/8"])], san=[], called="7"),
    _bad("two numbers for a common name", _NAMES, lower=[names([], ["10.0.0.0/8"])], san=[], called="10.1"),
    _good("a number for a common name where DNS names count", lower=[names(["svc"])], san=[], called="7"),
    _bad("an address among DNS names", _NAMES, lower=[names(["svc"])], san=["<10.1.2.3>"]),
    _bad("a DNS name that is none of a host where addresses count", _NAMES, lower=[names(["10.0.0.0/8"])], san=["a..svc"]),
    _good("a URI", lower=[names(["svc"])], san=["a.svc", "spiffe://user@b.local:80/c"]),
    _bad("a URI without a host", _NAMES, lower=[names(["svc"])], san=["a.svc", "urn:b"]),
    _bad("a URI of an address", _NAMES, lower=[names(["10.0.0.0/8"])], san=["a.svc", "http://10.1.2.3/"]),
    _good("a URI without a host where nothing is constrained", san=["a.svc", "urn:b"]),
    _good("a mailbox", lower=[names(["svc"])], san=["a.svc", "me@b.local"]),
    _bad("a mailbox with a space", _NAMES, lower=[names(["svc"])], san=["a.svc", "a b@c"]),
    _good("many names and constraints", lower=[names(_SUBTREES[:100])], san=_SUBTREES[:100]),
    _bad("more names and constraints than OpenSSL compares", "than OpenSSL compares", lower=[names(_SUBTREES)], san=_SUBTREES),
    _bad("directory", _UNKNOWN, lower=[names(["svc", "<io.strimzi>"])]),
    _good("explicit policy at the root", root=[explicit_policy(0)]),
    _good("explicit policy further down", upper=[explicit_policy(3)]),
    _bad("explicit policy at the leaf", _POLICIES, upper=[explicit_policy(2)]),
    _good("explicit policy below the leaf", lower=[explicit_policy(2)]),
    _bad("explicit policy", _POLICIES, lower=[explicit_policy(1)]),
    _bad("explicit policy at once", _POLICIES, lower=[explicit_policy(0)]),
    _good(
        "one policy for all", upper=[policies(POLICY)], lower=[explicit_policy(0), policies(POLICY, ANOTHER_POLICY)],
        leaf=[policies(POLICY)],
    ),
    _bad(
        "another policy", _POLICIES, upper=[policies(POLICY)], lower=[explicit_policy(0), policies(POLICY)],
        leaf=[policies(ANOTHER_POLICY)],
    ),
    _bad("no policy above", _POLICIES, lower=[explicit_policy(0), policies(POLICY)], leaf=[policies(POLICY)]),
    _good("no mapping", lower=[explicit_policy(None, 0)]),
    _good("a mapping that no certificate requires", upper=[explicit_policy(None, 0), policies(POLICY)], lower=[policies(POLICY), MAPPING]),
)  # fmt: skip
