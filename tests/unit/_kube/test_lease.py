# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Only one run at a time owns the Lease: when a run may take it, and what a waiting run says."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    KubeError,
    LeaseTaken,
    TransportError,
    Unavailable,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.lease import TrustLease
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import LEASES, Attempt

from ...tools.support.golden import GoldenFiles
from .doubles import FakeClock, Stage

NAME = "demo-trust"
LABELS = {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": "demo"}


class DatedStage(Stage):
    """An API server that dates its answers and notes the time of each write by the time of the stage."""

    def __init__(self) -> None:
        super().__init__()
        self.api.date = self.clock.now
        self.api.clock = lambda: f"{self.clock.now():%Y-%m-%dT%H:%M:%SZ}"

    def client(self, ahead: float = 0.0) -> KubeClient:
        """On a machine whose clock is so many seconds ahead of the API server's."""
        clock = self.clock
        return KubeClient(
            self.api, sleep=clock.sleep, random=lambda: 0.5, now=lambda: clock.now() + timedelta(seconds=ahead), monotonic=clock.monotonic
        )  # fmt: skip


@pytest.fixture
def stage() -> DatedStage:
    return DatedStage()


def lease_of(
    stage: DatedStage, holder: str, client: KubeClient | None = None, clock: FakeClock | None = None
) -> TrustLease:
    """clock: of another machine; its seconds do not matter to other runs."""
    clock = clock or stage.clock
    return TrustLease(
        client or stage.client(), "kafka", NAME, holder,
        now=clock.now, monotonic=clock.monotonic, cluster="demo", labels=LABELS,
    )  # fmt: skip


def stored(stage: DatedStage) -> dict[str, Any]:
    found = stage.api.find("leases", "kafka", NAME)
    assert found is not None
    return found


def spec(stage: DatedStage) -> dict[str, Any]:
    return dict(stored(stage)["spec"])


def test_the_first_run_creates_it(stage: DatedStage) -> None:
    lease_of(stage, "one").acquire()
    assert stored(stage)["apiVersion"] == "coordination.k8s.io/v1"
    assert stored(stage)["kind"] == "Lease"
    assert stored(stage)["metadata"]["labels"] == LABELS
    assert spec(stage) == {
        "holderIdentity": "one",
        "leaseDurationSeconds": 30,
        "acquireTime": "2026-06-01T12:00:00.000000Z",
        "renewTime": "2026-06-01T12:00:00.000000Z",
        "leaseTransitions": 0,
    }


def test_a_run_of_several_processes_keeps_its_lease(stage: DatedStage) -> None:
    lease_of(stage, "one").acquire()
    stage.clock.seconds = 100
    lease_of(stage, "one").acquire_at_once()
    assert spec(stage)["acquireTime"] == "2026-06-01T12:00:00.000000Z"
    assert spec(stage)["renewTime"] == "2026-06-01T12:01:40.000000Z"
    assert spec(stage)["leaseTransitions"] == 0


def test_release_and_take_again(stage: DatedStage) -> None:
    first = lease_of(stage, "one")
    first.acquire()
    assert first.release()
    assert spec(stage)["holderIdentity"] == ""
    assert not first.release()
    lease_of(stage, "two").acquire_at_once()
    assert spec(stage)["holderIdentity"] == "two"
    assert spec(stage)["leaseTransitions"] == 0
    assert not first.release()
    assert spec(stage)["holderIdentity"] == "two"


@pytest.mark.parametrize(("holder", "is_deleted"), [("first", True), ("", True), ("another run", False)])
def test_a_lease_is_deleted_unless_another_run_has_it(stage: DatedStage, holder: str, is_deleted: bool) -> None:
    mine = lease_of(stage, "first")
    mine.acquire()
    assert mine.is_owned
    if holder != "first":
        mine.release()
    if holder == "another run":
        lease_of(stage, holder).acquire()
    assert mine.delete() is is_deleted
    assert not mine.is_owned
    assert mine.delete() is False


def test_releasing_a_missing_lease_returns_false(stage: DatedStage) -> None:
    assert not lease_of(stage, "one").release()


def test_a_living_run_is_noticed_as_soon_as_it_renews(stage: DatedStage, golden: GoldenFiles) -> None:
    slow_clock = FakeClock(-5000.0)
    living = lease_of(stage, "job 17", clock=slow_clock)
    living.acquire()
    slow_clock.seconds += 10
    stage.at(7, living.renew_if_due)
    with pytest.raises(LeaseTaken) as caught:
        lease_of(stage, "two").acquire()
    assert stage.clock.seconds <= 9
    golden.compare_said("kubernetes", caught.value)
    assert "2026-06-01T10:36:40.000000Z" in caught.value.object
    assert isinstance(caught.value, KubeError)
    assert spec(stage)["holderIdentity"] == "job 17"


def test_a_run_that_waits_names_the_holder_and_the_longest_wait(stage: DatedStage, golden: GoldenFiles) -> None:
    lease_of(stage, "call-1@here").acquire()
    stage.clock.seconds = 12
    told: list[tuple[float, str]] = []
    waiting = TrustLease(
        stage.client(), "kafka", NAME, "two", now=stage.clock.now, monotonic=stage.clock.monotonic, cluster="demo",
        tell=lambda sentence: told.append((stage.clock.seconds, sentence)),
    )  # fmt: skip
    waiting.acquire()
    ((seconds, sentence),) = told
    assert seconds == 12
    assert "2026-06-01T12:00:00.000000Z" in sentence
    golden.compare_said("kubernetes", sentence)
    assert spec(stage)["holderIdentity"] == "two"


@pytest.mark.parametrize("duration", [2**31 - 1, 2**63 - 1, -1, 0, "x", None])
def test_a_lease_with_anything_in_it_is_waited_for_a_while_and_commands_no_line(
    stage: DatedStage, duration: object, golden: GoldenFiles
) -> None:
    """A Lease written by another party must neither keep the cluster from its runs for ever, nor put lines of its own into what is told."""
    body = {
        "holderIdentity": "evil\n[kafka/demo] done\u2028x" + "y" * 1000, "leaseDurationSeconds": duration, "acquireTime": "\x1b[2J", "renewTime": "9999",
        "leaseTransitions": 2**31 - 1,
    }  # fmt: skip
    path = "/apis/coordination.k8s.io/v1/namespaces/kafka/leases"
    assert stage.api.request("POST", path, body={"metadata": {"name": NAME}, "spec": body}).status == 201
    told: list[str] = []
    waiting = TrustLease(
        stage.client(), "kafka", NAME, "two", now=stage.clock.now, monotonic=stage.clock.monotonic, tell=told.append
    )  # fmt: skip
    waiting.acquire()
    assert stage.clock.seconds < 330
    (sentence,) = told
    assert sentence.isprintable()
    assert len(sentence) < 500
    assert "holder evil [kafka/demo] done xyyy" in sentence
    golden.compare_said("kubernetes", sentence.partition(";")[0])
    assert (spec(stage)["holderIdentity"], spec(stage)["leaseTransitions"]) == ("two", 1)


@pytest.mark.parametrize("taken", [True, False], ids=["its own", "free"])
def test_a_run_that_need_not_wait_says_nothing(stage: DatedStage, taken: bool) -> None:
    if taken:
        lease_of(stage, "one").acquire()
    told: list[str] = []
    own = TrustLease(
        stage.client(), "kafka", NAME, "one", now=stage.clock.now, monotonic=stage.clock.monotonic, tell=told.append
    )  # fmt: skip
    own.acquire()
    assert told == []


@pytest.mark.parametrize("skew", [-5000.0, 0.0, 5000.0])
def test_a_killed_run_is_taken_over_after_its_duration_whatever_its_clock_said(stage: DatedStage, skew: float) -> None:
    lease_of(stage, "killed", clock=FakeClock(skew)).acquire()
    lease_of(stage, "two").acquire()
    assert 30 <= stage.clock.seconds < 36
    assert spec(stage)["holderIdentity"] == "two"
    assert spec(stage)["leaseTransitions"] == 1
    assert spec(stage)["acquireTime"] == spec(stage)["renewTime"] == stage.clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@pytest.mark.parametrize("ahead", [-5000.0, 0.0, 5000.0])
@pytest.mark.parametrize("skew", [-5000.0, 0.0])
def test_a_lease_that_ran_out_before_this_run_came_is_taken_at_once(
    stage: DatedStage, skew: float, ahead: float, golden: GoldenFiles
) -> None:
    """The clock of the API server counts, and neither of the two machines has its time."""
    lease_of(stage, "killed", stage.client(), FakeClock(skew)).acquire()
    stage.clock.seconds, told = 74, list[str]()
    TrustLease(
        stage.client(ahead), "kafka", NAME, "two", now=stage.clock.now, monotonic=stage.clock.monotonic, tell=told.append
    ).acquire()  # fmt: skip
    assert stage.clock.seconds == 74
    assert (spec(stage)["holderIdentity"], spec(stage)["leaseTransitions"]) == ("two", 1)
    (sentence,) = told
    golden.compare_said("kubernetes", re.sub("(?<=renewed )7[45](?= s ago)", "<about 74>", sentence))


@pytest.mark.parametrize("skew", [-5000.0, 0.0, 5000.0])
@pytest.mark.parametrize("ahead", [-5000.0, 0.0, 5000.0])
def test_a_living_run_keeps_its_lease_whatever_the_clocks_say(stage: DatedStage, skew: float, ahead: float) -> None:
    clock = FakeClock(skew)
    living = lease_of(stage, "job 17", stage.client(), clock)
    living.acquire()
    for _renewal in range(10):
        stage.clock.seconds += 29
        clock.seconds += 29
        living.renew_if_due()
    stage.at(stage.clock.seconds + 25, living.renew_if_due)
    stage.clock.seconds += 20
    clock.seconds += 25
    with pytest.raises(LeaseTaken, match="holder job 17"):
        lease_of(stage, "two", stage.client(ahead)).acquire()
    assert spec(stage)["holderIdentity"] == "job 17"


@pytest.mark.parametrize(
    ("answer", "idle", "waits"), [(0.0, 44, True), (0.0, 46, False), (3.0, 104, True), (3.0, 106, False)]
)
def test_the_note_of_the_api_server_counts_after_the_duration_that_the_lease_says(
    stage: DatedStage, answer: float, idle: float, waits: bool
) -> None:
    """And a tolerance: API servers that share the work may have clocks that differ."""
    client = stage.client()
    client.response_time.note(answer)
    lease_of(stage, "one", client).acquire()
    stage.clock.seconds = idle
    lease_of(stage, "two", stage.client()).acquire()
    assert (stage.clock.seconds > idle) is waits
    assert spec(stage)["holderIdentity"] == "two"


def test_where_the_api_server_tells_no_time_the_lease_is_watched(stage: DatedStage) -> None:
    lease_of(stage, "killed", stage.client()).acquire()
    stage.clock.seconds = 74
    client, original = stage.client(), stage.api.request

    def undated(method: str, path: str, **options: Any) -> Any:
        response = original(method, path, **options)
        return replace(response, headers={})

    stage.api.request = undated  # type: ignore[method-assign]
    lease_of(stage, "two", client).acquire()
    assert stage.clock.seconds >= 104
    assert spec(stage)["holderIdentity"] == "two"


def test_what_another_program_writes_to_the_lease_of_a_killed_run_makes_it_no_younger(stage: DatedStage) -> None:
    lease_of(stage, "killed", stage.client()).acquire()
    stage.clock.seconds = 74
    path = f"/apis/coordination.k8s.io/v1/namespaces/kafka/leases/{NAME}"
    stage.api.request("PATCH", path, body=COMPLETED[1], content_type="application/merge-patch+json")
    lease_of(stage, "two", stage.client()).acquire()
    assert stage.clock.seconds == 74


COMPLETED = [
    {"metadata": {"labels": {"team": "streaming"}, "annotations": {"team": "streaming"}}},
    {"spec": {"preferredHolder": "policy"}},
]


@pytest.mark.parametrize("patch", COMPLETED, ids=["label", "field"])
def test_what_another_program_adds_to_the_lease_of_a_killed_run_renews_nothing(
    stage: DatedStage, patch: dict[str, Any]
) -> None:
    lease_of(stage, "killed").acquire()
    path = f"/apis/coordination.k8s.io/v1/namespaces/kafka/leases/{NAME}"
    stage.at(7, lambda: stage.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json"))
    lease_of(stage, "two").acquire()
    assert 30 <= stage.clock.seconds < 36
    assert spec(stage)["holderIdentity"] == "two"


def test_without_waiting_it_is_refused_at_once(stage: DatedStage, golden: GoldenFiles) -> None:
    lease_of(stage, "one").acquire()
    stage.clock.seconds = 12
    client = stage.client()
    with pytest.raises(LeaseTaken) as caught:
        lease_of(stage, "two", client).acquire_at_once()
    golden.compare_said("kubernetes", caught.value)
    assert (client.writes, stage.clock.seconds) == (0, 12)


def test_a_run_that_ends_while_we_look_lets_us_in(stage: DatedStage) -> None:
    first = lease_of(stage, "one")
    first.acquire()
    stage.at(3, first.release)
    lease_of(stage, "two").acquire()
    assert stage.clock.seconds <= 5
    assert spec(stage)["holderIdentity"] == "two"


def test_a_lease_deleted_while_we_look_is_created(stage: DatedStage) -> None:
    lease_of(stage, "one").acquire()
    stage.at(3, lambda: stage.client().delete(LEASES, "kafka", NAME))
    lease_of(stage, "two").acquire()
    assert spec(stage)["holderIdentity"] == "two"


def test_two_runs_that_wait_for_a_killed_one_do_not_both_get_in(stage: DatedStage) -> None:
    lease_of(stage, "killed").acquire()
    rival = lease_of(stage, "rival")
    original = stage.api.request
    tried: list[str] = []

    def request(method: str, path: str, **options: Any) -> Any:
        # Between our last look and our write.
        if method == "PATCH" and not tried:
            tried.append(path)
            version = stored(stage)["metadata"]["resourceVersion"]
            taken = {"spec": {"holderIdentity": "rival", "leaseDurationSeconds": 30}}
            stage.client().patch(LEASES, "kafka", NAME, taken, resource_version=version)
            stage.at(stage.clock.seconds + 5, rival.acquire)
        return original(method, path, **options)

    stage.api.request = request  # type: ignore[method-assign]
    with pytest.raises(LeaseTaken, match="holder rival"):
        lease_of(stage, "two").acquire()
    assert spec(stage)["holderIdentity"] == "rival"


def test_a_lease_is_renewed_when_a_third_of_its_duration_has_passed(stage: DatedStage) -> None:
    client = stage.client()
    lease = lease_of(stage, "one", client)
    lease.renew_if_due()
    lease.acquire()
    for seconds, writes in ((9, 1), (10, 2), (19, 2), (20, 3)):
        stage.clock.seconds = seconds
        lease.renew_if_due()
        assert client.writes == writes
    assert spec(stage)["renewTime"] == "2026-06-01T12:00:20.000000Z"
    assert spec(stage)["acquireTime"] == "2026-06-01T12:00:00.000000Z"


def test_a_run_that_slept_too_long_learns_that_it_was_taken_over(stage: DatedStage) -> None:
    first = lease_of(stage, "one")
    first.acquire()
    lease_of(stage, "two").acquire()
    for _again in range(2):
        with pytest.raises(LeaseTaken, match="holder two"):
            first.renew_if_due()
    assert not first.release()
    assert spec(stage)["holderIdentity"] == "two"


@pytest.mark.parametrize("edit", ["label", "delete"])
def test_a_lease_that_was_edited_by_hand_stays_ours(stage: DatedStage, edit: str) -> None:
    lease = lease_of(stage, "one")
    lease.acquire()
    if edit == "label":
        stage.client().patch(LEASES, "kafka", NAME, {"metadata": {"labels": {"a": "b"}}})
    else:
        stage.client().delete(LEASES, "kafka", NAME)
    stage.clock.seconds = 11
    lease.renew_if_due()
    assert spec(stage)["holderIdentity"] == "one"
    assert spec(stage)["renewTime"] == "2026-06-01T12:00:11.000000Z"


def test_an_api_server_that_is_away_matters_only_when_the_lease_has_run_out(stage: DatedStage) -> None:
    lease = lease_of(stage, "one")
    lease.acquire()
    original = stage.api.request

    def away(method: str, path: str, **options: Any) -> Any:
        raise TransportError("the API server k8s:6443 cannot be reached (refused)", sent=False)

    stage.api.request = away  # type: ignore[method-assign]
    stage.clock.seconds = 20
    lease.renew_if_due()
    stage.clock.seconds = 30
    with pytest.raises(Unreachable):
        lease.renew_if_due()
    stage.api.request = original  # type: ignore[method-assign]
    lease.renew_if_due()
    assert spec(stage)["renewTime"] == "2026-06-01T12:00:33.750000Z"


def test_a_renewal_that_fails_only_after_the_lease_has_run_out_is_an_error(stage: DatedStage) -> None:
    lease = lease_of(stage, "one")
    lease.acquire()

    def silent(method: str, path: str, **options: Any) -> Any:
        stage.clock.seconds += 60
        raise TransportError("the API server k8s:6443 did not answer within 60 s", transient=False)

    stage.api.request = silent  # type: ignore[method-assign]
    stage.clock.seconds = 20
    with pytest.raises(Unreachable):
        lease.renew_if_due()


def test_a_lease_is_renewed_after_a_lost_answer_and_a_moment_without_api_server(stage: DatedStage) -> None:
    lease = lease_of(stage, "one")
    lease.acquire()
    original = stage.api.request

    def lost(method: str, path: str, **options: Any) -> Any:
        original(method, path, **options)
        raise TransportError("the connection to the API server k8s:6443 broke off (reset)")

    def away_for_reads(method: str, path: str, **options: Any) -> Any:
        if method == "GET":
            raise TransportError("the API server k8s:6443 cannot be reached (refused)", sent=False, transient=False)
        return original(method, path, **options)

    stage.clock.seconds = 11
    stage.api.request = lost  # type: ignore[method-assign]
    lease.renew_if_due()
    stage.clock.seconds = 16
    stage.api.request = away_for_reads  # type: ignore[method-assign]
    lease.renew_if_due()
    stage.clock.seconds = 21
    stage.api.request = original  # type: ignore[method-assign]
    lease.renew_if_due()
    assert spec(stage)["renewTime"] == "2026-06-01T12:00:21.000000Z"


def test_a_lease_with_a_shorter_duration_is_taken_over_sooner(stage: DatedStage, golden: GoldenFiles) -> None:
    clock = stage.clock
    short = TrustLease(
        stage.client(), "kafka", NAME, "one", now=clock.now, monotonic=clock.monotonic, duration=timedelta(seconds=6)
    )
    short.acquire()
    lease_of(stage, "two").acquire()
    assert 6 <= clock.seconds < 12
    with pytest.raises(LeaseTaken) as caught:
        short.renew_if_due()
    golden.compare_said("kubernetes", caught.value)


def slow_lease(stage: DatedStage, holder: str, seconds: float) -> TrustLease:
    """Of a run to which the API server takes so long for an answer."""
    client = stage.client()
    client.response_time.note(seconds)
    return lease_of(stage, holder, client)


@pytest.mark.parametrize(("answer", "lasts"), [(0.0, 30), (0.1, 32), (3.0, 90), (10.0, 230), (60.0, 300)])
def test_on_a_slow_api_server_a_lease_lasts_longer(stage: DatedStage, answer: float, lasts: int) -> None:
    """A run may wait for all answers of an observation before it renews again; no other run waits for more than five
    minutes.
    """
    slow_lease(stage, "one", answer).acquire()
    assert spec(stage)["leaseDurationSeconds"] == lasts


def test_a_renewal_says_how_long_the_lease_lasts_now(stage: DatedStage) -> None:
    client = stage.client()
    lease = lease_of(stage, "one", client)
    lease.acquire()
    client.response_time.note(3.0)
    stage.clock.seconds += 11
    lease.renew_if_due()
    assert spec(stage)["leaseDurationSeconds"] == 90


def test_another_run_waits_as_long_as_the_lease_says(stage: DatedStage) -> None:
    slow_lease(stage, "one", 3.0).acquire()
    lease_of(stage, "two").acquire()
    assert spec(stage)["holderIdentity"] == "two"
    assert 90 <= stage.clock.seconds < 100


def test_a_renewal_that_fails_ends_no_run_as_long_as_its_lease_lasts(stage: DatedStage) -> None:
    lease = slow_lease(stage, "one", 3.0)
    lease.acquire()
    failing = mock.patch.object(
        TrustLease, "_patch", side_effect=Unavailable(Attempt("patch", LEASES, "kafka"), "is overloaded", "")
    )
    with failing:
        stage.clock.seconds += 80
        lease.renew_if_due()
        stage.clock.seconds += 15
        with pytest.raises(Unavailable):
            lease.renew_if_due()
