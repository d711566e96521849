# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections to servers that may be no Vault."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import ServerFailure
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.https.api import Call
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.https.connection import HttpsConnection
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.api import VAULT, server_of
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.settings import (
    VaultIssuer,
    VaultLogin,
    VaultToken,
)

CALL = Call("pki/sign", {"csr": "x"}, "sign", "hvs.token")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


def connection(
    url: str, *, ca_certificate: bytes | None = None, login: VaultLogin | None = None, namespace: str = ""
) -> HttpsConnection:
    settings = VaultIssuer(url, "pki", "kafka", "a", login or VaultToken("t"), namespace, ca_certificate)
    return HttpsConnection(VAULT, server_of(settings))


def failing(url: str, ca_certificate: bytes | None = None, login: VaultLogin | None = None) -> ServerFailure:
    with pytest.raises(ServerFailure) as raised:
        connection(url, ca_certificate=ca_certificate, login=login).send(CALL)
    for text in (str(raised.value), raised.value.remedy):
        assert text.endswith(".")
        assert "hvs.token" not in text
    return raised.value
