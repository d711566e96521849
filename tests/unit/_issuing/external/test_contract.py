# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The external issuer keeps to what every issuer keeps to, with a person who signs at once, and with a person who takes the time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.external.issuer import External
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Token
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import InternalIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain

from ....tools.support.certificates import NOW, key, make
from ....tools.support.issuer_contract import DelayContract, IssuerContract

CA = make("corporate", key(1))
WHERE = "Secrets kafka/demo-issuing-<component>"
#: The options of a task that gives what this kind needs, and no more.
OPTIONS = {"type": "external"}


class Desk(dict[bytes, bytes]):
    """The answers that a person has put back, by request."""

    def sign(self, request: bytes) -> bytes:
        made = InternalIssuer((CA.certificate,), CA.key, NOW, timedelta(days=7)).sign(request)
        return self.setdefault(request, made.leaf.pem + CA.certificate.pem)


class QuickDesk(Desk):
    def get(self, request: bytes, default: object = None) -> bytes:  # type: ignore[override]
        return self.sign(request)


class Person:
    def __init__(self) -> None:
        self.desk = Desk()
        self.issuer, self.silent = External(QuickDesk(), WHERE), External(self.desk, WHERE)

    @property
    def authority(self) -> Chain:
        return (CA.certificate,)

    def now(self) -> datetime:
        return NOW

    def wake(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            self.desk.sign(token.value)


class TestExternal(IssuerContract, DelayContract):
    @pytest.fixture
    def counterpart(self) -> Person:
        return Person()
