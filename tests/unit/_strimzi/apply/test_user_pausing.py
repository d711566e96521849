# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users that are paused: why, for how long, and which a call leaves paused."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    Forbidden,
    OperatorSilent,
    Unavailable,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.user_pausing import (
    await_kept,
    await_reissue,
    pause_reissue,
    resume_reissue,
    users_left_paused,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.observe import why_users_are_paused
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import UserName
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AwaitKept,
    AwaitReissue,
    PauseReissue,
    ResumeReissue,
)

from ....tools.support.certificates import NOW, key, make
from ....tools.support.faults import Fault, FaultyApi
from ....tools.support.golden import GoldenFiles
from ....tools.support.permissions import Restricted
from ....tools.support.users import kafka_user, user_secret
from ..bench import SCOPE, Bench, Object, conditions, kafka, pem, secret

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
def test_the_flow_stops_where_the_user_operator_is_not_seen_to_keep_the_certificate(
    said: str, beside: bytes | None, golden: GoldenFiles
) -> None:
    work = at(bench(said, beside=beside))
    with pytest.raises(OperatorSilent) as caught:
        await_kept(STEP, work.observe(), work)
    golden.compare_said("cluster", caught.value)


def test_a_user_that_is_ready_and_not_ready_by_turns_does_not_prolong_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    made = bench("NotReady")
    made.create("kafkausers", kafka_user("other"))
    made.create("secrets", user_secret("other", CA, CA, NOW))
    work, sleep = at(made), made.clock.sleep

    def pass_time(seconds: float) -> None:
        sleep(seconds)
        assert made.clock.seconds < 60
        said = "NotReady" if made.clock.seconds % 4 else "Ready"
        made.change("kafkausers", "other", {"status": {"conditions": conditions(said)}}, "status")

    monkeypatch.setattr(made.clock, "sleep", pass_time)
    with pytest.raises(OperatorSilent):
        await_kept(AwaitKept(names=(ORDERS, "KafkaUser kafka/other"), authority=CA.certificate), work.observe(), work)


def test_a_pause_that_the_run_may_not_end_is_no_silence_of_the_user_operator() -> None:
    made = bench("ReconciliationPaused")
    work = made.work(transport=Restricted(made.api, frozenset({"patch kafkausers"})))
    work.scope = CLIENTS
    with pytest.raises(Forbidden, match="kafkausers is forbidden"):
        await_kept(STEP, work.observe(), work)
    assert (marks(made), work.actions) == (PAUSE, [])


OTHER = "KafkaUser kafka/other"


@pytest.mark.parametrize(
    ("fault", "known"),
    [(Fault.UNAVAILABLE, ORDERS), (Fault.LOST_ANSWER, f"{ORDERS}, {OTHER}")],
    ids=["refused", "lost"],
)
@pytest.mark.parametrize(
    ("carry_out", "step", "what"),
    [
        (pause_reissue, PauseReissue(names=(ORDERS, OTHER)), "pause reconciliation"),
        (resume_reissue, ResumeReissue(names=(ORDERS, OTHER)), "resume reconciliation"),
        (await_kept, AwaitKept(names=(ORDERS, OTHER), authority=CA.certificate), "resume reconciliation"),
        (await_reissue, AwaitReissue(names=(ORDERS, OTHER), authority=CA.certificate), "resume reconciliation"),
    ],
    ids=["pause", "resume", "kept", "reissue"],
)
def test_a_failure_half_way_leaves_no_changed_user_out_of_the_record(
    carry_out: Any, step: Any, what: str, fault: Fault, known: str
) -> None:
    """The next call sees users as paused, or as free, and has nothing to record about them."""
    made = bench("Ready")
    made.create("kafkausers", kafka_user("other"))
    if carry_out is pause_reissue:
        made.change("kafkausers", "orders", {"metadata": {"annotations": dict.fromkeys(PAUSE)}})
    else:
        made.change("kafkausers", "other", {"metadata": {"annotations": PAUSE}})

    def fail(number: int, method: str, path: str) -> Fault | None:
        return fault if method == "PATCH" and path.endswith("/other") else None

    work = made.work(transport=FaultyApi(made.api, fail))
    work.scope = CLIENTS
    with pytest.raises((Unavailable, Unreachable)):
        carry_out(step, work.observe(), work)
    told = [name for one in work.actions if one.what == what for name in one.object.split(", ")]
    assert ", ".join(told) == known


def test_in_check_mode_nothing_changes_and_there_is_no_wait() -> None:
    made = bench("ReconciliationPaused")
    work = at(made, dry_run=True)
    await_kept(STEP, work.observe(), work)
    assert (marks(made), [one.what for one in work.actions]) == (PAUSE, ["resume reconciliation"])


# The sentences about users that a call leaves paused.

_MARKS = "strimzi.io/pause-reconciliation- trustops.strimzi/paused-for-clients-ca-by-."


@pytest.mark.parametrize(
    ("case", "users", "known"),
    [
        ("one", [UserName("kafka", "orders")], True),
        ("two", [UserName("kafka", "b"), UserName("kafka", "a")], False),
        ("two namespaces", [UserName("kafka", "a"), UserName("team", "a")], True),
    ],
)
def test_users_are_named_with_what_ends_their_pauses(
    case: str, users: list[UserName], known: bool, golden: GoldenFiles
) -> None:
    golden.compare_said("cluster", users_left_paused(users, known), case)


def test_without_paused_users_there_is_no_sentence() -> None:
    assert users_left_paused(frozenset()) == ""


# Whether the User Operator makes PKCS#12 files, as its pods say; doubt counts as "it does not".

SETTING = "STRIMZI_PKCS12_KEYSTORE_GENERATION"


def pod(*env: Object, container: str = "user-operator") -> Object:
    others = {"name": "topic-operator", "env": [{"name": SETTING, "value": "false"}]}
    return {"spec": {"containers": [others, {"name": container, "env": list(env)}]}}


@pytest.mark.parametrize("env", [(), ({"name": SETTING, "value": "true"},), ({"name": "OTHER", "value": "false"},)])
def test_the_user_operator_makes_pkcs12_files_unless_its_variable_says_otherwise(env: tuple[Object, ...]) -> None:
    assert why_users_are_paused([pod(*env)]) == ""


@pytest.mark.parametrize("said", ["false", "FALSE", "no"])
def test_a_user_operator_pod_without_pkcs12_files_counts_for_all(said: str, golden: GoldenFiles) -> None:
    """While it restarts there may be an old and a new one."""
    golden.compare_said("cluster", why_users_are_paused([pod(), pod({"name": SETTING, "value": said})]))


IN_A_MAP = {"name": SETTING, "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "keystores"}}}


@pytest.mark.parametrize("pods", [[], [pod(container="tls-sidecar")], [pod(IN_A_MAP)], [pod(), pod(IN_A_MAP)]])
def test_without_a_user_operator_pod_it_is_unknown_whether_it_makes_pkcs12_files(
    pods: list[Object], golden: GoldenFiles
) -> None:
    golden.compare_said("cluster", why_users_are_paused(pods))


def test_user_operators_of_other_namespaces_are_not_seen(golden: GoldenFiles) -> None:
    golden.compare_said("cluster", why_users_are_paused([pod()], ("team-a", "team-b")))
