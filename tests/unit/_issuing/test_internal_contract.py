# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The internal issuer keeps to what every issuer keeps to."""

from __future__ import annotations

from datetime import datetime

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.internal import InternalIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.tests.support.certificates import NOW, key, make
from ansible_collections.trustops.strimzi.tests.support.issuer_contract import WEEK, Counterpart, IssuerContract
from ansible_collections.trustops.strimzi.tests.support.link_contract import LinkContract

ROOT = make("root", key(1))
CA = make("cluster-ca v0", key(2), ROOT, path_length=0)


class Internal:
    """Signs at once, by a fixed clock."""

    authority: Chain = (CA.certificate, ROOT.certificate)
    issuer = InternalIssuer(authority, CA.key, NOW, WEEK)

    def now(self) -> datetime:
        return NOW


class TestInternalIssuer(IssuerContract, LinkContract):
    @pytest.fixture
    def counterpart(self) -> Counterpart:
        return Internal()
