# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Letting the User Operator on to users whose certificates were written for it, and waiting until it keeps them."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.pausing import await_kept
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.presenters import AwaitKept

from ...support.certificates import NOW, key, make
from ...support.users import kafka_user, user_secret
from .bench import SCOPE, Bench, conditions, kafka, pem, secret

CLIENTS = SCOPE.of(CaKind.CLIENTS)
CA, OLD = make("clients-ca v1", key(0)), make("clients-ca v0", key(1))
ORDERS = "KafkaUser kafka/orders"
STEP = AwaitKept(names=(ORDERS,), authority=CA.certificate)
PAUSE = {"strimzi.io/pause-reconciliation": "true", "trustops.strimzi/paused-for-clients-ca-by": "me"}


def bench(*said: str, beside: bytes | None = None) -> Bench:
    """A user that this collection has paused. said: the conditions that the User Operator leaves. beside: the CA in the user's Secret."""
    made = Bench()
    made.create("kafkas", kafka(entityOperator={"userOperator": {}}))
    made.create(
        "secrets", secret(CLIENTS.ca_certificate_secret, {"ca.crt": pem(CA)}, {"strimzi.io/ca-cert-generation": "1"})
    )
    user = kafka_user("orders")
    user["metadata"]["annotations"] = dict(PAUSE)
    made.create("kafkausers", user)
    made.change("kafkausers", "orders", {"status": {"conditions": conditions(*said)}}, "status")
    stored = user_secret("orders", CA, CA, NOW)
    if beside is not None:
        stored["data"] |= secret("orders", {"ca.crt": beside})["data"]
    made.create("secrets", stored)
    return made


def at(made: Bench, *, dry_run: bool = False) -> Work:
    work = made.work(dry_run=dry_run)
    work.scope = CLIENTS
    return work


def marks(made: Bench) -> dict[str, str]:
    return dict(made.find("kafkausers", "orders")["metadata"].get("annotations") or {})


def test_the_pause_ends_and_the_user_operator_is_asked_to_look() -> None:
    made = bench("Ready")
    work = at(made)
    await_kept(STEP, work.observe(), work)
    assert marks(made) == {"trustops.strimzi/reconcile-request": f"certificate-{CA.certificate.fingerprint[:12]}"}
    assert [(one.verb, one.object, one.what) for one in work.actions] == [("update", ORDERS, "resume reconciliation")]


@pytest.mark.parametrize(
    ("said", "beside"),
    [
        pytest.param("ReconciliationPaused", None, id="it has not looked since"),
        pytest.param("NotReady", None, id="it is not content"),
        pytest.param("Ready", pem(OLD), id="another CA lies beside the certificate again"),
    ],
)
def test_nobody_else_gets_one_before_it_is_seen_to_keep_this_one(said: str, beside: bytes | None) -> None:
    work = at(bench(said, beside=beside))
    with pytest.raises(OperatorSilent, match=rf"not said within 5 s that it keeps the certificates of {ORDERS}\."):
        await_kept(STEP, work.observe(), work)


def test_in_check_mode_nothing_is_changed_and_nobody_is_waited_for() -> None:
    made = bench("ReconciliationPaused")
    work = at(made, dry_run=True)
    await_kept(STEP, work.observe(), work)
    assert (marks(made), [one.what for one in work.actions]) == (PAUSE, ["resume reconciliation"])
