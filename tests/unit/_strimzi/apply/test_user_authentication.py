# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps that are left for a user whose authentication changes, in every state that a call can find, and the refused changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.user_authentication import (
    SeenUser,
    UserStep,
    refuse,
    steps_left,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.user_certificate import (
    SecretKind,
    UserCertificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import Authentication
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import NamedSecret

from ....tools.support.certificates import key, make
from ..bench import Object, conditions

TLS, EXTERNAL = Authentication.TLS, Authentication.TLS_EXTERNAL
PAUSE = {"strimzi.io/pause-reconciliation": "true"}
OURS = {**PAUSE, "trustops.strimzi/paused-for-authentication": "tls-external"}


def user(kind: str, annotations: Object | None = None, status: str = "Ready", observed: int = 3) -> Object:
    metadata = {
        "name": "orders", "namespace": "apps", "generation": 3, "labels": {"strimzi.io/cluster": "demo"},
        "annotations": annotations or {},
    }  # fmt: skip
    found = {"observedGeneration": observed, "conditions": conditions(status)}
    return {"metadata": metadata, "spec": {"authentication": {"type": kind}}, "status": found}


def secret(owned: bool, *, kept: bool = False, kind: str = "Opaque") -> Object:
    labels = {"strimzi.io/kind": "KafkaUser", "strimzi.io/cluster": "demo"} if owned else {}
    labels |= {"trustops.strimzi/kept-of": "demo"} if kept else {}
    metadata = {"name": "orders", "namespace": "apps", "labels": labels}
    return {"type": kind, "metadata": metadata}


ALL_OF_IT = (
    UserStep.PAUSE, UserStep.AWAIT_PAUSE, UserStep.LET_GO, UserStep.AWAIT_HEARING, UserStep.CHANGE, UserStep.AWAIT,
)  # fmt: skip
PLACE = NamedSecret("apps", "orders", "user.crt")
ISSUED = UserCertificate(PLACE, SecretKind.OF_USER, (make("orders", key(5), ca=False).certificate,), is_current=True)
KEPT = SeenUser(user("tls", OURS, "ReconciliationPaused"), secret(False, kept=True))


@pytest.mark.parametrize(
    ("seen", "left"),
    [
        (SeenUser(user("tls"), secret(True)), ALL_OF_IT),
        (SeenUser(user("tls", OURS), secret(True)), ALL_OF_IT[1:]),
        (SeenUser(user("tls", OURS, "ReconciliationPaused"), secret(True)), ALL_OF_IT[2:]),
        (KEPT, ALL_OF_IT[3:]),
        (replace(KEPT, hears_in=0.1), ALL_OF_IT[3:]),
        (replace(KEPT, hears_in=0.0), ALL_OF_IT[4:]),
        (SeenUser(user("tls"), None), ALL_OF_IT[4:]),
        (SeenUser(user("tls-external", observed=2), secret(False, kept=True)), (UserStep.AWAIT,)),
        (SeenUser(user("tls-external", status="NotReady"), secret(False, kept=True)), (UserStep.AWAIT,)),
        (SeenUser(user("tls-external", OURS), None), (UserStep.RESUME, UserStep.AWAIT)),
        (SeenUser(user("tls-external"), secret(False, kept=True)), ()),
        (SeenUser(user("tls-external"), None), ()),
    ],
)
def test_steps_left_to_certificates_of_another_issuer(seen: SeenUser, left: tuple[UserStep, ...]) -> None:
    assert steps_left(seen, EXTERNAL) == left


@pytest.mark.parametrize(
    ("seen", "left"),
    [
        (SeenUser(user("tls-external"), secret(False, kept=True)), (UserStep.CHANGE, UserStep.AWAIT)),
        (SeenUser(user("tls-external"), None), (UserStep.CHANGE, UserStep.AWAIT)),
        (SeenUser(user("tls"), secret(True)), (UserStep.AWAIT,)),
        (SeenUser(user("tls", observed=2), secret(True), certificate=ISSUED), (UserStep.AWAIT,)),
        (SeenUser(user("tls"), secret(True), replace(ISSUED, is_current=False)), (UserStep.AWAIT,)),
        (SeenUser(user("tls"), secret(True), certificate=ISSUED), ()),
        # A change that was begun and is not wanted any more.
        (SeenUser(user("tls", OURS, "ReconciliationPaused"), secret(True)), (UserStep.RESUME, UserStep.AWAIT)),
    ],
)
def test_back_to_the_user_operator(seen: SeenUser, left: tuple[UserStep, ...]) -> None:
    assert steps_left(seen, TLS) == left


OTHER: Any = user("tls")
OTHER["metadata"]["labels"] = {"strimzi.io/cluster": "other"}
#: A person has ended a pause of this collection, and paused the user later.
BY_HAND: Any = user("tls", OURS)
BY_HAND["metadata"]["managedFields"] = [
    {"manager": manager, "fieldsV1": {"f:metadata": {"f:annotations": {f"f:{mark}": {}}}}}
    for manager, mark in zip(("kubectl-annotate", "trustops.strimzi"), OURS, strict=True)
]


@pytest.mark.parametrize(
    ("seen", "wanted", "message"),
    [
        (SeenUser(OTHER, None), EXTERNAL, "KafkaUser apps/orders is no user of demo."),
        (SeenUser(user("scram-sha-512"), None), EXTERNAL, "KafkaUser apps/orders has the authentication scram-sha-512."),
        (SeenUser(user(""), None), TLS, "KafkaUser apps/orders has the authentication none."),
        (SeenUser(user("tls", PAUSE), None), EXTERNAL, "KafkaUser apps/orders is paused (strimzi.io/pause-reconciliation)."),
        (
            SeenUser(user("tls", {"strimzi.io/pause-reconciliation": "True"}), None), EXTERNAL,
            "KafkaUser apps/orders is paused (strimzi.io/pause-reconciliation).",
        ),
        (SeenUser(BY_HAND, None), EXTERNAL, "KafkaUser apps/orders is paused (strimzi.io/pause-reconciliation)."),
        (
            SeenUser(user("tls-external"), secret(False, kind="kubernetes.io/tls")), TLS,
            "Secret apps/orders is of the type kubernetes.io/tls, and the User Operator could never write it: the type of a Secret "
            "cannot change.",
        ),
        (
            SeenUser(user("tls-external"), secret(False)), TLS,
            "Secret apps/orders belongs to another owner (it has no label, no owner and no writer that the API server has noted), and the User "
            "Operator would overwrite it.",
        ),
    ],
)  # fmt: skip
def test_an_unfit_user_is_refused(seen: SeenUser, wanted: Authentication, message: str) -> None:
    with pytest.raises(StepError) as refused:
        refuse(seen, wanted, "demo")
    assert str(refused.value) == message
    assert refused.value.remedy


@pytest.mark.parametrize("found", [None, secret(False, kept=True), secret(True)])
def test_a_secret_of_the_operator_may_be_overwritten(found: Object | None) -> None:
    refuse(SeenUser(user("tls-external"), found), TLS, "demo")
