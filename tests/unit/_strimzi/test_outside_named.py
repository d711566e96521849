# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets that the user names, and what may not be read."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.clients import observe_outside
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    Follows,
    NamedSecret,
    OutsideClient,
)

from ...support.certificates import leaf
from ...support.memory_api import Response
from .bench import Object, pem
from .client_bench import NEW, OLD, REACH, Clients, certificates


def test_named_secrets_under_the_strictest_rules() -> None:
    bench = Clients()
    bench.store(
        "app", {"ca.crt": pem(OLD), "more.pem": pem(NEW), "tls.key": b"secret", "user.crt": pem(leaf(OLD, "u"))}
    )
    whole, one = bench.see(NamedSecret("kafka", "app"), NamedSecret("kafka", "app", "ca.crt"))
    assert (whole.name, one.name) == ("Secret kafka/app", "Secret kafka/app entry ca.crt")
    assert set(certificates(OLD, NEW)) < set(whole.trusts or ())
    assert one == OutsideClient(
        one.name, certificates(OLD), "", Verifier.OPENSSL, Follows.NOTHING, one.remedy, declared=True
    )


@pytest.mark.parametrize(
    ("name", "doubt"),
    [("gone", "Secret kafka/gone does not exist"), ("empty", "Secret kafka/empty holds no certificate in PEM form")],
)
def test_named_secrets_that_say_nothing(name: str, doubt: str) -> None:
    bench = Clients()
    bench.store("empty", {"tls.key": b"secret"})
    (found,) = bench.see(NamedSecret("kafka", name))
    assert (found.trusts, found.doubt, found.declared) == (None, doubt, True)


def test_a_certificate_with_the_older_header_counts() -> None:
    bench = Clients()
    bench.store("app", {"ca.crt": pem(OLD).replace(b" CERTIFICATE", b" X509 CERTIFICATE")})
    (found,) = bench.see(NamedSecret("kafka", "app"))
    assert (found.trusts, found.doubt) == (certificates(OLD), "")


def test_the_published_bundle_is_no_evidence_to_ask_for() -> None:
    assert Clients().see(NamedSecret("kafka", "demo-cluster-ca-bundle")) == ()


class Refusing:
    """Answers with this status where the path ends like that, and else lets through."""

    def __init__(self, api: Any, end: str, status: int, body: Object) -> None:
        self._api, self._end, self._response = api, end, Response(status, {"kind": "Status", **body})

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        return self._response if path.endswith(self._end) else self._api.request(method, path, **arguments)


def seen_by(bench: Clients, end: str, status: int, *named: NamedSecret, **body: Any) -> tuple[OutsideClient, ...]:
    client = KubeClient(Refusing(bench.api, end, status, body), sleep=lambda seconds: None)  # type: ignore[arg-type]
    return observe_outside(client, REACH, named)


def test_what_may_not_be_listed_is_unknown_and_can_be_waived_by_a_name() -> None:
    (found,) = seen_by(Clients(), "/kafkabridges", 403, reason="Forbidden", message="kafkabridges is forbidden")
    assert (found.name, found.trusts) == ("KafkaBridge kafka/*", None)
    assert found.doubt.startswith("it cannot be told which KafkaBridge resources trust this cluster: ")
    assert "verbs: [list], apiGroups: ['kafka.strimzi.io'], resources: [kafkabridges]" in found.remedy


def test_what_may_not_be_read_is_unknown() -> None:
    (found,) = seen_by(
        Clients(), "/secrets/app", 403, NamedSecret("apps", "app"), reason="Forbidden", message="secrets is forbidden"
    )
    assert (found.name, found.trusts, found.declared) == ("Secret apps/app", None, True)
    assert "a Role in namespace apps" in found.remedy


def test_where_the_kind_is_not_installed_there_is_none() -> None:
    body = {"reason": "NotFound", "message": "the server could not find the requested resource", "details": {}}
    assert seen_by(Clients(), "/kafkaconnects", 404, **body) == ()
