# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that a user has put into their Secrets, or taken out of them."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    encode_certificates,
    parse_certificates,
)

from ...tools.support.certificates import key, make
from ...tools.support.certificates import leaf as issue_leaf
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import LEDGER, entry, found, held_and_shown, put
from .running import call
from .stages import DAY, NOW

NODE = "demo-kafka-0"


ALL = ("strimzi_trusted_certs", "strimzi_ca")


def foreign(length: int = 1) -> bytes:
    """A leaf of an unknown CA, sent with so many certificates."""
    theirs = make("theirs", key(1), begin=NOW - DAY, end=NOW + DAY)
    return encode_certificates([issue_leaf(theirs, begin=NOW - DAY, end=NOW + DAY), *[theirs.certificate] * length])


@pytest.mark.parametrize(
    ("entry", "content", "why"),
    [
        ("crt", foreign(), "it is of CN=theirs,O=io.strimzi"),
        ("crt", foreign(11), "it has 12 certificates, and a JVM accepts no chain of more than 10"),
        ("crt", b"nothing", "no readable certificate in PEM form"),
        ("key", key(1).reveal(), "the private key beside it is not its own"),
        (
            "key",
            b"nothing",
            "the private key beside it cannot be used: not a readable unencrypted private key in PEM form",
        ),
    ],
)
def test_a_leaf_that_no_node_could_start_with_in_a_settled_cluster(entry: str, content: bytes, why: str) -> None:
    """Its node goes on with the leaf that it was started with, and everything seems well until it restarts."""
    memory = stages.managed()
    put(memory, "secrets", NODE, {f"{NODE}.{entry}": content})
    for module in (*ALL, "strimzi_ee_cert", "strimzi_ca_info"):
        ended = call(module, memory)
        assert found(ended) == [("leaves_are_ours", f"Secret kafka/{NODE}")]
        assert ended.result["violations"][0]["message"].endswith(f": {why}.")
        # The memory of the ledger may change, and nothing else.
        assert set(ended.writes_but_lease) <= {f"PATCH secrets/{LEDGER}"}
        if module != "strimzi_ca_info":
            assert (ended.failed, ended.result["done"]) == (True, False)


@pytest.mark.parametrize("secret", [NODE, "demo-cluster-operator-certs"])
def test_a_leaf_that_was_deleted_from_a_settled_cluster(secret: str) -> None:
    memory = stages.managed()
    memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{secret}")
    held_and_shown(memory, ("leaves_are_ours", f"Secret kafka/{secret}"), state="present", by=ALL)
    stages.done(memory, "strimzi_ee_cert")
    assert stages.done(memory, "strimzi_ca_info").result["violations"] == []


def test_names_of_a_certificate_for_another_purpose_are_not_signed_for_a_node() -> None:
    """The CA in use has issued it, so that nothing looks foreign."""
    memory = stages.prepared()
    own = {"secret": "tools-tls", "common_name": "tools", "subject_alternative_names": ["vault.corp.example"]}
    stages.done(memory, "strimzi_ee_cert", **own)
    # The operator would issue its own in its next reconcile.
    memory.operator_runs = False
    put(memory, "secrets", NODE, {f"{NODE}.crt": entry(memory, "tools-tls", "tools.crt")})
    before = names_of(memory, "demo-kafka-1")
    stages.done(memory, "strimzi_ee_cert", client_grace=120)
    assert {name.replace("kafka-1", "kafka-0") for name in before} == set(names_of(memory, NODE))


def names_of(memory: MemoryCluster, secret: str) -> frozenset[str]:
    return parse_certificates(entry(memory, secret, f"{secret}.crt"))[0].subject_alternative_names


def test_a_chain_that_was_made_to_lead_in_circles_costs_no_time() -> None:
    """Nine CAs of one name and key, of which each has signed all others."""
    memory = stages.managed()
    twins = [make("evil", key(1), begin=NOW - DAY, end=NOW + timedelta(days=day)) for day in range(1, 10)]
    sent = (issue_leaf(twins[0], begin=NOW - DAY, end=NOW + DAY), *(one.certificate for one in twins))
    put(memory, "secrets", NODE, {f"{NODE}.crt": encode_certificates(sent)})
    begin = time.process_time()
    stages.done(memory, "strimzi_ca_info", goal="replace_key", fresh_for_hours=0)
    assert time.process_time() - begin < 10
