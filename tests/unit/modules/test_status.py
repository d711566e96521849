# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role ``status`` shows users, from the results that the modules really return."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...support.memory_cluster import MemoryCluster
from ...support.users import user_secret
from . import stages
from .running import call
from .stages import NOW
from .test_user_info import OLD, cluster

TEMPLATES = Path(__file__).parents[3] / "roles" / "status" / "templates"


def unrolled(named: Callable[..., Iterable[Any]]) -> Callable[..., list[Any]]:
    """As Ansible has the filters of Jinja."""

    @wraps(named)
    def found(*arguments: Any, **options: Any) -> list[Any]:
        return list(named(*arguments, **options))

    return found


def shown(memory: MemoryCluster, ca: str = "clients", **options: Any) -> list[str]:
    pages = Environment(loader=FileSystemLoader(TEMPLATES), trim_blocks=True, undefined=StrictUndefined)
    pages.filters |= {name: unrolled(pages.filters[name]) for name in ("map", "selectattr", "rejectattr")}
    pages.filters["regex_replace"] = lambda text, pattern, other: re.sub(pattern, other, text)
    seen = call("strimzi_ca_info", memory, ca=ca).result
    users = call("strimzi_user_info", memory, **options).result
    text = pages.get_template("status.md.j2").render(status_seen=seen, status_users=users)
    return text.splitlines()


def test_every_user_with_who_issued_its_certificate_until_when_and_who_reads_it() -> None:
    memory, current = cluster()
    spec = {"containers": [{"name": "app", "envFrom": [{"secretRef": {"name": "orders"}}]}]}
    memory.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "orders-0"}, "spec": spec})
    copied = user_secret("partner", current, current, NOW)
    copied["metadata"]["labels"] = {}
    memory.apply(copied)
    told = shown(memory, presenting_secrets=["partner"])
    label = f"clients-ca v0 ({current.certificate.sha256[:12]})"
    seen = call("strimzi_user_info", memory, presenting_secrets=["partner"]).result
    until = {one["name"]: one["certificate"]["not_after"] for one in seen["users"] if one["certificate"]}
    assert f"user kafka/payments: a certificate of {label} until {until['payments']}" in told
    old = f"clients-ca v9 ({OLD.certificate.sha256[:12]})"
    assert f"user kafka/orders: a certificate of {old} until {until['orders']}, read by Pod kafka/orders-0" in told
    assert [line for line in told if line.startswith("Secret kafka/partner entry user.crt: a certificate of")]
    assert "KafkaUser kafka/lost: Secret kafka/lost does not exist." in told
    assert not [line for line in told if "kafka/scram" in line]


@pytest.mark.parametrize(
    ("stage", "last"), [("generated", "not adopted"), ("managed", "nothing to do"), ("lost", "held")]
)
def test_the_last_line_says_where_the_ca_stands(stage: str, last: str) -> None:
    memory = stages.generated() if stage == "generated" else stages.managed()
    if stage == "lost":
        memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{memory.cluster}-cluster-ca-cert")
    assert shown(memory, ca="cluster")[-1].startswith(last)
