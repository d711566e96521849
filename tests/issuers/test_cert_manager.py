# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issuer that asks cert-manager, before cert-manager's own controllers, with the permissions of the documentation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden, IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import (
    CertManager,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import LeafOrder, Refused, Token, Waiting
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ..tools.cluster.corporate_issuer import issuer
from ..tools.cluster.kube import Kube, wait_for
from ..tools.support.cert_manager import NAMESPACE
from ..tools.support.certificates import key
from ..tools.support.issuer_contract import answers, asked, is_told, issued, wish
from .corporate import Corporate


def by(corporate: Corporate, settings: CertManagerIssuer, namespace: str = NAMESPACE) -> CertManager:
    client = KubeClient(Kube(corporate.kubeconfig))
    return CertManager(client, ClusterNames(namespace, "demo"), settings, SystemClock())


def waits_for(one: CertManager, token: Token, *parts: str) -> Callable[[], bool]:
    """Whether these are among what it says that it waits for."""

    def said() -> bool:
        (answer,) = one.poll((token,))
        assert isinstance(answer, Waiting), answer
        is_told(answer)
        return all(part in answer.reason for part in parts)

    return said


def test_before_cert_manager_is_installed(without_cert_manager: list[object]) -> None:
    raised, waiting = without_cert_manager
    assert isinstance(raised, IssuerUnavailable)
    assert str(raised).startswith("cert-manager is not installed: ")
    assert isinstance(waiting, Waiting)


def test_an_issuer_that_does_not_exist_yet(corporate: Corporate) -> None:
    one = by(corporate, CertManagerIssuer("tomorrow"))
    token = asked(one, wish().order)
    parts = ('"Issuer" not found', "Issuer tomorrow does not exist in namespace kafka")
    wait_for(waits_for(one, token, *parts), "the word that the Issuer is missing")
    corporate.kube.apply([issuer("tomorrow", NAMESPACE, {"ca": {"secretName": "root"}})])
    issued(one, token)


@pytest.mark.parametrize("kind", ["Issuer", "ClusterIssuer"])
def test_an_issuer_that_is_not_ready(corporate: Corporate, kind: str) -> None:
    home = NAMESPACE if kind == "Issuer" else None
    corporate.kube.apply([issuer("unready", home, {"ca": {"secretName": "nowhere"}})])
    one = by(corporate, CertManagerIssuer("unready", kind))
    token = asked(one, wish().order)
    parts = ("does not have a Ready status condition", f"{kind} unready is not Ready: ", '"nowhere" not found')
    wait_for(waits_for(one, token, *parts), "the word that the Issuer is not Ready")


def test_an_issuer_that_no_controller_serves(corporate: Corporate) -> None:
    one = by(corporate, CertManagerIssuer("corporate", "PrivateIssuer", "example.com"))
    token = asked(one, wish().order)
    parts = ("is approved, and no controller has begun", "PrivateIssuer corporate of example.com runs")
    wait_for(waits_for(one, token, *parts), "the word that no controller has begun")


def test_a_request_that_no_approver_approves(corporate: Corporate) -> None:
    one = corporate.counterpart("corporate").silent
    (answer,) = one.poll((asked(one, wish().order),))
    assert isinstance(answer, Waiting)
    assert "signers issuers.cert-manager.io/unapproved.corporate" in answer.reason


def test_the_message_of_a_denial(corporate: Corporate) -> None:
    answer = corporate.counterpart("corporate").refused(wish().order)
    assert isinstance(answer, Refused)
    assert answer.reason.endswith(" was denied: no such names here.")


def test_a_request_that_cert_manager_fails(corporate: Corporate) -> None:
    """Its CSR asks for other usages than the request; ours ask for none."""
    one, wanted = by(corporate, CertManagerIssuer("corporate")), wish()
    (answer,) = answers(one, [asked(one, _asking_for_a_ca(wanted.order))])
    assert isinstance(answer, Refused)
    assert " has failed: Error generating certificate template: encoded CSR error" in answer.reason
    is_told(answer)


def test_an_issuer_that_wants_the_private_key(corporate: Corporate) -> None:
    """A self-signed certificate takes the key of the leaf, which stays with the collection."""
    one = by(corporate, CertManagerIssuer("selfsigned"))
    (answer,) = answers(one, [asked(one, wish().order)])
    assert isinstance(answer, Refused)
    assert "private-key-secret-name" in answer.reason


def _asking_for_a_ca(order: LeafOrder) -> LeafOrder:
    builder = x509.CertificateSigningRequestBuilder().subject_name(order.subject.distinguished_name.as_name())
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    request = builder.sign(key(700).for_signing(), hashes.SHA256())
    return replace(order, csr=request.public_bytes(Encoding.PEM))


def test_a_missing_permission_is_named(corporate: Corporate) -> None:
    with pytest.raises(Forbidden) as raised:
        by(corporate, CertManagerIssuer("corporate"), "cert-manager").request(wish().order)
    assert "verbs: [create], apiGroups: ['cert-manager.io'], resources: [certificaterequests]" in raised.value.remedy
