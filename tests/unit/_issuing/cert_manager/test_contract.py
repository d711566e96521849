# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issuer that asks cert-manager keeps to what every issuer keeps to, before controllers in memory. That these are like the
real ones is what the same tests say in ``tests/issuers``.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.certificates import (
    CertManagerByCertificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import (
    CertManager,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Answer, Waiting
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ....tools.support.cert_manager import CertManagerCounterpart, MemoryCertManager, People
from ....tools.support.cert_manager_certificates import CertificatesCounterpart, MemoryCertificates
from ....tools.support.certificates import NOW, Entity, key, make
from ....tools.support.issuer_contract import (
    AbsenceContract,
    DelayContract,
    ForgettingContract,
    IssuerContract,
    MemoryContract,
    RecordContract,
    RefusalContract,
    StandingContract,
)
from ....tools.support.memory_api import MemoryApi
from ..._kube.doubles import ScriptedTransport, scripted, status

ROOT = make("root", key(1))
INTERMEDIATE = make("intermediate", key(2), ROOT, path_length=0)
#: The options of a task that gives what this kind needs, and no more.
OPTIONS = {"type": "cert_manager", "name": "corporate"}


class MemoryCounterpart(CertManagerCounterpart):
    @property
    def absent(self) -> CertManager:
        """Before an API server without cert-manager's resource definitions."""
        unknown_kind = status(404, "NotFound", "the server could not find the requested resource")
        return CertManager(scripted([unknown_kind])[0], ClusterNames("kafka", "demo"), self.settings, self)

    @property
    def answer_while_absent(self) -> type[Answer]:
        return Waiting


def _counterpart(authority: Entity, *above: Entity) -> MemoryCounterpart:
    api = MemoryApi()
    MemoryCertManager(api, authority, above=above)
    chain = tuple(one.certificate for one in (authority, *above))
    return MemoryCounterpart(api, People(api), CertManagerIssuer("corporate"), chain, lambda: NOW)


class TestRequestsInMemory(
    IssuerContract, RecordContract, RefusalContract, DelayContract, MemoryContract, ForgettingContract, AbsenceContract
):
    @pytest.fixture(params=[(ROOT,), (INTERMEDIATE, ROOT)], ids=["root", "intermediate"])
    def counterpart(self, request: pytest.FixtureRequest) -> MemoryCounterpart:
        return _counterpart(*request.param)


class MemoryCertificatesCounterpart(CertificatesCounterpart):
    @property
    def absent(self) -> CertManagerByCertificates:
        unknown_kind = status(404, "NotFound", "the server could not find the requested resource")
        return replace(self, api=ScriptedTransport([unknown_kind])).issuer

    @property
    def answer_while_absent(self) -> type[Answer]:
        return Waiting


class TestCertificatesInMemory(
    IssuerContract, RecordContract, RefusalContract, DelayContract, MemoryContract, StandingContract, AbsenceContract
):
    @pytest.fixture(params=[(ROOT,), (INTERMEDIATE, ROOT)], ids=["root", "intermediate"])
    def counterpart(self, request: pytest.FixtureRequest) -> MemoryCertificatesCounterpart:
        api, (authority, *above) = MemoryApi(), request.param
        MemoryCertificates(api, authority, above=tuple(above))
        chain = tuple(one.certificate for one in request.param)
        return MemoryCertificatesCounterpart(api, People(api), CertManagerIssuer("corporate"), chain, lambda: NOW)
