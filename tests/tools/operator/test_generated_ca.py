# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A generated CA per reconcile: create, renew, replace, keep (docs/operator.md, "Generated CA")."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Clock
from .operated_cluster import CLUSTER, OperatedCluster, certificates, common_name, encode

SECRET, KEY = "demo-cluster-ca-cert", "demo-cluster-ca"
KIND = pytest.mark.parametrize("kind", ["cluster", "clients"])


def generations(cluster: OperatedCluster, kind: str = "cluster") -> tuple[str, str]:
    return (
        cluster.marks("secrets", f"demo-{kind}-ca-cert")["strimzi.io/ca-cert-generation"],
        cluster.marks("secrets", f"demo-{kind}-ca")["strimzi.io/ca-key-generation"],
    )


def spec(cluster: OperatedCluster, **changes: Any) -> None:
    cluster.change("kafkas", CLUSTER, {"spec": {"clusterCa": changes}})


def with_old(cluster: OperatedCluster, kind: str = "cluster") -> bytes:
    """An extra trust anchor in the Secret."""
    other = cluster.ca("extra").pem
    cluster.change("secrets", f"demo-{kind}-ca-cert", {"data": encode({"extra.crt": other})})
    return other


def reconcile(cluster: OperatedCluster) -> None:
    """Only the operator: what follows in the same reconcile is other tests' subject."""
    cluster.memory.operator.reconcile(CLUSTER)


@KIND
def test_force_renew_keeps_the_key(kind: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Generated CA", RENEW_CERT; the trigger is removed because the Secret is rewritten (1.1)."""
    before, key = generated.entries(f"demo-{kind}-ca-cert"), generated.entries(f"demo-{kind}-ca")
    with_old(generated, kind)
    generated.annotate("secrets", f"demo-{kind}-ca-cert", force_renew="true")
    reconcile(generated)
    after = generated.entries(f"demo-{kind}-ca-cert")
    assert generated.entries(f"demo-{kind}-ca") == key
    assert generations(generated, kind) == ("1", "0")
    assert set(after) == {"ca.crt", "ca.p12", "ca.password"}, "every other CA is dropped"
    assert after["ca.password"] != before["ca.password"]
    (old,), (new,) = certificates(before["ca.crt"]), certificates(after["ca.crt"])
    assert old != new
    assert (old.public_key(), old.subject) == (new.public_key(), new.subject)
    assert "strimzi.io/force-renew" not in generated.marks("secrets", f"demo-{kind}-ca-cert")


@KIND
def test_force_replace_makes_a_new_key(kind: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Generated CA", REPLACE_KEY: the old one is kept by its expiry, the subject counts up."""
    before, key = generated.entries(f"demo-{kind}-ca-cert"), generated.entries(f"demo-{kind}-ca")
    extra = with_old(generated, kind)
    generated.annotate("secrets", f"demo-{kind}-ca", force_replace="true")
    reconcile(generated)
    after = generated.entries(f"demo-{kind}-ca-cert")
    assert generated.entries(f"demo-{kind}-ca") != key
    assert generations(generated, kind) == ("1", "1")
    assert after["ca-2027-06-01T12-00-00Z.crt"] == before["ca.crt"]
    assert after["extra.crt"] == extra
    assert after["ca.password"] == before["ca.password"]
    (new,) = certificates(after["ca.crt"])
    assert common_name(new) == f"O=io.strimzi,CN={kind}-ca v1"
    assert new.public_key() != certificates(before["ca.crt"])[0].public_key()
    assert "strimzi.io/force-replace" not in generated.marks("secrets", f"demo-{kind}-ca")


def test_renewal_wins_when_both_are_asked_for(generated: OperatedCluster) -> None:
    """docs/operator.md, "Generated CA": first match."""
    generated.annotate("secrets", SECRET, force_renew="true")
    generated.annotate("secrets", KEY, force_replace="true")
    reconcile(generated)
    assert generations(generated) == ("1", "0")


@pytest.mark.parametrize(
    ("secret", "annotation"),
    [(KEY, "force_renew"), (SECRET, "force_replace")],
)
def test_a_trigger_on_the_other_secret_means_nothing(secret: str, annotation: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets": force-renew on the certificate Secret, force-replace on the key Secret."""
    generated.annotate("secrets", secret, **{annotation: "true"})
    reconcile(generated)
    assert generations(generated) == ("0", "0")


def test_a_trigger_that_is_not_true_means_nothing(generated: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets": value true."""
    generated.annotate("secrets", SECRET, force_renew="false")
    generated.annotate("secrets", KEY, force_replace="1")
    reconcile(generated)
    assert generations(generated) == ("0", "0")


@pytest.mark.parametrize(
    ("policy", "days", "expected"),
    [
        ("renew-certificate", 334, ("0", "0")),
        ("renew-certificate", 336, ("1", "0")),
        (None, 336, ("1", "0")),
        ("replace-key", 334, ("0", "0")),
        ("replace-key", 336, ("1", "1")),
    ],
)
def test_in_the_renewal_window_the_policy_decides(
    policy: str | None, days: int, expected: tuple[str, str], generated: OperatedCluster, clock: Clock
) -> None:
    """docs/operator.md, "Certificates", "Generated CA": 365 days less 30."""
    spec(generated, certificateExpirationPolicy=policy)
    clock.pass_days(days)
    reconcile(generated)
    assert generations(generated) == expected


@pytest.mark.parametrize(("secret", "trigger"), [(SECRET, "force-renew"), (KEY, "force-replace"), (SECRET, "")])
def test_outside_a_window_each_change_is_postponed(
    secret: str, trigger: str, generated: OperatedCluster, clock: Clock
) -> None:
    """docs/operator.md, "Generated CA", POSTPONED: it is 12:00, and the trigger stays."""
    generated.change("kafkas", CLUSTER, {"spec": {"maintenanceTimeWindows": ["* * 13 ? * *"]}})
    if trigger:
        generated.annotate("secrets", secret, **{trigger.replace("-", "_"): "true"})
    else:
        clock.pass_days(336)
    reconcile(generated)
    assert generations(generated) == ("0", "0")
    assert generated.marks("secrets", secret).get(f"strimzi.io/{trigger}", "true") == "true"
    clock.pass_days(1 / 24)
    reconcile(generated)
    assert generations(generated) == ("1", "1" if trigger == "force-replace" else "0")
    assert f"strimzi.io/{trigger}" not in generated.marks("secrets", secret)


def test_a_ca_that_expires_outside_a_window_is_deleted_and_renewed(generated: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "Generated CA": a missing ca.crt waits for no window."""
    generated.change("kafkas", CLUSTER, {"spec": {"maintenanceTimeWindows": ["* * 13 ? * *"]}})
    clock.pass_days(366)
    generated.step()
    assert "ca.crt" not in generated.entries(SECRET)
    assert generated.condition()["type"] == "NotReady"
    reconcile(generated)
    assert generations(generated) == ("1", "0")


def test_days_come_from_the_resource(cluster: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "Certificates": validityDays for the CA and every leaf, renewalDays for the window of both."""
    cluster.start(generated=True)
    spec(cluster, validityDays=100, renewalDays=60)
    cluster.annotate("secrets", SECRET, force_renew="true")
    cluster.step()
    for secret, entry in ((SECRET, "ca.crt"), ("demo-kafka-0", "demo-kafka-0.crt")):
        found = certificates(cluster.entries(secret)[entry])[0]
        assert (found.not_valid_after_utc - clock.moment).days == 100
    clock.pass_days(39)
    reconcile(cluster)
    assert generations(cluster) == ("1", "0")
    clock.pass_days(2)
    reconcile(cluster)
    assert generations(cluster) == ("2", "0")


def test_a_missing_key_starts_again(generated: OperatedCluster) -> None:
    """docs/operator.md, "Generated CA", CREATE: the data starts empty."""
    before = generated.entries(SECRET)
    with_old(generated)
    generated.change("secrets", KEY, {"data": {"ca.key": None}})
    reconcile(generated)
    after = generated.entries(SECRET)
    assert set(after) == {"ca.crt", "ca.p12", "ca.password"}
    assert certificates(after["ca.crt"])[0].public_key() != certificates(before["ca.crt"])[0].public_key()
    assert after["ca.password"] != before["ca.password"]


def test_a_missing_certificate_is_renewed(generated: OperatedCluster) -> None:
    """docs/operator.md, "Generated CA", RENEW_CERT."""
    key = generated.entries(KEY)
    generated.change("secrets", SECRET, {"data": {"ca.crt": None}})
    reconcile(generated)
    assert generations(generated) == ("1", "0")
    assert generated.entries(KEY) == key


def test_entries_that_expired_or_are_no_certificates_are_deleted(generated: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "Generated CA": in every case; other trust anchors survive NOOP."""
    good, short = with_old(generated), generated.ca("short", days=5).pem
    generated.change("secrets", SECRET, {"data": encode({"short.crt": short, "bad.crt": b"x", "abc.state": b"y"})})
    reconcile(generated)
    assert set(generated.entries(SECRET)) == {"ca.crt", "ca.p12", "ca.password", "extra.crt", "short.crt"}
    clock.pass_days(6)
    reconcile(generated)
    assert set(generated.entries(SECRET)) == {"ca.crt", "ca.p12", "ca.password", "extra.crt"}
    assert generated.entries(SECRET)["extra.crt"] == good
    assert generations(generated) == ("0", "0")


def test_a_renewal_with_an_unusable_key_fails(generated: OperatedCluster) -> None:
    """docs/operator.md, "Certificates": openssl leaves an empty certificate behind, reading it fails the reconcile."""
    before = generated.entries(SECRET)
    generated.change("secrets", KEY, {"data": encode({"ca.key": b"placeholder"})})
    generated.annotate("secrets", SECRET, force_renew="true")
    generated.step()
    assert generated.condition()["type"] == "NotReady"
    assert "Empty input" in generated.condition()["message"]
    assert generated.entries(SECRET) == before
