# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users get certificates of cert-manager's own controllers, a new one is served, and they go back to the User Operator's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key

from ..tools.cluster.bed import Bed
from ..tools.cluster.cert_manager import start_cert_manager
from ..tools.cluster.corporate_issuer import set_up_issuer
from ..tools.cluster.kube import wait_for
from ..tools.operator.api import ApiError
from ..tools.operator.user_operator import UserOperatorDouble
from ..tools.support.users import kafka_user
from .resources import read_secret
from .running import Runner

#: The issuer is asked for such certificates in every run (tests/issuers), and the flows are run in memory.
pytestmark = pytest.mark.long

_GROUP = "cert-manager.io/v1"
#: Seconds between two passes of the User Operator.
_PERIOD = 1.0


@pytest.fixture(scope="module")
def corporate(bed: Bed, runner: Runner) -> Certificate:
    """The CA of the issuer, whose key only cert-manager reads."""
    namespace = runner.cluster.namespace
    start_cert_manager(bed, approving=namespace)
    return parse_certificates(set_up_issuer(runner.cluster.kube, namespace, "corporate").encode())[0]


@contextmanager
def user_operator(runner: Runner) -> Iterator[UserOperatorDouble]:
    operator, ended = UserOperatorDouble(runner.cluster.kube, runner.cluster.namespace, "demo"), threading.Event()

    def work() -> None:
        while not ended.wait(_PERIOD):
            try:
                operator.reconcile()
            except ApiError as error:
                print(f"the User Operator: {error}", flush=True)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield operator
    finally:
        ended.set()
        thread.join()


@pytest.fixture(scope="module")
def users(runner: Runner) -> Iterator[UserOperatorDouble]:
    with user_operator(runner) as operator:
        runner.cluster.kube.apply([kafka_user(name, runner.cluster.namespace) for name in ("orders", "payments")])
        for name in ("orders", "payments"):
            wait_for(lambda name=name: bool(read_secret(runner, name)), f"the Secret of user {name}")
        runner.flow("upgrade", strimzi_ca="clients").check()
        yield operator


def issuers(runner: Runner) -> dict[str, str]:
    """The issuer of each user's certificate in its Secret, where certificate, key and CA have to fit."""
    found = {}
    current = read_secret(runner, "demo-clients-ca-cert")["ca.crt"]
    for name in (one["name"] for one in runner.module("strimzi_user_info")["users"]):
        stored = read_secret(runner, name)
        leaf = parse_certificates(stored["user.crt"])[0]
        assert (leaf.subject, stored["ca.crt"]) == (f"CN={name}", current)
        assert leaf.is_for(load_key(stored["user.key"]))
        found[name] = leaf.issuer
    return found


def kept(runner: Runner, kind: str) -> list[str]:
    listed = runner.cluster.kube.request("GET", f"/apis/{_GROUP}/namespaces/{runner.cluster.namespace}/{kind}").body
    own = [one for one in listed["items"] if "strimzi.io/cluster" in (one["metadata"].get("labels") or {})]
    return sorted(one["metadata"]["name"] for one in own)


@pytest.mark.parametrize("resource", ["CertificateRequest", "Certificate"])
def test_users_move_to_cert_manager_and_back_with_a_new_user(
    runner: Runner, corporate: Certificate, users: UserOperatorDouble, resource: str
) -> None:
    issuer = {"type": "cert_manager", "name": "corporate", "resource": resource}
    moving: dict[str, Any] = {"strimzi_issuer": issuer, "strimzi_issue_timeout": 60, "strimzi_fresh_for_hours": 0}
    added = f"added-{resource.lower()}"
    before = list(users.issued)
    runner.flow("rotate_clients_ca", strimzi_certificate=corporate.pem.decode(), **moving).check()
    assert set(issuers(runner).values()) == {corporate.subject}
    assert kept(runner, "certificaterequests") == [] or resource == "Certificate"

    runner.cluster.kube.apply([kafka_user(added, runner.cluster.namespace)])
    runner.flow("reconcile", strimzi_ca="clients", **moving).check()
    assert issuers(runner)[added] == corporate.subject
    assert users.issued == before, "the User Operator kept everything"
    assert "changed=0" in runner.flow("reconcile", strimzi_ca="clients", **moving).check().output

    runner.flow("rotate_clients_ca", strimzi_replaces=corporate.sha256, **moving).check()
    assert corporate.subject not in set(issuers(runner).values())
    if resource == "Certificate":
        assert {"orders", "payments", added} <= set(kept(runner, "certificates"))
        runner.module("strimzi_ee_cert", state="tidied", ca="clients")
    assert kept(runner, "certificates") == []
