# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every playbook with a CA whose key an outside issuer keeps, from the first certificate of a cluster until the operator has a CA of its own
again. Growing is in ``test_cert_manager``. Each takes minutes: `make test-long` runs them, and ``tests/issuers`` has parts of them in each run.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from ..tools.cluster.bed import Bed
from ..tools.cluster.bed_cluster import BedCluster
from ..tools.cluster.kube import wait_for
from ..tools.operator import clusters
from ..tools.support.authorities import Authority, renewed, root
from ..tools.support.misissuing import Template
from .keepers import KEEPERS, Keeper
from .resources import put, read_secret
from .running import Finished, Runner

NODE = "demo-kafka-1"
#: Exit code of a play that still waits for certificates.
_PENDING = 2
_A_DAY = timedelta(days=1)
_LEFT = timedelta(days=40)


@pytest.fixture
def runner(bed: Bed, request: pytest.FixtureRequest) -> Iterator[Runner]:
    """A namespace without a cluster."""
    cluster = BedCluster(bed, f"flows-{request.node.callspec.id}")
    cluster.start(interval=10)
    yield Runner(cluster)
    cluster.stop_operator()


def until_done(runner: Runner, keeper: Keeper, playbook: str, variables: dict[str, Any]) -> Finished:
    """Run it, and again when its issuer has been at work."""
    done = runner.flow(playbook, strimzi_pending="fail", **variables)
    if done.code == _PENDING:
        keeper.work()
        done = runner.flow(playbook, strimzi_pending="fail", **variables)
    return done.check()


def age(runner: Runner, authority: Authority) -> None:
    """The node gets a certificate with less than half of its life left, and starts with it. The operator would not renew it yet."""
    stored = read_secret(runner, NODE)
    leaf, key = x509.load_pem_x509_certificate(stored[f"{NODE}.crt"]), load_pem_private_key(stored[f"{NODE}.key"], None)
    assert key.public_key() == leaf.public_key()
    names, now = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value, datetime.now(timezone.utc)
    aged = Template(leaf.subject, leaf.public_key(), names, now - 50 * _A_DAY, now + _LEFT, authority)  # type: ignore[arg-type]
    before = runner.cluster.node_uids("demo")
    put(runner, "Secret", NODE, {f"{NODE}.crt": base64.b64encode(b"".join(aged.signed())).decode()})
    wait_for(lambda: runner.restarts_since(before) == 1, "the operator restarting the node")
    runner.cluster.wait_until_ready("demo")


def left(runner: Runner) -> timedelta:
    stored = read_secret(runner, NODE)[f"{NODE}.crt"]
    return x509.load_pem_x509_certificate(stored).not_valid_after_utc - datetime.now(timezone.utc)


def in_use(runner: Runner) -> str:
    """SHA-256 of the one CA that is trusted, and that all certificates are of."""
    info = runner.module("strimzi_ca_info")
    (one,) = info["cas"]
    assert {leaf["issuer"] for leaf in info["leaves"]} == {one["subject"]}
    return str(one["sha256"])


@pytest.mark.long
@pytest.mark.parametrize("kind", KEEPERS)
def test_every_playbook(runner: Runner, kind: str, tmp_path: Path) -> None:
    first, second = root("First Corporate Root"), root("Second Corporate Root")
    with KEEPERS[kind](runner, tmp_path) as keeper:
        told: dict[str, Any] = {"strimzi_spare_leaves": 0, **keeper.takes(first)}

        beginning = {**told, "strimzi_certificate": first.pem.decode()}
        runner.flow("create", **beginning).check()
        runner.cluster.kube.apply(clusters.dual_role("demo", runner.cluster.namespace))
        until_done(runner, keeper, "create", beginning)
        runner.cluster.wait_until_ready("demo")
        assert in_use(runner) == first.chain[0].sha256

        age(runner, first)
        until_done(runner, keeper, "renew_leaves", {**told, "strimzi_renew_before_days": _LEFT.days + 1})
        assert left(runner) > 2 * _LEFT

        again = renewed(first)
        told |= keeper.takes(again)
        until_done(runner, keeper, "renew", {**told, "strimzi_certificate": again.pem.decode()})
        assert in_use(runner) == again.chain[0].sha256

        # The first one records what is done with the CA in its time for renewal.
        runner.flow("reconcile", **told).check()
        assert "changed=0" in runner.flow("reconcile", **told).check().output
        assert again.chain[0].subject in runner.flow("status").check().output
        refused = runner.flow("downgrade", **told)
        assert refused.code != 0
        assert "could issue nothing" in refused.output

        told |= keeper.takes(second)
        until_done(runner, keeper, "replace_key", {**told, "strimzi_certificate": second.pem.decode()})
        assert in_use(runner) == second.chain[0].sha256

        runner.flow("replace_key", strimzi_replaces=second.chain[0].sha256, **told).check()
        assert in_use(runner) not in {second.chain[0].sha256, again.chain[0].sha256}
    if keeper.introduces:
        assert "other types of" in runner.flow("downgrade").output
        runner.flow("replace_key", strimzi_replaces=in_use(runner)).check()
    runner.flow("downgrade").check()
    runner.cluster.wait_until_ready("demo")
    runner.flow("upgrade").check()
    assert b"PRIVATE KEY" in read_secret(runner, "demo-cluster-ca")["ca.key"]
