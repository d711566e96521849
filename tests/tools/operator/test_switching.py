# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Between generated and user-managed, and what is left behind (docs/operator.md, "Switching")."""

from __future__ import annotations

from .operated_cluster import CLUSTER, OperatedCluster, encode

SECRET, KEY = "demo-cluster-ca-cert", "demo-cluster-ca"


def switch(cluster: OperatedCluster, generated: bool) -> None:
    cluster.change("kafkas", CLUSTER, {"spec": {"clusterCa": {"generateCertificateAuthority": generated}}})


def test_generated_to_user_managed_without_changing_a_byte(generated: OperatedCluster) -> None:
    """No roll, no re-issue, no Secret rewritten; owner references and labels stay."""
    pods, secrets = generated.uids(), generated.versions("secrets")
    switch(generated, False)
    generated.step(3)
    assert generated.is_ready()
    assert (generated.uids(), generated.versions("secrets")) == (pods, secrets)
    assert generated.existing("secrets", SECRET)["metadata"]["ownerReferences"]


def test_user_managed_to_generated_keeps_the_ca(managed: OperatedCluster) -> None:
    """No roll, no new CA, generations kept; p12, password, owner and labels added; what is foreign deleted."""
    managed.bring("cluster", managed.ca("second"), generations=(4, 2))
    managed.step(2)
    extra = managed.ca("extra").pem
    managed.change("secrets", SECRET, {"data": encode({"extra.crt": extra, "abc.state": b"TRUSTED"})})
    managed.change("secrets", KEY, {"data": encode({"mine": b"1"})})
    for secret in (SECRET, KEY):
        managed.change("secrets", secret, {"metadata": {"labels": {"mine": "1"}, "annotations": {"mine": "1"}}})
    managed.step()
    before, pods = managed.entries(SECRET), managed.uids()
    switch(managed, True)
    managed.step(3)
    after = managed.entries(SECRET)
    assert managed.uids() == pods
    assert set(after) == {"ca.crt", "extra.crt", "ca.p12", "ca.password"}
    assert (after["ca.crt"], after["extra.crt"]) == (before["ca.crt"], extra)
    assert set(managed.entries(KEY)) == {"ca.key"}
    assert managed.marks("secrets", SECRET) == {"strimzi.io/ca-cert-generation": "4"}
    assert managed.marks("secrets", KEY) == {"strimzi.io/ca-key-generation": "2"}
    for secret in (SECRET, KEY):
        metadata = managed.existing("secrets", secret)["metadata"]
        assert metadata["ownerReferences"]
        assert "mine" not in metadata["labels"]
        assert metadata["labels"]["strimzi.io/name"] == "strimzi"


def test_a_trigger_left_over_acts_when_the_ca_is_generated_again(managed: OperatedCluster) -> None:
    """force-replace set while user-managed is ignored and stays; acted on at once afterwards."""
    managed.annotate("secrets", KEY, force_replace="true")
    managed.step(3)
    assert managed.rolls() == [0, 0, 0]
    assert managed.marks("secrets", KEY)["strimzi.io/force-replace"] == "true"
    switch(managed, True)
    managed.step()
    assert managed.marks("secrets", KEY) == {"strimzi.io/ca-key-generation": "1"}
    assert managed.rolls() == [2, 2, 2]
