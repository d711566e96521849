# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a client of the cluster is known: every address of its nodes, and every CA that it has or is about to have."""

from __future__ import annotations

import ipaddress

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.clients import reach_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    LedgerEntry,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaSecrets,
    Component,
    PreparedAuthority,
    StoredLeaf,
)

from ...support.certificates import key, make
from .bench import SCOPE
from .client_bench import FOREIGN, NEW, OLD

ROOT = make("root", key(3))
NODE_NAMES = x509.SubjectAlternativeName(
    [x509.DNSName("Broker-0.example.com"), x509.IPAddress(ipaddress.ip_address("10.0.0.7"))]
)
NODE = make("demo-kafka", key(4), OLD, ca=False, extra=((NODE_NAMES, False),))
OPERATOR_NAMES = x509.SubjectAlternativeName([x509.DNSName("operator.example.com")])
OPERATOR = make("demo-entity-topic-operator", key(5), OLD, ca=False, extra=((OPERATOR_NAMES, False),))
KAFKA = {"status": {"listeners": [{"addresses": [{"host": "Worker-1.example.com", "port": 31000}]}, {"name": "x"}]}}
LEAVES = (
    StoredLeaf("demo-kafka-0", "demo-kafka-0.crt", Component.KAFKA, (NODE.certificate,), 0),
    StoredLeaf("demo-kafka-1", "demo-kafka-1.crt", Component.KAFKA, None, None),
    StoredLeaf("demo-entity", "entity.crt", Component.ENTITY_OPERATOR, (OPERATOR.certificate,), 0),
)
CA = CaSecrets(
    (OLD.certificate, ROOT.certificate),
    {"next.crt": (NEW.certificate,)},
    prepared=(PreparedAuthority((FOREIGN.certificate,), "key"),),
)


@pytest.mark.parametrize(
    "address",
    [
        "broker-0.example.com:443",
        "other:1, 10.0.0.7:9094",
        "worker-1.example.com:31000",
        "demo-kafka-bootstrap.kafka.svc:9093",
    ],
)
def test_every_address_of_nodes_leads_here(address: str) -> None:
    assert reach_of(SCOPE, KAFKA, LEAVES, CA, None).leads_here(address)


@pytest.mark.parametrize(
    "address", [None, "", "operator.example.com:443", "example.com:443", "other-kafka-bootstrap:9093"]
)
def test_other_addresses_do_not(address: str | None) -> None:
    assert not reach_of(SCOPE, KAFKA, LEAVES, CA, None).leads_here(address)


def test_its_cas_are_those_in_use_beside_it_above_it_and_to_come() -> None:
    reach = reach_of(SCOPE, None, (), CA, None)
    for one in (OLD, ROOT, NEW, FOREIGN):
        assert reach.is_trusted_by((OPERATOR.certificate, one.certificate))
    for anchors in (None, (), (NODE.certificate,)):
        assert not reach.is_trusted_by(anchors)


def test_those_of_the_ledger_are_too() -> None:
    ledger = Ledger((LedgerEntry((NEW.certificate,), TrustState.UNTRUSTED),))
    assert reach_of(SCOPE, None, (), CaSecrets(), ledger).is_trusted_by((NEW.certificate,))
