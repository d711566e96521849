# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Vault issuer keeps to what every issuer keeps to: with the double, and with the server that VAULT_ADDR names."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    Answer,
    IssuedCertificate,
    LeafOrder,
    LinkingIssuer,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import refusals
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.issuer import VaultPki
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    Chain,
    parse_certificates,
)

from ....tools.support.golden import GoldenFiles
from ....tools.support.issuer_contract import (
    AbsenceContract,
    Absent,
    Counterpart,
    IssuerContract,
    RecordContract,
    RefusalContract,
)
from ....tools.support.link_contract import Crossing, CrossingContract, LinkContract, link, next_ca, ordered
from ....tools.support.vault_mount import STRICT, USERS, QuickClock, SetUp, fake_set_up, given_server, set_up_on

#: Of a port where nothing listens.
_NOWHERE = "http://127.0.0.1:9"
#: The options of a task that gives what this kind needs, and no more.
OPTIONS = {
    "type": "vault",
    "name": "kafka-2026",
    "url": _NOWHERE,
    "role": "kafka",
    "login": {"type": "token", "token": "t"},
}


@dataclass(frozen=True)
class Vault:
    """A mount, and the issuer that uses it."""

    ready: SetUp
    issuer: VaultPki

    @property
    def authority(self) -> Chain:
        return self.ready.authority

    @property
    def for_users(self) -> VaultPki:
        return self.ready.issuer(USERS)

    @property
    def absent(self) -> VaultPki:
        return self.ready.issuer(url=_NOWHERE)

    @property
    def answer_while_absent(self) -> type[Answer]:
        """Certificates that Vault has signed need Vault no more."""
        return IssuedCertificate

    def now(self) -> datetime:
        return QuickClock().now()

    def next_in_it(self, name: dict[str, Any]) -> tuple[VaultPki, Certificate]:
        who, reference = self.ready.administrator, f"next-{uuid.uuid4().hex[:8]}"
        body = {**name, "issuer_name": reference, "ttl": "8000h", "key_type": "ec", "key_bits": 256}
        made = who.write(f"{self.ready.mount}/issuers/generate/root/internal", body)
        issuer = self.ready.issuer(issuer_ref=reference, linked_by=self.ready.issuer_ref)
        return issuer, parse_certificates(made["certificate"].encode())[0]

    def refused(self, order: LeafOrder) -> Answer:
        answer = self.ready.issuer(STRICT).request(order)
        assert not hasattr(answer, "value"), "the role has taken names that are not its own"
        return answer


@pytest.fixture(scope="module", params=["double", "server"])
def ready(request: pytest.FixtureRequest) -> Iterator[SetUp]:
    if request.param == "double":
        with fake_set_up() as (_vault, made):
            yield made
        return
    server = given_server()
    if server is None:
        pytest.skip("VAULT_ADDR and VAULT_TOKEN name no server; its token has to be able to make a PKI mount")
    with set_up_on(server) as made:
        yield made


class VaultContract:
    """Of Vault alone."""

    def test_an_unreachable_vault_certifies_no_ca(self, counterpart: Absent) -> None:
        absent = counterpart.absent
        assert isinstance(absent, LinkingIssuer)
        with pytest.raises(IssuerUnavailable, match="cannot be reached"):
            absent.link(ordered(counterpart, next_ca(counterpart)))

    def test_a_name_that_it_writes_again_is_refused_when_it_comes_back(
        self, counterpart: Counterpart, golden: GoldenFiles
    ) -> None:
        """The Cluster Operator writes its names so that they become other bytes."""
        order = ordered(counterpart, next_ca(counterpart, outlives_rewriting=False))
        (why,) = refusals(link(counterpart, order), order)
        golden.compare_said("issuers", why)


class TestVaultIssuer(
    IssuerContract, RefusalContract, RecordContract, AbsenceContract, LinkContract, CrossingContract, VaultContract
):
    @pytest.fixture
    def counterpart(self, ready: SetUp) -> Counterpart:
        return Vault(ready, ready.issuer())

    @pytest.fixture
    def crossing(self, ready: SetUp) -> Crossing:
        return Vault(ready, ready.issuer())
