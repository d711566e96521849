# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subjects: O before CN as ``super.users`` compares them (docs/operator.md, "Leaves"), names on servers only."""

from __future__ import annotations

from datetime import timedelta

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import (
    cruise_control_names,
    service_names,
    subject_of,
    subject_of_user,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Purpose
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import (
    component_leaves,
    node_leaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component

LEAVES = [*component_leaves("c"), node_leaf("c", "c-kafka-0")]


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.secret)
def test_organization_comes_before_the_common_name(leaf: object) -> None:
    subject = subject_of(leaf.component, leaf.common_name, frozenset({"a.example"}))  # type: ignore[attr-defined]
    attributes = [(one.oid.dotted_string, one.value) for one in subject.distinguished_name.as_name()]
    assert attributes == [("2.5.4.10", "io.strimzi"), ("2.5.4.3", leaf.common_name)]  # type: ignore[attr-defined]
    # UTF8String, as openssl writes it: a name in another string type is another name for a byte comparison.
    assert subject.distinguished_name.der.count(b"\x0c\x0aio.strimzi") == 1


@pytest.mark.parametrize(
    ("component", "common_name", "printed"),
    [
        (Component.KAFKA, "c-kafka", "CN=c-kafka,O=io.strimzi"),
        (Component.CLUSTER_OPERATOR, "cluster-operator", "CN=cluster-operator,O=io.strimzi"),
        (Component.ENTITY_OPERATOR, "c-entity-user-operator", "CN=c-entity-user-operator,O=io.strimzi"),
    ],
)
def test_printed_form_is_that_of_super_users(component: Component, common_name: str, printed: str) -> None:
    assert subject_of(component, common_name, frozenset()).distinguished_name.as_name().rfc4514_string() == printed


@pytest.mark.parametrize(
    ("component", "serves"),
    [
        (Component.KAFKA, True),
        (Component.CRUISE_CONTROL, True),
        (Component.ENTITY_OPERATOR, False),
        (Component.KAFKA_EXPORTER, False),
        (Component.CLUSTER_OPERATOR, False),
    ],
)
def test_pure_clients_have_no_names(component: Component, serves: bool) -> None:
    names = frozenset({"a.example", "192.0.2.1"})
    assert subject_of(component, "x", names).names == (names if serves else frozenset())


def test_a_user_has_no_organization_and_is_a_client() -> None:
    found = subject_of_user("orders", timedelta(days=30))
    assert found.distinguished_name.text == "CN=orders"
    assert (found.names, found.purposes, found.outlasts) == (frozenset(), {Purpose.CLIENT}, timedelta(days=30))


@pytest.mark.parametrize("written", ["2001:DB8::1", "2001:db8:0:0:0:0:0:1", "2001:0db8::0001"])
def test_an_ipv6_address_is_the_same_in_all_its_forms(written: str) -> None:
    """A certificate holds 16 bytes; compared as text, the leaf would never be the wanted one."""
    assert subject_of(Component.KAFKA, "x", frozenset({written})).names == {"2001:db8::1"}


def test_a_name_that_looks_like_an_address_stays_a_name() -> None:
    names = frozenset({"10.example", "1.2.3", "x2001:db8::1"})
    assert subject_of(Component.KAFKA, "x", names).names == names


def test_cruise_control_names() -> None:
    scope = ClusterNames("ns", "c")
    assert cruise_control_names(scope, "dom") == {
        "c-cruise-control", "c-cruise-control.ns", "c-cruise-control.ns.svc", "c-cruise-control.ns.svc.dom", "localhost",
    }  # fmt: skip
    assert service_names("s", "n", "d") == ("s", "s.n", "s.n.svc", "s.n.svc.d")


def test_names_are_equal_to_what_x509_makes_of_them() -> None:
    name = subject_of(Component.KAFKA, "c-kafka", frozenset()).distinguished_name
    assert x509.Name.from_rfc4514_string("CN=c-kafka,O=io.strimzi").public_bytes() == name.der
