# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issuers outside the collection, beside a cluster in memory: they sign for one CA, and err where a test wants it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.settings import VaultIssuer, VaultToken
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerIssuer,
    ExternalIssuer,
    IssuerSettings,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import LinkIssuer

from .authorities import Authority
from .cert_manager import NAMESPACE, MemoryCertManager, Object, path_of
from .certificates import Entity
from .fake_vault.pki import Mount, StoredIssuer
from .fake_vault.server import FakeVault, serving
from .flows import START
from .memory_api import Change
from .misissuing import Signing
from .signing_office import SigningOffice


class AskedIssuer(Protocol):
    """An issuer, and what a test does to it. reference: as requests name it."""

    signing: Signing

    @property
    def reference(self) -> str: ...

    @property
    def settings(self) -> IssuerSettings: ...

    def work(self) -> None:
        """The work of its people between two runs."""

    def left(self) -> list[str]:
        """Names of the objects that it keeps for requests."""


class _Office(SigningOffice):
    def __init__(self, signing: Signing) -> None:
        super().__init__(signing.memory, signing.authority, START)
        self._signing = signing

    def sign(self, csr: bytes) -> bytes:
        return b"".join(self._signing.sign(csr))


@dataclass
class ByHand:
    """A person who signs the requests that lie in the Secrets."""

    signing: Signing
    #: Does not, for the victim.
    idle: bool = False
    #: Signs everything once more.
    twice: bool = False
    reference: str = "the external issuer"
    settings: ExternalIssuer = field(default_factory=ExternalIssuer)

    def work(self) -> None:
        office = _Office(self.signing)
        for secret, name in office.requests():
            csr = office.csr(secret, name)
            if not (self.idle and self.signing.is_about_the_victim(csr)):
                for _time in range(1 + self.twice):
                    office.put_back(secret, name, office.sign(csr))

    def left(self) -> list[str]:
        return []


@dataclass
class Controllers(MemoryCertManager):
    signing: Signing | None = None
    #: The conditions that the victim's request gets instead of an answer.
    verdict: tuple[Object, ...] = ()
    #: Another certificate is written over each.
    twice: bool = False
    _written: set[str] = field(default_factory=set)

    def _react(self, change: Change) -> None:
        if change.plural != "certificaterequests" or change.new is None:
            return
        if self.verdict and self._signing.is_about_the_victim(_csr(change.new["spec"])):
            if not change.new.get("status"):
                self._patch(change.name, {"conditions": list(self.verdict)})
            return
        super()._react(change)
        if self.twice and (change.new.get("status") or {}).get("certificate") and change.name not in self._written:
            self._written.add(change.name)
            self._patch(change.name, {"certificate": base64.b64encode(self._sign(change.new["spec"])).decode()})

    def look_again(self) -> None:
        """Look at every request again, as if it were there only now."""
        for request in self.api.all("certificaterequests", NAMESPACE):
            self._patch(request["metadata"]["name"], None)
            self._react(Change("update", "certificaterequests", NAMESPACE, request["metadata"]["name"], None, request))

    def _patch(self, name: str, status: Object | None) -> None:
        path = f"{path_of(NAMESPACE, name)}/status"
        self.api.request("PATCH", path, body={"status": status}, content_type="application/merge-patch+json")

    @property
    def _signing(self) -> Signing:
        assert self.signing is not None
        return self.signing

    def _sign(self, spec: Object) -> bytes:
        return b"".join(self._signing.sign(_csr(spec)))


def _csr(spec: Object) -> bytes:
    return base64.b64decode(spec["request"])


class ByCertManager:
    """cert-manager's controllers, in the same moment as each write."""

    settings = CertManagerIssuer("corporate")
    reference = "cert-manager Issuer corporate"

    def __init__(self, signing: Signing) -> None:
        self.signing = signing
        authority = Entity(signing.authority.chain[0], signing.authority.keys[0])
        self.controllers = Controllers(signing.memory.api, authority, signing=signing)

    @property
    def requests(self) -> list[Object]:
        return self.signing.memory.api.all("certificaterequests", self.signing.memory.namespace)

    def work(self) -> None:
        """The controllers work by themselves."""

    def left(self) -> list[str]:
        return [str(request["metadata"]["name"]) for request in self.requests]


class ByVault:
    """A PKI mount of the double, with the documented policy."""

    mount, role = "pki", "kafka"

    def __init__(self, signing: Signing, vault: FakeVault) -> None:
        """linked_by: the issuer of the CA in use, where another one follows it."""
        self.signing, self.vault = signing, vault
        self.issuer_ref, self.linked_by = "kafka-2026", ""
        mount = Mount(now=lambda: START + timedelta(seconds=signing.memory.seconds))
        self._add(mount)
        mount.set_role(self.role, {"key_type": "any", "allow_any_name": True, "max_ttl": "90d"})
        vault.mounts[self.mount] = mount
        vault.distort = self._signed
        self.permit()
        self.token = vault.tokens.make("kafka-leaves", "default")

    def follow(self, authority: Authority) -> None:
        """Its next CA, of the same mount, issues from now on."""
        self.issuer_ref, self.linked_by = "kafka-2027", self.issuer_ref
        self.signing = Signing(authority, self.signing.memory, "")
        self._add(self.vault.mounts[self.mount])

    def _add(self, mount: Mount) -> None:
        authority = self.signing.authority
        own, *above = (x509.load_der_x509_certificate(certificate.der) for certificate in authority.chain)
        mount.add(StoredIssuer(own, authority.keys[0].for_signing(), tuple(above), name=self.issuer_ref))

    def permit(self, *capabilities: str, links: bool = False) -> None:
        """Have the policy of the token allow this for signing; "update" where nothing is said. links: whether it may certify CAs."""
        named = ", ".join(f'"{capability}"' for capability in capabilities or ("update",))
        own, other = (f"{self.mount}/issuer/{issuer}" for issuer in (self.issuer_ref, self.linked_by))
        rules = {f"{own}/sign/{self.role}": named}
        if links:
            rules |= {f"{own}/sign-intermediate": named, f"{own}/sign-self-issued": named}
        if links and self.linked_by:
            rules |= {own: '"read"', other: '"read"', f"{other}/sign-intermediate": named}
            rules[f"{self.mount}/intermediate/cross-sign"] = '"update"'
        policy = "\n".join(f'path "{path}" {{ capabilities = [{permitted}] }}' for path, permitted in rules.items())
        self.vault.tokens.policies["kafka-leaves"] = policy

    @property
    def certified(self) -> int:
        """How often it was asked to certify a CA."""
        return sum(request.path.endswith(("/sign-intermediate", "/sign-self-issued")) for request in self.vault.seen)

    @property
    def settings(self) -> VaultIssuer:
        return VaultIssuer(
            self.vault.url, self.mount, self.role, self.issuer_ref, VaultToken(self.token), linked_by=self.linked_by
        )

    @property
    def reference(self) -> str:
        return self._named(self.issuer_ref)

    def _named(self, issuer_ref: str) -> str:
        return f"Vault issuer {issuer_ref} of {self.vault.url}, mount {self.mount}, role {self.role}"

    @property
    def linker(self) -> LinkIssuer:
        return LinkIssuer(self._named(self.linked_by or self.issuer_ref), keeps_both_keys=bool(self.linked_by))

    def _signed(self, data: dict[str, Any]) -> dict[str, Any]:
        """The same answer, signed at the time of the cluster; the double signs at that of the machine."""
        leaf, *chain = (
            certificate.decode() for certificate in self.signing.sign(self.vault.seen[-1].body["csr"].encode())
        )
        return {**data, "certificate": leaf, "issuing_ca": chain[0], "ca_chain": chain}

    def work(self) -> None:
        """The server has answered already."""

    def left(self) -> list[str]:
        return []


@contextmanager
def asked_issuer(kind: str, signing: Signing) -> Iterator[AskedIssuer]:
    """kind: ``external``, ``cert-manager`` or ``vault``."""
    if kind == "external":
        yield ByHand(signing)
    elif kind == "cert-manager":
        yield ByCertManager(signing)
    else:
        with serving(FakeVault()) as vault:
            yield ByVault(signing, vault)
