# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trust of processes is read from the entry of the CA that is asked about; nobody trusts an entry that cannot be read."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import read_bundle
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind

from ...support.certificates import key, make
from .bench import SCOPE, secret

CLUSTER, CLIENTS = make("cluster-ca v0", key(0)).certificate, make("clients-ca v0", key(1)).certificate
BUNDLE = secret("demo-trustbundle", {"cluster-ca.crt": CLUSTER.pem, "clients-ca.crt": CLIENTS.pem})


@pytest.mark.parametrize(("ca", "trusted"), [(CaKind.CLUSTER, CLUSTER), (CaKind.CLIENTS, CLIENTS)])
def test_each_ca_has_an_entry_of_its_own(ca: CaKind, trusted: object) -> None:
    assert read_bundle(BUNDLE, SCOPE.of(ca)) == {getattr(trusted, "fingerprint", None)}


def test_without_a_secret_nothing_is_known() -> None:
    assert read_bundle(None, SCOPE) is None


@pytest.mark.parametrize(
    "data", [{}, {"cluster-ca.crt": b""}, {"cluster-ca.crt": b"no certificate"}, {"other.crt": CLUSTER.pem}]
)
def test_what_cannot_be_read_is_trusted_by_nobody(data: dict[str, bytes]) -> None:
    assert read_bundle(secret("demo-trustbundle", data), SCOPE) == frozenset()
