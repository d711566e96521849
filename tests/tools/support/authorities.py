# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAs as they come from outside: roots, and chains below a corporate root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKey,
    generate_key,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import SuppliedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority

from .certificates import YEAR, Entity, make
from .flows import START

EC256, EC384 = KeySpec(KeyAlgorithm.ECDSA, 256), KeySpec(KeyAlgorithm.ECDSA, 384)
BEGIN = START - timedelta(days=1)
#: Each CA ends at another second, so that no two of them are the same certificate by chance.
_ends = count()


@dataclass(frozen=True)
class Authority:
    """An issuing CA and the CAs above it, root last."""

    chain: Chain
    #: The keys of the CAs of the chain, in the same order.
    keys: tuple[PrivateKey, ...]
    #: Its own key is not given away.
    elsewhere: bool = False

    @property
    def fingerprint(self) -> str:
        return self.chain[0].fingerprint

    @property
    def pem(self) -> bytes:
        return b"".join(certificate.pem for certificate in self.chain)

    @property
    def supplied(self) -> SuppliedAuthority:
        return SuppliedAuthority(self.chain, None if self.elsewhere else self.keys[0])

    @property
    def prepared(self) -> PreparedAuthority:
        """As the intent names it."""
        return PreparedAuthority(self.chain, self.keys[0].public_key_sha256, key_is_elsewhere=self.elsewhere)


def _made(
    name: str, key: PrivateKey, issuer: Authority | None, end: datetime | None = None, **options: Any
) -> Authority:
    signer = Entity(issuer.chain[0], issuer.keys[0]) if issuer else None
    made = make(name, key, signer, begin=BEGIN, end=end or START + YEAR + timedelta(minutes=next(_ends)), **options)
    return Authority(
        (made.certificate, *(issuer.chain if issuer else ())), (made.key, *(issuer.keys if issuer else ()))
    )


def root(
    name: str = "Corporate Root",
    key: KeySpec = EC256,
    *,
    end: datetime | None = None,
    ca: bool = True,
    path_length: int | None = None,
    identifier: bytes | None = b"",
    outlives_rewriting: bool = False,
) -> Authority:
    """ca: whether it says that it is one. path_length: how many CAs it allows below it; None: any number. identifier: its
    subjectKeyIdentifier; b"" as usual, None without. outlives_rewriting: whether its name stays the same where an issuer writes
    it again."""
    return _made(
        name, generate_key(key), None, end, ca=ca, path_length=path_length, subject_identifier=identifier,
        outlives_rewriting=outlives_rewriting,
    )  # fmt: skip


def below(
    issuer: Authority, name: str = "Kafka CA 1", key: KeySpec = EC256, *, end: datetime | None = None
) -> Authority:
    return _made(name, generate_key(key), issuer, end)


def renewed(old: Authority) -> Authority:
    """The same name and key in a new certificate of the same issuer, or of another one where that is not at hand."""
    if old.chain[1:]:
        return _made(_common_name(old), old.keys[0], Authority(old.chain[1:], old.keys[1:]))
    is_root = old.chain[0].subject_der == old.chain[0].issuer_der
    return _made(_common_name(old), old.keys[0], None) if is_root else cut(under(root("Other Root"), old), 1)


def under(issuer: Authority, old: Authority, *, end: datetime | None = None) -> Authority:
    """The same name and key, certified by this issuer."""
    return _made(_common_name(old), old.keys[0], issuer, end)


def _common_name(authority: Authority) -> str:
    parts = dict(part.split("=", 1) for part in authority.chain[0].subject.split(","))
    return parts["CN"]


def cut(authority: Authority, length: int) -> Authority:
    """Without the upper end of its chain."""
    return Authority(authority.chain[:length], authority.keys[:length])


#: The CAs that can be supplied: a root, intermediates with everything above them, and without their root.
SHAPES: dict[str, Callable[[], Authority]] = {
    "root": lambda: root("Kafka Root"),
    "intermediate": lambda: below(root()),
    "two levels": lambda: below(below(root(), "Corporate Issuing CA"), "Kafka CA 2"),
    "intermediate alone": lambda: cut(below(root()), 1),
    "two levels without root": lambda: cut(below(below(root(), "Corporate Issuing CA"), "Kafka CA 2"), 2),
}
