# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A company's CAs with cert-manager: a root that cert-manager makes, an intermediate below it, and issuers of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import (
    CertManager,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Token
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ..tools.cluster.bed import ROOT as REPOSITORY
from ..tools.cluster.bed import Bed
from ..tools.cluster.cert_manager import CLUSTER_RESOURCES
from ..tools.cluster.corporate_issuer import authority, issuer, made_authority
from ..tools.cluster.kube import Kube, write_kubeconfig
from ..tools.support.cert_manager import NAMESPACE, UNAPPROVED, CertManagerCounterpart, People
from ..tools.support.cert_manager_certificates import CertificatesCounterpart
from ..tools.support.issuer_contract import wish

Object = dict[str, Any]
#: Name and kind of the issuers whose CAs sign.
SIGNING = [("corporate", "Issuer"), ("corporate", "ClusterIssuer"), ("department", "Issuer")]
RBAC = "rbac.authorization.k8s.io"
RBAC_YML = REPOSITORY / "docs" / "rbac.yml"
#: The issuers that tests ask.
ISSUERS = ["corporate", "department", "selfsigned", "tomorrow", "unready"]
#: The ServiceAccount of the runs, bound to Roles of the documentation and to nothing else.
RUNNER = "trustops"


def documented_roles() -> list[Object]:
    """The Roles for cert-manager, and the part that is needed here of the Role for every run; with the names of the tests' issuers."""
    roles = {
        role["metadata"]["name"].removeprefix("trustops-strimzi-"): role
        for role in yaml.safe_load(RBAC_YML.read_text())["items"]
    }
    reading = [rule for rule in roles["looking"]["rules"] if rule["resources"] == ["secrets"]]
    wanted = [
        roles["cert-manager"],
        roles["cert-manager-certificates"],
        roles["cluster-issuer"],
        {**roles["looking"], "rules": reading},
    ]
    return [{**role, "rules": [_for_all_issuers(rule) for rule in role["rules"]]} for role in wanted]


def _for_all_issuers(rule: Object) -> Object:
    return {**rule, "resourceNames": ISSUERS} if rule["resources"][0].endswith("issuers") else rule


def now() -> datetime:
    return datetime.now(timezone.utc)


def asked_without_cert_manager(bed: Bed) -> list[object]:
    """The answers to a request and to a question, after forgetting, while the API server does not know the kind."""
    client, scope = KubeClient(Kube(bed.kubeconfig)), ClusterNames(NAMESPACE, "demo")
    one = CertManager(client, scope, CertManagerIssuer("corporate"), SystemClock())
    tokens = [Token(b"{}")]
    one.forget(tokens)
    try:
        return [one.request(wish().order), *one.poll(tokens)]
    except IssuerUnavailable as error:
        return [error, *one.poll(tokens)]


@dataclass
class Corporate:
    bed: Bed
    #: The file into which the kubeconfig of the runs is written.
    kubeconfig: Path

    @property
    def kube(self) -> Kube:
        """As an administrator of the Kubernetes cluster."""
        return Kube(self.bed.kubeconfig)

    def set_up(self) -> Corporate:
        self.kube.apply(
            [issuer("selfsigned", NAMESPACE, {"selfSigned": {}}), authority("root", NAMESPACE, "selfsigned")]
        )
        self._issue_by("root", "corporate")
        self.kube.apply([authority("intermediate", NAMESPACE, "corporate")])
        self._issue_by("intermediate", "department")
        self._permit_runs()
        return self

    def counterpart(self, name: str, kind: str = "Issuer") -> CertManagerCounterpart:
        settings = CertManagerIssuer(name, kind)
        chain = {"corporate": ("root",), "department": ("intermediate", "root")}[name]
        above = tuple(self._certificate(one) for one in chain)
        return CertManagerCounterpart(Kube(self.kubeconfig), People(self.kube), settings, above, now)

    def by_certificates(self, name: str, kind: str = "Issuer") -> CertificatesCounterpart:
        return CertificatesCounterpart(**vars(self.counterpart(name, kind)))

    def _issue_by(self, secret: str, name: str) -> None:
        """Issuers of a CA, in each namespace and for all of them; its Secret has to lie beside each."""
        made_authority(self.kube, NAMESPACE, secret)
        copied = self._secret(secret)
        for namespace in (UNAPPROVED, CLUSTER_RESOURCES):
            metadata = {"name": secret, "namespace": namespace}
            self.kube.apply([{"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": copied["data"]}])
        places = (NAMESPACE, UNAPPROVED, None)
        self.kube.apply(issuer(name, namespace, {"ca": {"secretName": secret}}) for namespace in places)

    def _secret(self, name: str) -> Object:
        return self.kube.request("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets/{name}").body

    def _certificate(self, secret: str) -> Certificate:
        return parse_certificates(made_authority(self.kube, NAMESPACE, secret).encode())[0]

    def _permit_runs(self) -> None:
        account = {"name": RUNNER, "namespace": NAMESPACE}
        self.kube.apply([{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account}])
        for namespace in (NAMESPACE, UNAPPROVED):
            for role in documented_roles():
                self.kube.apply(_bound(role, {"kind": "ServiceAccount", **account}, namespace))
        path = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{RUNNER}/token"
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": []}}
        token = self.kube.request("POST", path, body=body).body["status"]["token"]
        write_kubeconfig(self.kubeconfig, self.kube.server, self.bed.folder / "ca.crt", token)


def _bound(role: Object, subject: Object, namespace: str) -> Iterable[Object]:
    """The role and its binding: a Role in this namespace, a ClusterRole in all."""
    kind, name = role["kind"], role["metadata"]["name"]
    metadata = {"name": name} if kind == "ClusterRole" else {"name": name, "namespace": namespace}
    yield {**role, "metadata": metadata}
    binding = {"apiVersion": f"{RBAC}/v1", "kind": f"{kind}Binding", "metadata": metadata}
    yield {**binding, "subjects": [subject], "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name}}
