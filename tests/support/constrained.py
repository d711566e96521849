# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAs that demand something of the certificates below them, and leaves that keep to it or do not."""

from __future__ import annotations

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


def names(
    permitted: Iterable[str] = (), excluded: Iterable[str] = (), *, critical: bool = True
) -> tuple[x509.ExtensionType, bool]:
    allowed, forbidden = (list(map(_subtree, one)) or None for one in (permitted, excluded))
    return x509.NameConstraints(allowed, forbidden), critical


def policies(*oids: str) -> tuple[x509.ExtensionType, bool]:
    return x509.CertificatePolicies([x509.PolicyInformation(x509.ObjectIdentifier(one), None) for one in oids]), False


def explicit_policy(after: int | None, inhibit_mapping: int | None = None) -> tuple[x509.ExtensionType, bool]:
    return x509.PolicyConstraints(after, inhibit_mapping), True


MAPPING = (x509.UnrecognizedExtension(x509.ObjectIdentifier("2.5.29.33"), _MAPPING), True)


@dataclass(frozen=True)
class Constrained:
    """root, upper, lower: the extensions of three CAs above each other. san: the leaf's alternative names. leaf: its other
    extensions. called, lower_called: the common names of the leaf and of its issuer."""

    root: Extensions = ()
    upper: Extensions = ()
    lower: Extensions = ()
    san: Sequence[str] = ("a.svc",)
    leaf: Extensions = ()
    called: str = "the leaf"
    lower_called: str = "the lower CA"

    @cached_property
    def chain(self) -> tuple[Certificate, ...]:
        """Leaf first, root last."""
        root = make("the root", key(1), extra=self.root)
        upper = make("the upper CA", key(2), root, extra=self.upper)
        lower = make(self.lower_called, key(3), upper, extra=self.lower)
        return self._leaf(lower), lower.certificate, upper.certificate, root.certificate

    def _leaf(self, issuer: Entity) -> Certificate:
        general = [
            x509.IPAddress(ip_address(one)) if one[-1].isdigit() or ":" in one else x509.DNSName(one)
            for one in self.san
        ]
        extra = [*([(x509.SubjectAlternativeName(general), False)] if general else []), *self.leaf]
        return make(self.called, key(4), issuer, ca=False, extra=extra).certificate


@dataclass(frozen=True)
class Case:
    """holds: whether all verifiers accept it; where it does not, at least one refuses."""

    name: str
    made: Constrained
    holds: bool
    reason: str = field(default="")


def _good(name: str, **parts: object) -> Case:
    return Case(name, Constrained(**parts), True)  # type: ignore[arg-type]


def _bad(name: str, reason: str, **parts: object) -> Case:
    return Case(name, Constrained(**parts), False, reason)  # type: ignore[arg-type]


_KAFKA = ("demo-kafka-0.demo-kafka-brokers.kafka.svc", "demo-kafka-0.demo-kafka-brokers.kafka.svc.cluster.local")
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
    _good("a mapping that nobody asks for", upper=[explicit_policy(None, 0), policies(POLICY)], lower=[policies(POLICY), MAPPING]),
)  # fmt: skip
