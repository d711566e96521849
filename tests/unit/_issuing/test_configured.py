# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A call asks the issuer that the caller names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import (
    CertManager,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.configured import issuer_of
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    External,
    IssuedCertificate,
    RenewingIssuer,
    Token,
    Waiting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.requests import (
    RequestRecord,
    StoredRequest,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
    ExternalIssuer,
    IssuerSettings,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component

from ...support.certificates import NOW, key, leaf, make
from .._strimzi.bench import Bench

LEAF = leaf(make("issuing", key(1)))
RECORD = RequestRecord("the external issuer", "", "", "", NOW, "a request")
ASKED = StoredRequest("demo-kafka-0", Component.KAFKA, RECORD)


def test_where_nobody_is_named_people_are_asked() -> None:
    work = Bench().work()
    assert isinstance(issuer_of(work), External)
    assert work.settings.issuer == ExternalIssuer()
    assert issuer_of(work).reference == "the external issuer"


def test_cert_manager() -> None:
    work = Bench().work(issuer=CertManagerIssuer("corporate", "ClusterIssuer"))
    assert isinstance(issuer_of(work, (ASKED,)), CertManager)
    assert issuer_of(work).reference == "cert-manager ClusterIssuer corporate"


def test_cert_manager_by_certificates() -> None:
    work = Bench().work(issuer=CertManagerCertificates(CertManagerIssuer("corporate", "ClusterIssuer")))
    assert isinstance(issuer_of(work), RenewingIssuer)
    assert issuer_of(work).reference == "cert-manager ClusterIssuer corporate by Certificates"


@pytest.mark.parametrize("settings", [ExternalIssuer(), CertManagerIssuer("corporate")])
def test_others_renew_nothing_by_themselves(settings: IssuerSettings) -> None:
    assert not isinstance(issuer_of(Bench().work(issuer=settings)), RenewingIssuer)


def test_people_put_their_answers_beside_the_requests() -> None:
    answered = replace(ASKED, secret="demo-kafka-1", record=replace(RECORD, token="another"), issued=LEAF.pem)
    unasked = StoredRequest("demo-kafka-2", Component.KAFKA, issued=LEAF.pem)
    waiting, issued = issuer_of(Bench().work(), (ASKED, answered, unasked)).poll(
        [Token(b"a request"), Token(b"another")]
    )
    assert issued == IssuedCertificate(LEAF, ())
    assert isinstance(waiting, Waiting)
    assert "Secrets kafka/demo-issuing-<component>" in waiting.why
