# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten thousand users on a real API server: each is seen, in pages, and no page is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from typing import Any

import pytest

from ..tools.cluster.kube import Kube
from ..tools.support.certificates import Entity
from ..tools.support.users import CERTIFICATE_SECRET, DAY, KEY_SECRET, clients_ca, kafka_user, user_secret
from .running import Runner

pytestmark = pytest.mark.long

MANY = 10_000
#: Different certificates: to make more would only take time.
CERTIFICATES = 100
#: Number of the user whose certificate has come to its end.
EXPIRED = 4711


@pytest.fixture(scope="module")
def issuer(runner: Runner) -> Entity:
    secrets = f"/api/v1/namespaces/{runner.cluster.namespace}/secrets"
    return clients_ca(
        *(runner.cluster.kube.request("GET", f"{secrets}/{name}").body for name in (CERTIFICATE_SECRET, KEY_SECRET))
    )


@pytest.fixture(scope="module")
def users(runner: Runner, issuer: Entity) -> None:
    namespace, now = runner.cluster.namespace, datetime.now(timezone.utc).replace(microsecond=0)
    made = [user_secret("any", issuer, issuer, now, namespace) for _number in range(CERTIFICATES)]
    ended = user_secret("any", issuer, issuer, now - 100 * DAY, namespace)

    def objects(number: int) -> Iterator[tuple[str, dict[str, Any]]]:
        secret, name = ended if number == EXPIRED else made[number % CERTIFICATES], f"user-{number}"
        yield f"/apis/kafka.strimzi.io/v1/namespaces/{namespace}/kafkausers", kafka_user(name, namespace)
        yield f"/api/v1/namespaces/{namespace}/secrets", {**secret, "metadata": {**secret["metadata"], "name": name}}

    def create(number: int) -> None:
        for path, body in objects(number):
            answer = kube.request("POST", path, body=body)
            assert answer.status == 201, answer.body

    kube: Kube = runner.cluster.kube
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(create, range(MANY)))


@pytest.mark.usefixtures("users")
def test_every_one_of_ten_thousand_is_seen(runner: Runner, issuer: Entity) -> None:
    since = runner.audit_lines()
    found = runner.module("strimzi_user_info")
    assert len(found["users"]) == MANY
    (of_ca,) = found["users_by_ca"]
    assert (of_ca["users"], issuer.certificate.sha256[:12] in of_ca["ca"]) == (MANY - 1, True)
    (problem,) = [one for one in found["problems"] if "KafkaUser" in one]
    assert f"user-{EXPIRED}" in problem
    lists = [one for one in runner.lists_in_audit_log(since, "secrets") if "KafkaUser" in one]
    assert len(lists) > MANY // 1000
    assert all("limit=" in one for one in lists)
    assert "PRIVATE KEY" not in json.dumps(found)
