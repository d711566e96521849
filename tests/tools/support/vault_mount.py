# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A PKI mount with two CAs, set up through the API as an administrator would, in the double or in a real server."""

from __future__ import annotations

import json
import os
import re
import shlex
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.issuer import VaultPki
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.settings import (
    VaultIssuer,
    VaultLogin,
    VaultToken,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Chain,
    parse_certificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.contexts import to_issuer

from .fake_vault.pki import Mount
from .fake_vault.server import FakeVault, serving

#: The page with the commands for administrators.
PAGE = Path(__file__).parents[3] / "docs" / "issuers" / "vault.md"
ROLE, USERS, STRICT = "kafka", "kafka-users", "strict"


class QuickClock:
    """The clock goes on without a sleep."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> datetime:
        return datetime.now(timezone.utc)

    def monotonic(self) -> float:
        return time.monotonic() + sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@dataclass(frozen=True)
class Administrator:
    """Writes with a token that may do everything."""

    url: str
    token: str
    namespace: str = ""
    ca_certificate: bytes | None = None

    def write(self, path: str, body: Mapping[str, Any] | None = None, method: str = "POST") -> dict[str, Any]:
        headers = {"X-Vault-Token": self.token, "X-Vault-Request": "true"}
        if self.namespace:
            headers["X-Vault-Namespace"] = self.namespace
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/v1/{path}", data, headers, method=method)
        context = None
        if self.ca_certificate is not None:
            context = to_issuer(self.ca_certificate.decode())
        with urllib.request.urlopen(request, timeout=30, context=context) as answer:
            text = answer.read()
        return dict(json.loads(text).get("data") or {}) if text else {}


@dataclass(frozen=True)
class SetUp:
    """A mount that is ready."""

    administrator: Administrator
    mount: str
    #: The reference of the issuing CA, which is not the default of the mount.
    issuer_ref: str
    authority: Chain

    def settings(self, role: str = ROLE, login: VaultLogin | None = None, **others: Any) -> VaultIssuer:
        who = self.administrator
        values: dict[str, Any] = {
            "url": who.url, "mount": self.mount, "role": role, "issuer_ref": self.issuer_ref,
            "login": login or VaultToken(who.token), "namespace": who.namespace, "ca_certificate": who.ca_certificate,
        }  # fmt: skip
        return VaultIssuer(**{**values, **others})

    def options(self) -> dict[str, Any]:
        """As a playbook names this issuer."""
        who = self.administrator
        known = {
            "url": who.url, "mount": self.mount, "role": ROLE, "name": self.issuer_ref,
            "login": {"type": "token", "token": who.token}, "vault_namespace": who.namespace,
            "ca_certificate": who.ca_certificate.decode() if who.ca_certificate else "",
        }  # fmt: skip
        return {"type": "vault", **{name: value for name, value in known.items() if value}}

    def issuer(self, role: str = ROLE, login: VaultLogin | None = None, **others: Any) -> VaultPki:
        return VaultPki(self.settings(role, login, **others), QuickClock(), str)


def documented(command: str) -> dict[str, str]:
    """The fields that the page has an administrator write: ``vault write COMMAND key=value …``."""
    found = re.search(rf"^vault write {re.escape(command)} ((?:.*\\\n)*.*)$", PAGE.read_text(), re.MULTILINE)
    assert found, f"the page has no command that writes {command}"
    pairs = (word.partition("=") for word in shlex.split(found[1].replace("\\\n", " ")))
    return {key: value for key, _sign, value in pairs}


@contextmanager
def set_up(who: Administrator, mount: str) -> Iterator[SetUp]:
    """A mount that is gone afterwards."""
    who.write(f"sys/mounts/{mount}", {"type": "pki", "config": {"max_lease_ttl": "8760h"}})
    try:
        kind = {"key_type": "ec", "key_bits": 256}
        root = who.write(
            f"{mount}/issuers/generate/root/internal",
            {"common_name": "the root", "issuer_name": "root", "ttl": "8760h", **kind},
        )
        asked = who.write(f"{mount}/issuers/generate/intermediate/internal", {"common_name": "the issuer", **kind})
        signed = who.write(f"{mount}/issuer/root/sign-intermediate", {"csr": asked["csr"], "ttl": "4380h"})
        known = who.write(f"{mount}/intermediate/set-signed", {"certificate": signed["certificate"]})
        who.write(f"{mount}/roles/{ROLE}", documented("pki/roles/kafka"))
        who.write(f"{mount}/roles/{USERS}", documented("pki/roles/kafka-users"))
        who.write(f"{mount}/roles/{STRICT}", {**documented("pki/roles/kafka"), "allowed_domains": "other-*"})
        texts = (signed["certificate"], root["certificate"])
        yield SetUp(who, mount, known["imported_issuers"][0], parse_certificates("\n".join(texts).encode()))
    finally:
        who.write(f"sys/mounts/{mount}", method="DELETE")


def given_server() -> Administrator | None:
    """The server of VAULT_ADDR, where VAULT_TOKEN is set too; its token has to be able to make a PKI mount."""
    url, token = os.environ.get("VAULT_ADDR"), os.environ.get("VAULT_TOKEN")
    if not url or not token:
        return None
    ca_file = os.environ.get("VAULT_CACERT")
    ca_certificate = Path(ca_file).read_bytes() if ca_file else None
    return Administrator(url.rstrip("/"), token, os.environ.get("VAULT_NAMESPACE", ""), ca_certificate)


@contextmanager
def set_up_on(server: Administrator) -> Iterator[SetUp]:
    """A mount of its own, beside whatever else is there."""
    with set_up(server, f"trustops-strimzi-{uuid.uuid4().hex[:8]}") as ready:
        yield ready


Bench = tuple[FakeVault, SetUp]
_MOUNT = "pki/kafka"


@cache
def _prepared() -> tuple[Mount, str, Chain]:
    """A mount, the reference of its issuing CA, and that CA's chain: made by requests, once."""
    with serving(FakeVault()) as vault, set_up(Administrator(vault.url, vault.root), _MOUNT) as ready:
        return vault.mounts[_MOUNT], ready.issuer_ref, ready.authority


@contextmanager
def fake_set_up() -> Iterator[Bench]:
    mount, issuer_ref, authority = _prepared()
    with serving(FakeVault(mounts={_MOUNT: mount.copy()})) as vault:
        yield vault, SetUp(Administrator(vault.url, vault.root), _MOUNT, issuer_ref, authority)


def documented_policy(mount: str, issuer_ref: str) -> str:
    """The policy that the page shows for leaves, for this issuer."""
    return _policy("sign/kafka", mount, issuer_ref)


def documented_link_policy(mount: str, issuer_ref: str) -> str:
    return _policy("sign-intermediate", mount, issuer_ref)


def documented_back_policy(mount: str, issuer_ref: str) -> str:
    """The policy that the page shows for having the CA in use certified by the next one."""
    return _policy("sign-self-issued", mount, issuer_ref)


def documented_cross_sign_policy(mount: str, issuer_ref: str, replaced: str) -> str:
    """The policy that the page shows for having two CAs of this mount certify each other. issuer_ref: of the next one."""
    found = re.search(r"vault policy write kafka-cross-sign - <<'POLICY'\n(.*?)\nPOLICY\n", PAGE.read_text(), re.DOTALL)
    assert found, "the page has no policy to have a request made"
    named = found[1].replace("kafka-2027", issuer_ref).replace("kafka-2026", replaced)
    return named.replace('"pki/', f'"{mount}/')


def _policy(call: str, mount: str, issuer_ref: str) -> str:
    found = re.search(rf'^path "pki/issuer/kafka-2026/{call}" \{{\n.*\n\}}$', PAGE.read_text(), re.MULTILINE)
    assert found, f"the page has no policy for {call}"
    return found[0].replace("pki/issuer/kafka-2026", f"{mount}/issuer/{issuer_ref}")
