# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every leaf that is issued, as another program sees it: key, profile, names and path (docs/operator.md, "Certificates", "Leaves")."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component

from .._strimzi.bench import Bench, pem
from . import openssl
from .office import BY_SECRET, CA, NODE_NAMES, NODES, OLD, issue, names_of, office

RSA = KeySpec(KeyAlgorithm.RSA, 2048)


@pytest.fixture(scope="module")
def issued() -> Bench:
    bench = office()
    issue(bench, *BY_SECRET)
    return bench


def entry(bench: Bench, secret: str, suffix: str) -> bytes:
    return bench.data(secret)[f"{BY_SECRET[secret].entry}.{suffix}"]


each_secret = pytest.mark.parametrize("secret", BY_SECRET)


@each_secret
def test_key_is_pkcs8_and_belongs_to_the_leaf(issued: Bench, secret: str) -> None:
    private = entry(issued, secret, "key")
    assert private.startswith(b"-----BEGIN PRIVATE KEY-----\n")
    of_leaf = openssl.public_key_of_certificate(entry(issued, secret, "crt"))
    assert openssl.public_key_of_private(private) == of_leaf


@each_secret
def test_subject_and_issuer(issued: Bench, secret: str) -> None:
    text = openssl.describe(entry(issued, secret, "crt"))
    assert f"Subject: O=io.strimzi, CN={BY_SECRET[secret].common_name}\n" in text
    assert "Issuer: O=io.strimzi, CN=cluster-ca v1\n" in text


@each_secret
def test_profile(issued: Bench, secret: str) -> None:
    """Servers have names and nothing else; clients say that they are no CA and what their key is for."""
    found = openssl.extensions(entry(issued, secret, "crt"))
    identifiers = {"Subject Key Identifier", "Authority Key Identifier"}
    if names_of(secret):
        assert set(found) == identifiers | {"Subject Alternative Name"}
    else:
        assert set(found) == identifiers | {"Basic Constraints", "Key Usage"}
        assert found["Basic Constraints"] == "critical CA:FALSE"
        assert found["Key Usage"] == "critical Digital Signature, Key Encipherment"


def test_names_of_a_node_are_exactly_the_wanted_ones(issued: Bench) -> None:
    shown = openssl.extensions(entry(issued, NODES[0], "crt"))["Subject Alternative Name"]
    assert sorted(shown.split(", ")) == sorted(
        ["DNS:demo-kafka-bootstrap", "DNS:lb.example", "IP Address:192.0.2.4", "IP Address:2001:DB8:0:0:0:0:0:4"]
    )


@each_secret
def test_path(issued: Bench, secret: str, tmp_path: Path) -> None:
    leaf, at = entry(issued, secret, "crt"), int(issued.clock.now().timestamp())
    assert openssl.verify(leaf, pem(CA), at, tmp_path)
    assert not openssl.verify(leaf, pem(OLD), at, tmp_path)


@pytest.mark.parametrize("host", sorted(NODE_NAMES))
def test_a_client_finds_the_host_it_connected_to(issued: Bench, host: str, tmp_path: Path) -> None:
    leaf, at = entry(issued, NODES[0], "crt"), int(issued.clock.now().timestamp())
    assert openssl.verify(leaf, pem(CA), at, tmp_path, host)
    assert not openssl.verify(leaf, pem(CA), at, tmp_path, "other.example")


@each_secret
def test_only_nodes_present_the_bytes_of_the_ca_as_well(issued: Bench, secret: str) -> None:
    """Leaf PEM followed by exactly ca.crt, else the operator issues anew (docs/operator.md, "Re-issue")."""
    content = entry(issued, secret, "crt")
    is_node = BY_SECRET[secret].component is Component.KAFKA
    assert content.endswith(pem(CA)) is is_node
    assert content.count(b"BEGIN CERTIFICATE") == (2 if is_node else 1)


def test_every_leaf_has_a_key_and_a_serial_number_of_its_own(issued: Bench) -> None:
    keys = {entry(issued, secret, "key") for secret in BY_SECRET}
    serials = {openssl.describe(entry(issued, secret, "crt")).split("Serial Number")[1][:80] for secret in BY_SECRET}
    assert len(keys) == len(serials) == len(BY_SECRET)


def test_rsa_leaf() -> None:
    """The Kafka Agent needs an RSA key (docs/operator.md, "Leaves"); an EC CA signs the leaf with its own algorithm."""
    bench = office()
    issue(bench, NODES[0], leaf_key=RSA)
    text = openssl.describe(entry(bench, NODES[0], "crt"))
    assert "Public-Key: (2048 bit)" in text
    assert entry(bench, NODES[0], "key").startswith(b"-----BEGIN PRIVATE KEY-----\n")
